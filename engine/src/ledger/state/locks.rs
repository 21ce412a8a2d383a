//! Outputs that are held for somebody.

use domain::{LoanId, OrderRejection, Outpoint, ReservationId};

use super::LedgerState;
use crate::{Refusal, ledger::LedgerEvent};

impl LedgerState {
    /// Holds an output that is not promised to an order of a transfer note either.
    pub(crate) fn lock(&self, outpoint: Outpoint, reservation: ReservationId) -> Result<LedgerEvent, Refusal> {
        match self.orders.promised_to(&outpoint) {
            Some(order) => Err(OrderRejection::CoinPromised { coin: outpoint, order }.into()),
            None => Ok(LedgerEvent::Asset(self.assets.lock(outpoint, reservation)?)),
        }
    }

    /// Frees every output that is held for a loan.
    pub(crate) fn unlock_all(&self, loan: LoanId, decided: &mut Vec<LedgerEvent>) -> Result<(), Refusal> {
        let reservation = ReservationId(loan.0);
        for outpoint in self.pledges.get(&reservation).into_iter().flatten() {
            decided.push(LedgerEvent::Asset(self.assets.unlock(*outpoint, reservation)?));
        }
        Ok(())
    }
}
