//! Bitcoin Core as a source of fee rates, alongside explorers.

use engine::chain::ChainError;

use super::rpc::NAME;
use super::{BLOCKS_AHEAD_MAX, BitcoinCore};
use crate::capability::{Fees, Named, RecommendedFees, UpstreamError, UpstreamFuture};

/// The confirmation targets that are requested: those of explorers, and the longest one.
const BLOCKS: [u16; 4] = [1, 3, 6, BLOCKS_AHEAD_MAX];

impl BitcoinCore {
    async fn recommended_fees(&self) -> Result<RecommendedFees, UpstreamError> {
        let mut milli = [0; BLOCKS.len()];
        for (blocks, milli) in BLOCKS.into_iter().zip(&mut milli) {
            let fees = self.fee_estimate(blocks).await?;
            let unseen = || UpstreamError::Unknown("fees: it has seen too few transactions".to_owned());
            // Four weight units are one virtual byte.
            *milli = fees.estimate.ok_or_else(unseen)?.max(fees.minimum).to_sat_per_kwu().saturating_mul(4);
        }
        let [fastest_milli, half_hour_milli, hour_milli, minimum_milli] = milli;
        Ok(RecommendedFees { fastest_milli, half_hour_milli, hour_milli, minimum_milli })
    }
}

impl Named for BitcoinCore {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_self_hosted(&self) -> bool {
        true
    }
}

impl Fees for BitcoinCore {
    fn fees(&self) -> UpstreamFuture<'_, RecommendedFees> {
        Box::pin(self.recommended_fees())
    }
}

impl From<ChainError> for UpstreamError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Rejected(refusal) => Self::Refused(refusal.to_string()),
            ChainError::Unreachable(why) => Self::Unreachable(why),
            ChainError::InvalidResponse(why) => Self::InvalidResponse(why),
        }
    }
}
