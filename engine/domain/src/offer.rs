//! Offers: a lender's standing quote of sats against collateral.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::{
    Ltv, OfferId, PauseReasons, ProcessType, Quantity, Rejection, Sats, SubCollectionId, TermChangeId, UnitPrice,
    UnixMs, UserId,
};

/// The terms of an offer, as accepted into the book. They never change: an edit creates a new offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferTerms {
    /// The sub-collection.
    pub sub_collection: SubCollectionId,
    /// The process type.
    pub process: ProcessType,
    /// The total principal.
    pub principal: Sats,
    /// The collateral for the total principal (`fungible_amount` of an instant rune offer).
    pub quantity: Quantity,
    /// The smallest part that a borrower may take; the whole principal unless the sub-collection is open.
    pub smallest_take: Sats,
    /// The current LTV above which the offer pauses; manual offers have none, because their lender decides at
    /// counter-signing.
    pub max_ltv: Option<Ltv>,
    /// Whether the lender accepts announced term changes in advance.
    pub accepts_next_term: bool,
}

/// The position of an offer in the list of its lender's offers.
///
/// Internal to the book: two offers are equal whatever their positions, so all positions compare as equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListIndex(pub(crate) u16);

impl PartialEq for ListIndex {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ListIndex {}

/// Facts of an offer in one byte, so that its first cache line has room for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OfferFlags(u8);

impl OfferFlags {
    const ACCEPTS_NEXT_TERM: u8 = 1;
    const CONDITIONAL: u8 = 2;
    const TIME_SIGNED: u8 = 4;
    const PEGGED: u8 = 8;

    const fn contains(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    const fn with(self, flag: u8, present: bool) -> Self {
        if present { Self(self.0 | flag) } else { Self(self.0 & !flag) }
    }
}

/// An offer in the book.
///
/// The layout follows the frequency of reads: the first cache line holds everything that ranking, pausing and taking an
/// offer read, the second what is only displayed. The fields of the terms are inlined so that both fit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Offer {
    /// The id. A later offer has a greater one, which is also its time priority.
    pub id: OfferId,
    /// The lender.
    pub lender: UserId,
    /// The principal per whole unit of collateral, by which offers are ranked and priced.
    pub quote: UnitPrice,
    /// The total principal; that of a pegged offer changes with the price.
    pub principal: Sats,
    /// The principal already lent (`auto_principal_amount_used_sats`).
    pub used: Sats,
    /// The principal reserved for borrowers.
    pub held: Sats,
    /// The current LTV above which an instant offer pauses, or at which a pegged one follows the floor.
    pub max_ltv: Option<Ltv>,
    /// The sub-collection.
    pub sub_collection: SubCollectionId,
    /// The process type.
    pub process: ProcessType,
    /// The reasons of its pause, if it is paused.
    pub paused: PauseReasons,
    flags: OfferFlags,
    decimals: u8,
    pub(crate) list_index: ListIndex,
    collateral_raw: u128,
    /// The smallest part that a borrower may take; the whole principal unless the sub-collection is open.
    pub smallest_take: Sats,
    /// Milliseconds; non-zero, so that `None` takes no extra space and the fields fit.
    good_until_ms: Option<NonZeroU64>,
    /// The latest term change that its lender accepted explicitly.
    pub accepted_change: Option<TermChangeId>,
    /// The time at which it was created.
    pub created_at: UnixMs,
    /// The time of its last change by its lender or a borrower.
    pub updated_at: UnixMs,
}

// A third cache line would cost every read of the book.
const _: () = assert!(size_of::<Offer>() == 128);

impl Offer {
    /// Returns an offer of which nothing is taken; live until a reason to pause is added.
    #[must_use]
    pub fn new(id: OfferId, lender: UserId, terms: OfferTerms, at: UnixMs) -> Self {
        let OfferTerms { sub_collection, process, principal, quantity, smallest_take, max_ltv, accepts_next_term } =
            terms;
        Self {
            id,
            lender,
            quote: UnitPrice::quoted(principal, quantity),
            principal,
            used: Sats::ZERO,
            held: Sats::ZERO,
            max_ltv,
            sub_collection,
            process,
            paused: PauseReasons::NONE,
            flags: OfferFlags(0).with(OfferFlags::ACCEPTS_NEXT_TERM, accepts_next_term),
            decimals: quantity.decimals,
            list_index: ListIndex::default(),
            collateral_raw: quantity.raw,
            smallest_take,
            good_until_ms: None,
            accepted_change: None,
            created_at: at,
            updated_at: at,
        }
    }

    /// The collateral for the total principal (`fungible_amount` of an instant rune offer).
    #[must_use]
    pub const fn quantity(&self) -> Quantity {
        Quantity { raw: self.collateral_raw, decimals: self.decimals }
    }

    /// The time from which it cannot be taken; `None` if it is good until it is cancelled.
    #[must_use]
    pub fn good_until(&self) -> Option<UnixMs> {
        self.good_until_ms.map(|ms| UnixMs(ms.get()))
    }

    pub(crate) fn set_good_until(&mut self, good_until: Option<UnixMs>) {
        self.good_until_ms = good_until.and_then(|at| NonZeroU64::new(at.0));
    }

    /// Whether it has expired: by its time, even before the book has paused it.
    #[must_use]
    pub fn is_expired(&self, now: UnixMs) -> bool {
        self.paused.contains(PauseReasons::EXPIRED) || self.good_until().is_some_and(|until| until <= now)
    }

    /// The time that an edit keeps unless it names another: that of an offer which has not expired.
    #[must_use]
    pub fn kept_good_until(&self, now: UnixMs) -> Option<UnixMs> {
        self.good_until().filter(|_| !self.is_expired(now))
    }

    /// Checks that a borrower can take it, or a part of it.
    ///
    /// # Errors
    /// [`Rejection::OwnOffer`], [`Rejection::OfferExpired`], [`Rejection::OfferPaused`], [`Rejection::OfferUsed`].
    pub fn check_takeable(&self, borrower: UserId, now: UnixMs) -> Result<(), Rejection> {
        if self.lender == borrower {
            return Err(Rejection::OwnOffer(self.id));
        }
        if self.is_expired(now) {
            return Err(Rejection::OfferExpired(self.id));
        }
        if !self.paused.is_empty() {
            return Err(Rejection::OfferPaused(self.id));
        }
        if self.takeable() == Sats::ZERO {
            return Err(Rejection::OfferUsed(self.id));
        }
        Ok(())
    }

    /// The principal that is neither lent nor reserved.
    #[must_use]
    pub fn available(&self) -> Sats {
        self.principal.saturating_sub(self.used).saturating_sub(self.held)
    }

    /// The principal that a borrower can take now, pauses aside: zero if less than the smallest part is left.
    #[must_use]
    pub fn takeable(&self) -> Sats {
        if self.used == Sats::ZERO && self.held == Sats::ZERO {
            // A part never exceeds the whole, so `smallest_take` need not be read.
            return self.principal;
        }
        let available = self.available();
        if available < self.smallest_take { Sats::ZERO } else { available }
    }

    /// The principal that a borrower could take in addition to a part reserved for another one.
    #[must_use]
    pub fn takeable_after(&self, part: Sats) -> Sats {
        let available = self.available().saturating_sub(part);
        if available < self.smallest_take { Sats::ZERO } else { available }
    }

    /// Whether the lender accepts announced term changes in advance.
    #[must_use]
    pub const fn accepts_next_term(&self) -> bool {
        self.flags.contains(OfferFlags::ACCEPTS_NEXT_TERM)
    }

    /// Whether not every borrower can take it.
    #[must_use]
    pub const fn is_conditional(&self) -> bool {
        self.flags.contains(OfferFlags::CONDITIONAL)
    }

    pub(crate) const fn set_conditional(&mut self, is_conditional: bool) {
        self.flags = self.flags.with(OfferFlags::CONDITIONAL, is_conditional);
    }

    /// Whether its lender signed the time until which it is good, so that the vault signer refuses loans from then on.
    #[must_use]
    pub const fn is_time_signed(&self) -> bool {
        self.flags.contains(OfferFlags::TIME_SIGNED)
    }

    pub(crate) const fn set_time_signed(&mut self) {
        self.flags = self.flags.with(OfferFlags::TIME_SIGNED, true);
    }

    /// Whether its principal follows the floor.
    #[must_use]
    pub const fn is_pegged(&self) -> bool {
        self.flags.contains(OfferFlags::PEGGED)
    }

    pub(crate) const fn set_pegged(&mut self) {
        self.flags = self.flags.with(OfferFlags::PEGGED, true);
    }

    /// Sets the principal of an offer that is taken as a whole.
    pub(crate) fn set_principal(&mut self, principal: Sats) {
        (self.principal, self.smallest_take) = (principal, principal);
        self.quote = UnitPrice::quoted(principal, self.quantity());
    }

    /// Whether it can be taken, by anyone or by those who satisfy its conditions.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.paused.is_empty() && self.takeable() > Sats::ZERO
    }

    /// Whether anyone can take it: it is public and ranked.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.is_open() && !self.is_conditional()
    }

    /// The principal that is not lent yet.
    #[must_use]
    pub fn remaining(&self) -> Sats {
        self.principal.saturating_sub(self.used)
    }

    /// The principal divided by the collateral's value at `price`, rounded up.
    #[must_use]
    pub fn current_ltv(&self, price: UnitPrice) -> Ltv {
        price.ltv_of(self.quote)
    }
}
