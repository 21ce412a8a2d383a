//! A loan against BRC-20, as a node and an indexer of inscriptions see it; balances are another indexer's business.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint};
use engine::asset_index::{AssetIndex as _, InscriptionId};
use engine::chain::Chain as _;
use escrow::contract::brc20_transfer::Brc20Transfer;
use escrow::contract::collateral::Collateral;
use escrow::contract::funding::Funding;

use crate::deal::{Deal, PLATFORM_SATS, PRINCIPAL_SATS, Parties, assert_inscription, fee_rate};
use crate::inscriber::inscribe_this;
use crate::person::funded;
use crate::world::World;

/// The borrower's own note, and a loan against what it says; nothing is sent.
async fn prepare(world: &impl World) -> (InscriptionId, Deal) {
    let parties = Parties::manual();
    let transfer = Brc20Transfer::new("ordi", 1_500_000_000_000_000_000).unwrap();
    let (note, coin) = inscribe_this(world, &transfer.inscription(), &parties.borrower, 0, 546).await;
    // No output of the beginning may be the lender's: his coins hold exactly what he pays.
    let exact = [funded(world, parties.lender.payment(), PRINCIPAL_SATS + PLATFORM_SATS).await];
    let change = parties.lender.purse();
    let funding = Funding::Coins { coins: &exact, change: &change };
    let deal = Deal::sign(parties, Collateral::Brc20 { coin: &coin, transfer: &transfer }, funding);
    (note, deal)
}

pub(crate) async fn a_note_is_revealed_into_the_escrow_and_comes_home(world: &impl World) {
    let (note, deal) = prepare(world).await;
    let package = [deal.begun.clone(), deal.revealed.clone().unwrap()];
    assert_eq!(world.node().test(&package).await, Ok(()));
    assert_eq!(world.node().broadcast(&package).await, Ok(()));
    world.mine(1).await;
    // The first note lies in the origination's escrow, and the new one in that of the reveal.
    assert_inscription(world, note, (OutPoint::new(deal.begun.compute_txid(), 0), 0)).await;
    let revealed = InscriptionId { txid: package[1].compute_txid(), index: 0 };
    assert_eq!(deal.loan.outpoint, OutPoint::new(revealed.txid, 0));
    assert_inscription(world, revealed, (deal.loan.outpoint, 0)).await;
    let coin = funded(world, deal.parties.borrower.payment(), 3_000_000).await;
    let ended = deal.repay(Version::TWO, &coin, fee_rate());
    assert_eq!(world.node().broadcast(std::slice::from_ref(&ended)).await, Ok(()));
    world.mine(1).await;
    assert_inscription(world, revealed, (OutPoint::new(ended.compute_txid(), 1), 0)).await;
    assert_eq!(ended.output[1].script_pubkey, deal.parties.borrower.home());
}

pub(crate) async fn without_its_reveal_a_beginning_is_not_taken_for_begun(world: &impl World) {
    let (note, deal) = prepare(world).await;
    let reveal = deal.revealed.clone().unwrap();
    let id = InscriptionId { txid: reveal.compute_txid(), index: 0 };
    assert_eq!(world.node().broadcast(std::slice::from_ref(&deal.begun)).await, Ok(()));
    world.mine(1).await;
    assert_inscription(world, note, (OutPoint::new(deal.begun.compute_txid(), 0), 0)).await;
    assert_eq!(world.indexer().place_of(id).await, Ok(None));
    assert_eq!(world.node().unspent(deal.loan.outpoint).await, Ok(None));
    // The borrower can still reveal, alone.
    assert_eq!(world.node().broadcast(std::slice::from_ref(&reveal)).await, Ok(()));
    world.mine(1).await;
    assert_inscription(world, id, (deal.loan.outpoint, 0)).await;
    assert_eq!(deal.loan.value, Amount::from_sat(546));
}
