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

use super::places::Places;
use crate::{latency::Latencies, person::Person};

/// The number of offers above which a lender only cancels.
const OFFERS_MAX: usize = 20;
/// The pause of a lender after an answer that there are too many requests.
const WAIT: Duration = Duration::from_secs(1);

/// The kinds of requests of a lender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    SignIn,
    Create,
    Edit,
    Cancel,
}

impl Deed {
    pub(super) const ALL: [Self; 4] = [Self::SignIn, Self::Create, Self::Edit, Self::Cancel];
}

impl fmt::Display for Deed {
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
pub(super) struct Page {
    pub(super) latencies: Latencies,
    pub(super) refused: u64,
    pub(super) too_many: u64,
}

/// The results of all requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Diary([Page; 4]);

impl Diary {
    pub(super) fn page(&self, deed: Deed) -> &Page {
        &self.0[Self::place(deed)]
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (page, other) in self.0.iter_mut().zip(&other.0) {
            page.latencies.add(&other.latencies);
            page.refused += other.refused;
            page.too_many += other.too_many;
        }
    }

    fn page_mut(&mut self, deed: Deed) -> &mut Page {
        &mut self.0[Self::place(deed)]
    }

    fn place(deed: Deed) -> usize {
        Deed::ALL.iter().position(|other| *other == deed).expect("every deed is listed")
    }
}

/// A signed-in lender.
pub(super) struct Lender {
    person: Person,
    places: Arc<Places>,
    rng: ChaCha8Rng,
    /// The lender's offers, with the index of the place of each.
    offers: Vec<(String, usize)>,
    diary: Diary,
}

impl Lender {
    /// Creates a wallet and signs in with it.
    pub(super) async fn sign_in(
        http: Client,
        url: String,
        places: Arc<Places>,
        seed: u64,
        number: usize,
        diary: &mut Diary,
    ) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::try_from(number).map_err(|error| error.to_string())?);
        let seed = rng.random();
        let start = Instant::now();
        let person = Person::sign_in(http, url, seed).await?;
        diary.page_mut(Deed::SignIn).latencies.record(start.elapsed());
        Ok(Self { person, places, rng, offers: Vec::new(), diary: Diary::default() })
    }

    /// Creates, edits and cancels, one request after the other.
    pub(super) async fn live(mut self, until: Instant) -> Diary {
        while Instant::now() < until {
            let deed = match (self.offers.len(), self.rng.random_range(0..10)) {
                (0, _) => Deed::Create,
                (OFFERS_MAX.., _) => Deed::Cancel,
                (_, 0..5) => Deed::Create,
                (_, 5..8) => Deed::Edit,
                _ => Deed::Cancel,
            };
            self.act(deed).await;
        }
        self.diary
    }

    async fn act(&mut self, deed: Deed) {
        let (method, path, body, place) = self.request(deed);
        let start = Instant::now();
        let answer = self.person.send(method, &path, &body).await;
        let elapsed = start.elapsed();
        match answer {
            Ok((status, answer)) if status.is_success() => {
                self.diary.page_mut(deed).latencies.record(elapsed);
                self.learn(deed, place, &answer);
            }
            Ok((StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, _)) => {
                self.diary.page_mut(deed).too_many += 1;
                tokio::time::sleep(WAIT).await;
            }
            Ok(_) | Err(_) => {
                self.diary.page_mut(deed).refused += 1;
                // A refused offer may have been taken by another client, so it is dropped.
                if deed != Deed::Create && place < self.offers.len() {
                    self.offers.swap_remove(place);
                }
            }
        }
    }

    /// Builds a request, and the index of the offer or place that it is about.
    fn request(&mut self, deed: Deed) -> (Method, String, Value, usize) {
        let count = if deed == Deed::Create { self.places.0.len() } else { self.offers.len() };
        let chosen = self.rng.random_range(0..count);
        match deed {
            Deed::SignIn | Deed::Create => {
                let mut item = self.person.wallet.clone();
                item["collection_slug"] = self.places.0[chosen].slug.clone().into();
                item["principal_amount"] = self.rng.random_range(self.places.0[chosen].principals.clone()).into();
                item["quantity"] = 1.into();
                (Method::POST, "/api/v1/offers/manual".to_owned(), json!({ "offers": [item] }), chosen)
            }
            Deed::Edit => {
                let (offer, place) = &self.offers[chosen];
                let principal = self.rng.random_range(self.places.0[*place].principals.clone());
                (
                    Method::PATCH,
                    format!("/api/v1/offers/manual/{offer}"),
                    json!({ "principal_amount": principal }),
                    chosen,
                )
            }
            Deed::Cancel => {
                let body = json!({ "offerIds": [self.offers[chosen].0] });
                (Method::POST, "/api/v1/offers/manual/cancel".to_owned(), body, chosen)
            }
        }
    }

    fn learn(&mut self, deed: Deed, place: usize, answer: &Value) {
        match deed {
            Deed::SignIn | Deed::Create => {
                let offers = answer["offers"].as_array().into_iter().flatten();
                self.offers.extend(offers.filter_map(|offer| Some((offer["offerId"].as_str()?.to_owned(), place))));
            }
            Deed::Edit => {
                if let Some(id) = answer["offer"]["offerId"].as_str() {
                    id.clone_into(&mut self.offers[place].0);
                }
            }
            Deed::Cancel => {
                self.offers.swap_remove(place);
            }
        }
    }
}
