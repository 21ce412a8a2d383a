//! The kinds of notices, for every delivery channel.

use serde::{Deserialize, Serialize};

/// The kind of a notice. The journal stores kinds by their position, so new ones must be added at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NoticeKind {
    /// A borrower accepted the lender's offer.
    OfferAccepted,
    /// The lender is to counter-sign.
    CounterSignatureNeeded,
    /// The borrower is to sign again.
    SignatureNeeded,
    /// The loan was confirmed.
    LoanStarted,
    /// The loan is due in three days.
    DueIn72Hours,
    /// The loan is due in a day.
    DueIn24Hours,
    /// The loan was not repaid in time.
    Overdue,
    /// A repayment is not confirmed yet, and the lender may soon take the collateral.
    RepaymentWaits,
    /// The lender may take the collateral.
    Claimable,
    /// The loan was repaid.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// The loan was cancelled after it had been accepted.
    Cancelled,
    /// The lender did not sign in time.
    Lapsed,
    /// The coins behind the loan were spent otherwise.
    Failed,
    /// An offer was paused for a reason other than its lender's command.
    OfferPaused,
    /// The terms of an offer change.
    TermChange,
    /// The vault's signer does not pay for an offer.
    OfferNotAdmitted,
    /// Another borrower signed first, or the lender withdrew the offer.
    OfferTaken,
    /// The owner of the collateral, proven by key and signature, pledged it for another loan.
    CollateralReclaimed,
    /// The borrower spent the collateral before the lender signed.
    CollateralMoved,
    /// A lender made an offer that names the borrower.
    OfferForYou,
    /// A lender filled the borrower's request, and the borrower is to sign.
    RequestFilled,
    /// The other side of a negotiation made a proposal.
    CounterOffer,
    /// The other side of a negotiation accepted the user's proposal.
    CounterOfferAccepted,
    /// The other side of a negotiation declined the user's proposal.
    CounterOfferDeclined,
    /// Another loan would be cheaper for the borrower of one that is due soon.
    RefinanceCheaper,
    /// There is an offer within the borrower's standing order to refinance a loan.
    RefinanceOrdered,
    /// A webhook of the user was paused, because it accepts no events.
    WebhookPaused,
}

impl NoticeKind {
    /// Every kind, by its position.
    pub const ALL: [Self; 28] = [
        Self::OfferAccepted,
        Self::CounterSignatureNeeded,
        Self::SignatureNeeded,
        Self::LoanStarted,
        Self::DueIn72Hours,
        Self::DueIn24Hours,
        Self::Overdue,
        Self::RepaymentWaits,
        Self::Claimable,
        Self::Repaid,
        Self::Claimed,
        Self::Cancelled,
        Self::Lapsed,
        Self::Failed,
        Self::OfferPaused,
        Self::TermChange,
        Self::OfferNotAdmitted,
        Self::OfferTaken,
        Self::CollateralReclaimed,
        Self::CollateralMoved,
        Self::OfferForYou,
        Self::RequestFilled,
        Self::CounterOffer,
        Self::CounterOfferAccepted,
        Self::CounterOfferDeclined,
        Self::RefinanceCheaper,
        Self::RefinanceOrdered,
        Self::WebhookPaused,
    ];

    /// Whether a user chooses to get it. One about a webhook goes to whatever other channel the user has.
    #[must_use]
    pub const fn is_choosable(self) -> bool {
        !matches!(self, Self::WebhookPaused)
    }

    /// Whether a user who misses the notice may lose funds, collateral or a deal.
    #[must_use]
    pub const fn is_critical(self) -> bool {
        matches!(
            self,
            Self::CounterSignatureNeeded
                | Self::SignatureNeeded
                | Self::DueIn72Hours
                | Self::DueIn24Hours
                | Self::Overdue
                | Self::RepaymentWaits
                | Self::Claimable
                | Self::RequestFilled
                | Self::CounterOfferAccepted
                | Self::RefinanceOrdered
        )
    }

    /// Its bit in a [`NoticeKinds`].
    const fn bit(self) -> u32 {
        1 << match self {
            Self::OfferAccepted => 0,
            Self::CounterSignatureNeeded => 1,
            Self::SignatureNeeded => 2,
            Self::LoanStarted => 3,
            Self::DueIn72Hours => 4,
            Self::DueIn24Hours => 5,
            Self::Overdue => 6,
            Self::RepaymentWaits => 7,
            Self::Claimable => 8,
            Self::Repaid => 9,
            Self::Claimed => 10,
            Self::Cancelled => 11,
            Self::Lapsed => 12,
            Self::Failed => 13,
            Self::OfferPaused => 14,
            Self::TermChange => 15,
            Self::OfferNotAdmitted => 16,
            Self::OfferTaken => 17,
            Self::CollateralReclaimed => 18,
            Self::CollateralMoved => 19,
            Self::OfferForYou => 20,
            Self::RequestFilled => 21,
            Self::CounterOffer => 22,
            Self::CounterOfferAccepted => 23,
            Self::CounterOfferDeclined => 24,
            Self::RefinanceCheaper => 25,
            Self::RefinanceOrdered => 26,
            Self::WebhookPaused => 27,
        }
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NoticeKinds(u32);

impl NoticeKinds {
    /// The critical kinds.
    #[must_use]
    pub fn critical() -> Self {
        NoticeKind::ALL.into_iter().filter(|kind| kind.is_critical()).collect()
    }

    /// Whether a kind is in it.
    #[must_use]
    pub const fn contains(self, kind: NoticeKind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// The kinds, by their positions.
    pub fn iter(self) -> impl Iterator<Item = NoticeKind> {
        NoticeKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<NoticeKind> for NoticeKinds {
    fn from_iter<T: IntoIterator<Item = NoticeKind>>(kinds: T) -> Self {
        Self(kinds.into_iter().fold(0, |bits, kind| bits | kind.bit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_bit_of_its_own() {
        let one_by_one: Vec<NoticeKinds> =
            NoticeKind::ALL.into_iter().map(|kind| [kind].into_iter().collect()).collect();
        for (index, kind) in NoticeKind::ALL.into_iter().enumerate() {
            for (other, set) in one_by_one.iter().enumerate() {
                assert_eq!(set.contains(kind), index == other, "{kind:?}");
            }
        }
        let all: NoticeKinds = NoticeKind::ALL.into_iter().collect();
        assert!(NoticeKind::ALL.into_iter().all(|kind| all.contains(kind)) && all.iter().eq(NoticeKind::ALL));
        assert!(NoticeKind::ALL.into_iter().all(|kind| NoticeKinds::critical().contains(kind) == kind.is_critical()));
    }
}
