//! The move of collateral from the escrow of one loan directly to that of the next.
//!
//! ```text
//! inputs   pad, pad  | escrow     | coins of the payers
//! outputs  first pad | new escrow | payment to the lender | second pad | ...
//! ```
//! The first two old pads together become the first pad of the new loan, and a last one is created. So the new escrow
//! holds exactly the sats of the old one, and the output at the index of the old escrow is free for its lender. A loan
//! against several inscriptions has more pads, which all precede the escrow; the others keep their value.

use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut, Txid};
use ordinals::Runestone;
use thiserror::Error;

use super::collateral_flow::{CollateralFault, edict, runestone_index, runestone_output, trace_collateral};
use super::loan_escrow::LoanEscrow;
use super::origination_outputs::PAD;
use super::running_loan::RunningLoan;
use crate::contract::assets::pledge::{InscribedRange, Pledge};
use crate::contract::transaction::assembly::{AssemblyError, sum};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::side::Side;
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::{Template, vout};

/// The indices of the outputs of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveOutputs {
    /// The number of the old loan's pads.
    pad_count: usize,
}

impl MoveOutputs {
    /// The outputs of the move of a loan.
    #[must_use]
    pub fn of(loan: &RunningLoan) -> Self {
        Self { pad_count: loan.pad_count() }
    }

    /// The index of the new escrow.
    #[must_use]
    pub const fn escrow(self) -> usize {
        self.pad_count.saturating_sub(1)
    }

    /// The index of the payment to the lender of the old loan, which is that of the old escrow.
    #[must_use]
    pub const fn lender_payment(self) -> usize {
        self.pad_count
    }

    /// The indices of the new loan's pads.
    pub fn pads(self) -> impl Iterator<Item = usize> {
        (0..self.escrow()).chain([self.pad_count.saturating_add(1)])
    }

    /// The number of all of them: pads, escrow, and the payment to the lender.
    #[must_use]
    pub const fn count(self) -> usize {
        self.pad_count.saturating_add(2)
    }
}

/// The two loans of a move.
#[derive(Clone, Copy, Debug)]
pub struct EscrowMove<'a> {
    /// The loan that ends.
    pub loan: &'a RunningLoan,
    /// The escrow of the loan that begins.
    pub escrow: &'a LoanEscrow,
    /// The borrower's pads of the loan that ends.
    pub pads: &'a [Coin],
    /// The script that pays the borrower, new pads included.
    pub borrower_payment: &'a ScriptBuf,
}

/// The reason why collateral cannot move in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The new escrow's borrower is another user, who alone could repay.
    #[error("the new escrow is not the same borrower's")]
    OtherBorrower,
    /// The escrows of both loans would be identical.
    #[error("the new escrow is the old one: it needs another id or claim time")]
    SameEscrow,
    /// A transfer inscription is consumed by its first move, which would leave its balance with a script, not an
    /// output.
    #[error("a BRC-20 transfer inscription can be moved only once, back to its owner: repay, and start a new loan")]
    ImmovableTransfer,
    /// There are too few pads, or too many.
    #[error("{wanted} pads are required, and there are {found}")]
    WrongPads {
        /// The number of the loan's pads.
        wanted: usize,
        /// The number found.
        found: usize,
    },
}

/// A fault of the new loan that the final check can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveFault {
    /// The collateral does not arrive in the new escrow.
    #[error(transparent)]
    Collateral(#[from] CollateralFault),
    /// The new escrow is not at the index that pre-signatures expect.
    #[error("the new escrow is output {found}, and not {expected}")]
    WrongEscrowIndex {
        /// The expected index.
        expected: usize,
        /// Its index.
        found: usize,
    },
    /// A pad is missing, without which the borrower could not repay the new loan.
    #[error("output {index} is not a pad of the new loan")]
    PadMissing {
        /// Its index.
        index: usize,
    },
}

impl<'a> EscrowMove<'a> {
    /// Checks that the new escrow can take the collateral.
    pub(super) fn check_terms(&self) -> Result<(), MoveError> {
        if matches!(self.loan.pledge, Pledge::TransferInscription { .. }) {
            return Err(MoveError::ImmovableTransfer);
        }
        let (wanted, found) = (self.loan.pad_count(), self.pads.len());
        if found != wanted {
            return Err(MoveError::WrongPads { wanted, found });
        }
        if self.escrow.terms().borrower != self.loan.escrow.terms().borrower {
            return Err(MoveError::OtherBorrower);
        }
        let is_same = self.escrow.output().script_pubkey() == self.loan.escrow.output().script_pubkey();
        if is_same { Err(MoveError::SameEscrow) } else { Ok(()) }
    }

    /// The borrower's side, with the pads and these coins.
    pub(super) fn borrower(&self, coins: &'a [Coin]) -> Side<'a> {
        Side {
            key: self.loan.escrow.terms().borrower,
            scripts: vec![self.borrower_payment.clone()],
            coins: self.pads.iter().chain(coins).collect(),
        }
    }

    /// The first inputs, the escrow spent as given.
    pub(super) fn spends(&self, escrow: Spend<'a>) -> Vec<Spend<'a>> {
        self.pads.iter().map(Spend::Coin).chain([escrow]).collect()
    }

    /// The first outputs, with the given payment to the lender.
    pub(super) fn outputs(&self, paid: &TxOut) -> Result<Vec<TxOut>, AssemblyError> {
        let to_borrower = |value| TxOut { value, script_pubkey: self.borrower_payment.clone() };
        let escrow = TxOut { value: self.loan.value, script_pubkey: self.escrow.output().script_pubkey() };
        let mut outputs: Vec<TxOut> = self.front_pads()?.into_iter().map(to_borrower).collect();
        outputs.extend([escrow, paid.clone(), to_borrower(PAD)]);
        Ok(outputs)
    }

    /// The indices of the first outputs.
    pub(super) fn places(&self) -> MoveOutputs {
        MoveOutputs::of(self.loan)
    }

    /// The values of the new pads before the escrow: that of the first two old ones, and of each other.
    fn front_pads(&self) -> Result<Vec<Amount>, AssemblyError> {
        let (first, others) = self.pads.split_at(self.pads.len().min(2));
        let first = sum(first.iter().map(|pad| pad.output.value))?;
        Ok([first].into_iter().chain(others.iter().map(|pad| pad.output.value)).collect())
    }

    /// The output of the runestone that moves runes to the new escrow.
    pub(super) fn runestone_output(&self) -> Option<TxOut> {
        runestone(&[(self.places().escrow(), &self.loan.pledge)]).as_ref().map(runestone_output)
    }

    /// The index of that output in a finished transaction.
    pub(super) fn runestone_index(&self, template: &Template) -> Option<usize> {
        runestone_index(template, self.runestone_output().as_ref())
    }

    /// Checks that the new loan is set up correctly in a finished transaction.
    pub(super) fn check(&self, template: &Template) -> Result<(), MoveFault> {
        let script = self.escrow.output().script_pubkey();
        // The escrow stays whole: where its first inscription arrives on its sat, all do.
        let offset = self.loan.pledge.offsets().first().copied().unwrap_or(Amount::ZERO);
        let whole = vec![InscribedRange { value: self.loan.value, offset }];
        let arrivals = trace_collateral(template, &[(self.loan, whole, &script)], runestone)?;
        let expected = self.places().escrow();
        if let Some((found, _)) = arrivals.into_iter().find(|(found, _)| *found != expected) {
            return Err(MoveFault::WrongEscrowIndex { expected, found });
        }
        let values = self.front_pads().unwrap_or_default().into_iter().chain([PAD]);
        for (index, value) in self.places().pads().zip(values) {
            let pad = TxOut { value, script_pubkey: self.borrower_payment.clone() };
            if template.psbt.unsigned_tx.output.get(index) != Some(&pad) {
                return Err(MoveFault::PadMissing { index });
            }
        }
        Ok(())
    }

    /// The new loan in the transaction with this id; its repayment is pre-signed for this.
    pub(super) fn running(&self, txid: Txid, payout: TxOut) -> RunningLoan {
        RunningLoan {
            escrow: self.escrow.clone(),
            outpoint: OutPoint::new(txid, vout(self.places().escrow())),
            value: self.loan.value,
            pledge: self.loan.pledge.clone(),
            payout,
        }
    }
}

/// The runestone: an edict, so that the chain shows which runes the new escrow holds, and a pointer for unexpected
/// runes.
fn runestone(arrivals: &[(usize, &Pledge)]) -> Option<Runestone> {
    let edicts: Vec<_> = arrivals.iter().filter_map(|(index, pledge)| edict(*index, pledge)).collect();
    let pointer = Some(edicts.first()?.output);
    Some(Runestone { edicts, pointer, ..Runestone::default() })
}
