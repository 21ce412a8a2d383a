//! The change that a transaction returns to its vault: none, one output or several.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Outpoint, Sats};

/// The maximum number of change outputs.
pub const CHANGE_OUTPUTS_MAX: usize = 8;

/// The change outputs.
///
/// Earlier versions had at most one, and the journal stored an `Option` here. In its binary format a list of up to one
/// element has the same bytes, so both are read and written alike; in JSON up to one element is written as before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VaultChange(Vec<(Outpoint, Sats)>);

impl VaultChange {
    /// Each output with its amount.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Outpoint, Sats)> + '_ {
        self.0.iter().copied()
    }

    /// The outpoints.
    #[must_use]
    pub fn outpoints(&self) -> impl ExactSizeIterator<Item = Outpoint> + '_ {
        self.0.iter().map(|(outpoint, _)| *outpoint)
    }

    /// The number of outputs.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no change.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sum of the change.
    #[must_use]
    pub fn total(&self) -> Sats {
        self.iter().map(|(_, sats)| sats).sum()
    }

    /// Whether an output is listed twice.
    pub(super) fn has_duplicates(&self) -> bool {
        let mut outpoints: Vec<Outpoint> = self.outpoints().collect();
        outpoints.sort_unstable();
        outpoints.windows(2).any(|pair| pair[0] == pair[1])
    }
}

impl FromIterator<(Outpoint, Sats)> for VaultChange {
    fn from_iter<I: IntoIterator<Item = (Outpoint, Sats)>>(outputs: I) -> Self {
        Self(outputs.into_iter().collect())
    }
}

impl From<Option<(Outpoint, Sats)>> for VaultChange {
    fn from(output: Option<(Outpoint, Sats)>) -> Self {
        output.into_iter().collect()
    }
}

impl Serialize for VaultChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (serializer.is_human_readable(), self.0.as_slice()) {
            (true, []) => serializer.serialize_none(),
            (true, [one]) => serializer.serialize_some(one),
            (_, all) => all.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for VaultChange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Readable {
            One((Outpoint, Sats)),
            All(Vec<(Outpoint, Sats)>),
        }
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer).map(Self);
        }
        Ok(match Option::deserialize(deserializer)? {
            None => Self::default(),
            Some(Readable::One(one)) => Self(vec![one]),
            Some(Readable::All(all)) => Self(all),
        })
    }
}
