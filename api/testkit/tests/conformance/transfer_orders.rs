//! Scenarios of a user's own transfer inscription, revealed by a single-use key.

use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::{Amount, OutPoint, Transaction};
use engine::asset_index::InscriptionId;
use engine::chain::Chain as _;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::assets::inscription::Inscription;
use escrow::contract::inscribe_transfer::InscribeTransfer;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::spend::Spend;

use crate::custom_transaction::{CustomTransaction, pay};
use crate::deal::{assert_inscription, fee_rate};
use crate::inscriber::inscribe_this;
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::transfer_inscription_attacks::{assert_balance, assert_note};
use crate::world::{World, confirm, refusal};

const TOKEN: u128 = 1_000_000_000_000_000_000;

/// Gives a user a thousand tokens and a coin, and returns commit and reveal of a transfer inscription for 600 of them.
async fn ordered(world: &impl World, person: &TestWallet) -> (Coin, [Transaction; 2]) {
    for text in [
        r#"{"p":"brc-20","op":"deploy","tick":"ordi","max":"21000000"}"#,
        r#"{"p":"brc-20","op":"mint","tick":"ordi","amt":"1000"}"#,
    ] {
        let content = Inscription { content_type: "text/plain;charset=utf-8".to_owned(), body: text.into() };
        inscribe_this(world, &content, person, 0, 546).await;
    }
    let once = Keypair::from_seckey_slice(&Secp256k1::new(), &[9; 32]).unwrap();
    let coin = funded(world, person.payment(), 50_000).await;
    let order = InscribeTransfer {
        order: 3,
        transfer: &Brc20Transfer::new("ordi", 600 * TOKEN).unwrap(),
        reveal_key: once.x_only_public_key().0,
        destination: &person.ordinals_script(),
        coins: std::slice::from_ref(&coin),
        change: &person.payment_script(),
        fee_rate: fee_rate(),
    };
    let both = order.build().unwrap();
    let reveal = both.sign_reveal(&once).unwrap();
    let commit = both.commit.finish(&person.signatures(&both.commit), both.commit.final_txid()).unwrap();
    (coin, [commit, reveal])
}

pub(crate) async fn an_ordered_transfer_inscription_reaches_its_owner_and_can_be_pledged(world: &impl World) {
    let person = TestWallet::new(1);
    let (_, package) = ordered(world, &person).await;
    assert_balance(world, &person.ordinals_script(), (1_000 * TOKEN, 0)).await;
    assert_eq!(world.node().test_accept(&package).await, Ok(()));
    assert_eq!(world.node().broadcast(&package).await, Ok(()));
    assert_eq!(world.node().broadcast(&package).await, Ok(()), "sent again");
    world.mine(1).await;
    let note = InscriptionId { txid: package[1].compute_txid(), index: 0 };
    assert_inscription(world, note, (OutPoint::new(note.txid, 0), 0)).await;
    assert_note(world, note, true).await;
    assert_balance(world, &person.ordinals_script(), (400 * TOKEN, 600 * TOKEN)).await;
    // It transfers the balance to the receiving script, such as a loan's escrow.
    let escrow = TestWallet::new(5);
    let (carrier, fee) = (coin_of(&package[1], 0, person.ordinals()), coin_of(&package[0], 1, person.payment()));
    let back = fee.output.value - Amount::from_sat(2_000);
    let spends = vec![Spend::Coin(&carrier), Spend::Coin(&fee)];
    let outputs = vec![pay(escrow.ordinals_script(), 546), pay(person.payment_script(), back.to_sat())];
    confirm(world, &CustomTransaction::new(spends, outputs).signed(&[&person], None)).await;
    assert_note(world, note, false).await;
    assert_balance(world, &person.ordinals_script(), (400 * TOKEN, 0)).await;
    assert_balance(world, &escrow.ordinals_script(), (600 * TOKEN, 0)).await;
}

pub(crate) async fn a_replaced_commit_leaves_no_transfer_inscription_behind(world: &impl World) {
    let person = TestWallet::new(1);
    let (coin, package) = ordered(world, &person).await;
    assert_eq!(world.node().broadcast(&package).await, Ok(()));
    // The user replaces the commit with a higher fee.
    let second = CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(person.payment_script(), 30_000)])
        .signed(&[&person], None);
    confirm(world, &second).await;
    for lost in &package {
        assert_eq!(world.node().transaction(lost.compute_txid()).await, Ok(None));
    }
    assert_eq!(refusal(world, &package[0]).await, "bad-txns-inputs-missingorspent");
    assert_balance(world, &person.ordinals_script(), (1_000 * TOKEN, 0)).await;
}
