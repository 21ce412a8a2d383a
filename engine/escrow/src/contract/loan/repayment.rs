//! The repayment of loans: collateral back to the borrower, principal and interest to the lenders, by the borrower
//! alone.
//!
//! ```text
//! inputs   pad, ... pad (one more than collateral) | escrow 1 ... escrow n | other pads, coins
//! outputs  pads | collateral 1 ... m               | payout 1 ... payout n | runestone, change
//! ```
//! Sats flow first in, first out: those of the pads fill the first output, those of each escrow fill its own output to
//! the borrower, or one for each of its inscriptions, and only then come the payouts, each at the index of its escrow as
//! the pre-signature requires.

use bitcoin::transaction::Version;
use bitcoin::{FeeRate, OutPoint, ScriptBuf, TxOut};
use ordinals::{Edict, Runestone};
use thiserror::Error;

use super::collateral_flow::{CollateralFault, edict, runestone_index, runestone_output, trace_collateral};
use super::repayable_loan::{PayoutFault, RepayableLoan};
use crate::contract::assets::pledge::Pledge;
use crate::contract::transaction::assembly::{Assembly, AssemblyError, WrongFee, check_fee, sum};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::Template;

/// A repayment to build.
#[derive(Clone, Copy, Debug)]
pub struct Repayment<'a> {
    /// The loans, all of one borrower.
    pub loans: &'a [RepayableLoan<'a>],
    /// The version: 2, or 3 against pinning, which requires confirmed inputs.
    pub version: Version,
    /// The borrower's pads, at least one more than outputs of collateral; the surplus is spent as payment.
    pub pads: &'a [Coin],
    /// The borrower's coins that pay, without inscriptions or runes.
    pub funding: &'a [Coin],
    /// Outputs to be spent that are still unconfirmed.
    pub unconfirmed: &'a [OutPoint],
    /// The script that receives the collateral, with an output for each loan, or for each of its inscriptions.
    pub destination: &'a ScriptBuf,
    /// The script that receives pads and change.
    pub change: &'a ScriptBuf,
    /// The fee rate that the borrower pays.
    pub fee_rate: FeeRate,
}

/// The reason why loans cannot be repaid in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RepaymentError {
    /// There are no loans.
    #[error("there is no loan to repay")]
    NoLoan,
    /// There are too few pads; without them in front, the collateral would go to the lenders.
    #[error("{wanted} pads are required, and there are {found}")]
    PadsMissing {
        /// The number of outputs of collateral, plus one.
        wanted: usize,
        /// The number found.
        found: usize,
    },
    /// The coins do not make a valid transaction.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] RepaymentFault),
}

/// A fault that the final check of a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RepaymentFault {
    /// A lender's pre-signature is invalid.
    #[error(transparent)]
    Payout(#[from] PayoutFault),
    /// Collateral is not returned to the borrower.
    #[error(transparent)]
    Collateral(#[from] CollateralFault),
    /// An output is both a payout and the destination of collateral.
    #[error("output {index} is a payout, and collateral arrives in it")]
    CollateralPaidOut {
        /// Its index.
        index: usize,
    },
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

impl Repayment<'_> {
    /// Builds the transaction, with every sat accounted for.
    pub fn build(&self) -> Result<Template, RepaymentError> {
        if self.loans.is_empty() {
            return Err(RepaymentError::NoLoan);
        }
        let (wanted, found) = (self.front_pads(), self.pads.len());
        let Some((front, others)) = self.pads.split_at_checked(wanted) else {
            return Err(RepaymentError::PadsMissing { wanted, found });
        };
        let values = |coin: &Coin| coin.output.value;
        let mut outputs = vec![TxOut { value: sum(front.iter().map(values))?, script_pubkey: self.change.clone() }];
        let ranges = || self.loans.iter().flat_map(|ending| ending.loan.ranges());
        outputs.extend(ranges().map(|range| TxOut { value: range.value, script_pubkey: self.destination.clone() }));
        outputs.extend(self.loans.iter().map(|ending| ending.loan.payout.clone()));
        let destinations: Vec<_> = (1..).zip(self.loans.iter().flat_map(pledges)).collect();
        outputs.extend(runestone(&destinations).as_ref().map(runestone_output));
        let assembly = Assembly {
            version: self.version,
            spends: self.spends(),
            outputs,
            found: sum(others.iter().chain(self.funding).map(values))?,
            due: sum(self.loans.iter().map(|ending| ending.loan.payout.value))?,
            change: self.change,
            fee_rate: self.fee_rate,
            unconfirmed: self.unconfirmed,
        };
        let template = assembly.finish()?;
        self.check(&template)?;
        Ok(template)
    }

    /// The number of pads before the escrows: as many as outputs before the payouts.
    fn front_pads(&self) -> usize {
        1 + self.loans.iter().map(|ending| ending.loan.pledge.range_count()).sum::<usize>()
    }

    fn spends(&self) -> Vec<Spend<'_>> {
        let (front, others) = self.pads.split_at(self.pads.len().min(self.front_pads()));
        let escrows = self.loans.iter().map(|ending| ending.loan.spend());
        let paying = others.iter().chain(self.funding).map(Spend::Coin);
        front.iter().map(Spend::Coin).chain(escrows).chain(paying).collect()
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), RepaymentFault> {
        let payouts = self.loans.iter().map(|ending| ending.payout_index(template));
        let payouts = payouts.collect::<Result<Vec<usize>, PayoutFault>>()?;
        let loans = self.loans.iter().map(|ending| (ending.loan, ending.loan.ranges(), self.destination));
        let loans: Vec<_> = loans.collect();
        let destinations = trace_collateral(template, &loans, runestone)?;
        let arrives = |index: &usize| destinations.iter().any(|(destination, _)| destination == index);
        if let Some(index) = payouts.iter().copied().find(arrives) {
            return Err(RepaymentFault::CollateralPaidOut { index });
        }
        let runestone = runestone(&destinations).as_ref().map(runestone_output);
        let place = runestone_index(template, runestone.as_ref());
        for (index, output) in template.psbt.unsigned_tx.output.iter().enumerate() {
            let is_placed = arrives(&index) || payouts.contains(&index) || place == Some(index);
            if !is_placed && output.script_pubkey != *self.change {
                return Err(RepaymentFault::ForeignOutput { index });
            }
        }
        let spends = self.spends();
        if !template.has_form(self.version, &spends) {
            return Err(RepaymentFault::WrongForm);
        }
        if let Some(index) = template.first_mismatched_input(spends.into_iter()) {
            return Err(RepaymentFault::ForeignInput { index });
        }
        let others = 1 + destinations.len() + payouts.len() + place.iter().len();
        Ok(check_fee(template, self.fee_rate, self.change, others)?)
    }
}

/// The pledge of a loan, once for each output in which it returns.
fn pledges<'a>(ending: &RepayableLoan<'a>) -> impl Iterator<Item = &'a Pledge> + use<'a> {
    let pledge = &ending.loan.pledge;
    std::iter::repeat_n(pledge, pledge.range_count())
}

/// The runestone that returns the runes among these pledges to their outputs; `None` if there are none.
///
/// The first runes follow the pointer, which also catches unexpected runes; the others have an edict each, in the order
/// in which a runestone is read.
fn runestone(destinations: &[(usize, &Pledge)]) -> Option<Runestone> {
    let mut edicts: Vec<Edict> =
        destinations.iter().filter_map(|(destination, pledge)| edict(*destination, pledge)).collect();
    if edicts.is_empty() {
        return None;
    }
    let pointer = Some(edicts.remove(0).output);
    edicts.sort_by_key(|edict| edict.id);
    Some(Runestone { edicts, pointer, ..Runestone::default() })
}
