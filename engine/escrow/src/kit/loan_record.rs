//! The loan data in the kits of both sides.

use bitcoin::{Address, Network, OutPoint, Transaction, TxOut};
use ordinals::{Artifact, Edict, Runestone};

use super::kit_error::KitError;
use crate::contract::assets::pledge::{INSCRIPTIONS_MAX, InscribedRange, Pledge};
use crate::contract::loan::payout_signatures::PayoutSignatures;
use crate::contract::loan::running_loan::RunningLoan;
use crate::contract::transaction::template::total;

/// A running loan, with the data that proves it and the data that ends it.
#[derive(Clone, Debug)]
pub struct LoanRecord {
    /// The network of the loan.
    pub network: Network,
    /// The loan.
    pub loan: RunningLoan,
    /// The pre-signatures of the repayment.
    pub pre_signatures: PayoutSignatures,
    /// The due time, in Unix seconds; at the latest the claim time.
    pub due_seconds: u32,
    /// The transaction that pays the escrow and has the pads: an origination, its reveal for BRC-20, or the refinance
    /// or extension that began this loan.
    pub origination: Transaction,
}

impl LoanRecord {
    /// Checks that everything in it is consistent.
    ///
    /// # Errors
    /// The first contradiction found.
    pub(super) fn check(&self) -> Result<(), KitError> {
        let loan = &self.loan;
        let claim_seconds = loan.escrow.terms().claim_after;
        if self.due_seconds > claim_seconds {
            return Err(KitError::DueAfterClaim { due_seconds: self.due_seconds, claim_seconds });
        }
        if Address::from_script(&loan.payout.script_pubkey, self.network).is_err() {
            return Err(KitError::Malformed { field: "loan.payout.address", wanted: "an address" });
        }
        let held = TxOut { value: loan.value, script_pubkey: loan.escrow.output().script_pubkey() };
        if self.output(loan.outpoint) != Some(&held) {
            return Err(KitError::EscrowMismatch(loan.outpoint));
        }
        self.check_pledge()?;
        self.pre_signatures.check(loan)?;
        Ok(())
    }

    /// Whether a single key pre-signed the repayment.
    pub(super) fn has_single_repay_key(&self) -> bool {
        self.loan.escrow.terms().repay.only().is_some()
    }

    /// An output of the origination.
    pub(super) fn output(&self, outpoint: OutPoint) -> Option<&TxOut> {
        let is_own = outpoint.txid == self.origination.compute_txid();
        let index = usize::try_from(outpoint.vout).ok().filter(|_| is_own)?;
        self.origination.output.get(index)
    }

    /// Checks that every inscription lies in its range, and that the ranges are the whole escrow.
    fn check_ranges(&self) -> Result<(), KitError> {
        let (expected, ranges) = (self.loan.value, self.loan.ranges());
        if let Some(InscribedRange { value, offset }) = ranges.iter().find(|range| range.offset >= range.value).copied()
        {
            return Err(KitError::OffsetOutside { offset, value });
        }
        let (count, found) = (ranges.len(), total(ranges.iter().map(|range| range.value)));
        let is_single = !matches!(self.loan.pledge, Pledge::Inscriptions(_));
        let has_count = is_single || (2..=INSCRIPTIONS_MAX).contains(&count);
        if found == expected && has_count { Ok(()) } else { Err(KitError::WrongRanges { count, expected, found }) }
    }

    /// Checks that the origination moves the pledge into the escrow, as far as its own outputs show.
    fn check_pledge(&self) -> Result<(), KitError> {
        let runestone = match Runestone::decipher(&self.origination) {
            Some(Artifact::Cenotaph(_)) => return Err(KitError::PledgeMismatch),
            Some(Artifact::Runestone(runestone)) => Some(runestone),
            None => None,
        };
        let moves = |wanted: Edict| runestone.as_ref().is_some_and(|runestone| runestone.edicts.contains(&wanted));
        match self.loan.pledge {
            Pledge::Inscription { .. } | Pledge::Inscriptions(_) | Pledge::TransferInscription { .. } => {
                self.check_ranges()?;
                if runestone.is_some() { Err(KitError::PledgeMismatch) } else { Ok(()) }
            }
            Pledge::Runes { id, amount } => {
                let edict = Edict { id, amount, output: self.loan.outpoint.vout };
                if amount > 0 && moves(edict) { Ok(()) } else { Err(KitError::PledgeMismatch) }
            }
        }
    }
}
