//! Coins of people, which come from outside of the market as those of real people do.

use bitcoin::Script;
use domain::Sats;

use crate::operator::{DemoGift, GiveError, Operator};
use crate::tally::{Deed, Tally};

/// Fills a script up when it holds less than half of what is `wanted`, with so many coins; whether it did. They are there
/// after the next block.
pub(crate) async fn fill(
    operator: &impl Operator,
    tally: &Tally,
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
        tally.count(Deed::Gift);
    }
    Ok(true)
}
