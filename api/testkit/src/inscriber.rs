//! Inscribing for tests.

use bitcoin::{Amount, ScriptBuf, Transaction};
use engine::asset_index::InscriptionId;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::commit::Commit;
use escrow::contract::assets::inscription::Inscription;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::unspendable::Purpose;

use super::custom_transaction::{CustomTransaction, pay};
use super::test_wallet::{TestWallet, coin_of, funded};
use super::world::{World, confirm};

/// The fee of the reveal, and of the move.
const FEE: u64 = 2_000;

/// Inscribes a text, and gives it to the owner in a new confirmed coin. `offset` is the number of sats before it: none,
/// or at least the dust limit.
pub async fn inscribe(world: &impl World, owner: &TestWallet, offset: u64, sats: u64) -> (InscriptionId, AssetCoin) {
    let text = Inscription { content_type: "text/plain;charset=utf-8".to_owned(), body: b"a frog of paper".to_vec() };
    inscribe_this(world, &text, owner, offset, sats).await
}

/// Inscribes anything on the first sat of a new confirmed coin of this script.
pub async fn inscribe_at(
    world: &impl World,
    content: &Inscription,
    home: ScriptBuf,
    sats: u64,
) -> (InscriptionId, Transaction) {
    let artist = TestWallet::new(99);
    let commit = Commit::new(content, artist.key(), Purpose::LoanTransfer(1)).unwrap();
    let value = Amount::from_sat(sats + FEE);
    let committed = world.fund(&commit.output(value).script_pubkey, value).await;
    let spends = vec![commit.spend(committed, value)];
    let reveal = CustomTransaction::new(spends, vec![pay(home, sats)]).signed(&[&artist], None);
    confirm(world, &reveal).await;
    (InscriptionId { txid: reveal.compute_txid(), index: 0 }, reveal)
}

/// Does the same as [`inscribe`] with any content.
pub async fn inscribe_this(
    world: &impl World,
    content: &Inscription,
    owner: &TestWallet,
    offset: u64,
    sats: u64,
) -> (InscriptionId, AssetCoin) {
    let sats = if offset > 0 { sats - offset + FEE } else { sats };
    let key = owner.ordinals();
    let (id, reveal) = inscribe_at(world, content, key.script_pubkey(), sats).await;
    let mut coin = coin_of(&reveal, 0, key);
    if offset > 0 {
        let before = funded(world, owner.payment(), offset).await;
        let spends = vec![Spend::Coin(&before), Spend::Coin(&coin)];
        // The sats behind the inscription pay the fee of the move.
        let outputs = vec![pay(key.script_pubkey(), offset + sats - FEE)];
        let moved = CustomTransaction::new(spends, outputs).signed(&[owner], None);
        confirm(world, &moved).await;
        coin = coin_of(&moved, 0, key);
    }
    (id, AssetCoin { coin, inscriptions: vec![Amount::from_sat(offset)], runes: Vec::new() })
}
