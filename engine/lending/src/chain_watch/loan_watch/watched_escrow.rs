//! The escrow of a loan, as far as the loan watch needs it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use bitcoin::{OutPoint, ScriptBuf, Transaction};
use domain::{Ending, LoanAccount, LoanId};
use engine::locks::MutexExt as _;
use escrow::contract::assets::pledge::Pledge;

use crate::records::running_record::{Running, RunningError};

/// The escrow of a signed loan.
#[derive(Debug)]
pub(super) struct WatchedEscrow {
    pub(super) outpoint: OutPoint,
    /// Whether it is a BRC-20 transfer inscription, which the indexer has to hold valid.
    pub(super) is_transfer_inscription: bool,
    claim_script: ScriptBuf,
}

impl WatchedEscrow {
    fn of(loan: &LoanAccount) -> Result<Self, RunningError> {
        let running = Running::of(loan)?;
        let loan = &running.record().loan;
        Ok(Self {
            outpoint: loan.outpoint,
            is_transfer_inscription: matches!(loan.pledge, Pledge::TransferInscription { .. }),
            claim_script: loan.escrow.claim_leaf().script.clone(),
        })
    }

    /// Returns how a transaction ends the loan, if it does, by the leaf that it spends.
    pub(super) fn ending(&self, transaction: &Transaction) -> Option<Ending> {
        let input = transaction.input.iter().find(|input| input.previous_output == self.outpoint)?;
        let script = input.witness.taproot_leaf_script().map(|leaf| leaf.script);
        Some(if script == Some(self.claim_script.as_script()) { Ending::Claim } else { Ending::Repayment })
    }
}

/// The escrows of watched loans. To read one from its record means to check signatures, which takes too long for each loan
/// in each round. A loan is signed once, so its escrow stays.
#[derive(Debug, Default)]
pub(super) struct WatchedEscrows(Mutex<HashMap<LoanId, Arc<WatchedEscrow>>>);

impl WatchedEscrows {
    /// Returns the escrow of a loan.
    pub(super) fn of(&self, loan: &LoanAccount) -> Result<Arc<WatchedEscrow>, RunningError> {
        if let Some(known) = self.0.lock_unpoisoned().get(&loan.id) {
            return Ok(Arc::clone(known));
        }
        let escrow = Arc::new(WatchedEscrow::of(loan)?);
        self.0.lock_unpoisoned().insert(loan.id, Arc::clone(&escrow));
        Ok(escrow)
    }

    /// Forgets those of all other loans.
    pub(super) fn keep(&self, watched: &HashSet<LoanId>) {
        self.0.lock_unpoisoned().retain(|loan, _| watched.contains(loan));
    }
}
