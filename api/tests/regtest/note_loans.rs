//! Loans against BRC-20, whose balances the server reads out of the node's blocks.

use bitcoin::Amount;
use domain::LoanStage;
use escrow::address::AddressKind;
use escrow::contract::inscription::Inscription;
use serde_json::{Value, json};

use super::people::{BORROWER, LENDER, PLATFORM, addresses, sign};
use super::stage::Stage;
use super::worlds::inscriber::inscribe_this;
use super::worlds::person::Person;
use super::worlds::world::{Fate, World};

const LENT: u64 = 150_000;
const INTEREST: u64 = LENT * 12 / 1_000;
/// A lender of BRC-20 brings one coin of exactly that: what is lent, and the platform's fifth of the interest.
const EXACTLY: u64 = LENT + INTEREST / 5;

impl<W: World> Stage<W> {
    async fn write(&self, operation: &str) {
        let body = format!(r#"{{"p":"brc-20","tick":"newt",{operation}}}"#).into_bytes();
        let text = Inscription { content_type: "text/plain;charset=utf-8".to_owned(), body };
        inscribe_this(&self.world, &text, &Person::new(BORROWER), 0, 546).await;
    }

    /// What the server says of the borrower's newts: available, and in notes.
    async fn newts(&self) -> (Value, Value) {
        let answer = self.borrower.get(&self.rig, "/api/v1/brc20/collateral").await.ok();
        let token = &answer["brc20"][0];
        (token["availableBalance"].clone(), token["transferrableBalance"].clone())
    }

    /// A note of a bundle, by way of the market, in its block.
    async fn order_note(&self) {
        let person = &self.borrower;
        let asked = json!({
            "ticker": "newt", "amount": "10000", "feeRate": 3,
            "paymentAddress": person.address(), "paymentPubkey": person.wallet.public_key_hex(AddressKind::P2wpkh),
            "recieveAddress": person.wallet.ordinals_address().to_string(),
        });
        let order = person.post(&self.rig, "/api/v1/brc20/orders", &asked).await.ok();
        let body = json!({"orderId": order["orderId"], "signedBase64": sign(person, &order)});
        person.post(&self.rig, "/api/v1/brc20/orders/commit", &body).await.ok();
        self.world.mine(1).await;
    }

    /// The borrower accepts an offer with a note: the loan's id.
    async fn pledge_note(&self, offer: &str) -> String {
        let wish = addresses(&self.borrower, json!({"offerId": offer, "feeRate": 3}));
        let prepared = self.borrower.post(&self.rig, "/api/v1/loans/manual/prepare", &wish).await.ok();
        let reveal = self.borrower.wallet.sign_psbt(prepared["revealBase64"].as_str().unwrap()).unwrap();
        let body = json!({
            "acceptRequest": prepared["offerAcceptRequestId"], "walletName": "test",
            "base64": sign(&self.borrower, &prepared), "revealBase64": reveal,
        });
        self.borrower.post(&self.rig, "/api/v1/loans/manual/accept", &body).await.ok();
        prepared["loanId"].as_str().unwrap().to_owned()
    }
}

#[actix_web::test]
async fn a_balance_becomes_a_note_is_lent_against_and_comes_home() {
    lend_against_a_note(Box::pin(Stage::new()).await).await;
}

/// The borrower mints a token, has a note of it made, and pledges that.
pub async fn lend_against_a_note<W: World>(stage: Stage<W>) {
    stage.write(r#""op":"deploy","max":"21000000""#).await;
    stage.write(r#""op":"mint","amt":"25000""#).await;
    assert_eq!(stage.newts().await, (json!("25000"), json!("0")));
    stage.order_note().await;
    let panel = stage.borrower.get(&stage.rig, "/api/v1/brc20/panels/newt-bundle").await.ok();
    assert_eq!(panel["state"], "note_available");
    assert_eq!(stage.newts().await, (json!("15000"), json!("10000")));

    stage.world.fund(&Person::new(LENDER).purse(), Amount::from_sat(EXACTLY)).await;
    let lender = stage.purse(LENDER).await;
    let offers = stage.lender.quote(&stage.rig, "newt-bundle", LENT, 1).await;
    let loan = stage.pledge_note(&offers[0]).await;
    stage.countersign(&loan).await;
    stage.world.mine(1).await;
    stage.until(&loan, &[LoanStage::Active]).await;
    assert_eq!(stage.newts().await, (json!("15000"), json!("0")), "the escrow has the rest");
    assert_eq!(stage.purse(LENDER).await, lender - EXACTLY);
    assert_eq!(stage.purse(PLATFORM).await, INTEREST / 5);

    stage.repay(&loan).await;
    stage.world.mine(1).await;
    stage.until(&loan, &[LoanStage::Repaid]).await;
    assert_eq!(stage.newts().await, (json!("25000"), json!("0")));
    assert_eq!(stage.purse(LENDER).await, lender - EXACTLY + LENT + INTEREST);
    stage.rig.server.stop().await;
}

#[actix_web::test]
async fn blocks_that_are_undone_take_balances_with_them() {
    let stage = Box::pin(Stage::new()).await;
    stage.write(r#""op":"deploy","max":"21000000""#).await;
    stage.write(r#""op":"mint","amt":"25000""#).await;
    stage.order_note().await;
    assert_eq!(stage.newts().await, (json!("15000"), json!("10000")));
    stage.world.reorg(1, Fate::Wait).await;
    assert_eq!(stage.newts().await, (json!("25000"), json!("0")), "the note waits for another block");
    stage.world.mine(1).await;
    assert_eq!(stage.newts().await, (json!("15000"), json!("10000")));
    stage.rig.server.stop().await;
}
