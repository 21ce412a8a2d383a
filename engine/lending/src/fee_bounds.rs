//! How much the miners may be paid.

use bitcoin::FeeRate;
use engine::chain::{Chain as _, ChainError};
use thiserror::Error;

use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::ports::Ports;

/// The least that nodes send on: 0.1 sats a virtual byte.
pub const FEE_RATE_MIN: FeeRate = FeeRate::from_sat_per_kwu(25);
/// No transaction out of a wallet or a vault pays more: 500 sats a virtual byte.
pub const FEE_RATE_MAX: FeeRate = FeeRate::from_sat_per_kwu(125_000);
/// Where nearly nothing waits the node recommends next to nothing; three times that would keep people from paying what
/// is still next to nothing. This counts as recommended: 1 sat a virtual byte.
const RECOMMENDED_MIN: FeeRate = FeeRate::from_sat_per_kwu(250);
/// What a transaction must pay that need not be in a block for a week: the least that the node still takes.
const FLOOR_BLOCKS: u16 = 1_008;
/// How many times the recommendation somebody may pay.
const TIMES_MAX: u64 = 3;

/// A fee rate that nobody means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the fee rate is {} sats per kwu, and may be {} to {}", found.to_sat_per_kwu(), min.to_sat_per_kwu(), max.to_sat_per_kwu())]
pub struct FeeRateOutOfBounds {
    /// The lowest.
    pub min: FeeRate,
    /// The highest at this moment.
    pub max: FeeRate,
    /// What was asked for.
    pub found: FeeRate,
}

/// Holds a rate against what the node recommends for the next block, and against the most that is ever paid.
///
/// # Errors
/// [`FeeRateOutOfBounds`].
pub fn check(found: FeeRate, recommended: FeeRate, most: FeeRate) -> Result<(), FeeRateOutOfBounds> {
    let times = recommended.max(RECOMMENDED_MIN).to_sat_per_kwu().saturating_mul(TIMES_MAX);
    let max = FeeRate::from_sat_per_kwu(times).min(FEE_RATE_MAX).min(most);
    if (FEE_RATE_MIN..=max).contains(&found) {
        Ok(())
    } else {
        Err(FeeRateOutOfBounds { min: FEE_RATE_MIN, max, found })
    }
}

impl<P: Ports> Desk<P> {
    /// Refuses what would be refused by the node at the end, when everybody has signed: a rate below what it takes at
    /// all.
    pub(crate) async fn check_start_rate(&self, found: FeeRate) -> Result<(), DeskError> {
        self.check_fee_rate(found)?;
        let (floor, max) = (self.ports.chain().fee_rate(FLOOR_BLOCKS).await?, self.rules.fee_rate_max);
        let min = floor.clamp(FEE_RATE_MIN.min(max), max);
        if found < min { Err(DeskError::FeeRate { min, max }) } else { Ok(()) }
    }

    /// What a transaction should pay to be in the next block.
    ///
    /// # Errors
    /// Those of the node.
    pub async fn recommended_rate(&self) -> Result<FeeRate, ChainError> {
        self.ports.chain().fee_rate(1).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rate(per_kwu: u64) -> FeeRate {
        FeeRate::from_sat_per_kwu(per_kwu)
    }

    #[test]
    fn a_rate_lies_between_what_nodes_send_on_and_three_times_what_they_recommend() {
        for (recommended, max) in [(25, 750), (250, 750), (251, 753), (10_000, 30_000), (100_000, 125_000)] {
            for found in [25, 26, max - 1, max] {
                assert_eq!(check(rate(found), rate(recommended), FeeRate::MAX), Ok(()), "{found} of {recommended}");
            }
            for found in [0, 24, max + 1, u64::MAX] {
                let refused = FeeRateOutOfBounds { min: rate(25), max: rate(max), found: rate(found) };
                assert_eq!(check(rate(found), rate(recommended), FeeRate::MAX), Err(refused));
            }
        }
        assert_eq!(check(rate(101), rate(250), rate(100)).map_err(|refused| refused.max), Err(rate(100)));
    }
}
