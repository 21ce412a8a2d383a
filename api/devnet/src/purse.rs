//! The funding of simulated users from outside of the market.

use bitcoin::Script;
use domain::Sats;

use crate::operator::{DemoGift, GiveError, Operator};
use crate::tally::{Deed, Tally};

/// Funds a script that holds less than half of `wanted`, with `coins` coins; returns whether it did. The next block
/// confirms them.
pub(crate) async fn fill(
    operator: &impl Operator,
    counters: &Tally,
    script: &Script,
    wanted: Sats,
    coins: u64,
) -> Result<bool, GiveError> {
    let held = operator.purse(script).await?;
    if held.get() >= wanted.get() / 2 {
        return Ok(false);
    }
    let each = Sats::new(wanted.saturating_sub(held).get() / coins.max(1));
    for _ in 0..coins {
        operator.give(script, DemoGift::Coins(each)).await?;
        counters.count(Deed::Gift);
    }
    Ok(true)
}
