//! Outputs that are locked for a loan.

use domain::{LoanId, Outpoint, ReservationId, TransferOrderRejection};

use super::LedgerState;
use crate::{Refusal, ledger::LedgerEvent};

impl LedgerState {
    /// Locks an output, unless an order for a transfer inscription spends it.
    pub(crate) fn lock(&self, outpoint: Outpoint, reservation: ReservationId) -> Result<LedgerEvent, Refusal> {
        match self.orders.reserved_for(&outpoint) {
            Some(order) => Err(TransferOrderRejection::CoinReserved { coin: outpoint, order }.into()),
            None => Ok(LedgerEvent::Asset(self.assets.lock(outpoint, reservation)?)),
        }
    }

    /// Unlocks every output that is locked for a loan.
    pub(crate) fn unlock_all(&self, loan: LoanId, decided: &mut Vec<LedgerEvent>) -> Result<(), Refusal> {
        let reservation = ReservationId(loan.0);
        for outpoint in self.pledges.get(&reservation).into_iter().flatten() {
            decided.push(LedgerEvent::Asset(self.assets.unlock(*outpoint, reservation)?));
        }
        Ok(())
    }
}
