//! A refinance: the next loan repays the old lender, a new lender pays, and the collateral moves to a new escrow.
//!
//! ```text
//! inputs   pad, pad  | escrow     | the new lender's coins | the borrower's coins
//! outputs  first pad | new escrow | payout | second pad | platform's fee, lender's change, runestone, borrower's rest
//! ```
//! The old lender need not agree: the repay keys' pre-signatures are valid here as in a repayment. All others sign the
//! whole transaction. The borrower's signatures must not be disclosed before the new lender has pre-signed the next
//! repayment, and from then on the transaction must not be replaced, because its id is what was signed for.
//!
//! The new lender pays principal and platform fee; the borrower pays payout, pad and the network fee out of the
//! principal and their own coins, and receives the rest.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Txid};
use thiserror::Error;

use super::escrow_move::{EscrowMove, MoveError, MoveFault};
use super::funding::Funding;
use super::loan_escrow::LoanEscrow;
use super::origination_outputs::PAD;
use super::repayable_loan::{PayoutFault, RepayableLoan};
use super::running_loan::RunningLoan;
use crate::contract::transaction::assembly::{Assembly, AssemblyError, WrongFee, check_fee, sum};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::side::CounterpartyCoin;
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::{Template, total};

/// A refinance to build.
#[derive(Clone, Copy, Debug)]
pub struct Refinance<'a> {
    /// The loan that ends.
    pub ending: RepayableLoan<'a>,
    /// The escrow of the loan that begins.
    pub escrow: &'a LoanEscrow,
    /// 2, or 3 against pinning by the old lender.
    pub version: Version,
    /// The borrower's pads of the loan that ends.
    pub pads: &'a [Coin],
    /// The new lender's funding of the principal.
    pub funding: Funding<'a>,
    /// The new principal.
    pub principal: Amount,
    /// The platform fee that the new lender pays, with its receiving script.
    pub platform_fee: Option<&'a TxOut>,
    /// The coins that the borrower adds, without inscriptions or runes.
    pub coins: &'a [Coin],
    /// Outputs to be spent that are still unconfirmed.
    pub unconfirmed: &'a [OutPoint],
    /// The script that pays the borrower.
    pub borrower_payment: &'a ScriptBuf,
    /// The fee rate that the borrower pays.
    pub fee_rate: FeeRate,
}

/// The reason why a loan cannot be refinanced in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RefinanceError {
    /// The collateral cannot move to this escrow.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A coin belongs to the other side.
    #[error(transparent)]
    CounterpartyCoin(#[from] CounterpartyCoin),
    /// The new lender's coins are insufficient.
    #[error("the new lender's coins hold {found}, and {wanted} is required")]
    InsufficientLenderFunds {
        /// Principal plus platform fee.
        wanted: Amount,
        /// The amount found.
        found: Amount,
    },
    /// The coins do not make a valid transaction; if they are short, it is on the borrower's side, principal included.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] RefinanceFault),
}

/// A fault that the final check of a finished transaction can find.
///
/// There is none for the borrower's share: it follows from the others.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RefinanceFault {
    /// The old lender's pre-signature is invalid.
    #[error(transparent)]
    Payout(#[from] PayoutFault),
    /// The new loan is not set up correctly.
    #[error(transparent)]
    Move(#[from] MoveFault),
    /// The platform fee is not paid.
    #[error("the platform fee is not paid")]
    PlatformFeeUnpaid,
    /// An output pays a script that it must not pay.
    #[error("output {index} pays no party of the refinance")]
    ForeignOutput {
        /// Its index.
        index: usize,
    },
    /// The new lender does not pay exactly principal and platform fee.
    #[error("the new lender pays {found}, and {expected} is due")]
    LenderPays {
        /// The amount due.
        expected: Amount,
        /// The amount that the new lender pays.
        found: Amount,
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

impl<'a> Refinance<'a> {
    /// Builds the transaction, with every sat accounted for.
    pub fn build(&self) -> Result<Template, RefinanceError> {
        let escrow_move = self.escrow_move();
        escrow_move.check_terms()?;
        escrow_move.borrower(self.coins).check_disjoint(&self.funding.side(self.escrow.terms().lender))?;
        let found = sum(self.funding.spends().iter().map(|spend| spend.output().value))?;
        let wanted = self.lender_pays()?;
        let rest = found.checked_sub(wanted).ok_or(RefinanceError::InsufficientLenderFunds { wanted, found })?;
        let payout = &self.ending.loan.payout;
        let mut outputs = escrow_move.outputs(payout)?;
        outputs.extend(self.platform_fee.cloned());
        let change = TxOut { value: rest, script_pubkey: self.funding.change() };
        // A rest too small for an output cannot return to the lender: it reduces the borrower's fee.
        let has_change = rest >= change.script_pubkey.minimal_non_dust();
        let dust = if has_change { Amount::ZERO } else { rest };
        outputs.extend(has_change.then_some(change));
        outputs.extend(escrow_move.runestone_output());
        let own = self.coins.iter().map(|coin| coin.output.value);
        let assembly = Assembly {
            version: self.version,
            spends: self.spends(),
            outputs,
            found: sum(own.chain([self.principal, dust]))?,
            due: sum([payout.value, PAD])?,
            change: self.borrower_payment,
            fee_rate: self.fee_rate,
            unconfirmed: self.unconfirmed,
        };
        let template = assembly.finish_confirmed()?;
        self.check(&template)?;
        Ok(template)
    }

    /// Returns the loan that begins with the transaction of this id, with this payout to the new lender: the loan that
    /// the new repay keys pre-sign for.
    #[must_use]
    pub fn running(&self, txid: Txid, payout: TxOut) -> RunningLoan {
        self.escrow_move().running(txid, payout)
    }

    const fn escrow_move(&self) -> EscrowMove<'a> {
        let Self { ending, escrow, pads, borrower_payment, .. } = self;
        EscrowMove { loan: ending.loan, escrow, pads, borrower_payment }
    }

    fn spends(&self) -> Vec<Spend<'_>> {
        let mut spends = self.escrow_move().spends(self.ending.loan.spend());
        spends.extend(self.funding.spends());
        spends.extend(self.coins.iter().map(Spend::Coin));
        spends
    }

    fn lender_pays(&self) -> Result<Amount, AssemblyError> {
        sum([self.principal, self.platform_fee.map_or(Amount::ZERO, |output| output.value)])
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), RefinanceFault> {
        let payout = self.ending.payout_index(template)?;
        let escrow_move = self.escrow_move();
        escrow_move.check(template)?;
        let transaction = &template.psbt.unsigned_tx;
        let (change, runestone) = (self.funding.change(), escrow_move.runestone_index(template));
        let mut placed: Vec<usize> = [payout, escrow_move.places().escrow()].into_iter().chain(runestone).collect();
        if let Some(fee) = self.platform_fee {
            let mut outputs = transaction.output.iter().enumerate();
            let paid = outputs.find(|(index, output)| *output == fee && !placed.contains(index));
            placed.push(paid.map(|(index, _)| index).ok_or(RefinanceFault::PlatformFeeUnpaid)?);
        }
        let mut returned = Vec::new();
        for (index, output) in transaction.output.iter().enumerate().filter(|(index, _)| !placed.contains(index)) {
            if output.script_pubkey == change {
                returned.push(output.value);
            } else if output.script_pubkey != *self.borrower_payment {
                return Err(RefinanceFault::ForeignOutput { index });
            }
        }
        let funding: Vec<OutPoint> = self.funding.spends().iter().map(Spend::outpoint).collect();
        let inputs = transaction.input.iter().zip(template.input_amounts());
        let paid_in =
            total(inputs.filter(|(input, _)| funding.contains(&input.previous_output)).map(|(_, value)| value));
        let expected = self.lender_pays().unwrap_or(Amount::MAX);
        let found = paid_in.checked_sub(total(returned.iter().copied())).unwrap_or(Amount::ZERO);
        // Only a rest too small for an output is not returned.
        let most = if returned.is_empty() { change.minimal_non_dust() } else { Amount::ONE_SAT };
        let is_due = found.checked_sub(expected).is_some_and(|dust| dust < most);
        if !is_due {
            return Err(RefinanceFault::LenderPays { expected, found });
        }
        let spends = self.spends();
        if !template.has_form(self.version, &spends) {
            return Err(RefinanceFault::WrongForm);
        }
        if let Some(index) = template.first_mismatched_input(spends.into_iter()) {
            return Err(RefinanceFault::ForeignInput { index });
        }
        let others =
            escrow_move.places().count() + self.platform_fee.iter().len() + returned.len() + runestone.iter().len();
        Ok(check_fee(template, self.fee_rate, self.borrower_payment, others)?)
    }
}
