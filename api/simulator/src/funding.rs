//! The funding of simulated users from outside of the market.

use bitcoin::Script;
use domain::Sats;

use crate::action_counters::{ActionCounters, CountedAction};
use crate::operator::{DemoGift, GiveError, Operator};

/// Funds a script that holds less than half of `wanted`, with `coins` coins; returns whether it did. The next block
/// confirms them.
pub(crate) async fn top_up(
    operator: &impl Operator,
    counters: &ActionCounters,
    script: &Script,
    wanted: Sats,
    coins: u64,
) -> Result<bool, GiveError> {
    let held = operator.balance(script).await?;
    if held.get() >= wanted.get() / 2 {
        return Ok(false);
    }
    let each = Sats::new(wanted.saturating_sub(held).get() / coins.max(1));
    for _ in 0..coins {
        operator.give(script, DemoGift::Coins(each)).await?;
        counters.count(CountedAction::Gift);
    }
    Ok(true)
}
