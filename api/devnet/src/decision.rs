//! The decisions of a lender about a book.

mod quoting;
#[cfg(test)]
mod rehearsal;
mod tending;

use domain::{ProcessType, Sats, UnitPrice, UnixMs};
use rand::{Rng, RngExt as _};

use crate::act::Act;
use crate::demo_group::DemoGroup;
use crate::limits::Limits;
use crate::own_offer::OwnOffer;
use crate::profile::Profile;
use crate::standing::PublicBook;
use crate::vacancy;

/// The inputs of a lender's decision.
pub(crate) struct Sight<'a> {
    pub(crate) group: &'a DemoGroup,
    pub(crate) book: &'a PublicBook,
    /// The group's price.
    pub(crate) price: UnitPrice,
    /// The limits of the server.
    pub(crate) limits: &'a Limits,
    /// The lender's own offers in this group.
    pub(crate) own: &'a [OwnOffer],
    /// The number of further offers that the lender wants, in any group.
    pub(crate) room: usize,
    /// The usable balance of the lender's vault, if there is one.
    pub(crate) vault: Option<Sats>,
    /// The current time.
    pub(crate) now: UnixMs,
}

impl Sight<'_> {
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
pub(crate) const ACTS_MAX: usize = 2;

/// Decides on the actions for one book: first about the lender's own offers, then whether to quote a new one.
///
/// Never quotes above [`Profile::cap_for`], the ceiling or the vault, nor below the limits of the server; amounts are
/// round. The same arguments and randomness give the same actions.
pub(crate) fn decide(profile: &Profile, context: &Sight<'_>, rng: &mut impl Rng) -> Vec<Act> {
    let mut actions = Vec::new();
    for offer in context.own {
        if actions.len() < ACTS_MAX {
            actions.extend(tending::tend(profile, context, offer, rng));
        }
    }
    let must_quote = context.is_vacant();
    if actions.is_empty() && context.room > 0 && (must_quote || rng.random_bool(profile.character.quotes)) {
        actions.extend(quoting::quote(profile, context, rng).map(Act::Quote));
    }
    actions
}

/// Decides on one new offer for a book that the lender enters.
pub(crate) fn enter(profile: &Profile, context: &Sight<'_>, rng: &mut impl Rng) -> Option<Act> {
    if context.room == 0 {
        return None;
    }
    quoting::quote(profile, context, rng).map(Act::Quote)
}
