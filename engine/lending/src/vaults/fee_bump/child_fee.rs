//! The decision whether an unconfirmed transaction gets a child, and the child's fee. Pure.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Weight};
use escrow::contract::vault::fee_bump::{VERSION, child_fee, fee_max};
use thiserror::Error;

/// The confirmation target of parent and child in blocks: as for the origination of an instant loan.
pub const TARGET_BLOCKS: u16 = 3;
/// A transaction that pays at least this percentage of the target gets no child: estimates vary by more between blocks.
pub const LOW_PERCENT: u64 = 80;
/// The number of blocks for which a transaction has waited before it gets a child. The next block may be slow, and
/// there is only one child, so its fee is set when the parent has turned out to pay too little.
pub const WAITED_BLOCKS_MIN: u32 = 2;

/// An unconfirmed transaction of a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its version.
    pub version: Version,
    /// Its weight.
    pub weight: Weight,
    /// Its fee.
    pub paid: Amount,
}

/// The reason why a transaction gets no child now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoBump {
    /// Nodes relay no child of the needed version with it.
    #[error("its version is {}, and a child has {}", .0.0, VERSION.0)]
    OtherVersion(Version),
    /// Its fee is near the recommendation or above.
    #[error("it pays {paid}, at least the threshold of {low}")]
    PaysEnough {
        /// Its fee.
        paid: Amount,
        /// The threshold below which a fee is too low.
        low: Amount,
    },
    /// The child's fee would exceed the maximum.
    #[error("a child would pay {fee}, above the maximum of {max}")]
    TooExpensive {
        /// The fee needed.
        fee: Amount,
        /// The maximum.
        max: Amount,
    },
    /// It is confirmed, or unknown to the node.
    #[error("it is not in the mempool")]
    NotInMempool,
    /// It has a child, has no change, or its change is not there.
    #[error("no output of its change can be spent by a child")]
    NoChange,
    /// Its inputs are unconfirmed too: a child would have to pay for their parents as well.
    #[error("it spends unconfirmed outputs")]
    UnconfirmedInput,
}

/// Returns the fee of a child of this weight that spends an output of `held`.
///
/// Fees of other children are ignored: otherwise the cheapest child by an attacker would block the vault's own.
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
    let fee = child_fee((weight, paid), child, target).unwrap_or(Amount::MAX_MONEY);
    let max = fee_max(held);
    if fee > max { Err(NoBump::TooExpensive { fee, max }) } else { Ok(fee) }
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
    fn a_child_pays_the_missing_fee_or_is_refused_with_a_reason() {
        let (rate, held) = (FeeRate::from_sat_per_kwu(10_000), Amount::from_sat(500_000));
        let fee = |parent, held| fee(parent, CHILD, rate, held);
        assert_eq!(fee(parent(1_450, 1_000), held), Ok(Amount::from_sat(19_000)));
        let [paid, low] = [11_600, 11_600].map(Amount::from_sat);
        assert_eq!(fee(parent(1_450, 11_600), held), Err(NoBump::PaysEnough { paid, low }));
        assert_eq!(fee(parent(1_450, 11_599), held), Ok(Amount::from_sat(8_401)));
        let [expensive, max] = [19_000, 18_999].map(Amount::from_sat);
        let short = Amount::from_sat(189_999);
        assert_eq!(fee(parent(1_450, 1_000), short), Err(NoBump::TooExpensive { fee: expensive, max }));
        let truc = Parent { version: Version(3), ..parent(1_450, 1_000) };
        assert_eq!(fee(truc, held), Err(NoBump::OtherVersion(Version(3))));
    }

    proptest! {
        #[test]
        fn a_package_pays_the_target_within_the_maximum_or_gets_no_child(
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
                Err(NoBump::TooExpensive { fee, max }) => prop_assert!(fee > max && fee.to_sat() + paid == due),
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }
}
