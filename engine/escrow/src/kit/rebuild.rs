//! Recognition of a transaction that was signed elsewhere, by building it again from the kit.
//!
//! No state is kept between handing a transaction out and taking it back: the caller that brings it back names the
//! coins, and the kit either builds the same transaction of them or refuses it.

use bitcoin::{FeeRate, OutPoint, ScriptBuf, Transaction};
use thiserror::Error;

use crate::contract::loan::claim::ClaimError;
use crate::contract::loan::repayable_loan::RepayableLoan;
use crate::contract::loan::repayment::{Repayment, RepaymentError};
use crate::contract::transaction::coin::{Coin, CoinKey};
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::Template;
use crate::contract::vault::vault_exit::ExitError;

/// The reason why a transaction is not one that a kit builds.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RebuildError {
    /// It does not spend the output of this kit.
    #[error("it does not spend {0}, the output of this kit")]
    KitOutputNotSpent(OutPoint),
    /// An input whose contents were not looked up.
    #[error("input {index} spends {outpoint}, which is not one of the coins that were looked up")]
    UnknownInput {
        /// The input's index.
        index: usize,
        /// The output that it spends.
        outpoint: OutPoint,
    },
    /// The kit builds another transaction from these coins.
    #[error("it is not the transaction that this kit builds from these coins: it was altered")]
    Altered,
    /// The kit cannot build a repayment from these coins.
    #[error("no repayment can be built from its coins: {0}")]
    Repayment(#[from] RepaymentError),
    /// The kit cannot build a claim from these coins.
    #[error("no claim can be built from its coins: {0}")]
    Claim(#[from] ClaimError),
    /// The kit cannot build an exit from these outputs.
    #[error("no exit can be built from its outputs: {0}")]
    Exit(#[from] ExitError),
}

/// Rebuilds a repayment of these loans that was handed out before, from the coins that it spends besides the escrows,
/// as the chain has them. All coins belong to the payment key, and the collateral goes to `destination`.
///
/// # Errors
/// If it is any other transaction.
pub fn repayment(
    loans: &[RepayableLoan<'_>],
    payment: &CoinKey,
    destination: &ScriptBuf,
    unsigned: &Transaction,
    coins: &[Coin],
) -> Result<Template, RebuildError> {
    let is_escrow = |outpoint: OutPoint| loans.iter().any(|ending| ending.loan.outpoint == outpoint);
    for ending in loans {
        kit_input(unsigned, ending.loan.outpoint)?;
    }
    let first = unsigned.input.iter().position(|input| is_escrow(input.previous_output)).unwrap_or_default();
    let mut ordered = Vec::with_capacity(coins.len());
    for (index, input) in unsigned.input.iter().enumerate() {
        let outpoint = input.previous_output;
        if !is_escrow(outpoint) {
            let coin = coins.iter().find(|coin| coin.outpoint == outpoint && coin.key == *payment);
            ordered.push(coin.cloned().ok_or(RebuildError::UnknownInput { index, outpoint })?);
        }
    }
    let (pads, funding) = ordered.split_at_checked(first).ok_or(RebuildError::Altered)?;
    let escrows = loans.iter().map(|ending| ending.loan.spend());
    let spends: Vec<_> = pads.iter().map(Spend::Coin).chain(escrows).chain(funding.iter().map(Spend::Coin)).collect();
    let (fee_rate, change) = (rate(unsigned, &spends)?, payment.script_pubkey());
    let version = unsigned.version;
    let repayment =
        Repayment { loans, version, pads, funding, unconfirmed: &[], destination, change: &change, fee_rate };
    same(repayment.build()?, unsigned)
}

/// The fee rate that a transaction was built at: the highest one that does not require more than the fee it pays.
pub(super) fn rate(unsigned: &Transaction, spends: &[Spend<'_>]) -> Result<FeeRate, RebuildError> {
    let template = Template::new(unsigned.version, unsigned.lock_time, spends, unsigned.output.clone());
    let (fee, weight) = (template.fee().ok_or(RebuildError::Altered)?, template.weight.to_wu());
    let per_kwu = fee.to_sat().checked_mul(1_000).and_then(|scaled| scaled.checked_div(weight));
    per_kwu.map(FeeRate::from_sat_per_kwu).ok_or(RebuildError::Altered)
}

/// Returns the template if it is of this transaction.
pub(super) fn same(template: Template, unsigned: &Transaction) -> Result<Template, RebuildError> {
    if template.psbt.unsigned_tx == *unsigned { Ok(template) } else { Err(RebuildError::Altered) }
}

/// The index of the input that spends the output of this kit.
pub(super) fn kit_input(unsigned: &Transaction, outpoint: OutPoint) -> Result<usize, RebuildError> {
    let index = unsigned.input.iter().position(|input| input.previous_output == outpoint);
    index.ok_or(RebuildError::KitOutputNotSpent(outpoint))
}
