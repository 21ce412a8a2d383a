//! Halts: parts of the market that its operator stops and resumes.

use std::sync::Arc;

use domain::{Halt, HaltReason, HaltRejection, HaltScope};

use super::Market;
use crate::{Refusal, ledger::LedgerEvent, wire::HaltView};

impl Market {
    /// Halts a part of the market, or changes the reason of its halt; returns the halt. Nothing that it refuses is
    /// decided after this resolves.
    ///
    /// # Errors
    /// [`Refusal`].
    pub async fn halt(&self, scope: HaltScope, reason: HaltReason) -> Result<Halt, Refusal> {
        let (halt, _) = self
            .on_ledger(|ledger, now| {
                let since = ledger.halts().get(scope).map_or(now, |halt| halt.since);
                let halt = Halt { since, reason: reason.clone() };
                Ok((ledger.halts().halt(scope, reason).map(LedgerEvent::Halt).into_iter().collect(), halt))
            })
            .await?;
        Ok(halt)
    }

    /// Ends the halt of a part of the market; returns the halt that was in effect.
    ///
    /// # Errors
    /// [`HaltRejection::NotHalted`].
    pub async fn resume_halted(&self, scope: HaltScope) -> Result<Halt, Refusal> {
        let (halt, _) = self
            .on_ledger(|ledger, _| {
                let halt = ledger.halts().get(scope).cloned().ok_or(HaltRejection::NotHalted(scope))?;
                Ok((vec![LedgerEvent::Halt(ledger.halts().resume(scope)?)], halt))
            })
            .await?;
        Ok(halt)
    }

    /// Refuses a loan that would begin while new loans are halted, before anything is looked up for it. The ledger
    /// checks it again with each step of the loan.
    ///
    /// # Errors
    /// [`HaltRejection::NewLoans`].
    pub async fn check_new_loan(&self) -> Result<(), Refusal> {
        let checked = self.shared.ledger.lock().state().halts().check_new_loan();
        if checked.is_err() {
            // The halt is disclosed.
            self.shared.ledger.wait_all_durable().await;
        }
        Ok(checked?)
    }

    /// Returns the number of loans that wait for their lender's signature.
    #[must_use]
    pub fn count_awaiting_lender(&self) -> usize {
        self.shared.ledger.lock().state().loans().awaiting().count()
    }

    /// Returns the halts in effect, as last published.
    #[must_use]
    pub fn halts(&self) -> Vec<Arc<HaltView>> {
        self.shared.halts.items()
    }
}
