//! Tests of the verification of a transfer inscription before a loan takes it.

use bitcoin::OutPoint;
use engine::asset_index::InscriptionId;
use engine::chain::Chain as _;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use lending::lookups::holdings::InscriptionError;
use lending::lookups::lookup::LookupError;
use lending::lookups::transfer_inscription::TransferInscriptionError;

use crate::customer::{Customer, WHOLE, inscribe};
use crate::kit::people::Person;
use crate::kit::world::World;

const NOTE: &str = r#"{"p":"brc-20","op":"transfer","tick":"NEWT","amt":"40"}"#;

async fn proved(
    world: &World,
    id: InscriptionId,
    person: &Person,
    ticker: &str,
    tokens: u128,
) -> Result<OutPoint, TransferInscriptionError> {
    let transfer = Brc20Transfer::new(ticker, tokens * WHOLE).unwrap();
    let coin = world.service.lookup().transfer_inscription(id, &person.ordinals(), &transfer).await?;
    Ok(coin.coin.outpoint)
}

#[actix::test]
async fn a_transfer_is_accepted_if_it_matches_exactly_and_refused_by_name_otherwise() {
    let world = World::new().await;
    let (customer, other_user) = (Customer::new(&world, &[]).await, world.lender().await);
    let owner = &customer.person;
    let note = inscribe(&world, owner, NOTE);
    let place = Ok(OutPoint::new(note.txid, 0));
    assert_eq!(proved(&world, note, owner, "newt", 40).await, place);
    assert_eq!(proved(&world, note, owner, "Newt", 40).await, place, "tickers have no case");
    let other_ticker = TransferInscriptionError::OtherTicker { wanted: "ordi".to_owned(), found: "newt".to_owned() };
    assert_eq!(proved(&world, note, owner, "ordi", 40).await, Err(other_ticker));
    let other_amount = TransferInscriptionError::OtherAmount { wanted: 41 * WHOLE, found: 40 * WHOLE };
    assert_eq!(proved(&world, note, owner, "newt", 41).await, Err(other_amount));
    let not_yours = TransferInscriptionError::Inscription(InscriptionError::NotYours(note));
    assert_eq!(proved(&world, note, &other_user, "newt", 40).await, Err(not_yours));
    // More than the available balance, and no transfer inscription at all.
    for text in [r#"{"p":"brc-20","op":"transfer","tick":"newt","amt":"961"}"#, "a frog"] {
        let id = inscribe(&world, owner, text);
        assert_eq!(proved(&world, id, owner, "newt", 961).await, Err(TransferInscriptionError::Invalid(id)), "{text}");
    }
    let nowhere = InscriptionId { index: 9, ..note };
    let unknown = TransferInscriptionError::Inscription(InscriptionError::Unknown(nowhere));
    assert_eq!(proved(&world, nowhere, owner, "newt", 40).await, Err(unknown));
}

#[actix::test]
async fn a_moved_transfer_is_used_wherever_it_is() {
    let world = World::new().await;
    let (customer, receiver) = (Customer::new(&world, &[]).await, world.lender().await);
    for to in [&receiver, &customer.person] {
        let note = inscribe(&world, &customer.person, NOTE);
        let fee = world.fund(&customer.person.payment_script(), 9_000);
        let moved = customer.spend(&world, &[OutPoint::new(note.txid, 0), fee], 8_000, &to.ordinals()).await;
        world.chain.broadcast(&[moved]).await.unwrap();
        let waiting = TransferInscriptionError::Inscription(InscriptionError::Unconfirmed(note));
        assert_eq!(proved(&world, note, &customer.person, "newt", 40).await, Err(waiting));
        world.chain.mine(1).unwrap();
        assert_eq!(proved(&world, note, to, "newt", 40).await, Err(TransferInscriptionError::Used(note)));
    }
    assert_eq!(customer.newts(&world).await, (960, 0));
}

#[actix::test]
async fn a_lagging_brc20_indexer_is_not_trusted() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[]).await;
    let (note, key) = (inscribe(&world, &customer.person, NOTE), customer.person.ordinals());
    let tip = world.chain.tip().await.unwrap().height;
    let holdings = world.service.lookup().holdings(&key).await.unwrap();
    world.faults.lock().brc20_behind = 1;
    let lagging = LookupError::Lagging { wanted: tip, found: tip - 1 };
    let refused = TransferInscriptionError::Inscription(InscriptionError::Lookup(lagging.clone()));
    assert_eq!(proved(&world, note, &customer.person, "newt", 40).await, Err(refused));
    assert_eq!(world.service.lookup().brc20_balance(&key, "newt").await, Err(lagging.clone()));
    assert_eq!(world.service.lookup().notes(&key, &holdings).await, Err(lagging));
}
