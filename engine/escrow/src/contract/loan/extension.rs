//! An extension of a loan: borrower and lender move the collateral to an escrow with a later claim time, and the
//! borrower pays the interest that is due.
//!
//! ```text
//! inputs   pad, pad  | escrow     | the borrower's coins
//! outputs  first pad | new escrow | interest | second pad | runestone, change
//! ```
//! Both sign the whole transaction, by the same script with which a repayment spends the escrow. The lender must not
//! sign it with the sighash of a pre-signed repayment: that would commit to the interest alone, and the borrower could
//! take the collateral for it. The borrower's signatures must not be disclosed before the lender has pre-signed the
//! next repayment.
//!
//! The repay keys of an instant loan sign once and are then destroyed, so they cannot sign again: such a loan is extended
//! by a refinance, with the same lender or another.

use bitcoin::transaction::Version;
use bitcoin::{FeeRate, OutPoint, ScriptBuf, TapSighashType, TxOut, Txid};
use thiserror::Error;

use super::escrow_move::{EscrowMove, MoveError, MoveFault};
use super::loan_escrow::LoanEscrow;
use super::origination_outputs::PAD;
use super::running_loan::RunningLoan;
use crate::contract::transaction::assembly::{Assembly, AssemblyError, WrongFee, check_fee, sum};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::leaf::Leaf;
use crate::contract::transaction::side::{CounterpartyCoin, Side};
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::Template;

/// An extension to build.
#[derive(Clone, Copy, Debug)]
pub struct Extension<'a> {
    /// The loan as it runs.
    pub loan: &'a RunningLoan,
    /// The escrow with the later claim time.
    pub escrow: &'a LoanEscrow,
    /// 2, or 3 against pinning.
    pub version: Version,
    /// The borrower's pads.
    pub pads: &'a [Coin],
    /// The interest that the lender receives now.
    pub interest: &'a TxOut,
    /// The borrower's coins that pay, without inscriptions or runes.
    pub coins: &'a [Coin],
    /// Outputs to be spent that are still unconfirmed.
    pub unconfirmed: &'a [OutPoint],
    /// The script that receives pads and change.
    pub borrower_payment: &'a ScriptBuf,
    /// The fee rate that the borrower pays.
    pub fee_rate: FeeRate,
}

/// The reason why a loan cannot be extended in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExtensionError {
    /// The repay keys of an instant loan have been destroyed.
    #[error("the repay keys of an instant loan have been destroyed: refinance it instead")]
    Instant,
    /// The new lender differs, which would be a refinance.
    #[error("the new escrow has another lender or repay key")]
    OtherLender,
    /// The new claim time is not later.
    #[error("the lender could claim from {to} on, no later than now from {from} on")]
    NotLater {
        /// The current claim time, in Unix seconds.
        from: u32,
        /// The new claim time, in Unix seconds.
        to: u32,
    },
    /// The collateral cannot move to this escrow.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A coin belongs to the other side.
    #[error(transparent)]
    CounterpartyCoin(#[from] CounterpartyCoin),
    /// The coins do not make a valid transaction.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] ExtensionFault),
}

/// A fault that the final check of a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExtensionFault {
    /// The new loan is not set up correctly.
    #[error(transparent)]
    Move(#[from] MoveFault),
    /// A signature for less than the whole transaction would let the collateral be redirected.
    #[error("the escrow's signatures do not commit to the whole transaction")]
    WrongSighash,
    /// The interest is not paid to the lender.
    #[error("the interest is not paid")]
    InterestUnpaid,
    /// An output pays a script that it must not pay.
    #[error("output {index} pays neither side")]
    ForeignOutput {
        /// Its index.
        index: usize,
    },
    /// The version is wrong, a locktime delays it, or its weight differs from the declared one.
    #[error("version, locktime or weight is not as expected")]
    WrongForm,
    /// An input is not the expected one, or is spent in another way.
    #[error("input {index} is not the expected one")]
    ForeignInput {
        /// Its index; also that of the first missing or surplus input.
        index: usize,
    },
    /// The fee is too low or too high.
    #[error(transparent)]
    WrongFee(#[from] WrongFee),
}

impl<'a> Extension<'a> {
    /// Builds the transaction, with every sat accounted for.
    pub fn build(&self) -> Result<Template, ExtensionError> {
        self.check_terms()?;
        let escrow_move = self.escrow_move();
        let leaf = self.loan.escrow.extension_leaf();
        let mut outputs = escrow_move.outputs(self.interest)?;
        outputs.extend(escrow_move.runestone_output());
        let assembly = Assembly {
            version: self.version,
            spends: self.spends(&leaf),
            outputs,
            found: sum(self.coins.iter().map(|coin| coin.output.value))?,
            due: sum([self.interest.value, PAD])?,
            change: self.borrower_payment,
            fee_rate: self.fee_rate,
            unconfirmed: self.unconfirmed,
        };
        let template = assembly.finish_confirmed()?;
        self.check(&template)?;
        Ok(template)
    }

    /// Returns the loan as it continues in the transaction of this id, with this payout to the lender: the loan that
    /// the lender pre-signs for.
    #[must_use]
    pub fn running(&self, txid: Txid, payout: TxOut) -> RunningLoan {
        self.escrow_move().running(txid, payout)
    }

    const fn escrow_move(&self) -> EscrowMove<'a> {
        let Self { loan, escrow, pads, borrower_payment, .. } = self;
        EscrowMove { loan, escrow, pads, borrower_payment }
    }

    fn spends<'l>(&'l self, leaf: &'l Leaf) -> Vec<Spend<'l>> {
        let RunningLoan { escrow, outpoint, value, .. } = self.loan;
        let mut spends = self.escrow_move().spends(escrow.output().spend(*outpoint, *value, leaf));
        spends.extend(self.coins.iter().map(Spend::Coin));
        spends
    }

    fn check_terms(&self) -> Result<(), ExtensionError> {
        let (old, new) = (self.loan.escrow.terms(), self.escrow.terms());
        if old.repay.only() != Some(old.lender) {
            return Err(ExtensionError::Instant);
        }
        if new.lender != old.lender || new.repay.only() != Some(old.lender) {
            return Err(ExtensionError::OtherLender);
        }
        self.escrow_move().check_terms()?;
        // The lender signs the whole transaction too, and thereby any coin of the lender's in it.
        let scripts = [self.interest, &self.loan.payout].map(|paid| paid.script_pubkey.clone());
        let lender = Side { key: old.lender, scripts: scripts.into(), coins: Vec::new() };
        self.escrow_move().borrower(self.coins).check_disjoint(&lender)?;
        let (from, to) = (old.claim_after, new.claim_after);
        if to > from { Ok(()) } else { Err(ExtensionError::NotLater { from, to }) }
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), ExtensionFault> {
        let escrow_move = self.escrow_move();
        escrow_move.check(template)?;
        let transaction = &template.psbt.unsigned_tx;
        let inputs = transaction.input.iter().zip(&template.locks);
        let escrow = inputs.filter(|(input, _)| input.previous_output == self.loan.outpoint);
        let mut signers = escrow.flat_map(|(_, lock)| lock.signers());
        if signers.any(|signer| signer.sighash() != TapSighashType::Default.into()) {
            return Err(ExtensionFault::WrongSighash);
        }
        let expected = escrow_move.places();
        if transaction.output.get(expected.lender_payment()) != Some(self.interest) {
            return Err(ExtensionFault::InterestUnpaid);
        }
        let runestone = escrow_move.runestone_index(template);
        let placed: Vec<usize> = [expected.escrow(), expected.lender_payment()].into_iter().chain(runestone).collect();
        for (index, output) in transaction.output.iter().enumerate().filter(|(index, _)| !placed.contains(index)) {
            if output.script_pubkey != *self.borrower_payment {
                return Err(ExtensionFault::ForeignOutput { index });
            }
        }
        let leaf = self.loan.escrow.extension_leaf();
        let spends = self.spends(&leaf);
        if !template.has_form(self.version, &spends) {
            return Err(ExtensionFault::WrongForm);
        }
        if let Some(index) = template.first_mismatched_input(spends.into_iter()) {
            return Err(ExtensionFault::ForeignInput { index });
        }
        let others = expected.count() + runestone.iter().len();
        Ok(check_fee(template, self.fee_rate, self.borrower_payment, others)?)
    }
}
