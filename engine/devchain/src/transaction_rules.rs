//! The consensus rules of a transaction and of its inputs.

use std::collections::BTreeSet;

use bitcoin::{Amount, Transaction, Weight};

use super::coin::Coin;
use super::reject_reason::RejectReason;

/// The weight of a byte outside of witnesses.
const WITNESS_SCALE: usize = 4;
/// The allowed lengths of a coinbase script.
const COINBASE_SCRIPT_LENGTHS: std::ops::RangeInclusive<usize> = 2..=100;

/// Checks a transaction on its own.
pub(crate) fn check_shape(transaction: &Transaction) -> Result<(), RejectReason> {
    if transaction.input.is_empty() {
        return Err(RejectReason::NoInputs);
    }
    if transaction.output.is_empty() {
        return Err(RejectReason::NoOutputs);
    }
    let base_weight = u64::try_from(transaction.base_size().saturating_mul(WITNESS_SCALE)).unwrap_or(u64::MAX);
    if base_weight > Weight::MAX_BLOCK.to_wu() {
        return Err(RejectReason::Oversize);
    }
    let mut total = Amount::ZERO;
    for output in &transaction.output {
        if i64::try_from(output.value.to_sat()).is_err() {
            return Err(RejectReason::OutputNegative);
        }
        if output.value > Amount::MAX_MONEY {
            return Err(RejectReason::OutputTooLarge);
        }
        total = total.checked_add(output.value).ok_or(RejectReason::TotalTooLarge)?;
        if total > Amount::MAX_MONEY {
            return Err(RejectReason::TotalTooLarge);
        }
    }
    let mut spent = BTreeSet::new();
    if !transaction.input.iter().all(|input| spent.insert(input.previous_output)) {
        return Err(RejectReason::DuplicateInput);
    }
    if transaction.is_coinbase() {
        return if COINBASE_SCRIPT_LENGTHS.contains(&transaction.input[0].script_sig.len()) {
            Ok(())
        } else {
            Err(RejectReason::CoinbaseLength)
        };
    }
    if transaction.input.iter().any(|input| input.previous_output.is_null()) {
        return Err(RejectReason::NullInput);
    }
    Ok(())
}

/// Returns the fee of a transaction in a block at this height, after checking the coins, one for each input.
pub(crate) fn fee(transaction: &Transaction, coins: &[Coin], height: u32) -> Result<Amount, RejectReason> {
    let mut inputs = Amount::ZERO;
    for coin in coins {
        if !coin.is_mature_at(height) {
            return Err(RejectReason::ImmatureCoinbase);
        }
        inputs = inputs.checked_add(coin.output.value).ok_or(RejectReason::InputsOutOfRange)?;
        if inputs > Amount::MAX_MONEY {
            return Err(RejectReason::InputsOutOfRange);
        }
    }
    let outputs = transaction.output.iter().try_fold(Amount::ZERO, |sum, output| sum.checked_add(output.value));
    inputs.checked_sub(outputs.ok_or(RejectReason::TotalTooLarge)?).ok_or(RejectReason::InBelowOut)
}

#[cfg(test)]
mod tests {
    use bitcoin::{ScriptBuf, TxOut, absolute, transaction};

    use super::*;

    #[test]
    fn inputs_above_the_maximum_amount_of_money_are_refused() {
        let output = TxOut { value: Amount::MAX_MONEY, script_pubkey: ScriptBuf::new() };
        let coin = Coin { output: output.clone(), height: 1, is_coinbase: false };
        let transaction = Transaction {
            version: transaction::Version::TWO,
            lock_time: absolute::LockTime::ZERO,
            input: Vec::new(),
            output: vec![output],
        };
        assert_eq!(fee(&transaction, std::slice::from_ref(&coin), 2), Ok(Amount::ZERO));
        assert_eq!(fee(&transaction, &[coin.clone(), coin], 2), Err(RejectReason::InputsOutOfRange));
    }
}
