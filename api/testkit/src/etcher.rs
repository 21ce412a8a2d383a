//! Etching of runes for tests.

use bitcoin::{OutPoint, Transaction};
use engine::asset_index::{AssetIndex as _, OutputAssets};
use engine::chain::Chain as _;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::rune_flow::RuneFlow;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::spend::Spend;
use ordinals::{Edict, Etching, RuneId, Runestone};

use super::custom_transaction::{CustomTransaction, pay};
use super::test_wallet::{TestWallet, coin_of, funded};
use super::world::{World, confirm};

/// The value of each coin with runes.
pub const RUNE_COIN_SATS: u64 = 10_000;
/// The fee of the etching.
const FEE: u64 = 3_000;

/// Etches a rune with a reserved name and gives all of it to the owner, each amount in a coin of its own.
pub async fn etch<const N: usize>(
    world: &impl World,
    owner: &TestWallet,
    amounts: [u128; N],
) -> (RuneId, [AssetCoin; N]) {
    let artist = TestWallet::new(98);
    let mut outputs = vec![pay(owner.ordinals_script(), RUNE_COIN_SATS); N];
    let paid = funded(world, artist.payment(), u64::try_from(N).unwrap() * RUNE_COIN_SATS + FEE).await;
    // The rune has no id yet; 0:0 stands for it.
    let edicts = (0..).zip(amounts).map(|(output, amount)| Edict { id: RuneId::default(), amount, output });
    let etching = Etching { premine: Some(amounts.iter().sum()), divisibility: Some(2), ..Etching::default() };
    let runestone = Runestone { edicts: edicts.collect(), etching: Some(etching), ..Runestone::default() };
    outputs.push(pay(runestone.encipher(), 0));
    let etched = CustomTransaction::new(vec![Spend::Coin(&paid)], outputs).signed(&[&artist], None);
    confirm(world, &etched).await;
    let height = world.node().tip().await.unwrap().height;
    let mined = world.block(height).await.unwrap().txdata;
    let place = mined.iter().position(|transaction| *transaction == etched).unwrap();
    let id = RuneId { block: height.into(), tx: u32::try_from(place).unwrap() };
    let mut vout = 0;
    let coins = amounts.map(|amount| {
        let coin = coin_of(&etched, vout, owner.ordinals());
        vout += 1;
        AssetCoin { coin, inscriptions: Vec::new(), runes: vec![(id, amount)] }
    });
    for AssetCoin { coin, runes, .. } in &coins {
        assert_runes(world, coin.outpoint, runes).await;
    }
    (id, coins)
}

/// Joins coins of one owner, with all that they carry, in one output of this value.
pub async fn join_coins(world: &impl World, owner: &TestWallet, coins: &[&Coin], sats: u64) -> Coin {
    let spends = coins.iter().map(|coin| Spend::Coin(coin)).collect();
    let joining = CustomTransaction::new(spends, vec![pay(owner.ordinals_script(), sats)]).signed(&[owner], None);
    confirm(world, &joining).await;
    coin_of(&joining, 0, owner.ordinals())
}

/// Asserts that the indexer finds these runes, and nothing else, in an output.
pub async fn assert_runes(world: &impl World, outpoint: OutPoint, runes: &[(RuneId, u128)]) {
    let carried = world.indexer().assets_in(outpoint).await;
    assert_eq!(carried, Ok(Some(OutputAssets { inscriptions: Vec::new(), runes: runes.to_vec() })), "{outpoint}");
}

/// Asserts that the indexer finds the runes of a mined transaction's inputs where [`RuneFlow`] sends them, and nowhere
/// else.
pub async fn assert_flow(world: &impl World, held: &[(RuneId, u128)], mined: &Transaction) -> RuneFlow {
    let flow = RuneFlow::of(held.iter().copied(), mined).unwrap();
    for ((vout, output), runes) in (0..).zip(&mined.output).zip(&flow.outputs) {
        if !output.script_pubkey.is_op_return() {
            let runes: Vec<(RuneId, u128)> = runes.iter().map(|(id, amount)| (*id, *amount)).collect();
            assert_runes(world, OutPoint::new(mined.compute_txid(), vout), &runes).await;
        }
    }
    flow
}
