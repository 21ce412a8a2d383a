//! The parts of an offer that borrowers take.

use ethnum::U256;

use crate::{Offer, Rejection, Sats};

impl Offer {
    /// The principal for a pledge: all that can be taken, or the pledge's share, rounded down; and the pledge in raw
    /// units.
    ///
    /// # Errors
    /// [`Rejection::PartOutOfRange`].
    pub fn part(&self, pledged_raw: Option<u128>) -> Result<(Sats, u128), Rejection> {
        let (whole, available) = (self.quantity().raw, self.takeable());
        let pledged = match pledged_raw {
            None if self.smallest_take == self.principal && self.used == Sats::ZERO => whole,
            // Rounded up: a borrower who takes the rest pledges no less than its share.
            None => raw_share(whole, available, self.principal),
            Some(raw) => raw,
        };
        let principal = principal_of(self, pledged);
        if principal < self.smallest_take || principal > available {
            return Err(Rejection::PartOutOfRange { principal, min: self.smallest_take, available });
        }
        Ok((principal, pledged))
    }

    /// The minimum and maximum that can be pledged for a part of it, in raw units; `None` if nothing can be taken.
    #[must_use]
    pub fn takeable_range(&self) -> Option<(u128, u128)> {
        let (_, most) = self.part(None).ok()?;
        let least = raw_share(self.quantity().raw, self.smallest_take, self.principal);
        self.part(Some(least)).is_ok().then_some((least, most))
    }
}

/// The principal for a part of an offer's collateral, rounded down.
fn principal_of(offer: &Offer, pledged: u128) -> Sats {
    let whole = offer.quantity().raw;
    if pledged == whole {
        return offer.principal;
    }
    let principal = U256::from(offer.principal.get()) * U256::from(pledged) / U256::from(whole.max(1));
    Sats::new(u64::try_from(principal).unwrap_or(u64::MAX))
}

/// The least raw amount whose share of the principal is `part`.
fn raw_share(raw: u128, part: Sats, principal: Sats) -> u128 {
    let (part, principal) = (U256::from(part.get()), U256::from(principal.get().max(1)));
    let share = (U256::from(raw) * part + principal - U256::ONE) / principal;
    u128::try_from(share).unwrap_or(u128::MAX)
}
