//! The other end of a loan: after the claim time the lender alone takes the collateral.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, ScriptBuf, TxOut, absolute};
use thiserror::Error;

use super::coin::Coin;
use super::running_loan::RunningLoan;
use super::sat_flow::{SatPlace, arrival};
use super::template::{Spend, Template, fee_of, weight};

/// What shall happen.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// Which loan.
    pub loan: &'a RunningLoan,
    /// A coin of the lender that pays the fee, where the collateral's own sats must not.
    pub fee_coin: Option<&'a Coin>,
    /// Where the collateral goes.
    pub home: &'a ScriptBuf,
    /// Where change goes.
    pub change: &'a ScriptBuf,
    /// What the lender pays the miners.
    pub fee_rate: FeeRate,
}

/// Why collateral cannot be claimed like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// The collateral's output cannot pay the fee and still be relayed, or still hold the inscription.
    #[error("the collateral's output has no {wanted} to spare for the fee: add a coin")]
    NeedsFeeCoin {
        /// The fee.
        wanted: Amount,
    },
    /// The coin does not pay the fee.
    #[error("the coin holds {found}, and the fee is {wanted}")]
    FeeCoinShort {
        /// The fee.
        wanted: Amount,
        /// What there is.
        found: Amount,
    },
    /// The coin's script is not the one of its key.
    #[error("the coin does not belong to the key that shall sign for it")]
    ForeignCoin,
    /// No such time, or more than all money.
    #[error("an amount or a time is out of range")]
    OutOfRange,
    /// The finished transaction would lose the inscription: nobody gets to see it.
    #[error("the inscription would arrive at {found:?}")]
    InscriptionAstray {
        /// Where it would arrive.
        found: Option<SatPlace>,
    },
}

impl Claim<'_> {
    /// The transaction; valid once the chain's median time has passed the claim time.
    pub fn build(&self) -> Result<Template, ClaimError> {
        let RunningLoan { escrow, outpoint, value, .. } = self.loan;
        let mut spends = vec![escrow.output().spend(*outpoint, *value, escrow.claim_leaf())];
        let mut outputs = vec![TxOut { value: *value, script_pubkey: self.home.clone() }];
        let min = self.home.minimal_non_dust();
        if let Some(coin) = self.fee_coin {
            if !coin.is_its_keys() {
                return Err(ClaimError::ForeignCoin);
            }
            spends.push(Spend::Coin(coin));
            let found = coin.output.value;
            let bare = self.fee(&spends, &outputs)?;
            outputs.push(TxOut { value: Amount::ZERO, script_pubkey: self.change.clone() });
            let rest = found.checked_sub(self.fee(&spends, &outputs)?);
            match rest.filter(|rest| *rest >= self.change.minimal_non_dust()) {
                Some(rest) => outputs[1].value = rest,
                None if found >= bare => {
                    outputs.pop();
                }
                None => return Err(ClaimError::FeeCoinShort { wanted: bare, found }),
            }
        } else {
            let wanted = self.fee(&spends, &outputs)?;
            let offset = self.loan.pledge.offset();
            let holds = |left: Amount| left >= min && offset.is_none_or(|offset| left > offset);
            let left = value.checked_sub(wanted).filter(|left| holds(*left));
            outputs[0].value = left.ok_or(ClaimError::NeedsFeeCoin { wanted })?;
        }
        let time = absolute::LockTime::from_time(escrow.terms().claim_after).map_err(|_| ClaimError::OutOfRange)?;
        let template = Template::new(Version::TWO, time, &spends, outputs);
        // Runes need no sat: without a runestone they go to the first output.
        let Some(offset) = self.loan.pledge.offset() else { return Ok(template) };
        let place = SatPlace { index: 0, offset };
        let found = arrival(&template.input_amounts(), &template.output_amounts(), place);
        if found == Some(place) { Ok(template) } else { Err(ClaimError::InscriptionAstray { found }) }
    }

    fn fee(&self, spends: &[Spend<'_>], outputs: &[TxOut]) -> Result<Amount, ClaimError> {
        fee_of(weight(spends, outputs), self.fee_rate).ok_or(ClaimError::OutOfRange)
    }
}
