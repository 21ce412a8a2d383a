//! A lender with a vault, whose instant offers are lent without another signature.

use std::time::Duration;

use domain::OfferId;
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use escrow::address::AddressKind;
use rand::RngExt as _;
use serde_json::{Value, json};

use super::account::{Account, Answer, Request};
use super::record::Outcome;

/// The number of offers from which on the lender cancels.
const OFFERS_MAX: usize = 6;

const LTV_MAX: u32 = 7_500;

/// A deposit into a vault that has become empty.
const REFILL_SATS: u64 = 5_000_000;

/// A lender with an open and funded vault.
pub struct VaultLender {
    account: Account,
    signer: String,
    vault: String,
    offers: Vec<OfferId>,
    next_principal: u64,
}

impl VaultLender {
    /// Opens the vault, and pays into it.
    pub async fn open(mut account: Account, first_principal: u64, deposit_sats: u64) -> Self {
        let config = account.settle(&Request::get("/api/v1/config")).await;
        let signer = config.body["vaultSignerId"].as_str().unwrap().to_owned();
        let action = Action::OpenVault { payment_address: account.address(), vault: signer.clone() };
        let opening = account.sign_fresh(AddressKind::P2tr, action).await;
        let body = json!({"canister_id": signer, "signature": opening.signature,
            "signature_timestamp": opening.issued_s, "message": opening.text});
        let opened = ok(account.settle(&Request::post("/api/v1/vaults", &body)).await);
        let vault = opened["vaultAddress"].as_str().unwrap().to_owned();
        let mut lender = Self { account, signer, vault, offers: Vec::new(), next_principal: first_principal };
        assert!(lender.deposit(deposit_sats).await, "the first deposit is refused");
        while ok(lender.account.settle(&Request::get("/api/v1/vaults/me")).await)["balanceSats"] != deposit_sats {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        lender
    }

    /// Pays into the vault; returns whether that was accepted.
    async fn deposit(&mut self, sats: u64) -> bool {
        let asked = json!({"sats": sats, "fee_rate": 2});
        let prepared = self.account.settle(&Request::post("/api/v1/vaults/me/deposits/prepare", &asked)).await;
        let Some(psbt) = prepared.body["transactionBase64"].as_str() else { return false };
        let body = json!({"signed_psbt": self.account.wallet.sign_psbt(psbt).unwrap()});
        self.account.settle(&Request::post("/api/v1/vaults/me/deposits", &body)).await.is_ok()
    }

    /// Creates and cancels offers until the run is over.
    pub async fn run(mut self) {
        while self.account.pause().await {
            // Slower than manual offers: each message is verified by the server and by the signer.
            tokio::time::sleep(Duration::from_millis(400)).await;
            if self.offers.len() >= OFFERS_MAX || (!self.offers.is_empty() && self.account.rng.random_range(0..4) == 0)
            {
                let chosen = self.account.rng.random_range(0..self.offers.len());
                let id = self.offers.swap_remove(chosen);
                self.cancel(id).await;
            } else {
                self.create().await;
            }
        }
    }

    fn surprise(&self, what: &str, answer: &Answer) {
        self.account.record.violation(&format!("{what} was answered with {} {}", answer.status, answer.body));
    }

    async fn create(&mut self) {
        self.next_principal += 1;
        let principal_sats = self.next_principal;
        let terms = InstantTerms { accept_next_term: true, ..InstantTerms::plain(LTV_MAX, self.signer.clone()) };
        let collection_slug = "paper-frogs-7d".to_owned();
        let offer = NewOffer { collection_slug, principal_sats, process: OfferProcess::Instant(terms) };
        let signed = self.account.sign_fresh(AddressKind::P2wpkh, Action::CreateOffer(offer.clone())).await;
        let body = json!({
            "collection_slug": offer.collection_slug, "principal_amount_sats": principal_sats, "ltv_max": LTV_MAX,
            "signature": signed.signature, "signature_timestamp": signed.issued_s, "vault_address": self.vault,
            "accept_next_term": true, "message": signed.text,
        });
        let answer = self.account.settle(&Request::post("/api/v1/offers/instant/ordinals", &body)).await;
        match answer.code() {
            _ if answer.is_ok() => {
                let id = answer.body["offer"]["offerId"].as_str().and_then(|id| id.parse().ok());
                self.offers.extend(id);
                let outcome = Outcome::Created { principal: principal_sats, id };
                self.account.record.acknowledge(outcome, answer.began_at);
            }
            // Loans are paid out of the vault, and repaid to the lender's wallet.
            "insufficient_vault_balance" => {
                let is_accepted = self.deposit(REFILL_SATS).await;
                self.account.record.note(&format!("a vault is refilled: {is_accepted}"));
            }
            // The message counts once, and an attempt before was the one; or it has become too old.
            "nonce_used" | "message_expired" if answer.is_repeated => {}
            _ => self.surprise("the creation of an instant offer", &answer),
        }
    }

    async fn cancel(&mut self, id: OfferId) {
        let (ordinal_offer_ids, vault) = (vec![id.to_string()], Some(self.signer.clone()));
        let action = CancelOffers { ordinal_offer_ids, rune_offer_ids: vec![], vault };
        let signed = self.account.sign_fresh(AddressKind::P2wpkh, Action::CancelOffers(action)).await;
        let body = json!({"signature": signed.signature, "signature_timestamp": signed.issued_s,
            "message": signed.text});
        let path = format!("/api/v1/offers/instant/ordinals/{id}/cancel");
        let answer = self.account.settle(&Request::post(&path, &body)).await;
        if answer.body["results"][0]["ok"] == true {
            self.account.record.acknowledge(Outcome::Cancelled { id }, answer.began_at);
        }
        // Otherwise a borrower has taken it, or an attempt before has cancelled it.
    }
}

fn ok(answer: Answer) -> Value {
    assert!(answer.is_ok(), "{answer:?}");
    answer.body
}
