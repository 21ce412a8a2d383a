//! Notices to users.

use std::sync::Arc;

use domain::{LoanId, OfferId, UnixMs};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AsString, RoleName};

/// The kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A borrower accepted the reader's offer.
    OfferAccepted,
    /// The reader is to counter-sign.
    CounterSignatureNeeded,
    /// The reader is to sign again, since a coin behind the loan was spent.
    SignatureNeeded,
    /// The loan was confirmed.
    LoanStarted,
    /// The loan is due in three days.
    #[serde(rename = "due_in_72h")]
    DueIn72Hours,
    /// The loan is due in a day.
    #[serde(rename = "due_in_24h")]
    DueIn24Hours,
    /// The loan was not repaid in time.
    Overdue,
    /// The reader's repayment is not confirmed yet, and the lender may soon take the collateral.
    RepaymentWaits,
    /// The reader may take the collateral.
    Claimable,
    /// The loan was repaid.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// The loan was cancelled after it had been accepted.
    Cancelled,
    /// The lender did not sign in time.
    Lapsed,
    /// The coins behind the loan were spent otherwise: it never began.
    Failed,
    /// The reader's offer was paused because of its LTV, the vault's balance or new terms.
    OfferPaused,
    /// The terms of the reader's offer change.
    TermChange,
    /// The vault's signer does not pay for the reader's offer, which was therefore paused or removed from the book.
    OfferNotAdmitted,
    /// Another borrower signed first, or the lender withdrew the offer, so the reader's prepared loan ended.
    OfferTaken,
    /// The owner of the collateral signed another loan with it.
    CollateralReclaimed,
    /// The borrower spent the collateral before the reader signed.
    CollateralMoved,
    /// A lender made an offer that only the reader can take.
    OfferForYou,
    /// A lender filled the reader's borrow request; the reader is to sign.
    RequestFilled,
    /// The other side of a negotiation made a proposal to the reader.
    CounterOffer,
    /// The other side of a negotiation accepted the reader's proposal; a borrower is to sign the loan.
    CounterOfferAccepted,
    /// The other side of a negotiation declined the reader's proposal.
    CounterOfferDeclined,
    /// Another loan would be cheaper than the reader's, which is due soon.
    RefinanceCheaper,
    /// There is an offer within the reader's standing order to refinance a loan.
    RefinanceOrdered,
    /// A webhook of the reader was paused, because it accepts no events.
    WebhookPaused,
}

impl NoticeKind {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OfferAccepted => "offer_accepted",
            Self::CounterSignatureNeeded => "counter_signature_needed",
            Self::SignatureNeeded => "signature_needed",
            Self::LoanStarted => "loan_started",
            Self::DueIn72Hours => "due_in_72h",
            Self::DueIn24Hours => "due_in_24h",
            Self::Overdue => "overdue",
            Self::RepaymentWaits => "repayment_waits",
            Self::Claimable => "claimable",
            Self::Repaid => "repaid",
            Self::Claimed => "claimed",
            Self::Cancelled => "cancelled",
            Self::Lapsed => "lapsed",
            Self::Failed => "failed",
            Self::OfferPaused => "offer_paused",
            Self::TermChange => "term_change",
            Self::OfferNotAdmitted => "offer_not_admitted",
            Self::OfferTaken => "offer_taken",
            Self::CollateralReclaimed => "collateral_reclaimed",
            Self::CollateralMoved => "collateral_moved",
            Self::OfferForYou => "offer_for_you",
            Self::RequestFilled => "request_filled",
            Self::CounterOffer => "counter_offer",
            Self::CounterOfferAccepted => "counter_offer_accepted",
            Self::CounterOfferDeclined => "counter_offer_declined",
            Self::RefinanceCheaper => "refinance_cheaper",
            Self::RefinanceOrdered => "refinance_ordered",
            Self::WebhookPaused => "webhook_paused",
        }
    }
}

/// Conversions in both directions, from one list.
macro_rules! same_kinds {
    ($($kind:ident)*) => {
        impl From<domain::NoticeKind> for NoticeKind {
            fn from(kind: domain::NoticeKind) -> Self {
                match kind { $(domain::NoticeKind::$kind => Self::$kind,)* }
            }
        }

        impl From<NoticeKind> for domain::NoticeKind {
            fn from(kind: NoticeKind) -> Self {
                match kind { $(NoticeKind::$kind => Self::$kind,)* }
            }
        }
    };
}

same_kinds! {
    OfferAccepted CounterSignatureNeeded SignatureNeeded LoanStarted DueIn72Hours DueIn24Hours Overdue RepaymentWaits
    Claimable Repaid Claimed Cancelled Lapsed Failed OfferPaused TermChange OfferNotAdmitted
    OfferTaken CollateralReclaimed CollateralMoved OfferForYou RequestFilled
    CounterOffer CounterOfferAccepted CounterOfferDeclined RefinanceCheaper RefinanceOrdered WebhookPaused
}

/// A notice to a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoticeView {
    /// An id that is the same for the same event, however often it is delivered.
    pub id: String,
    /// The kind.
    pub kind: NoticeKind,
    /// The time.
    #[schema(value_type = u64)]
    pub at: UnixMs,
    /// The display name of the collection; of a paused webhook, its host.
    #[schema(value_type = String)]
    pub collection_name: Arc<str>,
    /// The loan that it is about.
    #[schema(value_type = Option<String>, required)]
    pub loan_id: Option<AsString<LoanId>>,
    /// The reader's side of that loan.
    #[schema(required)]
    pub role: Option<RoleName>,
    /// The offer that it is about.
    #[schema(value_type = Option<String>, required)]
    pub offer_id: Option<AsString<OfferId>>,
}

impl NoticeView {
    /// The position among the notices of a user: by time, and at one time by kind, since the kinds of a loan's
    /// beginning are in the order in which they happen.
    pub(crate) fn position(&self) -> (UnixMs, domain::NoticeKind, &str) {
        (self.at, self.kind.into(), &self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(kind: NoticeKind, at: u64) -> NoticeView {
        NoticeView {
            id: format!("ln_1-{}", kind.name()),
            kind,
            at: UnixMs(at),
            collection_name: Arc::default(),
            loan_id: None,
            role: None,
            offer_id: None,
        }
    }

    #[test]
    fn events_of_a_loan_in_one_millisecond_are_in_the_order_in_which_they_happen() {
        let accepted = notice(NoticeKind::OfferAccepted, 5);
        let (started, overdue) = (notice(NoticeKind::LoanStarted, 5), notice(NoticeKind::Overdue, 5));
        let repaid = notice(NoticeKind::Repaid, 4);
        let mut notices = [&overdue, &started, &accepted, &repaid];
        notices.sort_unstable_by_key(|notice| notice.position());
        assert_eq!(notices, [&repaid, &accepted, &started, &overdue]);
        assert!(started.id < accepted.id, "the ids alone would reverse them");
    }
}
