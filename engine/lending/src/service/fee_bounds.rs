//! Bounds of the fee rates.

use bitcoin::FeeRate;
use domain::ProcessType;
use engine::chain::{Chain, ChainError};
use thiserror::Error;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

/// The lowest fee rate that nodes relay: 0.1 sats per virtual byte.
pub const FEE_RATE_MIN: FeeRate = FeeRate::from_sat_per_kwu(25);
/// The highest fee rate of a deposit, a withdrawal and other payments outside of loans: 500 sats per virtual byte. That of a
/// loan is [`crate::service::loan_service::LoanRules::fee_rate_max`].
pub const FEE_RATE_MAX: FeeRate = FeeRate::from_sat_per_kwu(125_000);
/// The recommendation is taken as at least this: 1 sat per virtual byte. With a nearly empty mempool the node
/// recommends next to nothing, and three times that would forbid rates that are still next to nothing.
const RECOMMENDED_MIN: FeeRate = FeeRate::from_sat_per_kwu(250);
/// The confirmation target of the lowest rate that the node still accepts: one week, in blocks.
const FLOOR_BLOCKS: u16 = 1_008;
/// The largest allowed multiple of the recommended rate.
const TIMES_MAX: u64 = 3;

/// The lowest fee rate of an origination, as a share of the rate recommended for confirmation within `within_blocks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MinimumShare {
    within_blocks: u16,
    /// The percentage when the loan is prepared.
    prepared_percent: u64,
    /// The percentage when its borrower has signed: the recommendation may have risen meanwhile.
    signed_percent: u64,
}

/// An instant loan takes the vault's outputs at once, and its change is usable only after confirmation: nearly the rate
/// for half an hour.
const INSTANT_MINIMUM: MinimumShare = MinimumShare { within_blocks: 3, prepared_percent: 80, signed_percent: 50 };
/// A lender sees the loan before counter-signing and commits no more than the principal: half the rate for one hour.
const MANUAL_MINIMUM: MinimumShare = MinimumShare { within_blocks: 6, prepared_percent: 50, signed_percent: 25 };

/// The step at which an origination's fee rate is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginationStep {
    /// The loan is prepared.
    Prepare,
    /// The borrower has signed.
    Submit,
}

/// The lowest fee rates at which loans can be originated now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginationRates {
    /// The rate for an instant loan.
    pub instant: FeeRate,
    /// The rate for a manual loan.
    pub manual: FeeRate,
}

const fn minimum_share(process: ProcessType) -> MinimumShare {
    match process {
        ProcessType::Instant => INSTANT_MINIMUM,
        ProcessType::Manual => MANUAL_MINIMUM,
    }
}

/// Returns `percent` percent of a rate, rounded up.
const fn percent_of(rate: FeeRate, percent: u64) -> FeeRate {
    FeeRate::from_sat_per_kwu(rate.to_sat_per_kwu().saturating_mul(percent).div_ceil(100))
}

/// Returns the lowest fee rates at which loans can be prepared at present.
///
/// # Errors
/// Those of the node.
pub async fn origination_rates(chain: &impl Chain) -> Result<OriginationRates, ChainError> {
    let [instant, manual] = [ProcessType::Instant, ProcessType::Manual].map(minimum_share);
    Ok(OriginationRates {
        instant: minimum_rate(chain, instant, OriginationStep::Prepare).await?,
        manual: minimum_rate(chain, manual, OriginationStep::Prepare).await?,
    })
}

async fn minimum_rate(chain: &impl Chain, share: MinimumShare, step: OriginationStep) -> Result<FeeRate, ChainError> {
    let (floor, estimate) = (chain.fee_rate(FLOOR_BLOCKS).await?, chain.fee_rate(share.within_blocks).await?);
    let percent = match step {
        OriginationStep::Prepare => share.prepared_percent,
        OriginationStep::Submit => share.signed_percent,
    };
    Ok(percent_of(estimate, percent).max(floor).max(FEE_RATE_MIN))
}

/// A fee rate out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the fee rate is {} sats per kwu, and may be {} to {}", found.to_sat_per_kwu(), min.to_sat_per_kwu(), max.to_sat_per_kwu())]
pub struct FeeRateOutOfBounds {
    /// The lowest.
    pub min: FeeRate,
    /// The highest at present.
    pub max: FeeRate,
    /// The requested one.
    pub found: FeeRate,
}

/// Checks a fee rate against the node's recommendation for the next block, and against the configured maximum.
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

impl<P: Ports> LoanService<P> {
    /// Refuses an origination's fee rate that the node would refuse after all signatures are made, or that is below the
    /// required share of the recommendation and would leave the principal unconfirmed.
    pub(crate) async fn check_origination_rate(
        &self,
        found: FeeRate,
        process: ProcessType,
        step: OriginationStep,
    ) -> Result<(), LoanServiceError> {
        self.check_fee_rate(found)?;
        let max = self.rules.fee_rate_max;
        let min = minimum_rate(self.ports.chain(), minimum_share(process), step).await?.min(max);
        if found < min { Err(LoanServiceError::FeeRate { min, max }) } else { Ok(()) }
    }

    pub(crate) fn check_fee_rate(&self, found: FeeRate) -> Result<(), LoanServiceError> {
        let (min, max) = (FEE_RATE_MIN, self.rules.fee_rate_max);
        if (min..=max).contains(&found) { Ok(()) } else { Err(LoanServiceError::FeeRate { min, max }) }
    }

    /// Returns the fee rate recommended for confirmation in the next block.
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
    fn a_fee_rate_is_between_the_relay_minimum_and_three_times_the_recommendation() {
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
