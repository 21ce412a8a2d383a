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

/// An offer in the book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Its id; a later offer has a greater one, which is also its time priority.
    pub id: OfferId,
    /// Who lends.
    pub lender: UserId,
    /// What is offered.
    pub terms: OfferTerms,
    /// Principal per whole unit of collateral: what offers are ranked and priced by.
    pub quote: UnitPrice,
    /// Lent already (`auto_principal_amount_used_sats`).
    pub used: Sats,
    /// Held for borrowers who are signing.
    pub held: Sats,
    /// Why it is paused, if it is.
    pub paused: PauseReasons,
    /// The latest term change that its lender accepted by name.
    pub accepted_change: Option<TermChangeId>,
    /// When it was created.
    pub created_at: UnixMs,
    /// When it last changed by an act of its lender or a borrower.
    pub updated_at: UnixMs,
}

impl Offer {
    /// What is neither lent nor held.
    #[must_use]
    pub fn available(&self) -> Sats {
        self.terms.principal.saturating_sub(self.used).saturating_sub(self.held)
    }

    /// What a borrower can take now, pauses aside: less than the smallest part counts as nothing.
    #[must_use]
    pub fn takeable(&self) -> Sats {
        let available = self.available();
        if available < self.terms.smallest_take { Sats::ZERO } else { available }
    }

    /// Whether borrowers see it and it has a rank.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.paused.is_empty() && self.takeable() > Sats::ZERO
    }

    /// What is not lent yet.
    #[must_use]
    pub fn remaining(&self) -> Sats {
        self.terms.principal.saturating_sub(self.used)
    }

    /// Principal over the collateral's value at `price`, rounded up.
    #[must_use]
    pub fn current_ltv(&self, price: UnitPrice) -> Ltv {
        price.ltv_of(self.quote)
    }
}
