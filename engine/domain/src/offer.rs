//! Offers: a lender's quote of BTC against collateral.

use serde::{Deserialize, Serialize};

use crate::{
    Ltv, OfferId, PauseReasons, ProcessType, Quantity, Sats, SubCollectionId, TermChangeId, UnitPrice, UnixMs, UserId,
};

/// What a lender offers, as it was accepted into the book. Never changes: an edit makes a new offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferTerms {
    /// Where it stands.
    pub sub_collection: SubCollectionId,
    /// Manual or instant.
    pub process: ProcessType,
    /// What is lent when all of it is taken.
    pub principal: Sats,
    /// What must be pledged for all of it (`fungible_amount` of an instant rune offer).
    pub quantity: Quantity,
    /// The smallest part a borrower may take; the whole principal unless the sub-collection is open.
    pub smallest_take: Sats,
    /// Above this current LTV the offer pauses; manual offers have none, their lender decides at counter-signing.
    pub max_ltv: Option<Ltv>,
    /// Whether the lender accepts announced term changes in advance.
    pub accepts_next_term: bool,
}

/// Where an offer stands in the list of its lender's offers.
///
/// Kept by the book for itself: an offer is the same wherever it stands, so all places are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListPlace(pub(crate) u16);

impl PartialEq for ListPlace {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ListPlace {}

/// An offer in the book.
///
/// Laid out by how often it is read: the first cache line holds all that ranking, pausing and taking an offer ask for,
/// the second what is only shown. An offer is flat, not terms and more, so that neither spills over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Offer {
    /// Its id; a later offer has a greater one, which is also its time priority.
    pub id: OfferId,
    /// Who lends.
    pub lender: UserId,
    /// Principal per whole unit of collateral: what offers are ranked and priced by.
    pub quote: UnitPrice,
    /// What is lent when all of it is taken.
    pub principal: Sats,
    /// Lent already (`auto_principal_amount_used_sats`).
    pub used: Sats,
    /// Held for borrowers who are signing.
    pub held: Sats,
    /// Above this current LTV an instant offer pauses.
    pub max_ltv: Option<Ltv>,
    /// Where it stands.
    pub sub_collection: SubCollectionId,
    /// Manual or instant.
    pub process: ProcessType,
    /// Why it is paused, if it is.
    pub paused: PauseReasons,
    /// Whether the lender accepts announced term changes in advance.
    pub accepts_next_term: bool,
    decimals: u8,
    pub(crate) place: ListPlace,
    pledge_raw: u128,
    /// The smallest part a borrower may take; the whole principal unless the sub-collection is open.
    pub smallest_take: Sats,
    /// The latest term change that its lender accepted by name.
    pub accepted_change: Option<TermChangeId>,
    /// When it was created.
    pub created_at: UnixMs,
    /// When it last changed by an act of its lender or a borrower.
    pub updated_at: UnixMs,
}

impl Offer {
    /// An offer that nobody has taken a part of; live until a reason to pause is added.
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
            accepts_next_term,
            decimals: quantity.decimals,
            place: ListPlace::default(),
            pledge_raw: quantity.raw,
            smallest_take,
            accepted_change: None,
            created_at: at,
            updated_at: at,
        }
    }

    /// What must be pledged for all of it (`fungible_amount` of an instant rune offer).
    #[must_use]
    pub const fn quantity(&self) -> Quantity {
        Quantity { raw: self.pledge_raw, decimals: self.decimals }
    }

    /// What is neither lent nor held.
    #[must_use]
    pub fn available(&self) -> Sats {
        self.principal.saturating_sub(self.used).saturating_sub(self.held)
    }

    /// What a borrower can take now, pauses aside: less than the smallest part counts as nothing.
    #[must_use]
    pub fn takeable(&self) -> Sats {
        if self.used == Sats::ZERO && self.held == Sats::ZERO {
            // No part is greater than the whole: nothing to look up.
            return self.principal;
        }
        let available = self.available();
        if available < self.smallest_take { Sats::ZERO } else { available }
    }

    /// What a borrower could take beside a part that is held for another one.
    #[must_use]
    pub fn takeable_beside(&self, part: Sats) -> Sats {
        let available = self.available().saturating_sub(part);
        if available < self.smallest_take { Sats::ZERO } else { available }
    }

    /// Whether borrowers see it and it has a rank.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.paused.is_empty() && self.takeable() > Sats::ZERO
    }

    /// What is not lent yet.
    #[must_use]
    pub fn remaining(&self) -> Sats {
        self.principal.saturating_sub(self.used)
    }

    /// Principal over the collateral's value at `price`, rounded up.
    #[must_use]
    pub fn current_ltv(&self, price: UnitPrice) -> Ltv {
        price.ltv_of(self.quote)
    }
}
