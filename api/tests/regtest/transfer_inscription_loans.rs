//! Tests of loans against BRC-20, whose balances the server indexes from the node's blocks.

use bitcoin::Amount;
use domain::LoanStage;
use escrow::address::AddressKind;
use escrow::contract::assets::inscription::Inscription;
use serde_json::{Value, json};

use super::fixture::MarketFixture;
use super::users::{BORROWER, LENDER, PLATFORM, addresses, sign};
use testkit::inscriber::inscribe_this;
use testkit::test_wallet::TestWallet;
use testkit::world::{Fate, World};

const LENT: u64 = 150_000;
const INTEREST: u64 = LENT * 12 / 1_000;
/// The exact coin that a lender of BRC-20 needs: the principal, and the platform's fifth of the interest.
const EXACTLY: u64 = LENT + INTEREST / 5;

impl<W: World> MarketFixture<W> {
    async fn write(&self, operation: &str) {
        let body = format!(r#"{{"p":"brc-20","tick":"newt",{operation}}}"#).into_bytes();
        let text = Inscription { content_type: "text/plain;charset=utf-8".to_owned(), body };
        inscribe_this(&self.world, &text, &TestWallet::new(BORROWER), 0, 546).await;
    }

    /// The borrower's newts as the server reports them: available, and in transfer inscriptions.
    async fn newts(&self) -> (Value, Value) {
        let answer = self.borrower.get(&self.rig, "/api/v1/brc20/collateral").await.ok();
        let token = &answer["brc20"][0];
        (token["availableBalance"].clone(), token["transferrableBalance"].clone())
    }

    /// Orders a transfer inscription of a bundle through the market, and mines it.
    async fn order_note(&self) {
        let user = &self.borrower;
        let asked = json!({
            "ticker": "newt", "amount": "10000", "feeRate": 3,
            "paymentAddress": user.address(), "paymentPubkey": user.wallet.public_key_hex(AddressKind::P2wpkh),
            "recieveAddress": user.wallet.ordinals_address().to_string(),
        });
        let order = user.post(&self.rig, "/api/v1/brc20/orders", &asked).await.ok();
        let body = json!({"orderId": order["orderId"], "signedBase64": sign(user, &order)});
        user.post(&self.rig, "/api/v1/brc20/orders/commit", &body).await.ok();
        self.world.mine(1).await;
    }

    /// The borrower accepts an offer with a transfer inscription; returns the loan's id.
    async fn pledge_note(&self, offer: &str) -> String {
        let request_body = addresses(&self.borrower, json!({"offerId": offer, "feeRate": 3}));
        let prepared = self.borrower.post(&self.rig, "/api/v1/loans/manual/prepare", &request_body).await.ok();
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
async fn a_balance_is_inscribed_as_a_transfer_lent_against_and_returned() {
    lend_against_a_transfer_inscription(Box::pin(MarketFixture::new()).await).await;
}

/// The borrower mints a token, has a transfer inscription made, and pledges it.
pub async fn lend_against_a_transfer_inscription<W: World>(fixture: MarketFixture<W>) {
    fixture.write(r#""op":"deploy","max":"21000000""#).await;
    fixture.write(r#""op":"mint","amt":"25000""#).await;
    assert_eq!(fixture.newts().await, (json!("25000"), json!("0")));
    fixture.order_note().await;
    let panel = fixture.borrower.get(&fixture.rig, "/api/v1/brc20/panels/newt-bundle").await.ok();
    assert_eq!(panel["state"], "note_available");
    assert_eq!(fixture.newts().await, (json!("15000"), json!("10000")));

    fixture.world.fund(&TestWallet::new(LENDER).payment_script(), Amount::from_sat(EXACTLY)).await;
    let lender = fixture.balance(LENDER).await;
    let offers = fixture.lender.quote(&fixture.rig, "newt-bundle", LENT, 1).await;
    let loan = fixture.pledge_note(&offers[0]).await;
    fixture.countersign(&loan).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Active]).await;
    assert_eq!(fixture.newts().await, (json!("15000"), json!("0")), "the escrow has the rest");
    assert_eq!(fixture.balance(LENDER).await, lender - EXACTLY);
    assert_eq!(fixture.balance(PLATFORM).await, INTEREST / 5);

    fixture.repay(&loan).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    assert_eq!(fixture.newts().await, (json!("25000"), json!("0")));
    assert_eq!(fixture.balance(LENDER).await, lender - EXACTLY + LENT + INTEREST);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_reorg_removes_the_balances_of_disconnected_blocks() {
    let fixture = Box::pin(MarketFixture::new()).await;
    fixture.write(r#""op":"deploy","max":"21000000""#).await;
    fixture.write(r#""op":"mint","amt":"25000""#).await;
    fixture.order_note().await;
    assert_eq!(fixture.newts().await, (json!("15000"), json!("10000")));
    fixture.world.reorg(1, Fate::Wait).await;
    assert_eq!(fixture.newts().await, (json!("25000"), json!("0")), "the transfer inscription is unconfirmed again");
    fixture.world.mine(1).await;
    assert_eq!(fixture.newts().await, (json!("15000"), json!("10000")));
    fixture.rig.server.stop().await;
}
