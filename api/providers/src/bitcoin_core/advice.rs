//! Bitcoin Core as a source of fee rates, alongside explorers.

use engine::chain::ChainError;

use super::rpc::NAME;
use super::{BLOCKS_AHEAD_MAX, BitcoinCore};
use crate::capability::{FeeAdvice, Fees, Named, Told};
use crate::fallback::Trouble;

/// The confirmation targets that are requested: those of explorers, and the longest one.
const BLOCKS: [u16; 4] = [1, 3, 6, BLOCKS_AHEAD_MAX];

impl BitcoinCore {
    async fn advice(&self) -> Result<FeeAdvice, Trouble> {
        let mut milli = [0; BLOCKS.len()];
        for (blocks, milli) in BLOCKS.into_iter().zip(&mut milli) {
            let fees = self.fee_estimate(blocks).await?;
            let unseen = || Trouble::Unknown("fees: it has seen too few transactions".to_owned());
            // Four weight units are one virtual byte.
            *milli = fees.estimate.ok_or_else(unseen)?.max(fees.least).to_sat_per_kwu().saturating_mul(4);
        }
        let [fastest_milli, half_hour_milli, hour_milli, minimum_milli] = milli;
        Ok(FeeAdvice { fastest_milli, half_hour_milli, hour_milli, minimum_milli })
    }
}

impl Named for BitcoinCore {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_ours(&self) -> bool {
        true
    }
}

impl Fees for BitcoinCore {
    fn fees(&self) -> Told<'_, FeeAdvice> {
        Box::pin(self.advice())
    }
}

impl From<ChainError> for Trouble {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Refused(refusal) => Self::Refused(refusal.to_string()),
            ChainError::Unreachable(why) => Self::Unreachable(why),
            ChainError::Nonsense(why) => Self::Nonsense(why),
        }
    }
}
