//! The requests about delegations, and the status of one.

use escrow::delegation_id::DelegationId;
use serde::{Deserialize, Serialize};

use crate::as_text;
use crate::program_text::ProgramText;
use crate::signed_text::SignedText;

/// A request about delegations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DelegationRequest {
    /// A lender delegates quotes to a program. The message must be fresh when it is submitted.
    Admit {
        /// The lender's id.
        lender_id: u64,
        /// The lender's `delegate quotes`.
        signed: SignedText,
    },
    /// Revokes a delegation for good, also one that the signer does not know yet. It needs no signature: it can only take
    /// away what a lender has permitted.
    Revoke {
        /// The lender's id.
        lender_id: u64,
        /// The id of the delegation.
        #[serde(with = "as_text")]
        delegation: DelegationId,
    },
    /// A program quotes an instant offer. The text must be fresh when it is submitted; the offer is valid for longer.
    AdmitOffer {
        /// The lender's id.
        lender_id: u64,
        /// The id by which later texts and messages name the offer.
        offer_id: String,
        /// The program's `create offer` or `edit offer`.
        signed: ProgramText,
    },
    /// A program cancels offers, or quoted an offer that was not created.
    ReviseOffers {
        /// The lender's id.
        lender_id: u64,
        /// The program's `cancel offers`; or a `create offer` or `edit offer` that must have no effect: neither the offer
        /// that it makes nor the one that it replaces remains.
        signed: ProgramText,
    },
    /// Asks for the status of a lender's delegations. Changes nothing.
    Status {
        /// The lender's id.
        lender_id: u64,
        /// At most [`crate::delegation::DELEGATIONS_MAX`] ids.
        delegations: Vec<DelegationName>,
    },
}

impl DelegationRequest {
    /// Returns the lender whose delegations the request is about.
    #[must_use]
    pub const fn lender_id(&self) -> u64 {
        match self {
            Self::Admit { lender_id, .. }
            | Self::Revoke { lender_id, .. }
            | Self::AdmitOffer { lender_id, .. }
            | Self::ReviseOffers { lender_id, .. }
            | Self::Status { lender_id, .. } => *lender_id,
        }
    }
}

/// An id in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DelegationName(#[serde(with = "as_text")] pub DelegationId);

/// The status of a delegation, as far as the signer knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelegationStatus {
    /// Its id.
    pub delegation: DelegationName,
    /// Whether it was revoked.
    pub is_revoked: bool,
    /// The highest number of an admitted offer; 0 before any.
    pub latest_number: u64,
    /// The sum of the principals of loans signed within the last 24 hours, in sats.
    pub lent_within_day_sats: u64,
}
