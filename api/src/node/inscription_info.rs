//! What an inscription is, for people: where it stands by the indexer that is believed, and what others say of it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use engine::asset_index::InscriptionId;
use providers::capability::{Inscriptions, Sighting};
use providers::fallback::{Lineup, Trouble};
use tokio::sync::Mutex;

/// How long a description is good for: collections seldom rename what they have.
const FRESH: Duration = Duration::from_mins(10);
/// So many descriptions are remembered.
const REMEMBERED_MAX: usize = 1_000;

/// An inscription as people are shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InscriptionInfo {
    /// Where it is and what it is. The place is the believed indexer's, whoever described the rest.
    pub sighting: Sighting,
    /// Who described it, as the configuration calls them.
    pub provider: String,
}

impl InscriptionInfo {
    /// What the believed indexer says, with what it does not know out of a description.
    pub(super) fn of(seen: Sighting, indexer: &str, described: Option<(String, Sighting)>) -> Self {
        let Some((provider, described)) = described else {
            return Self { sighting: seen, provider: indexer.to_owned() };
        };
        let sighting = Sighting {
            number: seen.number.or(described.number),
            content_type: seen.content_type.or(described.content_type),
            content_uri: described.content_uri,
            name: described.name,
            collection_slug: described.collection_slug,
            collection_name: described.collection_name,
            attributes: described.attributes,
            ..seen
        };
        Self { sighting, provider }
    }
}

/// Who described an inscription and how, and when that was; nobody when none of them knows it.
type Remembered = (Instant, Option<(String, Sighting)>);

/// Descriptions of inscriptions, remembered for a while.
#[derive(Debug, Default)]
pub(super) struct Descriptions(Mutex<HashMap<InscriptionId, Remembered>>);

impl Descriptions {
    /// Who of these describes an inscription, and how: the first in their order who knows it.
    pub(super) async fn of(
        &self,
        inscription: InscriptionId,
        describers: &Lineup<dyn Inscriptions>,
    ) -> Option<(String, Sighting)> {
        if describers.is_empty() {
            return None;
        }
        if let Some((at, known)) = self.0.lock().await.get(&inscription)
            && at.elapsed() < FRESH
        {
            return known.clone();
        }
        let asked = describers.first(|member| {
            Box::pin(async move {
                let found = member.sighting(inscription).await?;
                let found = found.ok_or_else(|| Trouble::Unknown(format!("inscription {inscription}")))?;
                Ok((member.name().to_owned(), found))
            })
        });
        // Who does not help is in the log, and an inscription without a description is one all the same.
        let described = asked.await.ok();
        let mut remembered = self.0.lock().await;
        if remembered.len() >= REMEMBERED_MAX {
            remembered.retain(|_, (at, _)| at.elapsed() < FRESH);
        }
        if remembered.len() >= REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(inscription, (Instant::now(), described.clone()));
        described
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::OutPoint;
    use providers::capability::Attribute;

    use super::*;

    fn id() -> InscriptionId {
        format!("{}i0", "2".repeat(64)).parse().unwrap()
    }

    #[test]
    fn the_place_is_the_indexers_and_the_name_is_the_describers() {
        let seen =
            Sighting { number: Some(5), output_sats: Some(546), ..Sighting::at(id(), OutPoint::new(id().txid, 1)) };
        let attributes = vec![Attribute { name: "Pond".to_owned(), value: "Moss".to_owned() }];
        let described = Sighting {
            number: Some(6),
            output_sats: Some(1),
            content_type: Some("image/png".to_owned()),
            name: Some("Frog #8".to_owned()),
            attributes: attributes.clone(),
            ..Sighting::at(id(), OutPoint::null())
        };
        let info = InscriptionInfo::of(seen.clone(), "ord", Some(("magiceden".to_owned(), described)));
        assert_eq!(info.provider, "magiceden");
        assert_eq!(
            (info.sighting.outpoint, info.sighting.output_sats, info.sighting.number),
            (seen.outpoint, Some(546), Some(5))
        );
        assert_eq!((info.sighting.name.as_deref(), info.sighting.attributes), (Some("Frog #8"), attributes));
        assert_eq!(info.sighting.content_type.as_deref(), Some("image/png"));
        assert_eq!(
            InscriptionInfo::of(seen.clone(), "ord", None),
            InscriptionInfo { sighting: seen, provider: "ord".to_owned() }
        );
    }
}
