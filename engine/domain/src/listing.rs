//! Which collection groups the market lists.

use serde::{Deserialize, Serialize};

use crate::CollectionGroup;

/// A change of the market's list of groups, by its operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListingEvent {
    /// A group was listed, with its own book from now on.
    GroupListed(Box<CollectionGroup>),
    /// A group takes new offers again, or no more.
    LendingAllowed {
        /// Which group.
        group: crate::GroupId,
        /// Whether new offers are taken.
        allowed: bool,
    },
}
