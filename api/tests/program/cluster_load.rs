//! Lenders who write through any node of a cluster, and repeat what has no definite answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _};

use super::crash::TestUser;

/// The time within which a write must get a definite answer.
const ANSWER_MAX: Duration = Duration::from_mins(2);

/// The number of offers from which on a lender cancels.
const OFFERS_MAX: usize = 60;

/// The nodes that can be asked, as they come and go.
#[derive(Clone, Default)]
pub struct Bases(Arc<Mutex<Vec<String>>>);

impl Bases {
    pub fn set(&self, bases: Vec<String>) {
        *self.0.lock().unwrap() = bases;
    }

    fn any(&self, rng: &mut StdRng) -> Option<String> {
        let bases = self.0.lock().unwrap();
        if bases.is_empty() { None } else { Some(bases[rng.random_range(0..bases.len())].clone()) }
    }
}

/// A lender with the offers that exist according to the answers: ids by principal, which is different for each.
pub struct Lender {
    pub user: TestUser,
    pub rng: StdRng,
    pub offers: BTreeMap<u64, Option<String>>,
    next_principal: u64,
    /// Writes with a definite answer.
    pub done: u64,
    /// Attempts without one.
    pub repeated: u64,
    /// The longest time that a write took.
    pub longest: Duration,
}

impl Lender {
    pub fn new(user: TestUser, rng: StdRng) -> Self {
        Self {
            user,
            rng,
            offers: BTreeMap::new(),
            next_principal: 30_000,
            done: 0,
            repeated: 0,
            longest: Duration::ZERO,
        }
    }

    /// Performs one write through any node, until it is definite.
    pub async fn write(&mut self, bases: &Bases) {
        let known = self.offers.iter().find_map(|(principal, id)| Some((*principal, id.clone()?)));
        let started_at = Instant::now();
        let is_enough = self.offers.len() >= OFFERS_MAX || self.rng.random_range(0..4) == 0;
        if let Some((principal, id)) = known.filter(|_| is_enough) {
            while !self.cancel(bases, &id).await {
                self.repeat(started_at).await;
            }
            self.offers.remove(&principal);
        } else {
            self.next_principal += 1;
            let (principal, key) = (self.next_principal, format!("{:016x}", self.rng.next_u64()));
            let id = loop {
                if let Some(id) = self.create(bases, principal, &key).await {
                    break id;
                }
                self.repeat(started_at).await;
            };
            assert_eq!(self.offers.insert(principal, id), None);
        }
        self.done += 1;
        self.longest = self.longest.max(started_at.elapsed());
    }

    async fn repeat(&mut self, started_at: Instant) {
        assert!(started_at.elapsed() < ANSWER_MAX, "no definite answer");
        self.repeated += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    /// `None` without a definite answer; the id is unknown if an attempt before was executed and its answer lost.
    async fn create(&mut self, bases: &Bases, principal: u64, key: &str) -> Option<Option<String>> {
        let base = bases.any(&mut self.rng)?;
        match self.user.create(&base, principal, key).await {
            Ok(id) => Some(Some(id)),
            Err(None) => None,
            Err(Some(code)) if code == "idempotency_spent" => Some(None),
            Err(Some(code)) if is_transient(&code) => None,
            Err(Some(code)) => panic!("refused: {code}"),
        }
    }

    /// Whether the offer is cancelled now.
    async fn cancel(&mut self, bases: &Bases, id: &str) -> bool {
        let Some(base) = bases.any(&mut self.rng) else { return false };
        match self.user.request_cancel(&base, id).await {
            Some((200, answer)) => {
                let (result, gone) = (&answer["results"][0], "unknown_offer");
                let code = result["error"]["code"].as_str().unwrap_or_default();
                // An offer that is gone was cancelled by an attempt before.
                assert!(result["ok"] == true || code == gone || is_transient(code), "refused: {answer}");
                result["ok"] == true || code == gone
            }
            Some((_, answer)) => {
                let code = answer["code"].as_str().unwrap_or_default();
                assert!(is_transient(code), "refused: {answer}");
                false
            }
            None => false,
        }
    }

    /// Checks that a node shows exactly the offers that exist according to the answers.
    pub async fn check(&self, base: &str) {
        let shown: Vec<u64> = {
            let mut shown: Vec<u64> = self.user.offers(base).await.into_values().collect();
            shown.sort_unstable();
            shown
        };
        let expected: Vec<u64> = self.offers.keys().copied().collect();
        assert_eq!(shown, expected, "{base}");
    }
}

fn is_transient(code: &str) -> bool {
    matches!(code, "no_writer" | "not_ready" | "overloaded" | "idempotency_in_flight")
}
