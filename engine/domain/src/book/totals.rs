//! The totals of a book's live offers.

use crate::{ProcessType, Sats};

use super::lender_offers::LenderOffers;

/// The state of an offer that the totals depend on; they are updated by the difference of two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct OfferLiquidity {
    pub(super) live: bool,
    /// The principal that a borrower can take now, pauses aside.
    pub(super) takeable: Sats,
}

/// Sums over live offers, per process type.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub(super) manual: ProcessTotals,
    pub(super) instant: ProcessTotals,
}

/// The liquidity, and the number of lenders it comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct ProcessTotals {
    /// The sats that can be borrowed: manual offers in full, instant ones up to the balance of each lender's vault.
    pub(super) liquidity: Sats,
    pub(super) lenders: usize,
}

impl OfferLiquidity {
    /// The state of an absent offer.
    pub(super) const NONE: Self = Self { live: false, takeable: Sats::ZERO };

    fn live_sats(self) -> Sats {
        if self.live { self.takeable } else { Sats::ZERO }
    }
}

impl Totals {
    /// Applies the change of an offer.
    pub(super) fn update(
        &mut self,
        own: &mut LenderOffers,
        process: ProcessType,
        before: OfferLiquidity,
        after: OfferLiquidity,
    ) {
        let (removed, added) = (before.live_sats(), after.live_sats());
        match process {
            ProcessType::Manual => {
                self.manual.replace(removed, added);
                count(&mut own.live_manual, &mut self.manual.lenders, before.live, after.live);
            }
            ProcessType::Instant => {
                let liquidity = own.liquidity();
                own.live_instant_sats = own.live_instant_sats.saturating_sub(removed).saturating_add(added);
                self.instant.replace(liquidity, own.liquidity());
                count(&mut own.live_instant, &mut self.instant.lenders, before.live, after.live);
            }
        }
    }
}

impl ProcessTotals {
    pub(super) fn replace(&mut self, removed: Sats, added: Sats) {
        self.liquidity = self.liquidity.saturating_sub(removed).saturating_add(added);
    }
}

/// Counts an offer of a lender that became live or ceased to be, and the lender with the first and the last one.
fn count(own: &mut usize, lenders: &mut usize, was: bool, is: bool) {
    match (was, is) {
        (false, true) => {
            *own += 1;
            *lenders += usize::from(*own == 1);
        }
        (true, false) => {
            *own -= 1;
            *lenders -= usize::from(*own == 0);
        }
        _ => {}
    }
}
