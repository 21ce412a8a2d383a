//! Tests of every state of the BRC-20 panel, in the order in which its owner sees them.

use bitcoin::OutPoint;
use bitcoin::hashes::Hash as _;
use domain::{Command, OfferDraft, ProcessType, ReservationId, Sats, SubCollectionId};
use engine::ReserveRequest;
use engine::chain::Chain as _;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use lending::brc20::bundle_status::{BundleState, BundleStatus};

use crate::customer::{Customer, WHOLE, inscribe};
use crate::kit::groups::NEWTS;
use crate::kit::world::World;

async fn panel(world: &World, customer: &Customer, tokens: u128) -> BundleStatus {
    let bundle = Brc20Transfer::new("NEWT", tokens * WHOLE).unwrap();
    world.service.bundle_status(customer.person.user, &customer.person.ordinals(), &bundle).await.unwrap()
}

#[actix::test]
async fn the_panel_shows_the_next_step_at_every_stage() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    assert_eq!(panel(&world, &customer, 1_001).await.state, BundleState::Insufficient);
    assert_eq!(panel(&world, &customer, 1_000).await.state, BundleState::NoNote);
    let prepared = customer.prepare(&world, 600).await.unwrap();
    assert_eq!(panel(&world, &customer, 600).await.state, BundleState::NoNote, "it is unsigned");
    let reveal = customer.commit(&world, &prepared).await.unwrap();
    let pending = panel(&world, &customer, 600).await;
    assert_eq!((pending.state, pending.pending.unwrap().reveal), (BundleState::NotePending, reveal));
    assert_eq!(panel(&world, &customer, 500).await.state, BundleState::NoNote, "of another amount");
    world.chain.mine(1).unwrap();
    let there = panel(&world, &customer, 600).await;
    assert_eq!((there.state, there.balance.available), (BundleState::NoteAvailable, 400 * WHOLE));
    let note = there.note.unwrap();
    assert_eq!((note.inscription.outpoint, note.amount), (OutPoint::new(reveal, 0), 600 * WHOLE));
    assert_eq!(panel(&world, &customer, 401).await.state, BundleState::NeedsConsolidation);
    assert_eq!(panel(&world, &customer, 400).await.state, BundleState::NoNote);
    assert_eq!(panel(&world, &customer, 1_001).await.state, BundleState::Insufficient);
    // A move to oneself turns it into an available balance again.
    let fee = world.fund(&customer.person.payment_script(), 9_000);
    let home = customer.person.ordinals();
    let moved = customer.spend(&world, &[OutPoint::new(reveal, 0), fee], 8_000, &home).await;
    world.chain.broadcast(&[moved]).await.unwrap();
    world.chain.mine(1).unwrap();
    assert_eq!(panel(&world, &customer, 600).await.state, BundleState::NoNote);
}

#[actix::test]
async fn a_pledged_transfer_is_not_available() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[]).await;
    let note = inscribe(&world, &customer.person, r#"{"p":"brc-20","op":"transfer","tick":"newt","amt":"600"}"#);
    assert_eq!(panel(&world, &customer, 600).await.state, BundleState::NoteAvailable);
    let lender = world.lender().await;
    let (process, principal) = (ProcessType::Manual, Sats::new(500_000));
    let (sub_collection, quantity, max_ltv) = (SubCollectionId(0), None, None);
    let draft = OfferDraft { quantity, max_ltv, ..OfferDraft::plain(sub_collection, process, principal) };
    let create = Command::Create { lender: lender.user, draft, count: 1, usable: None };
    let offer = world.service.market.command(NEWTS, create, None).await.unwrap().offers[0].offer_id.0;
    let txid = note.txid.to_byte_array();
    let request = ReserveRequest {
        reservation: ReservationId(1),
        offer,
        borrower: customer.person.user,
        pledged_raw: None,
        inscriptions: Vec::new(),
        outpoints: vec![domain::Outpoint { txid, vout: 0 }],
        expires_at: world.service.market.now().plus_ms(60_000),
    };
    world.service.market.reserve(request, None).await.unwrap();
    assert_eq!(panel(&world, &customer, 600).await.state, BundleState::NeedsConsolidation);
}
