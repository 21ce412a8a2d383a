//! A simulated lender.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use super::markets::Markets;
use crate::{latency::Latencies, wallet_client::WalletClient};

/// The number of offers above which a lender only cancels.
const OFFERS_MAX: usize = 20;
/// The pause of a lender after an answer that there are too many requests.
const WAIT: Duration = Duration::from_secs(1);

/// The kinds of requests of a lender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    SignIn,
    Create,
    Edit,
    Cancel,
}

impl RequestKind {
    pub(super) const ALL: [Self; 4] = [Self::SignIn, Self::Create, Self::Edit, Self::Cancel];
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignIn => "sign in",
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Cancel => "cancel",
        })
    }
}

/// The results of the requests of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct KindStats {
    pub(super) latencies: Latencies,
    pub(super) refused: u64,
    pub(super) too_many: u64,
}

/// The results of all requests.
#[derive(Clone, Debug, Default)]
pub(super) struct LoadStats([KindStats; 4]);

impl LoadStats {
    pub(super) fn of_kind(&self, kind: RequestKind) -> &KindStats {
        &self.0[Self::index(kind)]
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (kind, other) in self.0.iter_mut().zip(&other.0) {
            kind.latencies.add(&other.latencies);
            kind.refused += other.refused;
            kind.too_many += other.too_many;
        }
    }

    fn of_kind_mut(&mut self, kind: RequestKind) -> &mut KindStats {
        &mut self.0[Self::index(kind)]
    }

    fn index(kind: RequestKind) -> usize {
        RequestKind::ALL.iter().position(|other| *other == kind).expect("every kind of request is listed")
    }
}

/// A signed-in lender.
pub(super) struct Lender {
    client: WalletClient,
    markets: Arc<Markets>,
    rng: ChaCha8Rng,
    /// The lender's offers, with the index of the place of each.
    offers: Vec<(String, usize)>,
    stats: LoadStats,
}

impl Lender {
    /// Creates a wallet and signs in with it.
    pub(super) async fn sign_in(
        http: Client,
        url: String,
        markets: Arc<Markets>,
        seed: u64,
        number: usize,
        stats: &mut LoadStats,
    ) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::try_from(number).map_err(|error| error.to_string())?);
        let seed = rng.random();
        let start = Instant::now();
        let client = WalletClient::sign_in(http, url, seed).await?;
        stats.of_kind_mut(RequestKind::SignIn).latencies.record(start.elapsed());
        Ok(Self { client, markets, rng, offers: Vec::new(), stats: LoadStats::default() })
    }

    /// Creates, edits and cancels, one request after the other.
    pub(super) async fn run(mut self, until: Instant) -> LoadStats {
        while Instant::now() < until {
            let kind = match (self.offers.len(), self.rng.random_range(0..10)) {
                (0, _) => RequestKind::Create,
                (OFFERS_MAX.., _) => RequestKind::Cancel,
                (_, 0..5) => RequestKind::Create,
                (_, 5..8) => RequestKind::Edit,
                _ => RequestKind::Cancel,
            };
            self.act(kind).await;
        }
        self.stats
    }

    async fn act(&mut self, kind: RequestKind) {
        let (method, path, body, place) = self.request(kind);
        let start = Instant::now();
        let answer = self.client.send(method, &path, &body).await;
        let elapsed = start.elapsed();
        match answer {
            Ok((status, answer)) if status.is_success() => {
                self.stats.of_kind_mut(kind).latencies.record(elapsed);
                self.record_answer(kind, place, &answer);
            }
            Ok((StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, _)) => {
                self.stats.of_kind_mut(kind).too_many += 1;
                tokio::time::sleep(WAIT).await;
            }
            Ok(_) | Err(_) => {
                self.stats.of_kind_mut(kind).refused += 1;
                // A refused offer may have been taken by another client, so it is dropped.
                if kind != RequestKind::Create && place < self.offers.len() {
                    self.offers.swap_remove(place);
                }
            }
        }
    }

    /// Builds a request, and the index of the offer or place that it is about.
    fn request(&mut self, kind: RequestKind) -> (Method, String, Value, usize) {
        let count = if kind == RequestKind::Create { self.markets.0.len() } else { self.offers.len() };
        let chosen = self.rng.random_range(0..count);
        match kind {
            RequestKind::SignIn | RequestKind::Create => {
                let mut item = self.client.wallet.clone();
                item["collection_slug"] = self.markets.0[chosen].slug.clone().into();
                item["principal_amount"] = self.rng.random_range(self.markets.0[chosen].principals.clone()).into();
                item["quantity"] = 1.into();
                (Method::POST, "/api/v1/offers/manual".to_owned(), json!({ "offers": [item] }), chosen)
            }
            RequestKind::Edit => {
                let (offer, place) = &self.offers[chosen];
                let principal = self.rng.random_range(self.markets.0[*place].principals.clone());
                (
                    Method::PATCH,
                    format!("/api/v1/offers/manual/{offer}"),
                    json!({ "principal_amount": principal }),
                    chosen,
                )
            }
            RequestKind::Cancel => {
                let body = json!({ "offerIds": [self.offers[chosen].0] });
                (Method::POST, "/api/v1/offers/manual/cancel".to_owned(), body, chosen)
            }
        }
    }

    fn record_answer(&mut self, kind: RequestKind, place: usize, answer: &Value) {
        match kind {
            RequestKind::SignIn | RequestKind::Create => {
                let offers = answer["offers"].as_array().into_iter().flatten();
                self.offers.extend(offers.filter_map(|offer| Some((offer["offerId"].as_str()?.to_owned(), place))));
            }
            RequestKind::Edit => {
                if let Some(id) = answer["offer"]["offerId"].as_str() {
                    id.clone_into(&mut self.offers[place].0);
                }
            }
            RequestKind::Cancel => {
                self.offers.swap_remove(place);
            }
        }
    }
}
