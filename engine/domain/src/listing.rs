//! The market's list of collection groups.

use serde::{Deserialize, Serialize};

use crate::{CollectionGroup, GroupId};

/// An inscription: the transaction that revealed it, in internal byte order, and the number of its envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Inscription {
    /// The reveal transaction.
    pub txid: [u8; 32],
    /// The number of the envelope, from 0.
    pub index: u32,
}

/// A change of the market's list of groups, by its operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListingEvent {
    /// A group was listed, with its own book from now on.
    GroupListed(Box<CollectionGroup>),
    /// A group accepts new offers again, or stops accepting them.
    LendingAllowed {
        /// The group.
        group: GroupId,
        /// Whether new offers are accepted.
        allowed: bool,
    },
    /// Inscriptions were listed as part of a group: the chain does not record which collection an inscription belongs
    /// to.
    InscriptionsListed {
        /// The group.
        group: GroupId,
        /// The inscriptions, none of them in another group.
        inscriptions: Vec<Inscription>,
    },
}
