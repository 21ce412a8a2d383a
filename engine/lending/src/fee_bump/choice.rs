//! Whether a waiting transaction gets a child, and what the child pays. Pure.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Weight};
use escrow::contract::fee_bump::{VERSION, fee_max, lifting_fee};
use thiserror::Error;

/// Within how many blocks parent and child are meant to be mined: as fast as an instant loan is meant to begin.
pub const TARGET_BLOCKS: u16 = 3;
/// What pays at least so many percent of the target is left alone: estimates move by more from one block to the next.
pub const LOW_PERCENT: u64 = 80;
/// How many blocks a transaction has waited before it gets a child. The next block may be slow in coming, and there is one
/// child only, so it pays what is due when it has turned out that the parent does not.
pub const WAITED_BLOCKS_MIN: u32 = 2;

/// A transaction of a vault that waits for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its version.
    pub version: Version,
    /// What it weighs.
    pub weight: Weight,
    /// What it pays the miners.
    pub paid: Amount,
}

/// Why a transaction gets no child now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoBump {
    /// Nodes relay no child to it.
    #[error("its version is {}, and a child has {}", .0.0, VERSION.0)]
    OtherVersion(Version),
    /// It pays nearly what is recommended, or more.
    #[error("it pays {paid}, and less than {low} would be little")]
    PaysEnough {
        /// What it pays.
        paid: Amount,
        /// What would be low.
        low: Amount,
    },
    /// A child would have to pay more than any may.
    #[error("a child would pay {fee}, and may pay {max}")]
    TooDear {
        /// What it would pay.
        fee: Amount,
        /// The most.
        max: Amount,
    },
    /// A block has it, or the node has it not.
    #[error("it does not wait for a block")]
    NotWaiting,
    /// It has a child, gives nothing back, or gave back what is not there.
    #[error("no output of its change can be spent by a child")]
    NoChange,
    /// What it spends waits itself: a child would have to pay for that, too.
    #[error("it spends what waits for a block itself")]
    WaitingInput,
}

/// What a child of this weight pays that spends so much.
///
/// What children of others have added is not looked at: the cheapest of them would keep the vault's away.
///
/// # Errors
/// [`NoBump`].
pub fn fee(parent: Parent, child: Weight, target: FeeRate, held: Amount) -> Result<Amount, NoBump> {
    let Parent { version, weight, paid } = parent;
    if version != VERSION {
        return Err(NoBump::OtherVersion(version));
    }
    let low = FeeRate::from_sat_per_kwu(target.to_sat_per_kwu().saturating_mul(LOW_PERCENT) / 100);
    let low = low.fee_wu(weight).unwrap_or(Amount::MAX_MONEY);
    if paid >= low {
        return Err(NoBump::PaysEnough { paid, low });
    }
    let fee = lifting_fee((weight, paid), child, target).unwrap_or(Amount::MAX_MONEY);
    let max = fee_max(held);
    if fee > max { Err(NoBump::TooDear { fee, max }) } else { Ok(fee) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHILD: Weight = Weight::from_wu(550);

    fn parent(weight: u64, paid: u64) -> Parent {
        Parent { version: VERSION, weight: Weight::from_wu(weight), paid: Amount::from_sat(paid) }
    }

    #[test]
    fn a_child_pays_what_is_missing_or_there_is_none_and_a_reason() {
        let (rate, held) = (FeeRate::from_sat_per_kwu(10_000), Amount::from_sat(500_000));
        let fee = |parent, held| fee(parent, CHILD, rate, held);
        assert_eq!(fee(parent(1_450, 1_000), held), Ok(Amount::from_sat(19_000)));
        let [paid, low] = [11_600, 11_600].map(Amount::from_sat);
        assert_eq!(fee(parent(1_450, 11_600), held), Err(NoBump::PaysEnough { paid, low }));
        assert_eq!(fee(parent(1_450, 11_599), held), Ok(Amount::from_sat(8_401)));
        let [dear, max] = [19_000, 18_999].map(Amount::from_sat);
        let short = Amount::from_sat(189_999);
        assert_eq!(fee(parent(1_450, 1_000), short), Err(NoBump::TooDear { fee: dear, max }));
        let truc = Parent { version: Version(3), ..parent(1_450, 1_000) };
        assert_eq!(fee(truc, held), Err(NoBump::OtherVersion(Version(3))));
    }

    proptest! {
        #[test]
        fn a_package_pays_the_target_within_the_ceiling_or_nothing_is_paid(
            weight in 400_u64..400_000, paid in 0_u64..10_000_000, target in 25_u64..125_000, held in 0_u64..100_000_000,
        ) {
            let (rate, held) = (FeeRate::from_sat_per_kwu(target), Amount::from_sat(held));
            let due = rate.fee_wu(Weight::from_wu(weight) + CHILD).unwrap().to_sat();
            match fee(parent(weight, paid), CHILD, rate, held) {
                Ok(fee) => {
                    prop_assert_eq!(fee.to_sat() + paid, due);
                    prop_assert!(fee <= fee_max(held));
                }
                Err(NoBump::PaysEnough { .. }) => prop_assert!(paid * 1_000 / weight + 1 >= target * LOW_PERCENT / 100),
                Err(NoBump::TooDear { fee, max }) => prop_assert!(fee > max && fee.to_sat() + paid == due),
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }
}
