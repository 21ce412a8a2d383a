//! The conditions under which an offer can be taken, beyond its terms.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    ConditionRejection, DAY_MS, Inscription, Offer, OfferId, ParseIdError, Quantity, Rejection, UnixMs, UserId,
};

/// The key in the link to an unlisted offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkKey(pub [u8; 16]);

impl LinkKey {
    /// Whether both are equal, in a time that does not depend on where they differ.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).fold(0, |difference, (one, other)| difference | (one ^ other)) == 0
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for LinkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for LinkKey {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let key = is_hex
            .then(|| u128::from_str_radix(text, 16).ok())
            .flatten()
            .ok_or_else(|| ParseIdError::new("link key", text))?;
        Ok(Self(key.to_be_bytes()))
    }
}

/// The borrower named by an offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBorrower {
    /// The account.
    pub user: UserId,
    /// Its payment address, by which the lender named it.
    pub payment_address: String,
}

/// A range of inscription numbers, as ord counts inscriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberRange {
    /// The first number.
    pub first: u32,
    /// The last number, included.
    pub last: u32,
}

impl NumberRange {
    /// Whether a number is in it. Inscriptions that early indexers did not know have negative numbers.
    #[must_use]
    pub fn contains(self, number: i64) -> bool {
        (i64::from(self.first)..=i64::from(self.last)).contains(&number)
    }
}

/// The conditions that a borrower has to satisfy to take an offer. An offer with conditions is neither ranked nor
/// counted in public figures: those count what anyone can take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferConditions {
    /// The only borrower who can take it; it is not public.
    pub borrower: Option<NamedBorrower>,
    /// The key of an unlisted offer, which is not public and can be taken by those who have its link.
    pub link_key: Option<LinkKey>,
    /// The least number of loans that the borrower has repaid.
    pub repaid_min: u16,
    /// The number of days for which the borrower must not have lost collateral to a lender; 0 asks for nothing.
    pub default_free_days: u16,
    /// The only inscriptions that can be pledged, ascending, beside those in `numbers`; any can if both are empty. A loan
    /// is secured by as many as the offer's quantity.
    pub inscriptions: Vec<Inscription>,
    /// The numbers of inscriptions that can be pledged. In the journal they are an event of their own.
    #[serde(skip)]
    pub numbers: Vec<NumberRange>,
}

/// A borrower who takes an offer, with the facts that conditions are checked against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taker {
    /// The borrower.
    pub user: UserId,
    /// The number of loans that the borrower repaid.
    pub repaid: u32,
    /// The last time at which a lender took the borrower's collateral.
    pub last_claimed_at: Option<UnixMs>,
    /// The inscriptions to pledge, ascending; none with tokens.
    pub inscriptions: Vec<Inscription>,
}

impl Taker {
    /// A borrower without loans so far, who pledges tokens.
    #[must_use]
    pub const fn new(user: UserId) -> Self {
        Self { user, repaid: 0, last_claimed_at: None, inscriptions: Vec::new() }
    }
}

impl OfferConditions {
    /// The most offers in one book that name the same borrower, whose private channel shows them all.
    pub const PER_BORROWER_MAX: usize = 20;
    /// The most inscriptions that one offer names.
    pub const INSCRIPTIONS_MAX: usize = 500;
    /// The most ranges of numbers of one offer.
    pub const NUMBER_RANGES_MAX: usize = 20;
    /// The highest number of repaid loans that can be asked for.
    pub const REPAID_MAX: u16 = 1_000;
    /// The highest number of days without a default that can be asked for.
    pub const DEFAULT_FREE_DAYS_MAX: u16 = 3_650;

    /// The account of the only borrower who can take it.
    #[must_use]
    pub fn borrower_id(&self) -> Option<UserId> {
        self.borrower.as_ref().map(|borrower| borrower.user)
    }

    /// Whether nothing is asked for.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.is_listed() && self.repaid_min == 0 && self.default_free_days == 0 && self.takes_any()
    }

    /// Whether any inscription can be pledged.
    #[must_use]
    pub const fn takes_any(&self) -> bool {
        self.inscriptions.is_empty() && self.numbers.is_empty()
    }

    /// Whether the offer is shown in the public book, marked with its conditions.
    #[must_use]
    pub const fn is_listed(&self) -> bool {
        self.borrower.is_none() && self.link_key.is_none()
    }

    /// Whether the offer does not exist for a user: it is not listed, and names another borrower or none.
    #[must_use]
    pub fn is_hidden_from(&self, user: UserId) -> bool {
        !self.is_listed() && self.borrower_id() != Some(user)
    }

    /// Checks conditions that a lender asks for.
    ///
    /// # Errors
    /// The first [`ConditionRejection`] that holds.
    pub(crate) fn check_draft(&self, lender: UserId, is_of_inscriptions: bool) -> Result<(), ConditionRejection> {
        if self.borrower_id() == Some(lender) {
            return Err(ConditionRejection::ForOwnLender);
        }
        if self.borrower.is_some() && self.link_key.is_some() {
            return Err(ConditionRejection::BorrowerWithLink);
        }
        if self.inscriptions.len() > Self::INSCRIPTIONS_MAX {
            return Err(ConditionRejection::TooManyInscriptions { max: Self::INSCRIPTIONS_MAX });
        }
        if self.numbers.len() > Self::NUMBER_RANGES_MAX {
            return Err(ConditionRejection::TooManyNumberRanges { max: Self::NUMBER_RANGES_MAX });
        }
        if let Some(empty) = self.numbers.iter().find(|range| range.first > range.last) {
            return Err(ConditionRejection::EmptyNumberRange(*empty));
        }
        if !is_of_inscriptions && !self.takes_any() {
            return Err(ConditionRejection::TokensAreNotChosen);
        }
        let bounded = [(self.repaid_min, Self::REPAID_MAX), (self.default_free_days, Self::DEFAULT_FREE_DAYS_MAX)];
        for (asked, max) in bounded {
            if asked > max {
                return Err(ConditionRejection::AboveMax { asked, max });
            }
        }
        Ok(())
    }

    /// Checks that a user may see the offer: its lender aside, its named borrower, and those with its link.
    ///
    /// # Errors
    /// [`Rejection::OfferForOtherBorrower`], [`Rejection::OfferUnlisted`].
    pub fn check_access(&self, offer: OfferId, user: UserId, link_key: Option<LinkKey>) -> Result<(), Rejection> {
        if self.borrower_id().is_some_and(|borrower| borrower != user) {
            return Err(Rejection::OfferForOtherBorrower(offer));
        }
        match self.link_key {
            Some(key) if !link_key.is_some_and(|given| key.matches(&given)) => Err(Rejection::OfferUnlisted(offer)),
            _ => Ok(()),
        }
    }

    /// Checks that the lender chose these inscriptions, by id or by number.
    ///
    /// # Errors
    /// [`Rejection::InscriptionNotChosen`].
    pub fn check_chosen(&self, offer: OfferId, pledged: &[(Inscription, Option<i64>)]) -> Result<(), Rejection> {
        let is_in_range = |number| self.numbers.iter().any(|range| range.contains(number));
        let is_chosen = |(id, number): &(Inscription, Option<i64>)| {
            self.inscriptions.binary_search(id).is_ok() || number.is_some_and(is_in_range)
        };
        let is_met = self.takes_any() || pledged.iter().all(is_chosen);
        if is_met { Ok(()) } else { Err(Rejection::InscriptionNotChosen(offer)) }
    }

    /// Checks that a borrower satisfies them. The key of a link and the numbers of inscriptions, which the book does not
    /// know, are checked when the loan is prepared, and not here.
    ///
    /// # Errors
    /// [`Rejection::OfferForOtherBorrower`], [`Rejection::TooFewRepaidLoans`], [`Rejection::DefaultTooRecent`],
    /// [`Rejection::InscriptionNotChosen`].
    pub fn check(&self, offer: &Offer, taker: &Taker, now: UnixMs) -> Result<(), Rejection> {
        if self.borrower_id().is_some_and(|borrower| borrower != taker.user) {
            return Err(Rejection::OfferForOtherBorrower(offer.id));
        }
        if taker.repaid < u32::from(self.repaid_min) {
            return Err(Rejection::TooFewRepaidLoans { repaid: taker.repaid, min: self.repaid_min });
        }
        let until = taker.last_claimed_at.map(|at| at.plus_ms(u64::from(self.default_free_days) * DAY_MS));
        if let Some(until) = until.filter(|until| self.default_free_days > 0 && *until > now) {
            return Err(Rejection::DefaultTooRecent { until });
        }
        let is_chosen = |inscription| !self.numbers.is_empty() || self.inscriptions.binary_search(inscription).is_ok();
        let is_whole = || Quantity::of_inscriptions(&taker.inscriptions) == Some(offer.quantity());
        if self.takes_any() || (is_whole() && taker.inscriptions.iter().all(is_chosen)) {
            return Ok(());
        }
        Err(Rejection::InscriptionNotChosen(offer.id))
    }
}
