//! The rule that is tested.

use std::collections::BTreeSet;

use domain::{
    Bundle, CollectionGroup, InterestRate, Ltv, ProcessType, Quantity, Sats, Slug, TermDays, UnitPrice, UnixMs,
};

use crate::acceptance::{Acceptance, Candidate};

/// The principal of the rule's offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principal {
    /// A share of the collateral's value, which follows the floor.
    Ltv(Ltv),
    /// The same at any floor; of an offer in parts, the whole of it.
    Fixed(Sats),
}

/// A rule for quoting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The principal of each offer.
    pub principal: Principal,
    /// The process type of the offers.
    pub process: ProcessType,
    /// The sats that are lent or promised at any time, at the most.
    pub budget: Sats,
    /// The least interest for the whole term; that of a loan is what the market's terms say.
    pub interest_min: InterestRate,
    /// The only term; every term if `None`.
    pub term: Option<TermDays>,
    /// The slugs of the only collections; all if empty.
    pub collections: BTreeSet<Slug>,
    /// The time from which the rule quotes; the beginning of the record if `None`.
    pub from: Option<UnixMs>,
    /// The time until which it quotes, included; the end of the record if `None`. Loans then run on to their end.
    pub until: Option<UnixMs>,
}

impl Rule {
    pub(crate) fn chooses(&self, group: &CollectionGroup) -> bool {
        self.collections.is_empty() || self.collections.contains(&group.slug)
    }

    pub(crate) fn quotes_at(&self, at: UnixMs) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at <= until)
    }

    /// An acceptance as far as the rule could have got it: it quotes in this ranking at the time, and not worse than the
    /// offer that was taken.
    pub(crate) fn candidate<'a>(&self, acceptance: &'a Acceptance) -> Option<Candidate<'a>> {
        let Acceptance { when, process, interest, term, .. } = acceptance;
        let quotes = *process == self.process
            && self.quotes_at(when.at)
            && *interest >= self.interest_min
            && self.term.is_none_or(|only| only == *term);
        if !quotes {
            return None;
        }
        let (principal, quote) = self.quote(acceptance.price, acceptance.bundle, acceptance.pledged)?;
        (quote >= acceptance.taken_quote).then_some(Candidate { acceptance, principal, quote })
    }

    /// The principal against a collateral, and the quote by which the offer is ranked; `None` where it cannot quote.
    fn quote(&self, price: UnitPrice, bundle: Bundle, pledged: Quantity) -> Option<(Sats, UnitPrice)> {
        let principal = match self.principal {
            Principal::Fixed(_) if bundle == Bundle::Open => return None,
            Principal::Fixed(principal) => principal,
            Principal::Ltv(ltv) => {
                let value = u128::from(price.value_floor(pledged).get());
                let share = value * u128::from(ltv.basis_points()) / 10_000;
                Sats::new(u64::try_from(share).ok()?)
            }
        };
        (principal > Sats::ZERO).then(|| (principal, UnitPrice::quoted(principal, pledged)))
    }
}
