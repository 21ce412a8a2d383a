//! A borrower who pledges inscriptions for the offers of vaults, and repays.

use std::time::Duration;

use domain::LoanId;
use escrow::address::AddressKind;
use rand::RngExt as _;
use serde_json::{Value, json};

use super::account::{Account, Answer, Request, is_transient};
use super::record::Outcome;

const OFFERS: &str = "/api/instant/ordinals/offers?collection_group_slug=paper-frogs";

/// A borrower with inscriptions, and the loans against them.
pub struct Borrower {
    account: Account,
    inscriptions: Vec<(String, Option<LoanId>)>,
}

impl Borrower {
    pub fn new(account: Account, inscriptions: Vec<String>) -> Self {
        Self { account, inscriptions: inscriptions.into_iter().map(|id| (id, None)).collect() }
    }

    /// Borrows and repays until the run is over.
    pub async fn run(mut self) {
        let mut next = 0;
        while self.account.pause().await {
            tokio::time::sleep(Duration::from_millis(300)).await;
            next = (next + 1) % self.inscriptions.len();
            let (inscription, loan) = self.inscriptions[next].clone();
            self.inscriptions[next].1 = match loan {
                None => self.borrow(&inscription).await,
                Some(loan) => self.look(loan).await,
            };
        }
    }

    /// Looks at a loan that has begun, and repays it if it runs; returns it unless it is over.
    async fn look(&mut self, loan: LoanId) -> Option<LoanId> {
        let path = format!("/api/v1/me/loans/{loan}");
        let answer = self.account.attempt(&Request::get(&path)).await.filter(|answer| !is_transient(answer.code()));
        let Some(answer) = answer else { return Some(loan) };
        match answer.body["state"].as_str() {
            Some("ACTIVATING" | "REPAYING") => Some(loan),
            Some("ACTIVE") => {
                self.repay(loan).await;
                Some(loan)
            }
            Some("REPAID") => None,
            _ => {
                self.surprise("a look at a loan that has begun", &answer);
                None
            }
        }
    }

    /// Takes any offer; `None` if there is none, or it was taken meanwhile.
    async fn borrow(&mut self, inscription: &str) -> Option<LoanId> {
        let offers = self.account.attempt(&Request::get(OFFERS)).await?;
        let offers = offers.body.as_array().filter(|offers| !offers.is_empty())?.clone();
        let chosen = &offers[self.account.rng.random_range(0..offers.len())];
        let path = format!("/api/v1/offers/instant/ordinals/{}", chosen["offerId"].as_str()?);
        let wallet = &self.account.wallet;
        let body = json!({
            "fee_rate": 3, "inscription_id": inscription, "borrower_wallet": "test", "hardware_wallet": false,
            "borrower_payment_address": self.account.address(),
            "borrower_payment_pubkey": wallet.public_key_hex(AddressKind::P2wpkh),
            "borrower_ordinal_address": wallet.ordinals_address().to_string(),
            "borrower_ordinal_pubkey": wallet.public_key_hex(AddressKind::P2tr),
        });
        let prepared = self.account.settle(&Request::post(&format!("{path}/prepare-accept"), &body)).await;
        if !prepared.is_ok() {
            self.check_refusal("a preparation", &prepared);
            return None;
        }
        let loan: LoanId = prepared.body["loanId"].as_str()?.parse().ok()?;
        let body = json!({"offer_accept_request_id": prepared.body["offerAcceptRequestId"], "wallet_name": "test",
            "signed_psbt": self.sign(&prepared.body)});
        let accepted = self.account.settle(&Request::post(&format!("{path}/accept"), &body)).await;
        if accepted.is_ok() {
            self.account.record.acknowledge(Outcome::Lent { loan }, accepted.began_at);
        } else {
            self.check_refusal("an acceptance", &accepted);
            self.account.record.acknowledge(Outcome::NotLent { loan }, accepted.began_at);
        }
        accepted.is_ok().then_some(loan)
    }

    async fn repay(&mut self, loan: LoanId) {
        let asked = json!({"loanIds": [loan.to_string()], "feeRate": 3});
        let prepared = self.account.settle(&Request::post("/api/v1/loans/repayment/prepare", &asked)).await;
        if !prepared.is_ok() {
            return self.check_refusal("the preparation of a repayment", &prepared);
        }
        let signed = self.sign(&prepared.body);
        let body = json!({"loanIds": [loan.to_string()], "walletName": "test", "base64": signed});
        let repaid = self.account.settle(&Request::post("/api/v1/loans/repayment", &body)).await;
        if !repaid.is_ok() {
            return self.check_refusal("a repayment", &repaid);
        }
        self.account.record.acknowledge(Outcome::Repaid { loan }, repaid.began_at);
    }

    fn sign(&self, prepared: &Value) -> String {
        self.account.wallet.sign_psbt(prepared["transactionBase64"].as_str().unwrap()).unwrap()
    }

    /// Refusals are part of a market where others take offers, but not those that blame the request.
    fn check_refusal(&self, what: &str, answer: &Answer) {
        if !matches!(answer.status, 404 | 409) && answer.code() != "insufficient_vault_balance" {
            self.surprise(what, answer);
        }
        let repeated = if answer.is_repeated { ", repeated" } else { "" };
        self.account.record.note(&format!("{what} was refused: {} {}{repeated}", answer.status, answer.code()));
    }

    fn surprise(&self, what: &str, answer: &Answer) {
        self.account.record.violation(&format!("{what} was answered with {} {}", answer.status, answer.body));
    }
}
