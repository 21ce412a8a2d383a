//! The term sheet: the term and interest of the slugs in signed offers.

use std::collections::BTreeMap;

use bitcoin::Amount;
use ordinals::RuneId;
use serde::{Deserialize, Serialize};

use crate::as_text;

/// The days of a term, and the interest for all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The days until the loan is due.
    pub days: u16,
    /// The interest for the whole term, in hundredths of a percent of the principal.
    pub interest_bps: u32,
}

/// The meaning of one slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The days until a loan is due.
    pub days: u16,
    /// The interest for the whole term, in hundredths of a percent of the principal.
    pub interest_bps: u32,
    /// The rune of the collateral, such as `840000:1`; `None` for inscriptions.
    #[serde(default, with = "as_text::optional")]
    pub rune: Option<RuneId>,
}

/// Every slug that this signer lends for. A lender signs a slug, so its meaning must not come from the server.
///
/// The meaning at the time when an offer was admitted is kept with the offer: a later sheet changes it only for lenders
/// who signed that they accept the next term, or this very change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TermSheet {
    lines: BTreeMap<String, SheetLine>,
}

/// A slug on the sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SheetLine {
    days: u16,
    interest_bps: u32,
    #[serde(default, with = "as_text::optional")]
    rune: Option<RuneId>,
    /// Announced or effective changes of the term, by the id that an `accept term` names.
    #[serde(default)]
    changes: BTreeMap<String, Term>,
}

impl Term {
    /// Returns the interest on a principal, rounded up in favor of the lender. `None` above `MAX_MONEY`.
    #[must_use]
    pub fn interest(&self, principal: Amount) -> Option<Amount> {
        let product = u128::from(principal.to_sat()) * u128::from(self.interest_bps);
        let interest = Amount::from_sat(u64::try_from(product.div_ceil(10_000)).ok()?);
        (interest <= Amount::MAX_MONEY).then_some(interest)
    }
}

impl Listing {
    /// Returns its term.
    #[must_use]
    pub const fn term(&self) -> Term {
        Term { days: self.days, interest_bps: self.interest_bps }
    }
}

impl TermSheet {
    /// Creates the sheet of these listings, by slug.
    #[must_use]
    pub fn new(listings: BTreeMap<String, Listing>) -> Self {
        let line = |listing: Listing| {
            let Listing { days, interest_bps, rune } = listing;
            SheetLine { days, interest_bps, rune, changes: BTreeMap::new() }
        };
        Self { lines: listings.into_iter().map(|(slug, listing)| (slug, line(listing))).collect() }
    }

    /// Returns the sheet with a change of a slug's term; unchanged if the slug is not on the sheet.
    #[must_use]
    pub fn with_change(mut self, slug: &str, term_id: String, term: Term) -> Self {
        if let Some(line) = self.lines.get_mut(slug) {
            line.changes.insert(term_id, term);
        }
        self
    }

    /// Returns the current listing of a slug.
    #[must_use]
    pub fn listing(&self, slug: &str) -> Option<Listing> {
        let SheetLine { days, interest_bps, rune, .. } = self.lines.get(slug)?;
        Some(Listing { days: *days, interest_bps: *interest_bps, rune: *rune })
    }

    /// Returns the term of a slug that an `accept term` names.
    #[must_use]
    pub fn change(&self, slug: &str, term_id: &str) -> Option<Term> {
        self.lines.get(slug)?.changes.get(term_id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interest_is_rounded_up_and_never_wraps() {
        let term = Term { days: 14, interest_bps: 325 };
        for (principal, interest) in [(0, 0), (1, 1), (10_000, 325), (10_001, 326), (2_000_000, 65_000)] {
            assert_eq!(term.interest(Amount::from_sat(principal)), Some(Amount::from_sat(interest)), "{principal}");
        }
        let usury = Term { days: 1, interest_bps: u32::MAX };
        assert_eq!(usury.interest(Amount::MAX_MONEY), None);
    }
}
