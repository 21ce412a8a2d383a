//! The decisions of a lender about a book.

mod offer_management;
mod quoting;
#[cfg(test)]
mod simulation;

use domain::{ProcessType, Sats, UnitPrice, UnixMs};
use rand::{Rng, RngExt as _};

use crate::demo_group::DemoGroup;
use crate::limits::Limits;
use crate::offer_action::OfferAction;
use crate::own_offer::OwnOffer;
use crate::profile::Profile;
use crate::public_book::PublicBook;
use crate::vacancy;

/// The inputs of a lender's decision.
pub(crate) struct DecisionContext<'a> {
    pub(crate) group: &'a DemoGroup,
    pub(crate) book: &'a PublicBook,
    /// The group's price.
    pub(crate) price: UnitPrice,
    /// The limits of the server.
    pub(crate) limits: &'a Limits,
    /// The lender's own offers in this group.
    pub(crate) own: &'a [OwnOffer],
    /// The number of further offers that the lender wants, in any group.
    pub(crate) offer_capacity: usize,
    /// The usable balance of the lender's vault, if there is one.
    pub(crate) vault: Option<Sats>,
    /// The current time.
    pub(crate) now: UnixMs,
}

impl DecisionContext<'_> {
    /// Whether the group lacks offers of this process type.
    pub(crate) fn lacks(&self, process: ProcessType) -> bool {
        vacancy::is_vacant(self.group, self.book, process)
    }

    /// Whether offers are missing that this lender can make.
    pub(crate) fn is_vacant(&self) -> bool {
        self.lacks(ProcessType::Manual) || (self.vault.is_some() && self.lacks(ProcessType::Instant))
    }
}

/// The maximum number of actions of one decision.
pub(crate) const ACTIONS_MAX: usize = 2;

/// Decides on the actions for one book: first about the lender's own offers, then whether to quote a new one.
///
/// Never quotes above [`Profile::cap_for`], the ceiling or the vault, nor below the limits of the server; amounts are
/// round. The same arguments and randomness give the same actions.
pub(crate) fn decide(profile: &Profile, context: &DecisionContext<'_>, rng: &mut impl Rng) -> Vec<OfferAction> {
    let mut actions = Vec::new();
    for offer in context.own {
        if actions.len() < ACTIONS_MAX {
            actions.extend(offer_management::manage_offer(profile, context, offer, rng));
        }
    }
    let must_quote = context.is_vacant();
    if actions.is_empty() && context.offer_capacity > 0 && (must_quote || rng.random_bool(profile.parameters.quotes)) {
        actions.extend(quoting::quote(profile, context, rng).map(OfferAction::Quote));
    }
    actions
}

/// Decides on one new offer for a book that the lender enters.
pub(crate) fn quote_initial(
    profile: &Profile,
    context: &DecisionContext<'_>,
    rng: &mut impl Rng,
) -> Option<OfferAction> {
    if context.offer_capacity == 0 {
        return None;
    }
    quoting::quote(profile, context, rng).map(OfferAction::Quote)
}
