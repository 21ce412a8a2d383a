//! Descriptions of inscriptions for display: the location from the trusted indexer, and attributes from other services.

use std::collections::HashMap;
use std::time::Duration;

use engine::asset_index::InscriptionId;
use providers::capability::{InscriptionDetails, Inscriptions};
use providers::resilience::{DescriptionResult, FallbackList};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The lifetime of a cached description: collections seldom rename their inscriptions.
const MAX_AGE: Duration = Duration::from_mins(10);
/// The smallest interval between requests for descriptions, which uses a small part of the services' rate limits.
const REQUEST_INTERVAL_MIN: Duration = Duration::from_secs(2);
/// The largest number of cached descriptions.
const CACHED_MAX: usize = 1_000;

/// An inscription for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InscriptionInfo {
    /// The location and description. The location is that of the trusted indexer, whatever service described the rest.
    pub details: InscriptionDetails,
    /// The name of the describing service in the configuration.
    pub provider: String,
}

impl InscriptionInfo {
    /// Merges the trusted indexer's data with a description, which fills in what the indexer does not know.
    pub(super) fn of(seen: InscriptionDetails, indexer: &str, described: Option<(String, InscriptionDetails)>) -> Self {
        let Some((provider, described)) = described else {
            return Self { details: seen, provider: indexer.to_owned() };
        };
        let details = InscriptionDetails {
            number: seen.number.or(described.number),
            content_type: seen.content_type.or(described.content_type),
            content_uri: described.content_uri,
            name: described.name,
            collection_slug: described.collection_slug,
            collection_name: described.collection_name,
            attributes: described.attributes,
            ..seen
        };
        Self { details, provider }
    }
}

/// A cache of descriptions of inscriptions.
#[derive(Debug, Default)]
pub(super) struct Descriptions(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// The time of the last request.
    asked: Option<Instant>,
    /// The time and content of each description; `None` when all services answered and none knows the inscription.
    known: HashMap<InscriptionId, (Instant, Option<(String, InscriptionDetails)>)>,
}

impl Descriptions {
    /// Returns the first description by one of these services, and its name. Requests are limited for all callers
    /// together: the same services also report prices and BRC-20 balances, and permit a limited number of requests per
    /// minute.
    pub(super) async fn of(
        &self,
        inscription: InscriptionId,
        describers: &FallbackList<dyn Inscriptions>,
    ) -> Option<(String, InscriptionDetails)> {
        if describers.is_empty() {
            return None;
        }
        {
            let mut memory = self.0.lock().await;
            if let Some((at, known)) = memory.known.get(&inscription)
                && at.elapsed() < MAX_AGE
            {
                return known.clone();
            }
            if memory.asked.is_some_and(|at| at.elapsed() < REQUEST_INTERVAL_MIN) {
                return None;
            }
            memory.asked = Some(Instant::now());
        }
        let DescriptionResult { by, is_complete } = describers.describe(inscription).await;
        if is_complete {
            self.0.lock().await.remember(inscription, by.clone());
        }
        by
    }
}

impl Memory {
    /// Stores a description, in place of the oldest one if there are too many.
    fn remember(&mut self, inscription: InscriptionId, by: Option<(String, InscriptionDetails)>) {
        if self.known.len() >= CACHED_MAX {
            let oldest = self.known.iter().min_by_key(|(_, (at, _))| *at).map(|(id, _)| *id);
            oldest.map(|id| self.known.remove(&id));
        }
        self.known.insert(inscription, (Instant::now(), by));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bitcoin::OutPoint;
    use providers::capability::{Attribute, Named, UpstreamError, UpstreamFuture};
    use providers::resilience::{HeightGuard, UpstreamMetrics};

    use super::*;

    fn id() -> InscriptionId {
        format!("{}i0", "2".repeat(64)).parse().unwrap()
    }

    fn other(index: u32) -> InscriptionId {
        InscriptionId { index, ..id() }
    }

    /// A marketplace that gives the same answer for every inscription.
    struct FakeDescriber {
        name: &'static str,
        answer: Result<Option<&'static str>, UpstreamError>,
        asked: AtomicUsize,
    }

    impl Named for FakeDescriber {
        fn name(&self) -> &str {
            self.name
        }
    }

    impl Inscriptions for FakeDescriber {
        fn inscription(&self, inscription: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let seen = InscriptionDetails::at(inscription, OutPoint::null());
            let named = |name: &str| InscriptionDetails { name: (!name.is_empty()).then(|| name.to_owned()), ..seen };
            let answer = self.answer.clone().map(|answer| answer.map(named));
            Box::pin(async move { answer })
        }
    }

    fn describer(name: &'static str, answer: Result<Option<&'static str>, UpstreamError>) -> Arc<FakeDescriber> {
        Arc::new(FakeDescriber { name, answer, asked: AtomicUsize::new(0) })
    }

    fn list(members: &[&Arc<FakeDescriber>]) -> FallbackList<dyn Inscriptions> {
        let member = |member: &&Arc<FakeDescriber>| -> Arc<dyn Inscriptions> { (*member).clone() };
        let members = members.iter().map(member).collect();
        FallbackList::new("descriptions", members, HeightGuard::default(), UpstreamMetrics::new().unwrap())
    }

    fn name_of(described: Option<(String, InscriptionDetails)>) -> Option<(String, Option<String>)> {
        described.map(|(provider, seen)| (provider, seen.name))
    }

    #[tokio::test]
    async fn the_first_service_that_knows_a_name_describes_it_and_is_asked_once() {
        let (blank, frog) = (describer("blank", Ok(Some(""))), describer("frogs", Ok(Some("Frog #8"))));
        let (list, descriptions) = (list(&[&blank, &frog]), Descriptions::default());
        let answer = Some(("frogs".to_owned(), Some("Frog #8".to_owned())));
        for _ in 0..3 {
            assert_eq!(name_of(descriptions.of(id(), &list).await), answer);
        }
        assert_eq!((blank.asked.load(Ordering::Relaxed), frog.asked.load(Ordering::Relaxed)), (1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn services_are_not_asked_faster_than_they_permit() {
        let frog = describer("frogs", Ok(Some("Frog")));
        let (list, descriptions) = (list(&[&frog]), Descriptions::default());
        for index in 0..100 {
            let _ = descriptions.of(other(index), &list).await;
        }
        assert_eq!(frog.asked.load(Ordering::Relaxed), 1);
        tokio::time::advance(REQUEST_INTERVAL_MIN).await;
        assert!(descriptions.of(other(1), &list).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn an_unknown_inscription_is_cached_and_an_unavailable_service_is_not() {
        for (answer, again) in [(Ok(None), 1), (Err(UpstreamError::RateLimited), 2)] {
            let frog = describer("frogs", answer);
            let (list, descriptions) = (list(&[&frog]), Descriptions::default());
            for _ in 0..2 {
                assert_eq!(descriptions.of(id(), &list).await, None);
                tokio::time::advance(REQUEST_INTERVAL_MIN).await;
            }
            assert_eq!(frog.asked.load(Ordering::Relaxed), again);
            tokio::time::advance(MAX_AGE).await;
            let _ = descriptions.of(id(), &list).await;
            assert_eq!(frog.asked.load(Ordering::Relaxed), again + 1);
        }
    }

    #[test]
    fn the_oldest_description_is_evicted() {
        let mut memory = Memory::default();
        for index in 0..=u32::try_from(CACHED_MAX).unwrap() {
            memory.remember(other(index), None);
        }
        assert_eq!(memory.known.len(), CACHED_MAX);
        assert!(!memory.known.contains_key(&other(0)) && memory.known.contains_key(&other(1)));
    }

    #[test]
    fn the_location_is_from_the_indexer_and_the_name_from_the_description() {
        let seen = InscriptionDetails {
            number: Some(5),
            output_sats: Some(546),
            ..InscriptionDetails::at(id(), OutPoint::new(id().txid, 1))
        };
        let attributes = vec![Attribute { name: "Pond".to_owned(), value: "Moss".to_owned() }];
        let described = InscriptionDetails {
            number: Some(6),
            output_sats: Some(1),
            content_type: Some("image/png".to_owned()),
            name: Some("Frog #8".to_owned()),
            attributes: attributes.clone(),
            ..InscriptionDetails::at(id(), OutPoint::null())
        };
        let info = InscriptionInfo::of(seen.clone(), "ord", Some(("magiceden".to_owned(), described)));
        assert_eq!(info.provider, "magiceden");
        assert_eq!(
            (info.details.outpoint, info.details.output_sats, info.details.number),
            (seen.outpoint, Some(546), Some(5))
        );
        assert_eq!((info.details.name.as_deref(), info.details.attributes), (Some("Frog #8"), attributes));
        assert_eq!(info.details.content_type.as_deref(), Some("image/png"));
        assert_eq!(
            InscriptionInfo::of(seen.clone(), "ord", None),
            InscriptionInfo { details: seen, provider: "ord".to_owned() }
        );
    }
}
