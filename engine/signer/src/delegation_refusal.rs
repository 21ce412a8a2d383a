//! Refusals of delegations, and of offers and loans under them.

use escrow::new_delegation::ExceededLimit;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The reason why a program's offer, or a loan by it, is refused. All amounts are in sats, all times in Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelegationRefusal {
    /// The lender has no such delegation, or its time was over long ago.
    #[error("there is no delegation {delegation} of this lender, or no longer")]
    Unknown {
        /// The id.
        delegation: String,
    },
    /// Another message made a delegation of this id.
    #[error("another delegation has the id {delegation}")]
    Duplicate {
        /// The id.
        delegation: String,
    },
    /// The lender has the maximum number of delegations.
    #[error("a lender has at most {max} delegations")]
    TooMany {
        /// The maximum.
        max: usize,
    },
    /// Revoked: nothing is admitted or lent by it any more.
    #[error("the delegation {delegation} was revoked")]
    Revoked {
        /// The id.
        delegation: String,
    },
    /// Its time is over.
    #[error("the delegation was valid until {valid_until_s}")]
    Expired {
        /// The time that the lender signed.
        valid_until_s: u64,
    },
    /// The signature is not by the key of the delegation.
    #[error("the offer is not signed by the program's key: {reason}")]
    BadSignature {
        /// The fault.
        reason: String,
    },
    /// An offer of this number or a higher one was admitted before.
    #[error("the number is {found}, and must be above {latest}")]
    NumberUsed {
        /// The highest number so far.
        latest: u64,
        /// The number of the text.
        found: u64,
    },
    /// The offer to replace or cancel is not under this delegation.
    #[error("the offer {offer_id} is not under the delegation")]
    ForeignOffer {
        /// The id of the offer.
        offer_id: String,
    },
    /// The delegation names other vaults.
    #[error("the delegation is not for the vault {policy}")]
    OtherVault {
        /// The hash of this signer's policy.
        policy: String,
    },
    /// The delegation names other collections.
    #[error("the delegation is not for {slug}")]
    OtherCollection {
        /// The slug.
        slug: String,
    },
    /// The principal of one loan is above the limit.
    #[error("the principal is {found}, and the delegation allows {max}")]
    Principal {
        /// The limit.
        max: u64,
        /// The principal.
        found: u64,
    },
    /// The interest is below the limit.
    #[error("the interest is {found} bps, and the delegation wants {min}")]
    Interest {
        /// The limit, in hundredths of a percent of the principal.
        min: u32,
        /// The interest.
        found: u32,
    },
    /// The term is above the limit.
    #[error("the term is {found} days, and the delegation allows {max}")]
    Term {
        /// The limit, in days.
        max: u16,
        /// The term.
        found: u16,
    },
    /// The sum of loans within 24 hours would be above the limit.
    #[error("{asked} is asked, {used} was lent by the delegation within 24 hours, and {max} may")]
    DaySats {
        /// The limit.
        max: u64,
        /// The sum so far.
        used: u64,
        /// The requested principal.
        asked: u64,
    },
}

impl From<ExceededLimit> for DelegationRefusal {
    fn from(exceeded: ExceededLimit) -> Self {
        match exceeded {
            ExceededLimit::Collection { slug } => Self::OtherCollection { slug },
            ExceededLimit::Principal { max, found } => Self::Principal { max, found },
            ExceededLimit::Interest { min, found } => Self::Interest { min, found },
            ExceededLimit::Term { max, found } => Self::Term { max, found },
        }
    }
}
