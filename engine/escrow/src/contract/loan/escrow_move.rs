//! The move of collateral from the escrow of one loan directly to that of the next.
//!
//! ```text
//! inputs   pad, pad  | escrow     | coins of the payers
//! outputs  first pad | new escrow | payment to the lender | second pad | ...
//! ```
//! The old pads together become the first pad of the new loan; a second one is created. So the new escrow holds exactly
//! the sats of the old one, and the output at the index of the old escrow is free for its lender.

use bitcoin::{OutPoint, ScriptBuf, TxOut, Txid};
use ordinals::Runestone;
use thiserror::Error;

use super::collateral_flow::{CollateralFault, edict, runestone_index, runestone_output, trace_collateral};
use super::loan_escrow::LoanEscrow;
use super::origination_outputs::PAD;
use super::running_loan::RunningLoan;
use crate::contract::assets::pledge::Pledge;
use crate::contract::transaction::assembly::{AssemblyError, sum};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::side::Side;
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::{Template, total};

/// The index of the new escrow.
pub const ESCROW: usize = 1;
/// The same as an outpoint's index.
const ESCROW_VOUT: u32 = 1;
/// The index of the payment to the lender of the old loan.
pub const LENDER_PAYMENT: usize = 2;
/// The indices of the new loan's pads.
pub const PADS: [usize; 2] = [0, 3];
/// Pads, escrow, and the payment to the lender.
pub(super) const FIXED_OUTPUTS: usize = 4;

/// The two loans of a move.
#[derive(Clone, Copy, Debug)]
pub struct EscrowMove<'a> {
    /// The loan that ends.
    pub loan: &'a RunningLoan,
    /// The escrow of the loan that begins.
    pub escrow: &'a LoanEscrow,
    /// The borrower's pads of the loan that ends.
    pub pads: &'a [Coin; 2],
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
}

/// A fault of the new loan that the final check can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveFault {
    /// The collateral does not arrive in the new escrow.
    #[error(transparent)]
    Collateral(#[from] CollateralFault),
    /// The new escrow is not at the index that pre-signatures expect.
    #[error("the new escrow is output {found}, and not {ESCROW}")]
    WrongEscrowIndex {
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
        let pads = sum(self.pads.iter().map(|pad| pad.output.value))?;
        Ok(vec![to_borrower(pads), escrow, paid.clone(), to_borrower(PAD)])
    }

    /// The output of the runestone that moves runes to the new escrow.
    pub(super) fn runestone_output(&self) -> Option<TxOut> {
        runestone(&[(ESCROW, &self.loan.pledge)]).as_ref().map(runestone_output)
    }

    /// The index of that output in a finished transaction.
    pub(super) fn runestone_index(&self, template: &Template) -> Option<usize> {
        runestone_index(template, self.runestone_output().as_ref())
    }

    /// Checks that the new loan is set up correctly in a finished transaction.
    pub(super) fn check(&self, template: &Template) -> Result<(), MoveFault> {
        let script = self.escrow.output().script_pubkey();
        let arrivals = trace_collateral(template, &[(self.loan, &script)], runestone)?;
        if let Some((found, _)) = arrivals.into_iter().find(|(found, _)| *found != ESCROW) {
            return Err(MoveFault::WrongEscrowIndex { found });
        }
        let old = total(self.pads.iter().map(|pad| pad.output.value));
        for (index, value) in PADS.into_iter().zip([old, PAD]) {
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
            outpoint: OutPoint::new(txid, ESCROW_VOUT),
            value: self.loan.value,
            pledge: self.loan.pledge,
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
