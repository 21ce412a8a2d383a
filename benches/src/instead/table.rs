//! The rows of the table before the first order.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    market::{MANUAL_RANKINGS, manual_principal},
    planner::lenders_for,
};

/// The first lender of those whose offers are there from the beginning.
const LENDERS_FROM: usize = 1_000_000;

/// An offer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) lender: i64,
    pub(super) sub_collection: i16,
    pub(super) principal: i64,
}

/// The offers of other lenders, as in the books of the other measurements.
pub(super) fn filling(seed: u64, offers: usize) -> Vec<Row> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let lenders = lenders_for(offers).max(1);
    let row = |_| Row {
        lender: i64::try_from(LENDERS_FROM + rng.random_range(0..lenders)).expect("few lenders"),
        sub_collection: i16::try_from(rng.random_range(0..MANUAL_RANKINGS)).expect("few sub-collections"),
        principal: i64::try_from(manual_principal(&mut rng)).expect("less than all bitcoins"),
    };
    (0..offers).map(row).collect()
}
