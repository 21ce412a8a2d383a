//! How much the miners may be paid.

use bitcoin::FeeRate;
use domain::ProcessType;
use engine::chain::{Chain, ChainError};
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

/// What the beginning of a loan must pay, of what is recommended to be confirmed within so many blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StartShare {
    within_blocks: u16,
    /// When the loan is prepared.
    prepared_percent: u64,
    /// When its borrower has signed: the recommendation may have risen meanwhile.
    signed_percent: u64,
}

/// A vault pays at once, and what it spends is usable again only in a block: nearly what is paid for half an hour.
const INSTANT_START: StartShare = StartShare { within_blocks: 3, prepared_percent: 80, signed_percent: 50 };
/// A lender looks at the loan before signing it, and puts up no more than it takes: half of what is paid for an hour.
const MANUAL_START: StartShare = StartShare { within_blocks: 6, prepared_percent: 50, signed_percent: 25 };

/// At which step the rate of a loan's beginning is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartStep {
    /// It is prepared.
    Prepare,
    /// The borrower has signed.
    Submit,
}

/// The lowest rates at which loans can begin at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartRates {
    /// An instant loan.
    pub instant: FeeRate,
    /// A manual loan.
    pub manual: FeeRate,
}

const fn start_share(process: ProcessType) -> StartShare {
    match process {
        ProcessType::Instant => INSTANT_START,
        ProcessType::Manual => MANUAL_START,
    }
}

/// So many percent of a rate, rounded up.
const fn percent_of(rate: FeeRate, percent: u64) -> FeeRate {
    FeeRate::from_sat_per_kwu(rate.to_sat_per_kwu().saturating_mul(percent).div_ceil(100))
}

/// The lowest rates at which loans can be prepared with the chain as it is.
///
/// # Errors
/// Those of the node.
pub async fn start_rates(chain: &impl Chain) -> Result<StartRates, ChainError> {
    let [instant, manual] = [ProcessType::Instant, ProcessType::Manual].map(start_share);
    Ok(StartRates {
        instant: start_min(chain, instant, StartStep::Prepare).await?,
        manual: start_min(chain, manual, StartStep::Prepare).await?,
    })
}

async fn start_min(chain: &impl Chain, share: StartShare, step: StartStep) -> Result<FeeRate, ChainError> {
    let (floor, estimate) = (chain.fee_rate(FLOOR_BLOCKS).await?, chain.fee_rate(share.within_blocks).await?);
    let percent = match step {
        StartStep::Prepare => share.prepared_percent,
        StartStep::Submit => share.signed_percent,
    };
    Ok(percent_of(estimate, percent).max(floor).max(FEE_RATE_MIN))
}

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
    /// Refuses what the node would refuse at the end, when everybody has signed, and what would keep the lender's money
    /// waiting for a block: a rate below a share of what is recommended.
    pub(crate) async fn check_start_rate(
        &self,
        found: FeeRate,
        process: ProcessType,
        step: StartStep,
    ) -> Result<(), DeskError> {
        self.check_fee_rate(found)?;
        let max = self.rules.fee_rate_max;
        let min = start_min(self.ports.chain(), start_share(process), step).await?.min(max);
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
