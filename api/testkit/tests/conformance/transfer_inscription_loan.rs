//! Scenarios of a loan against BRC-20 for a node and an indexer of inscriptions, without balances.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint};
use engine::asset_index::{AssetIndex as _, InscriptionId};
use engine::chain::Chain as _;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;

use crate::deal::{Deal, PLATFORM_SATS, PRINCIPAL_SATS, Parties, assert_inscription, fee_rate};
use crate::inscriber::inscribe_this;
use crate::test_wallet::funded;
use crate::world::World;

/// The borrower's transfer inscription, and a signed loan against it that is not broadcast.
async fn prepare(world: &impl World) -> (InscriptionId, Deal) {
    let parties = Parties::manual();
    let transfer = Brc20Transfer::new("ordi", 1_500_000_000_000_000_000).unwrap();
    let (note, coin) = inscribe_this(world, &transfer.inscription(), &parties.borrower, 0, 546).await;
    // No output of the origination may be the lender's: the lender's coins hold exactly what is paid.
    let exact = [funded(world, parties.lender.payment(), PRINCIPAL_SATS + PLATFORM_SATS).await];
    let change = parties.lender.payment_script();
    let funding = Funding::Coins { coins: &exact, change: &change };
    let deal = Deal::sign(parties, Collateral::Brc20 { coin: &coin, transfer: &transfer }, funding);
    (note, deal)
}

pub(crate) async fn a_transfer_inscription_is_revealed_into_the_escrow_and_returned(world: &impl World) {
    let (note, deal) = prepare(world).await;
    let package = [deal.origination.clone(), deal.reveal.clone().unwrap()];
    assert_eq!(world.node().test_accept(&package).await, Ok(()));
    assert_eq!(world.node().broadcast(&package).await, Ok(()));
    world.mine(1).await;
    // The first transfer inscription is in the origination's escrow, and the new one in that of the reveal.
    assert_inscription(world, note, (OutPoint::new(deal.origination.compute_txid(), 0), 0)).await;
    let revealed = InscriptionId { txid: package[1].compute_txid(), index: 0 };
    assert_eq!(deal.loan.outpoint, OutPoint::new(revealed.txid, 0));
    assert_inscription(world, revealed, (deal.loan.outpoint, 0)).await;
    let coin = funded(world, deal.parties.borrower.payment(), 3_000_000).await;
    let ended = deal.repay(Version::TWO, &coin, fee_rate());
    assert_eq!(world.node().broadcast(std::slice::from_ref(&ended)).await, Ok(()));
    world.mine(1).await;
    assert_inscription(world, revealed, (OutPoint::new(ended.compute_txid(), 1), 0)).await;
    assert_eq!(ended.output[1].script_pubkey, deal.parties.borrower.ordinals_script());
}

pub(crate) async fn an_origination_without_its_reveal_does_not_count_as_started(world: &impl World) {
    let (note, deal) = prepare(world).await;
    let reveal = deal.reveal.clone().unwrap();
    let id = InscriptionId { txid: reveal.compute_txid(), index: 0 };
    assert_eq!(world.node().broadcast(std::slice::from_ref(&deal.origination)).await, Ok(()));
    world.mine(1).await;
    assert_inscription(world, note, (OutPoint::new(deal.origination.compute_txid(), 0), 0)).await;
    assert_eq!(world.indexer().sat_point(id).await, Ok(None));
    assert_eq!(world.node().unspent(deal.loan.outpoint).await, Ok(None));
    // The borrower can still broadcast the reveal alone.
    assert_eq!(world.node().broadcast(std::slice::from_ref(&reveal)).await, Ok(()));
    world.mine(1).await;
    assert_inscription(world, id, (deal.loan.outpoint, 0)).await;
    assert_eq!(deal.loan.value, Amount::from_sat(546));
}
