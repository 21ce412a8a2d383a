//! A lender who creates, edits and cancels manual offers, and looks at them through every node.

use std::collections::BTreeMap;
use std::time::Instant;

use domain::OfferId;
use rand::{Rng as _, RngExt as _};
use reqwest::Method;
use serde_json::{Value, json};

use super::account::{Account, Answer, Request, is_transient};
use super::record::{Outcome, count};

/// The number of offers from which on the lender creates none.
const OFFERS_MAX: usize = 25;

/// More than any offer may have.
const TOO_MUCH_SATS: u64 = 1_000_000_000_000;

/// A lender with the offers that exist according to the answers: ids by principal, which is different for each.
pub struct Quoter {
    account: Account,
    offers: BTreeMap<u64, Option<OfferId>>,
    next_principal: u64,
}

impl Quoter {
    /// `first_principal` is that of the first offer; those after it have more.
    pub fn new(account: Account, first_principal: u64) -> Self {
        Self { account, offers: BTreeMap::new(), next_principal: first_principal }
    }

    /// Writes and reads until the run is over.
    pub async fn run(mut self) {
        while self.account.pause().await {
            let known: Vec<(u64, OfferId)> =
                self.offers.iter().filter_map(|(principal, id)| Some((*principal, (*id)?))).collect();
            let one = (!known.is_empty()).then(|| known[self.account.rng.random_range(0..known.len())]);
            match (self.account.rng.random_range(0..20), one) {
                (0..5, Some((principal, id))) => self.cancel(principal, id).await,
                (5..9, Some((principal, id))) => self.edit(principal, id).await,
                (9, _) => self.ask_too_much().await,
                (10..14, _) => self.look().await,
                _ if self.offers.len() >= OFFERS_MAX => self.look().await,
                _ => self.create().await,
            }
        }
    }

    fn principal(&mut self) -> u64 {
        self.next_principal += 1;
        self.next_principal
    }

    fn key(&mut self) -> String {
        format!("{:016x}", self.account.rng.next_u64())
    }

    fn surprise(&self, what: &str, answer: &Answer) {
        self.account.record.violation(&format!("{what} was answered with {} {}", answer.status, answer.body));
    }

    fn item(&self, principal: u64) -> Value {
        let mut item = self.account.wallet_fields();
        item["collection_slug"] = json!("paper-frogs-7d");
        item["principal_amount"] = json!(principal);
        item["quantity"] = json!(1);
        json!({"offers": [item]})
    }

    async fn create(&mut self) {
        let (principal, key) = (self.principal(), self.key());
        let body = self.item(principal);
        let request = Request { key: &key, ..Request::post("/api/v1/offers/manual", &body) };
        let answer = self.account.settle(&request).await;
        let id = match answer.code() {
            _ if answer.is_ok() => id_of(&answer.body["offers"][0]),
            // An attempt before was executed, and its answer lost.
            "idempotency_spent" if answer.is_repeated => None,
            _ => return self.surprise("the creation of an offer", &answer),
        };
        self.offers.insert(principal, id);
        self.account.record.acknowledge(Outcome::Created { principal, id }, answer.began_at);
    }

    async fn ask_too_much(&mut self) {
        let (number, key) = (self.principal(), self.key());
        let principal = TOO_MUCH_SATS + number;
        let body = self.item(principal);
        let request = Request { key: &key, ..Request::post("/api/v1/offers/manual", &body) };
        let answer = self.account.settle(&request).await;
        if answer.is_ok() {
            return self.surprise("an offer of too much", &answer);
        }
        self.account.record.acknowledge(Outcome::Refused { principal }, answer.began_at);
    }

    async fn edit(&mut self, before: u64, from: OfferId) {
        let principal = self.principal();
        let (path, body) = (format!("/api/v1/offers/manual/{from}"), json!({"principal_amount": principal}));
        let request = Request { method: Method::PATCH, path: &path, body: Some(&body), key: "" };
        let answer = self.account.settle(&request).await;
        let id = match answer.code() {
            _ if answer.is_ok() => id_of(&answer.body["offer"]),
            "unknown_offer" if answer.is_repeated => None,
            _ => return self.surprise("an edit", &answer),
        };
        self.offers.remove(&before);
        self.offers.insert(principal, id);
        self.account.record.acknowledge(Outcome::Edited { from, principal, id }, answer.began_at);
    }

    async fn cancel(&mut self, principal: u64, id: OfferId) {
        let body = json!({"offerIds": [id.to_string()]});
        let request = Request::post("/api/v1/offers/manual/cancel", &body);
        let mut is_repeated = false;
        loop {
            let answer = self.account.settle(&request).await;
            is_repeated |= answer.is_repeated;
            let result = &answer.body["results"][0];
            let code = result["error"]["code"].as_str().unwrap_or_default();
            if result["ok"] == true || (is_repeated && code == "unknown_offer") {
                self.offers.remove(&principal);
                return self.account.record.acknowledge(Outcome::Cancelled { id }, answer.began_at);
            }
            if !is_transient(code) {
                return self.surprise("a cancellation", &answer);
            }
            is_repeated = true;
        }
    }

    /// Reads the own offers through any node: they are those of the answers so far, whichever nodes gave them.
    async fn look(&mut self) {
        let began_at = Instant::now();
        let Some(answer) = self.account.attempt(&Request::get("/api/v1/offers?limit=100")).await else { return };
        if !answer.is_ok() {
            if !is_transient(answer.code()) {
                self.surprise("a read of the own offers", &answer);
            }
            return;
        }
        let mut shown = BTreeMap::new();
        for offer in answer.body["data"].as_array().into_iter().flatten() {
            shown.insert(offer["principal"].as_u64().unwrap_or_default(), id_of(offer));
        }
        if !shown.keys().eq(self.offers.keys()) {
            let (has, wants): (Vec<_>, Vec<_>) = (shown.keys().collect(), self.offers.keys().collect());
            let what = format!("a lender is shown {has:?} instead of {wants:?}, {:?} ago", began_at.elapsed());
            self.account.record.violation(&what);
            return;
        }
        self.offers = shown;
        count(&self.account.record.figures.own_reads);
    }
}

fn id_of(offer: &Value) -> Option<OfferId> {
    offer["offerId"].as_str()?.parse().ok()
}
