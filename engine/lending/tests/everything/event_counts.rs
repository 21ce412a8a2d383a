//! The counts of all events.

use std::collections::BTreeMap;
use std::fmt;

/// The counts of all events, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventCounts(BTreeMap<String, u64>);

impl EventCounts {
    pub(crate) fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    pub(crate) fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }
}

impl fmt::Display for EventCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(what, count)| writeln!(f, "{count:7} {what}"))
    }
}
