//! A lender's vault: what backs their instant offers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{ReservationId, Sats};

/// Something that happened to one vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VaultEvent {
    /// Money arrived.
    Credited {
        /// How much.
        amount: Sats,
    },
    /// Money left by a withdrawal.
    Debited {
        /// How much.
        amount: Sats,
    },
    /// Money was set aside for a borrower who is signing.
    Held {
        /// For which reservation.
        reservation: ReservationId,
        /// How much.
        amount: Sats,
    },
    /// A hold ended and the money is usable again.
    Released {
        /// Which reservation.
        reservation: ReservationId,
    },
    /// A hold became a loan and the money left.
    Lent {
        /// Which reservation.
        reservation: ReservationId,
    },
}

/// Why a vault command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VaultRejection {
    /// Less is usable than asked for.
    #[error("{needed} needed, {usable} usable")]
    Insufficient {
        /// What was asked for.
        needed: Sats,
        /// What is usable.
        usable: Sats,
    },
    /// The reservation holds money already.
    #[error("{0} holds money already")]
    AlreadyHeld(ReservationId),
    /// The reservation holds nothing here.
    #[error("{0} holds nothing here")]
    NotHeld(ReservationId),
    /// The balance would exceed all the bitcoin there is.
    #[error("the balance would be too large")]
    TooLarge,
}

/// The ledger of one vault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vault {
    balance: Sats,
    held: Sats,
    holds: BTreeMap<ReservationId, Sats>,
}

impl Vault {
    /// Everything in it, held or not.
    #[must_use]
    pub const fn balance(&self) -> Sats {
        self.balance
    }

    /// What is not held for anybody (`usableBalanceSats`).
    #[must_use]
    pub const fn usable(&self) -> Sats {
        self.balance.saturating_sub(self.held)
    }

    /// Credits money that arrived.
    ///
    /// # Errors
    /// [`VaultRejection::TooLarge`].
    pub fn credit(&self, amount: Sats) -> Result<VaultEvent, VaultRejection> {
        self.balance.checked_add(amount).map(|_| VaultEvent::Credited { amount }).ok_or(VaultRejection::TooLarge)
    }

    /// Takes usable money out.
    ///
    /// # Errors
    /// [`VaultRejection::Insufficient`].
    pub fn debit(&self, amount: Sats) -> Result<VaultEvent, VaultRejection> {
        self.ensure_usable(amount)?;
        Ok(VaultEvent::Debited { amount })
    }

    /// Sets usable money aside.
    ///
    /// # Errors
    /// [`VaultRejection::Insufficient`], [`VaultRejection::AlreadyHeld`].
    pub fn hold(&self, reservation: ReservationId, amount: Sats) -> Result<VaultEvent, VaultRejection> {
        if self.holds.contains_key(&reservation) {
            return Err(VaultRejection::AlreadyHeld(reservation));
        }
        self.ensure_usable(amount)?;
        Ok(VaultEvent::Held { reservation, amount })
    }

    /// Frees a hold.
    ///
    /// # Errors
    /// [`VaultRejection::NotHeld`].
    pub fn release(&self, reservation: ReservationId) -> Result<VaultEvent, VaultRejection> {
        self.ensure_held(reservation)?;
        Ok(VaultEvent::Released { reservation })
    }

    /// Turns a hold into money lent.
    ///
    /// # Errors
    /// [`VaultRejection::NotHeld`].
    pub fn lend(&self, reservation: ReservationId) -> Result<VaultEvent, VaultRejection> {
        self.ensure_held(reservation)?;
        Ok(VaultEvent::Lent { reservation })
    }

    /// Takes an event in.
    pub fn apply(&mut self, event: &VaultEvent) {
        match *event {
            VaultEvent::Credited { amount } => self.balance = self.balance.saturating_add(amount),
            VaultEvent::Debited { amount } => self.balance = self.balance.saturating_sub(amount),
            VaultEvent::Held { reservation, amount } => {
                self.holds.insert(reservation, amount);
                self.held = self.held.saturating_add(amount);
            }
            VaultEvent::Released { reservation } => {
                self.end_hold(reservation);
            }
            VaultEvent::Lent { reservation } => {
                let amount = self.end_hold(reservation);
                self.balance = self.balance.saturating_sub(amount);
            }
        }
        debug_assert!(self.held <= self.balance, "a vault never holds more than it has");
        debug_assert_eq!(self.holds.values().copied().sum::<Sats>(), self.held);
    }

    fn end_hold(&mut self, reservation: ReservationId) -> Sats {
        let amount = self.holds.remove(&reservation).unwrap_or_default();
        self.held = self.held.saturating_sub(amount);
        amount
    }

    fn ensure_usable(&self, needed: Sats) -> Result<(), VaultRejection> {
        let usable = self.usable();
        if needed > usable { Err(VaultRejection::Insufficient { needed, usable }) } else { Ok(()) }
    }

    fn ensure_held(&self, reservation: ReservationId) -> Result<(), VaultRejection> {
        if self.holds.contains_key(&reservation) { Ok(()) } else { Err(VaultRejection::NotHeld(reservation)) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// However acts interleave, money is neither made nor lost: credits = debits + lent + balance, held <= balance.
        #[test]
        fn money_is_conserved(acts in prop::collection::vec((0_u8..5, 0_u128..6, 0_u64..1_000), 1..200)) {
            let mut vault = Vault::default();
            let (mut paid_in, mut paid_out) = (0_u64, 0_u64);
            for (act, reservation, amount) in acts {
                let (reservation, amount) = (ReservationId(reservation), Sats::new(amount));
                let decided = match act {
                    0 => vault.credit(amount),
                    1 => vault.debit(amount),
                    2 => vault.hold(reservation, amount),
                    3 => vault.release(reservation),
                    _ => vault.lend(reservation),
                };
                let Ok(event) = decided else { continue };
                match event {
                    VaultEvent::Credited { amount } => paid_in += amount.get(),
                    VaultEvent::Debited { amount } => paid_out += amount.get(),
                    VaultEvent::Lent { reservation } => paid_out += vault.holds[&reservation].get(),
                    VaultEvent::Held { .. } | VaultEvent::Released { .. } => {}
                }
                vault.apply(&event);
                prop_assert_eq!(paid_in, paid_out + vault.balance().get());
                prop_assert!(vault.held <= vault.balance());
            }
        }
    }
}
