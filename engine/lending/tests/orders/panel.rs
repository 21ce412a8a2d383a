//! Tests of every state of the BRC-20 panel, in the order in which its owner sees them.

use bitcoin::OutPoint;
use bitcoin::hashes::Hash as _;
use domain::{Command, OfferDraft, ProcessType, ReservationId, Sats, SubCollectionId};
use engine::ReserveRequest;
use engine::chain::Chain as _;
use escrow::contract::brc20_transfer::Brc20Transfer;
use lending::brc20_panel::{Panel, PanelState};

use crate::customer::{Customer, WHOLE, inscribe};
use crate::kit::groups::NEWTS;
use crate::kit::world::World;

async fn panel(world: &World, customer: &Customer, tokens: u128) -> Panel {
    let bundle = Brc20Transfer::new("NEWT", tokens * WHOLE).unwrap();
    world.service.brc20_panel(customer.person.user, &customer.person.ordinals(), &bundle).await.unwrap()
}

#[actix::test]
async fn the_panel_shows_the_next_step_at_every_stage() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    assert_eq!(panel(&world, &customer, 1_001).await.state, PanelState::Insufficient);
    assert_eq!(panel(&world, &customer, 1_000).await.state, PanelState::NoNote);
    let prepared = customer.prepare(&world, 600).await.unwrap();
    assert_eq!(panel(&world, &customer, 600).await.state, PanelState::NoNote, "it is unsigned");
    let reveal = customer.commit(&world, &prepared).await.unwrap();
    let pending = panel(&world, &customer, 600).await;
    assert_eq!((pending.state, pending.pending.unwrap().reveal), (PanelState::NotePending, reveal));
    assert_eq!(panel(&world, &customer, 500).await.state, PanelState::NoNote, "of another amount");
    world.chain.mine(1).unwrap();
    let there = panel(&world, &customer, 600).await;
    assert_eq!((there.state, there.balance.available), (PanelState::NoteAvailable, 400 * WHOLE));
    let note = there.note.unwrap();
    assert_eq!((note.inscription.outpoint, note.amount), (OutPoint::new(reveal, 0), 600 * WHOLE));
    assert_eq!(panel(&world, &customer, 401).await.state, PanelState::NeedsConsolidation);
    assert_eq!(panel(&world, &customer, 400).await.state, PanelState::NoNote);
    assert_eq!(panel(&world, &customer, 1_001).await.state, PanelState::Insufficient);
    // A move to oneself turns it into an available balance again.
    let fee = world.fund(&customer.person.payment_script(), 9_000);
    let home = customer.person.ordinals();
    let moved = customer.spend(&world, &[OutPoint::new(reveal, 0), fee], 8_000, &home).await;
    world.chain.broadcast(&[moved]).await.unwrap();
    world.chain.mine(1).unwrap();
    assert_eq!(panel(&world, &customer, 600).await.state, PanelState::NoNote);
}

#[actix::test]
async fn a_pledged_transfer_is_not_available() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[]).await;
    let note = inscribe(&world, &customer.person, r#"{"p":"brc-20","op":"transfer","tick":"newt","amt":"600"}"#);
    assert_eq!(panel(&world, &customer, 600).await.state, PanelState::NoteAvailable);
    let lender = world.lender().await;
    let (process, principal) = (ProcessType::Manual, Sats::new(500_000));
    let (sub_collection, quantity, max_ltv) = (SubCollectionId(0), None, None);
    let draft = OfferDraft { sub_collection, process, principal, quantity, max_ltv, accepts_next_term: false };
    let create = Command::Create { lender: lender.user, draft, count: 1, usable: None };
    let offer = world.service.market.command(NEWTS, create, None).await.unwrap().offers[0].offer_id.0;
    let txid = note.txid.to_byte_array();
    let request = ReserveRequest {
        reservation: ReservationId(1),
        offer,
        borrower: customer.person.user,
        pledged_raw: None,
        outpoints: vec![domain::Outpoint { txid, vout: 0 }],
        expires_at: world.service.market.now().plus_ms(60_000),
    };
    world.service.market.reserve(request, None).await.unwrap();
    assert_eq!(panel(&world, &customer, 600).await.state, PanelState::NeedsConsolidation);
}
