//! Scenarios of a loan against a part of the borrower's runes.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint};
use engine::asset_index::{AssetIndex as _, OutputAssets, RuneEntry};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::version::TRUC;
use ordinals::{Etching, Rune, RuneId, Runestone, SpacedRune};

use crate::custom_transaction::{CustomTransaction, assembled, pay};
use crate::deal::{CLAIM_AFTER, Deal, Parties, fee_rate};
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::world::{World, confirm};

/// The whole supply, in raw units: more than any float or 64-bit number represents.
const PREMINE: u128 = 340_282_366_920_938_463_463_374_607_431_768_211_000;
const PLEDGED: u128 = 123_456_789_012_345_678_901_234_567_890;

/// Etches a rune with a reserved name, and gives the whole supply to the owner.
async fn etch(world: &impl World, owner: &TestWallet) -> (RuneId, AssetCoin) {
    let coin = funded(world, owner.payment(), 20_000).await;
    let etching = Etching { premine: Some(PREMINE), divisibility: Some(38), ..Etching::default() };
    let runestone = Runestone { etching: Some(etching), ..Runestone::default() };
    let outputs = vec![pay(owner.ordinals_script(), 10_000), pay(runestone.encipher(), 0)];
    let etched = CustomTransaction::new(vec![Spend::Coin(&coin)], outputs).signed(&[owner], None);
    world.mine_these(std::slice::from_ref(&etched)).await;
    let id = RuneId { block: world.indexer().height().await.unwrap().into(), tx: 1 };
    let coin = coin_of(&etched, 0, owner.ordinals());
    assert_runes(world, coin.outpoint, id, PREMINE).await;
    (id, AssetCoin { coin, inscriptions: Vec::new(), runes: vec![(id, PREMINE)] })
}

/// Asserts that the indexer finds this amount of a rune, and nothing else, in this output.
async fn assert_runes(world: &impl World, outpoint: OutPoint, id: RuneId, amount: u128) {
    let runes = if amount == 0 { Vec::new() } else { vec![(id, amount)] };
    let expected = OutputAssets { inscriptions: Vec::new(), runes };
    assert_eq!(world.indexer().assets_in(outpoint).await, Ok(Some(expected)));
}

/// Originates a loan.
async fn begin(world: &impl World) -> (RuneId, Deal) {
    let parties = Parties::manual();
    let (id, coin) = etch(world, &parties.borrower).await;
    let name = SpacedRune { rune: Rune::reserved(id.block, id.tx), spacers: 0 };
    let entry = RuneEntry { id, name, divisibility: 38 };
    assert_eq!(world.indexer().rune(name).await, Ok(Some(entry)));
    let funding = [funded(world, parties.lender.payment(), 2_500_000).await];
    let (change, rest) = (parties.lender.payment_script(), parties.borrower.ordinals_script());
    let collateral = Collateral::Runes { coins: std::slice::from_ref(&coin), id, amount: PLEDGED, rest: &rest };
    let deal = Deal::sign(parties, collateral, Funding::Coins { coins: &funding, change: &change });
    confirm(world, &deal.origination).await;
    assert_runes(world, deal.loan.outpoint, id, PLEDGED).await;
    let txid = deal.origination.compute_txid();
    let rest = deal
        .origination
        .output
        .iter()
        .position(|output| output.script_pubkey == deal.parties.borrower.ordinals_script());
    for (vout, output) in (0..).zip(&deal.origination.output) {
        let amount = match usize::try_from(vout).unwrap() {
            0 => PLEDGED,
            place if Some(place) == rest => PREMINE - PLEDGED,
            _ => 0,
        };
        if !output.script_pubkey.is_op_return() {
            assert_runes(world, OutPoint::new(txid, vout), id, amount).await;
        }
    }
    (id, deal)
}

pub(crate) async fn a_part_of_the_runes_is_pledged_and_returned(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let (id, deal) = begin(world).await;
        let coin = funded(world, deal.parties.borrower.payment(), 3_000_000).await;
        let ended = deal.repay(version, &coin, fee_rate());
        confirm(world, &ended).await;
        assert_eq!(ended.output[1].script_pubkey, deal.parties.borrower.ordinals_script());
        assert_runes(world, OutPoint::new(ended.compute_txid(), 1), id, PLEDGED).await;
    }
}

pub(crate) async fn the_lender_claims_the_runes(world: &impl World) {
    let (id, deal) = begin(world).await;
    let coin = funded(world, deal.parties.lender.payment(), 20_000).await;
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    let claim = deal.claim(Some(&coin));
    confirm(world, &claim).await;
    assert_eq!(claim.output[0], pay(deal.parties.lender.ordinals_script(), 546));
    assert_runes(world, OutPoint::new(claim.compute_txid(), 0), id, PLEDGED).await;
}

/// Shows why the builder writes a runestone: without it, runes go to the first output.
pub(crate) async fn a_repayment_without_its_runestone_would_pay_the_runes_into_the_pads(world: &impl World) {
    let (id, deal) = begin(world).await;
    let borrower = &deal.parties.borrower;
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let mut careless = deal.repayment(Version::TWO, &coin, fee_rate());
    careless.psbt.unsigned_tx.output.retain(|output| !output.script_pubkey.is_op_return());
    careless.psbt.outputs.truncate(careless.psbt.unsigned_tx.output.len());
    let careless = assembled(&careless, &[borrower], Some((2, 0, &deal.presigned.only().unwrap().two.to_vec())));
    confirm(world, &careless).await;
    assert_eq!(careless.output[0], pay(borrower.payment_script(), 1_200));
    assert_eq!(careless.output[1].value, Amount::from_sat(546));
    assert_runes(world, OutPoint::new(careless.compute_txid(), 0), id, PLEDGED).await;
    assert_runes(world, OutPoint::new(careless.compute_txid(), 1), id, 0).await;
}
