//! Borrow requests: a borrower's standing request for sats against collateral.

use serde::{Deserialize, Serialize};

use crate::{
    Bundle, CollateralType, CollectionGroup, Inscription, InterestRate, Limits, NamedBorrower, Offer, OfferConditions,
    OfferDraft, OfferId, ProcessType, Quantity, Rejection, RequestId, Sats, SubCollection, TermDays, UnitPrice, UnixMs,
};

/// The terms of a borrow request, as its borrower signed them. They never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestTerms {
    /// The borrower.
    pub borrower: NamedBorrower,
    /// The inscriptions to pledge together, ascending; none with tokens.
    #[serde(rename = "inscription", with = "crate::one_or_several")]
    pub inscriptions: Vec<Inscription>,
    /// The collateral: the number of inscriptions, or an amount of a token.
    pub quantity: Quantity,
    /// The wanted principal.
    pub principal: Sats,
    /// The highest interest for the whole term.
    pub interest_max: InterestRate,
    /// The shortest term.
    pub term_min: TermDays,
    /// The longest term.
    pub term_max: TermDays,
    /// The time from which it cannot be filled.
    pub good_until: UnixMs,
}

impl RequestTerms {
    /// The principal per whole unit of collateral, by which requests are ranked and priced.
    #[must_use]
    pub fn quote(&self) -> UnitPrice {
        UnitPrice::quoted(self.principal, self.quantity)
    }

    /// Whether loans of a sub-collection are within the interest, the terms and the collateral asked for.
    #[must_use]
    pub fn accepts(&self, sub: &SubCollection) -> bool {
        self.check_sub_collection(sub).is_ok()
    }

    /// Checks a request before it is sent to its order book, which decides.
    ///
    /// # Errors
    /// The rejection by an order book of the group at this price.
    pub fn check(
        &self,
        group: &CollectionGroup,
        limits: &Limits,
        price: Option<UnitPrice>,
        now: UnixMs,
    ) -> Result<(), Rejection> {
        if !group.is_lending_allowed {
            return Err(Rejection::LendingNotAllowed);
        }
        self.check_collateral(&group.collateral)?;
        let price = price.ok_or(Rejection::NoPrice)?;
        limits.check_principal(self.principal, self.min_principal(group, limits)?)?;
        let ltv = price.ltv_of(self.quote());
        if ltv >= Limits::OFFER_LTV_END {
            return Err(Rejection::AboveCeiling { ltv });
        }
        Limits::check_time(self.good_until, now, BorrowRequest::GOOD_FOR_MAX_MS)
    }

    /// Returns the smallest principal that an offer can have which fills it.
    ///
    /// # Errors
    /// [`Rejection::NoTermOfRequest`] if no term of the group is within what is asked for.
    fn min_principal(&self, group: &CollectionGroup, limits: &Limits) -> Result<Sats, Rejection> {
        let fitting = group.sub_collections.iter().filter(|sub| self.accepts(sub));
        let minima = fitting.flat_map(|sub| {
            let processes = [ProcessType::Manual, ProcessType::Instant].into_iter();
            let accepted = processes.filter(|process| sub.accepts(*process));
            accepted.map(|process| limits.min_offer(&group.collateral, process))
        });
        minima.min().ok_or(Rejection::NoTermOfRequest)
    }

    /// The conditions of an offer that fills it.
    pub(crate) fn conditions(&self) -> OfferConditions {
        OfferConditions {
            borrower: Some(self.borrower.clone()),
            inscriptions: self.inscriptions.clone(),
            ..OfferConditions::default()
        }
    }

    /// Checks that the collateral is one that the group takes.
    ///
    /// # Errors
    /// [`Rejection::WrongQuantity`].
    fn check_collateral(&self, collateral: &CollateralType) -> Result<(), Rejection> {
        let fits = match collateral {
            CollateralType::Inscription => Quantity::of_inscriptions(&self.inscriptions) == Some(self.quantity),
            CollateralType::Rune { .. } | CollateralType::Brc20 { .. } => {
                let is_amount = self.quantity.raw > 0 && self.quantity.decimals == collateral.decimals();
                is_amount && self.inscriptions.is_empty()
            }
        };
        if fits { Ok(()) } else { Err(Rejection::WrongQuantity) }
    }

    /// Whether loans of a bundle are against this collateral: those against one inscription are against several, too.
    pub(crate) fn fits(&self, bundle: Bundle) -> bool {
        match bundle {
            Bundle::Open => true,
            Bundle::Fixed(quantity) => {
                let is_each = !self.inscriptions.is_empty() && quantity == Quantity::inscriptions(1);
                quantity == self.quantity || is_each
            }
        }
    }

    /// Checks that a loan of a sub-collection is within what is asked for.
    ///
    /// # Errors
    /// [`Rejection::InterestAboveRequest`], [`Rejection::TermOutsideRequest`], [`Rejection::QuantityOfRequest`].
    fn check_sub_collection(&self, sub: &SubCollection) -> Result<(), Rejection> {
        if sub.interest > self.interest_max {
            return Err(Rejection::InterestAboveRequest { interest: sub.interest, max: self.interest_max });
        }
        if !(self.term_min..=self.term_max).contains(&sub.term) {
            return Err(Rejection::TermOutsideRequest { term: sub.term, min: self.term_min, max: self.term_max });
        }
        if self.fits(sub.bundle) { Ok(()) } else { Err(Rejection::QuantityOfRequest { asked: self.quantity }) }
    }

    /// Checks that the terms of an offer that fills it are still within what is asked for.
    ///
    /// # Errors
    /// Those of a sub-collection outside the request.
    pub(crate) fn check_sub_collection_of(&self, offer: &Offer, group: &CollectionGroup) -> Result<(), Rejection> {
        let sub = group.sub_collection(offer.sub_collection);
        self.check_sub_collection(sub.ok_or(Rejection::UnknownSubCollection(offer.sub_collection))?)
    }

    /// Checks that an offer is at least as good for the borrower as what is asked for.
    ///
    /// # Errors
    /// Those of a sub-collection outside the request, and [`Rejection::PrincipalOfRequest`].
    pub(crate) fn check_draft(&self, draft: &OfferDraft, group: &CollectionGroup) -> Result<(), Rejection> {
        let sub = group.sub_collection(draft.sub_collection);
        self.check_sub_collection(sub.ok_or(Rejection::UnknownSubCollection(draft.sub_collection))?)?;
        if draft.principal != self.principal {
            return Err(Rejection::PrincipalOfRequest { asked: self.principal });
        }
        if draft.quantity.is_some_and(|quantity| quantity != self.quantity) {
            return Err(Rejection::QuantityOfRequest { asked: self.quantity });
        }
        Ok(())
    }
}

/// A borrow request in the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BorrowRequest {
    /// The id. A later request has a greater one, which is also its time priority.
    pub id: RequestId,
    /// The terms.
    pub terms: RequestTerms,
    /// The time at which it was placed.
    pub created_at: UnixMs,
    /// The offer that a lender filled it with, while the borrower can take it.
    pub filled_by: Option<OfferId>,
}

impl BorrowRequest {
    /// The most requests of one borrower in one book.
    pub const PER_BORROWER_MAX: usize = 10;
    /// The most requests in one book.
    pub const PER_BOOK_MAX: usize = 1_000;
    /// The time that a borrower has to sign after a lender has filled a request, unless the lender chooses another, in
    /// milliseconds.
    pub const SIGNING_MS: u64 = 12 * 60 * 60 * 1_000;
    /// The longest such time, in milliseconds.
    pub const SIGNING_MAX_MS: u64 = 72 * 60 * 60 * 1_000;
    /// The longest time for which a request is good, in milliseconds.
    pub const GOOD_FOR_MAX_MS: u64 = 31 * 24 * 60 * 60 * 1_000;
}

/// The reason why a request left the book before its time, other than a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestEnd {
    /// Its borrower withdrew it.
    Withdrawn,
    /// Its borrower pledges the collateral for another offer.
    Pledged,
    /// Its collateral is not with its borrower any more.
    CollateralGone,
}
