//! Which collection groups the market lists.

use serde::{Deserialize, Serialize};

use crate::{CollectionGroup, GroupId};

/// An inscription: the transaction that revealed it, in internal byte order, and which of its envelopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Inscription {
    /// The reveal.
    pub txid: [u8; 32],
    /// Which envelope, from 0.
    pub index: u32,
}

/// A change of the market's list of groups, by its operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListingEvent {
    /// A group was listed, with its own book from now on.
    GroupListed(Box<CollectionGroup>),
    /// A group takes new offers again, or no more.
    LendingAllowed {
        /// Which group.
        group: GroupId,
        /// Whether new offers are taken.
        allowed: bool,
    },
    /// Inscriptions belong to a group from now on: nothing on the chain says which collection an inscription is of.
    InscriptionsListed {
        /// Which group.
        group: GroupId,
        /// Which inscriptions, none of them in another group.
        inscriptions: Vec<Inscription>,
    },
}
