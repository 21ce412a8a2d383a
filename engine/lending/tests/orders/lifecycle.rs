//! Tests of the life of an order, from a balance to a transfer inscription that a loan can take.

use bitcoin::{FeeRate, OutPoint, Psbt, Txid};
use domain::{Stream, TransferOrderState};
use engine::asset_index::InscriptionId;
use engine::chain::Chain as _;
use escrow::address::AddressKind;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use lending::brc20::transfer_orders::TransferOrdersTracked;
use lending::lookups::confirmations::EXPECTED_REORG_MAX;
use lending::service::sides::Side;

use crate::customer::{Customer, WHOLE};
use crate::kit::fake_journal::streams_of;
use crate::kit::world::World;

fn waiting(world: &World) -> Vec<Txid> {
    world.chain.mempool_txids()
}

#[actix::test]
async fn a_balance_becomes_a_transfer_that_a_loan_can_take() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000, 20_000]).await;
    let prepared = customer.prepare(&world, 600).await.unwrap();
    assert_eq!(streams_of(&world.journal.last_batch()), [Stream::Orders]);
    let address = customer.person.wallet.address(AddressKind::P2wpkh).to_string();
    assert_eq!(prepared.sides, [Side { index: 0, address, sighash: 1, disable_tweak_signer: false }]);
    assert!(world.service.pending_orders(customer.person.user).await.unwrap().is_empty(), "it is unsigned");

    let reveal = customer.commit(&world, &prepared).await.unwrap();
    assert_eq!(reveal, prepared.reveal);
    assert_eq!(waiting(&world).len(), 2);
    let pending = world.service.pending_orders(customer.person.user).await.unwrap();
    assert_eq!(
        pending.iter().map(|note| (&*note.ticker, note.amount_raw / WHOLE, note.reveal)).collect::<Vec<_>>(),
        [("newt", 600, reveal)]
    );
    assert_eq!(customer.newts(&world).await, (1_000, 0));

    // Both pay the fee rate, and the fees that were quoted.
    let transactions = [waiting(&world)[0], waiting(&world)[1]];
    let mut paid = 0;
    for txid in transactions {
        let transaction = world.chain.transaction(txid).await.unwrap().unwrap().transaction;
        let mut spent = 0;
        for input in &transaction.input {
            let place = input.previous_output;
            let source = world.chain.transaction(place.txid).await.unwrap().unwrap().transaction;
            spent += source.output[usize::try_from(place.vout).unwrap()].value.to_sat();
        }
        let fee = spent - transaction.output.iter().map(|output| output.value.to_sat()).sum::<u64>();
        let due = FeeRate::from_sat_per_vb_u32(30).fee_wu(transaction.weight()).unwrap().to_sat();
        assert!((due..due + 60).contains(&fee), "{fee} for {due}: at most two bytes of a signature more");
        paid += fee;
    }
    assert_eq!(prepared.fees.to_sat(), paid);

    world.chain.mine(1).unwrap();
    assert!(world.service.pending_orders(customer.person.user).await.unwrap().is_empty());
    assert_eq!(customer.newts(&world).await, (400, 600));
    let note = InscriptionId { txid: reveal, index: 0 };
    let transfer = Brc20Transfer::new("newt", 600 * WHOLE).unwrap();
    let coin = world.service.lookup().transfer_inscription(note, &customer.person.ordinals(), &transfer).await.unwrap();
    assert_eq!(coin.coin.outpoint, OutPoint::new(reveal, 0));

    // It is followed until it is buried.
    for _ in 1..EXPECTED_REORG_MAX {
        world.chain.mine(1).unwrap();
        assert_eq!(
            world.service.track_orders().await.unwrap(),
            TransferOrdersTracked { unconfirmed: 1, ..TransferOrdersTracked::default() }
        );
    }
    world.chain.mine(1).unwrap();
    assert_eq!(
        world.service.track_orders().await.unwrap(),
        TransferOrdersTracked { revealed: 1, ..TransferOrdersTracked::default() }
    );
    assert_eq!(world.service.track_orders().await.unwrap(), TransferOrdersTracked::default());
    assert!(world.service.market.open_orders(customer.person.user).await.is_empty());
    assert_eq!(customer.commit(&world, &prepared).await, Ok(reveal), "permanently the same answer");
}

#[actix::test]
async fn the_same_request_gives_the_same_order_while_it_can_be_signed() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    let first = customer.prepare(&world, 600).await.unwrap();
    let batches = world.journal.batches().len();
    assert_eq!(customer.prepare(&world, 600).await.as_ref(), Ok(&first));
    assert_eq!(world.restarted().service.prepare_order(&customer.request(600, 30)).await.as_ref(), Ok(&first));
    assert_eq!(world.journal.batches().len(), batches);
    // With another fee rate, or shortly before it lapses, there is a new order and the old one ends.
    let dearer = world.service.prepare_order(&customer.request(600, 40)).await.unwrap();
    assert!(dearer.order != first.order && dearer.fees > first.fees);
    assert_eq!(world.service.market.order(first.order).await.unwrap().state, TransferOrderState::Lapsed);
    world.pass(601);
    let later = world.service.prepare_order(&customer.request(600, 40)).await.unwrap();
    assert_ne!(later.order, dearer.order);
    // Its coins were spent meanwhile: others pay.
    let coin = Psbt::deserialize(&decoded(&later.transaction)).unwrap().unsigned_tx.input[0].previous_output;
    let elsewhere = customer.spend(&world, &[coin], 40_000, &customer.person.ordinals()).await;
    world.chain.broadcast(&[elsewhere]).await.unwrap();
    world.fund(&customer.person.payment_script(), 60_000);
    let last = world.service.prepare_order(&customer.request(600, 40)).await.unwrap();
    assert_ne!(last.order, later.order);
    assert_eq!(customer.commit(&world, &last).await, Ok(last.reveal));
}

fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

#[actix::test]
async fn orders_have_separate_coins_and_share_one_balance() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000, 50_000, 50_000]).await;
    let first = customer.prepare(&world, 600).await.unwrap();
    let second = customer.prepare(&world, 300).await.unwrap();
    let coins = |text: &str| {
        let psbt = Psbt::deserialize(&decoded(text)).unwrap();
        psbt.unsigned_tx.input.iter().map(|input| input.previous_output).collect::<Vec<_>>()
    };
    assert!(!coins(&first.transaction).contains(&coins(&second.transaction)[0]));
    customer.commit(&world, &second).await.unwrap();
    customer.commit(&world, &first).await.unwrap();
    world.chain.mine(1).unwrap();
    assert_eq!(customer.newts(&world).await, (100, 900));
    // A confirmed transfer counts once.
    let third = customer.prepare(&world, 100).await.unwrap();
    customer.commit(&world, &third).await.unwrap();
    world.chain.mine(1).unwrap();
    assert_eq!(customer.newts(&world).await, (0, 1_000));
}

#[actix::test]
async fn a_commit_broadcast_by_the_wallet_gets_its_reveal() {
    let world = World::new().await;
    let customer = Customer::new(&world, &[50_000]).await;
    let prepared = customer.prepare(&world, 600).await.unwrap();
    let text = customer.sign(&prepared);
    let psbt = Psbt::deserialize(&decoded(&text)).unwrap();
    let input = psbt.inputs[0].clone();
    let spent = (psbt.unsigned_tx.input[0].previous_output, input.witness_utxo.unwrap());
    let sent = crate::customer::by_hand(&customer.person, &[spent], &psbt.unsigned_tx.output);
    world.chain.broadcast(&[sent]).await.unwrap();
    assert_eq!(customer.give_back(&world, prepared.order, &text).await, Ok(prepared.reveal));
    world.chain.mine(1).unwrap();
    assert_eq!(customer.newts(&world).await, (400, 600));
}
