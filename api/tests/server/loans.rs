//! Tests of loans over HTTP, from a quote to the last block, and of the permissions of both sides.

use std::time::{Duration, Instant};

use bitcoin::{Amount, Psbt};
use devchain::EmbeddedChain;
use domain::{Inscription, LoanId, LoanStage};
use engine::asset_index::InscriptionId;
use escrow::address::AddressKind;
use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{FLOOR_SATS, Rig, groups, price};

pub const PREPARE: &str = "/api/v1/loans/manual/prepare";
pub const ACCEPT: &str = "/api/v1/loans/manual/accept";

/// A lender and a borrower with money, and an inscription that the borrower owns.
pub struct LoanFixture {
    pub rig: Rig,
    pub chain: EmbeddedChain,
    pub lender: TestUser,
    pub borrower: TestUser,
    frog: InscriptionId,
}

impl LoanFixture {
    pub async fn new() -> Self {
        let chain = EmbeddedChain::new(1_800_000_000).unwrap();
        let rig = Rig::start_on(chain.clone()).await;
        for group in groups() {
            let id = group.id;
            rig.app().market.list_group(group).await.unwrap();
            rig.app().market.move_price(id, price(id), rig.app().now()).await.unwrap();
        }
        let (lender, borrower) = (TestUser::sign_in(&rig, 7).await, TestUser::sign_in(&rig, 8).await);
        for user in [&lender, &borrower] {
            let payment_script = user.wallet.payment_address().script_pubkey();
            for _ in 0..2 {
                chain.fund(&payment_script, Amount::from_sat(1_000_000)).unwrap();
            }
        }
        let ordinals_script = borrower.wallet.ordinals_address().script_pubkey();
        let frog = chain.inscribe(&ordinals_script, Amount::from_sat(10_000), "text/plain", b"a frog").unwrap();
        let listed: [Inscription; 1] = [frog.into()];
        rig.app().market.list_inscriptions(groups()[0].id, &listed).await.unwrap();
        Self { rig, chain, lender, borrower, frog }
    }

    /// The borrower's inscription.
    pub fn inscription(&self) -> InscriptionId {
        self.frog
    }

    pub fn loan_request(&self, user: &TestUser, offer: &str) -> Value {
        json!({
            "offerId": offer, "inscriptionId": self.frog.to_string(), "feeRate": 3, "borrower_wallet": "test",
            "borrower_payment_address": user.address(),
            "borrower_payment_pubkey": user.wallet.public_key_hex(AddressKind::P2wpkh),
            "borrower_ordinal_address": user.wallet.ordinals_address().to_string(),
            "borrower_ordinal_pubkey": user.wallet.public_key_hex(AddressKind::P2tr),
            "hardware_wallet": false,
        })
    }

    pub async fn prepared(&self) -> Value {
        let offers = self.lender.quote(&self.rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
        self.borrower.post(&self.rig, PREPARE, &self.loan_request(&self.borrower, &offers[0])).await.ok()
    }

    pub async fn accepted(&self) -> Value {
        let prepared = self.prepared().await;
        let signed = sign(&self.borrower, &prepared);
        self.borrower.post(&self.rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
        prepared
    }

    pub async fn countersign(&self, loan: &str) -> Value {
        let path = format!("/api/v1/loans/{loan}/countersignature");
        let asked = self.lender.get(&self.rig, &path).await.ok();
        let payouts: Vec<String> =
            asked["payouts"].as_array().unwrap().iter().map(|payout| sign(&self.lender, payout)).collect();
        let body = json!({"walletName": "test", "base64": sign(&self.lender, &asked), "payouts": payouts});
        let sent = self.lender.post(&self.rig, &path, &body).await.ok();
        assert_eq!(self.lender.post(&self.rig, &path, &body).await.ok(), sent, "the same again");
        sent
    }

    /// The lender signs, and the loan begins.
    pub async fn begin(&self, loan: &str) {
        self.countersign(loan).await;
        self.chain.mine(1).unwrap();
        self.until(loan, LoanStage::Active).await;
    }

    /// A running loan.
    pub async fn begun(&self) -> String {
        let loan = self.accepted().await["loanId"].as_str().unwrap().to_owned();
        self.begin(&loan).await;
        loan
    }

    /// Waits until the server has seen this stage on the chain.
    pub async fn until(&self, loan: &str, stage: LoanStage) {
        let id: LoanId = loan.parse().unwrap();
        let began = Instant::now();
        loop {
            let now = self.rig.app().market.loan(id).await.unwrap().stage;
            if now == stage {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(90), "{loan} is {now} and never {stage}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

pub fn sign(user: &TestUser, prepared: &Value) -> String {
    user.wallet.sign_psbt(prepared["transactionBase64"].as_str().unwrap()).unwrap()
}

pub fn acceptance(prepared: &Value, signed: &str) -> Value {
    json!({"acceptRequest": prepared["offerAcceptRequestId"], "walletName": "test", "base64": signed})
}

#[actix_web::test]
async fn a_loan_is_taken_signed_by_both_and_repaid() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let prepared = fixture.accepted().await;
    let loan = prepared["loanId"].as_str().unwrap();
    let sent = fixture.countersign(loan).await;
    fixture.chain.mine(1).unwrap();
    fixture.until(loan, LoanStage::Active).await;
    for (user, kind) in [(borrower, "borrower"), (&fixture.lender, "lender")] {
        let kit = user.get(rig, &format!("/api/v1/loans/{loan}/kit")).await;
        let name = kit.headers["content-disposition"].to_str().unwrap().to_owned();
        assert!(name.contains(&format!("{loan}-{kind}.json")), "{name}");
        let text = serde_json::to_string(&kit.ok()).unwrap();
        escrow::kit::Kit::read(&text).unwrap();
    }
    let asked = json!({"loanIds": [loan], "feeRate": 3});
    let ending = borrower.post(rig, "/api/v1/loans/repayment/prepare", &asked).await.ok();
    assert_ne!(ending["transactionId"], sent["transactionId"]);
    let body = json!({"loanIds": [loan], "walletName": "test", "base64": sign(borrower, &ending)});
    let repaid = borrower.post(rig, "/api/v1/loans/repayment", &body).await.ok();
    assert_eq!(repaid["transactionId"], ending["transactionId"]);
    assert_eq!(borrower.post(rig, "/api/v1/loans/repayment", &body).await.ok(), repaid, "the same again");
    fixture.chain.mine(1).unwrap();
    fixture.until(loan, LoanStage::Repaid).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_loan_is_private_to_its_two_sides() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let prepared = fixture.accepted().await;
    let loan = prepared["loanId"].as_str().unwrap();
    let other_user = TestUser::sign_in(rig, 9).await;
    let countersignature = format!("/api/v1/loans/{loan}/countersignature");
    for user in [&other_user, &fixture.borrower] {
        user.get(rig, &countersignature).await.refused(404, "unknown_loan");
        user.send(rig, Method::DELETE, &countersignature, None).await.refused(404, "unknown_loan");
    }
    let acceptance = format!("/api/v1/loans/{loan}/acceptance");
    for user in [&other_user, &fixture.lender] {
        user.get(rig, &acceptance).await.refused(404, "unknown_loan");
        user.send(rig, Method::DELETE, &acceptance, None).await.refused(404, "unknown_loan");
        let asked = json!({"loanIds": [loan], "feeRate": 3});
        user.post(rig, "/api/v1/loans/repayment/prepare", &asked).await.refused(404, "unknown_loan");
    }
    other_user.get(rig, &format!("/api/v1/loans/{loan}/kit")).await.refused(404, "unknown_loan");
    fixture.lender.get(rig, &format!("/api/v1/loans/{loan}/kit")).await.refused(409, "loan_stage");
    fixture.lender.get(rig, "/api/v1/loans/ln_zz/kit").await.refused(404, "unknown_loan");
    let answer = fixture.lender.send(rig, Method::DELETE, &countersignature, None).await;
    assert_eq!(answer.status.as_u16(), 204);
    fixture.lender.get(rig, &countersignature).await.refused(409, "loan_stage");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn invalid_loan_requests_are_refused_with_codes_and_the_journal_is_unchanged() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let offers = fixture.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let good = fixture.loan_request(borrower, &offers[0]);
    let before = rig.events();
    for (field, value, status, code) in [
        ("offerId", json!("of_100000000ff"), 404, "unknown_offer"),
        ("inscriptionId", json!("nothing"), 404, "unknown_inscription"),
        ("inscriptionId", json!(format!("{}i0", "ab".repeat(32))), 422, "wrong_collection"),
        ("inscriptionId", Value::Null, 422, "no_inscription"),
        ("feeRate", json!(1_001), 422, "fee_rate_out_of_range"),
        ("feeRate", json!("3"), 422, "invalid_body"),
        ("hardware_wallet", json!(true), 422, "hardware_wallet"),
        ("borrower_payment_address", json!(fixture.lender.address()), 422, "invalid_field"),
    ] {
        let mut body = good.clone();
        body[field] = value;
        borrower.post(rig, PREPARE, &body).await.refused(status, code);
    }
    let own = fixture.loan_request(&fixture.lender, &offers[0]);
    fixture.lender.post(rig, PREPARE, &own).await.refused(403, "own_offer");
    assert_eq!(rig.events(), before);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn an_altered_or_unsigned_transaction_is_refused() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let prepared = fixture.prepared().await;
    let before = rig.events();
    let unsigned = prepared["transactionBase64"].as_str().unwrap();
    borrower.post(rig, ACCEPT, &acceptance(&prepared, unsigned)).await.refused(422, "psbt_signature_missing");
    let mut changed: Psbt = sign(borrower, &prepared).parse().unwrap();
    changed.unsigned_tx.output[1].value += Amount::from_sat(1);
    let changed = changed.to_string();
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &changed)).await.refused(422, "psbt_output_changed");
    assert_eq!(rig.events(), before);
    let signed = sign(borrower, &prepared);
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
    fixture.rig.server.stop().await;
}
