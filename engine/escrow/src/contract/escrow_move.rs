//! Collateral on its way from the escrow of one loan to that of the next, at home with nobody in between.
//!
//! ```text
//! inputs   pad, pad  | escrow     | coins of whoever pays
//! outputs  first pad | new escrow | what the lender gets | second pad | ...
//! ```
//! The old pads together are the first pad of the new loan; another is made. So the new escrow holds the sats of the old
//! one and no others, and the output beside the old escrow is free for its lender.

use bitcoin::{OutPoint, ScriptBuf, TxOut, Txid};
use ordinals::Runestone;
use thiserror::Error;

use super::assembly::{AssemblyError, sum};
use super::coin::Coin;
use super::collateral_flow::{CollateralFault, edict, follow, runestone_output, runestone_place};
use super::loan_escrow::LoanEscrow;
use super::origination::PAD;
use super::pledge::Pledge;
use super::running_loan::RunningLoan;
use super::side::Side;
use super::template::{Spend, Template, total};

/// Where the new escrow stands.
pub const ESCROW: usize = 1;
/// The same, as an outpoint has it.
const ESCROW_VOUT: u32 = 1;
/// Where the lender is paid whose loan it was.
pub const PAID: usize = 2;
/// Where the pads of the new loan stand.
pub const PADS: [usize; 2] = [0, 3];
/// Pads, escrow, and what the lender gets.
pub(super) const FIXED_OUTPUTS: usize = 4;

/// From where to where.
#[derive(Clone, Copy, Debug)]
pub struct EscrowMove<'a> {
    /// The loan that ends.
    pub loan: &'a RunningLoan,
    /// The escrow of the loan that begins.
    pub escrow: &'a LoanEscrow,
    /// The borrower's pads of the loan that ends.
    pub pads: &'a [Coin; 2],
    /// Where the borrower is paid, the new pads included.
    pub borrower_payment: &'a ScriptBuf,
}

/// Why collateral does not move there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// Only its owner could repay.
    #[error("the new escrow is not the same borrower's")]
    OtherBorrower,
    /// Nothing tells the two loans apart.
    #[error("the new escrow is the old one: it needs another id or claim time")]
    SameEscrow,
    /// The move would use the note up, and leave its balance with a script instead of an output.
    #[error("a BRC-20 note can be moved once, and that is its way home: repay, and begin anew")]
    SpentNote,
}

/// How the last look can find the new loan wanting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveFault {
    /// The collateral does not arrive in the new escrow.
    #[error(transparent)]
    Collateral(#[from] CollateralFault),
    /// The new escrow is not where what is signed beforehand expects it.
    #[error("the new escrow is output {found}, and not {ESCROW}")]
    EscrowElsewhere {
        /// Where it is.
        found: usize,
    },
    /// The borrower could not repay the new loan without them.
    #[error("output {index} is no pad for the new loan")]
    PadMissing {
        /// Its index.
        index: usize,
    },
}

impl<'a> EscrowMove<'a> {
    /// Checks that the new escrow can take the collateral.
    pub(super) fn check_terms(&self) -> Result<(), MoveError> {
        if matches!(self.loan.pledge, Pledge::Note { .. }) {
            return Err(MoveError::SpentNote);
        }
        if self.escrow.terms().borrower != self.loan.escrow.terms().borrower {
            return Err(MoveError::OtherBorrower);
        }
        let is_same = self.escrow.output().script_pubkey() == self.loan.escrow.output().script_pubkey();
        if is_same { Err(MoveError::SameEscrow) } else { Ok(()) }
    }

    /// The borrower, who brings the pads and these coins.
    pub(super) fn borrower(&self, coins: &'a [Coin]) -> Side<'a> {
        Side {
            key: self.loan.escrow.terms().borrower,
            scripts: vec![self.borrower_payment.clone()],
            coins: self.pads.iter().chain(coins).collect(),
        }
    }

    /// The first inputs; the escrow is spent as told.
    pub(super) fn spends(&self, escrow: Spend<'a>) -> Vec<Spend<'a>> {
        self.pads.iter().map(Spend::Coin).chain([escrow]).collect()
    }

    /// The first outputs; the lender gets what is told.
    pub(super) fn outputs(&self, paid: &TxOut) -> Result<Vec<TxOut>, AssemblyError> {
        let to_borrower = |value| TxOut { value, script_pubkey: self.borrower_payment.clone() };
        let escrow = TxOut { value: self.loan.value, script_pubkey: self.escrow.output().script_pubkey() };
        let pads = sum(self.pads.iter().map(|pad| pad.output.value))?;
        Ok(vec![to_borrower(pads), escrow, paid.clone(), to_borrower(PAD)])
    }

    /// What takes runes to the new escrow.
    pub(super) fn runestone_output(&self) -> Option<TxOut> {
        runestone(&[(ESCROW, &self.loan.pledge)]).as_ref().map(runestone_output)
    }

    /// Where that stands in a finished transaction.
    pub(super) fn runestone_place(&self, template: &Template) -> Option<usize> {
        runestone_place(template, self.runestone_output().as_ref())
    }

    /// Whether the new loan begins as it should in a finished transaction.
    pub(super) fn check(&self, template: &Template) -> Result<(), MoveFault> {
        let script = self.escrow.output().script_pubkey();
        let arrivals = follow(template, &[(self.loan, &script)], runestone)?;
        if let Some((found, _)) = arrivals.into_iter().find(|(found, _)| *found != ESCROW) {
            return Err(MoveFault::EscrowElsewhere { found });
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

    /// The loan that begins, in the transaction with this id; its repayment is signed beforehand for this.
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

/// An edict for the runes, so that everybody can see what the new escrow holds; the pointer for whatever nobody knew of.
fn runestone(arrivals: &[(usize, &Pledge)]) -> Option<Runestone> {
    let edicts: Vec<_> = arrivals.iter().filter_map(|(index, pledge)| edict(*index, pledge)).collect();
    let pointer = Some(edicts.first()?.output);
    Some(Runestone { edicts, pointer, ..Runestone::default() })
}
