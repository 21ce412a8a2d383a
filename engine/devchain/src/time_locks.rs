//! Time locks of transactions.

use bitcoin::absolute::LOCK_TIME_THRESHOLD;
use bitcoin::{Sequence, Transaction, relative};

use super::coin::Coin;

/// The unit of a relative lock by time, in seconds.
const SECONDS_PER_UNIT: u32 = 512;

/// Whether the locktime allows the transaction in a block at this height, given the median time past of the block
/// before (BIP-113).
pub(crate) fn is_final(transaction: &Transaction, height: u32, median_time_seconds: u32) -> bool {
    let lock = transaction.lock_time.to_consensus_u32();
    let reached = if lock < LOCK_TIME_THRESHOLD { height } else { median_time_seconds };
    lock == 0 || lock < reached || transaction.input.iter().all(|input| input.sequence == Sequence::MAX)
}

/// Whether every input is old enough for its sequence to be in a block at this height (BIP-68); one coin for each
/// input. `median_time_at` gives the median time past of the block at a height.
pub(crate) fn is_sequence_final(
    transaction: &Transaction,
    coins: &[Coin],
    height: u32,
    median_time_at: impl Fn(u32) -> u32,
) -> bool {
    // This rule takes versions as unsigned.
    if transaction.version.0.cast_unsigned() < 2 {
        return true;
    }
    transaction.input.iter().zip(coins).all(|(input, coin)| match input.sequence.to_relative_lock_time() {
        None => true,
        Some(relative::LockTime::Blocks(blocks)) => coin.height.saturating_add(u32::from(blocks.value())) <= height,
        Some(relative::LockTime::Time(units)) => {
            // A coin's age counts from the median time past of the block before its own.
            let born = median_time_at(coin.height.saturating_sub(1));
            let age = u32::from(units.value()).saturating_mul(SECONDS_PER_UNIT);
            born.saturating_add(age) <= median_time_at(height.saturating_sub(1))
        }
    })
}
