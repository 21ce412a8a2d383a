//! The claim of a loan: after the claim time the lender alone takes the collateral.
//!
//! ```text
//! inputs   escrow            | a coin, if the escrow's sats cannot pay
//! outputs  collateral 1 .. n | its change
//! ```
//! Several inscriptions go to an output each; the last of them pays the fee if no coin does.
//! Runes need no runestone: without one they go to the first output.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, ScriptBuf, TxOut, absolute};
use thiserror::Error;

use super::running_loan::RunningLoan;
use crate::contract::assets::pledge::{InscribedRange, Pledge};
use crate::contract::assets::rune_flow::RuneFlow;
use crate::contract::assets::sat_flow::{SatPlace, arrival};
use crate::contract::transaction::assembly::{WrongFee, check_fee};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::lock::Lock;
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::{Template, fee_of, weight};

/// The index of the collateral among inputs and outputs.
const COLLATERAL: usize = 0;

/// A claim to build.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The loan.
    pub loan: &'a RunningLoan,
    /// A coin of the lender without inscriptions or runes that pays the fee, if the collateral's own sats must not.
    pub fee_coin: Option<&'a Coin>,
    /// The script that receives the collateral.
    pub destination: &'a ScriptBuf,
    /// The script that receives the change.
    pub change: &'a ScriptBuf,
    /// The fee rate that the lender pays.
    pub fee_rate: FeeRate,
}

/// The reason why collateral cannot be claimed in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// After the fee the collateral's output would be dust, or no longer hold the inscription.
    #[error("the collateral's output cannot pay the fee of {wanted}: add a coin")]
    NeedsFeeCoin {
        /// The fee.
        wanted: Amount,
    },
    /// The coin does not pay the fee.
    #[error("the coin holds {found}, and the fee is {wanted}")]
    InsufficientFeeCoin {
        /// The fee.
        wanted: Amount,
        /// The amount found.
        found: Amount,
    },
    /// The coin's script does not match its key.
    #[error("the coin does not belong to the key that must sign for it")]
    ForeignCoin,
    /// The fee coin is the escrow itself.
    #[error("the escrow cannot be the coin that pays the fee")]
    EscrowAsFeeCoin,
    /// The claim time is not a valid locktime, or an amount overflows.
    #[error("an amount or a time is out of range")]
    OutOfRange,
    /// An output below the dust limit.
    #[error("the collateral's output would hold {value}, below the dust limit of {min}")]
    Dust {
        /// The value that it would hold.
        value: Amount,
        /// The minimum.
        min: Amount,
    },
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] ClaimFault),
}

/// A fault that the final check of a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimFault {
    /// The first input is not the escrow, or is not spent by the lender's script.
    #[error("the first input is not the escrow, spent by the lender's script")]
    WrongEscrow,
    /// The locktime is not the claim time, or is not enforced.
    #[error("the transaction is not locked until the claim time")]
    WrongLocktime,
    /// The inscription does not arrive at the lender on its sat.
    #[error("the inscription arrives at {found:?}, not on its sat in the lender's output")]
    InscriptionMisplaced {
        /// The place where it arrives; `None` if it is spent as fee.
        found: Option<SatPlace>,
    },
    /// Not all runes arrive at the lender.
    #[error("{found} of the runes arrive at the lender, and {expected} are pledged")]
    RunesMisplaced {
        /// The pledged amount.
        expected: u128,
        /// The amount that arrives.
        found: u128,
    },
    /// An output is neither the collateral's nor the change.
    #[error("output {index} is not the lender's")]
    ForeignOutput {
        /// Its index.
        index: usize,
    },
    /// The fee is too low or too high.
    #[error(transparent)]
    WrongFee(#[from] WrongFee),
}

impl Claim<'_> {
    /// Builds the transaction, which is valid once the chain's median time has passed the claim time.
    pub fn build(&self) -> Result<Template, ClaimError> {
        let RunningLoan { escrow, outpoint, value, .. } = self.loan;
        let mut spends = vec![escrow.output().spend(*outpoint, *value, escrow.claim_leaf())];
        let ranges = self.loan.ranges();
        let to_lender = |range: &InscribedRange| TxOut { value: range.value, script_pubkey: self.destination.clone() };
        let mut outputs: Vec<TxOut> = ranges.iter().map(to_lender).collect();
        if let Some(coin) = self.fee_coin {
            spends.push(Spend::Coin(coin));
            self.pay_fee_from(coin, &spends, &mut outputs)?;
        } else {
            let wanted = self.fee(&spends, &outputs)?;
            let min = self.destination.minimal_non_dust();
            // The fee is the end of the last range.
            let paying = outputs.last_mut().zip(ranges.last()).ok_or(ClaimError::NeedsFeeCoin { wanted })?;
            let (output, InscribedRange { value, offset }) = paying;
            let left = value.checked_sub(wanted).filter(|left| *left >= min && left > offset);
            output.value = left.ok_or(ClaimError::NeedsFeeCoin { wanted })?;
        }
        let time = absolute::LockTime::from_time(escrow.terms().claim_after).map_err(|_| ClaimError::OutOfRange)?;
        let template = Template::new(Version::TWO, time, &spends, outputs);
        self.check(&template)?;
        Ok(template)
    }

    /// Lets the coin pay: the collateral keeps all its sats, and a rest too small for change adds to the fee.
    fn pay_fee_from(&self, coin: &Coin, spends: &[Spend<'_>], outputs: &mut Vec<TxOut>) -> Result<(), ClaimError> {
        if !coin.matches_key() {
            return Err(ClaimError::ForeignCoin);
        }
        if coin.outpoint == self.loan.outpoint {
            return Err(ClaimError::EscrowAsFeeCoin);
        }
        let min = self.destination.minimal_non_dust();
        if let Some(value) = outputs.iter().map(|output| output.value).find(|value| *value < min) {
            return Err(ClaimError::Dust { value, min });
        }
        let found = coin.output.value;
        let wanted = self.fee(spends, outputs)?;
        let mut change = TxOut { value: Amount::ZERO, script_pubkey: self.change.clone() };
        outputs.push(change.clone());
        let rest = found.checked_sub(self.fee(spends, outputs)?);
        outputs.pop();
        if let Some(rest) = rest.filter(|rest| *rest >= self.change.minimal_non_dust()) {
            change.value = rest;
            outputs.push(change);
        } else if found < wanted {
            return Err(ClaimError::InsufficientFeeCoin { wanted, found });
        }
        Ok(())
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), ClaimFault> {
        let RunningLoan { escrow, outpoint, .. } = self.loan;
        let transaction = &template.psbt.unsigned_tx;
        let input = transaction.input.first().filter(|input| input.previous_output == *outpoint);
        let is_claimed = |lock: &Lock| matches!(lock, Lock::Script(leaf) if **leaf == *escrow.claim_leaf());
        let Some(input) = input.filter(|_| template.locks.first().is_some_and(is_claimed)) else {
            return Err(ClaimFault::WrongEscrow);
        };
        let is_locked_until_claim = transaction.lock_time.to_consensus_u32() == escrow.terms().claim_after;
        if !is_locked_until_claim || !input.sequence.enables_absolute_lock_time() {
            return Err(ClaimFault::WrongLocktime);
        }
        let ranges = self.loan.ranges();
        let outputs = transaction.output.iter().enumerate();
        let mut foreign = outputs.filter(|(index, output)| {
            output.script_pubkey != *if *index < ranges.len() { self.destination } else { self.change }
        });
        if let Some((index, _)) = foreign.next() {
            return Err(ClaimFault::ForeignOutput { index });
        }
        match self.loan.pledge {
            Pledge::Inscription { .. } | Pledge::Inscriptions(_) | Pledge::TransferInscription { .. } => {
                let (inputs, outputs) = (template.input_amounts(), template.output_amounts());
                for ((index, place), range) in self.loan.pledge.offsets().into_iter().enumerate().zip(&ranges) {
                    let found = arrival(&inputs, &outputs, SatPlace { index: COLLATERAL, offset: place });
                    if found != Some(SatPlace { index, offset: range.offset }) {
                        return Err(ClaimFault::InscriptionMisplaced { found });
                    }
                }
            }
            // Without a runestone runes go to the first output.
            Pledge::Runes { id, amount } => {
                let flow = RuneFlow::of([(id, amount)], transaction).unwrap_or_default();
                if !flow.is_exactly([(COLLATERAL, id, amount)]) {
                    return Err(ClaimFault::RunesMisplaced { expected: amount, found: flow.held(COLLATERAL, id) });
                }
            }
        }
        Ok(check_fee(template, self.fee_rate, self.change, ranges.len())?)
    }

    fn fee(&self, spends: &[Spend<'_>], outputs: &[TxOut]) -> Result<Amount, ClaimError> {
        fee_of(weight(spends, outputs), self.fee_rate).ok_or(ClaimError::OutOfRange)
    }
}
