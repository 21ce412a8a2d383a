//! The public offers of a book as clients see them, in the same lines as those of the replay.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use domain::OfferId;
use serde_json::Value;

/// The number of offers of each ranking that a checksum covers.
const CHECKED_RANKS: usize = 10;

/// A client's copy of a book.
#[derive(Clone, Debug, Default)]
pub struct PublicView(BTreeMap<OfferId, Value>);

impl PublicView {
    /// A copy of lists of offers.
    pub fn of<'a>(lists: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut view = Self::default();
        for offer in lists.into_iter().filter_map(Value::as_array).flatten() {
            view.put(offer);
        }
        view
    }

    /// Applies an operation of a delta.
    pub fn apply(&mut self, op: &Value) {
        match op["op"].as_str() {
            Some("offer") => self.put(&op["offer"]),
            Some("offer_gone") => {
                let id = op["offerId"].as_str().and_then(|id| id.parse().ok());
                id.map(|id: OfferId| self.0.remove(&id));
            }
            _ => {}
        }
    }

    fn put(&mut self, offer: &Value) {
        if let Some(id) = offer["offerId"].as_str().and_then(|id| id.parse().ok()) {
            self.0.insert(id, offer.clone());
        }
    }

    /// Its offers, a line each, in the order of their ids.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for (id, offer) in &self.0 {
            let (principal, available) = (&offer["principal_amount_sats"], &offer["available_sats"]);
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{id}:{principal}:{available}:{}", offer["state"].as_str().unwrap_or_default());
        }
        lines
    }

    /// The checksum over the best offers of each ranking.
    pub fn checksum(&self) -> u32 {
        let mut rankings: BTreeMap<(u64, bool), Vec<_>> = BTreeMap::new();
        for (id, offer) in self.0.iter().filter(|(_, offer)| offer["state"] == "live") {
            let place = offer["subCollectionId"].as_str().and_then(|id| id.parse().ok()).unwrap_or_default();
            let principal = offer["principal_amount_sats"].as_u64().unwrap_or_default();
            let line = format!("{id}:{principal}:{}\n", offer["available_sats"]);
            rankings.entry((place, offer["process"] == "instant")).or_default().push((Reverse(principal), *id, line));
        }
        let mut covered = String::new();
        for ranking in rankings.values_mut() {
            ranking.sort();
            covered.extend(ranking.iter().take(CHECKED_RANKS).map(|(_, _, line)| line.as_str()));
        }
        crc32c::crc32c(covered.as_bytes())
    }
}
