//! Coin selection: the vault outputs that pay for a loan or a withdrawal.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{Vault, VaultRejection};
use crate::{Outpoint, Sats};

/// The maximum number of outputs that one transaction spends, which is the signer's limit.
pub const COINS_MAX: usize = 64;

/// The minimum change: nodes relay no smaller output to a taproot script.
const CHANGE_MIN: Sats = Sats::new(330);

impl Vault {
    /// Selects free outputs that together hold `amount`. Those in `avoid`, which were already proposed for another
    /// transaction, are taken only where the others do not suffice: then the first to submit wins.
    ///
    /// One output if one suffices, the smallest that leaves no change or enough for it; else the largest first, so that
    /// few are spent, and as the last one the smallest that suffices.
    ///
    /// # Errors
    /// [`VaultRejection::Insufficient`], [`VaultRejection::TooManyInputs`].
    pub fn select_coins(&self, amount: Sats, avoid: &BTreeSet<Outpoint>) -> Result<Vec<Outpoint>, VaultRejection> {
        let mut free: Vec<(bool, Sats, Outpoint)> = self
            .outputs()
            .filter(|(_, output)| output.is_free())
            .map(|(outpoint, output)| (avoid.contains(&outpoint), output.amount, outpoint))
            .collect();
        let leaves_enough = |held: Sats| held == amount || held.saturating_sub(amount) >= CHANGE_MIN;
        let single = free.iter().filter(|(avoided, held, _)| !avoided && leaves_enough(*held));
        if let Some((_, _, outpoint)) = single.min_by_key(|(_, held, outpoint)| (*held, *outpoint)) {
            return Ok(vec![*outpoint]);
        }
        free.sort_unstable_by_key(|(avoided, held, outpoint)| (*avoided, Reverse(*held), *outpoint));
        if let Some(chosen) = accumulate(&free, amount) {
            return Ok(chosen);
        }
        // Many small outputs may fail where one large output that is to be avoided suffices.
        free.sort_unstable_by_key(|(_, held, outpoint)| (Reverse(*held), *outpoint));
        accumulate(&free, amount).ok_or_else(|| {
            let all = free.iter().map(|(_, held, _)| *held).sum();
            if all < amount {
                return VaultRejection::Insufficient { needed: amount, usable: all };
            }
            let found = free.iter().take(COINS_MAX).map(|(_, held, _)| *held).sum();
            VaultRejection::TooManyInputs { needed: amount, found, max: COINS_MAX }
        })
    }
}

/// The first of these that suffice, and one more where it makes the change large enough. In place of the last one, the
/// smallest that also suffices is taken, so that larger ones stay usable.
fn accumulate(free: &[(bool, Sats, Outpoint)], amount: Sats) -> Option<Vec<Outpoint>> {
    let mut held = Sats::ZERO;
    let sums = free.iter().take(COINS_MAX).map(|(_, more, _)| {
        held = held.saturating_add(*more);
        held
    });
    let sums: Vec<Sats> = sums.collect();
    let suffices = |sum: &Sats| *sum >= amount;
    let leaves_enough = |sum: &Sats| *sum == amount || sum.saturating_sub(amount) >= CHANGE_MIN;
    let last = sums.iter().position(leaves_enough).or_else(|| sums.iter().position(suffices))?;
    let (first, rest) = free.split_at(last);
    let before = first.iter().map(|(_, held, _)| *held).sum::<Sats>();
    let is_avoided = rest.first().is_some_and(|(avoided, ..)| *avoided);
    let others = rest.iter().filter(|(avoided, ..)| *avoided == is_avoided);
    let enough = others.filter(|(_, more, _)| leaves_enough(&before.saturating_add(*more)));
    let end = enough.min_by_key(|(_, more, outpoint)| (*more, *outpoint)).or_else(|| rest.first())?;
    Some(first.iter().chain([end]).map(|(_, _, outpoint)| *outpoint).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObservedOutput, Sats};

    fn outpoint(number: u8) -> Outpoint {
        Outpoint { txid: [number; 32], vout: 0 }
    }

    fn vault(held: &[u64]) -> Vault {
        let mut vault = Vault::default();
        for (number, sats) in (1..).zip(held) {
            let observation =
                ObservedOutput::Confirmed { outpoint: outpoint(number), amount: Sats::new(*sats), height: 7 };
            let event = vault.observe(observation).unwrap().unwrap();
            vault.apply(&event);
        }
        vault
    }

    fn selected(vault: &Vault, amount: u64, avoid: &[u8]) -> Result<Vec<u8>, VaultRejection> {
        let avoid = avoid.iter().copied().map(outpoint).collect();
        let chosen = vault.select_coins(Sats::new(amount), &avoid)?;
        Ok(chosen.iter().map(|outpoint| outpoint.txid[0]).collect())
    }

    #[test]
    fn the_smallest_sufficient_output_is_selected_and_avoided_ones_come_last() {
        let vault = vault(&[5_000, 9_000, 20_000]);
        assert_eq!(selected(&vault, 5_000, &[]), Ok(vec![1]));
        assert_eq!(selected(&vault, 4_900, &[]), Ok(vec![2]), "100 sats are too little for change");
        assert_eq!(selected(&vault, 4_670, &[]), Ok(vec![1]));
        assert_eq!(selected(&vault, 4_670, &[1, 2]), Ok(vec![3]));
        assert_eq!(selected(&vault, 4_670, &[1, 2, 3]), Ok(vec![1]), "all of them are to be avoided");
        assert_eq!(selected(&vault, 13_000, &[3]), Ok(vec![2, 1]));
        assert_eq!(selected(&vault, 30_000, &[3]), Ok(vec![2, 1, 3]));
        let mixed = self::vault(&[20_000, 9_000, 5_000, 2_000]);
        assert_eq!(selected(&mixed, 21_000, &[]), Ok(vec![1, 4]), "the others stay usable");
        assert_eq!(selected(&mixed, 21_000, &[4]), Ok(vec![1, 3]));
        assert_eq!(selected(&vault, 33_900, &[]), Ok(vec![3, 2, 1]), "there is nothing else");
        let (needed, usable) = (Sats::new(34_001), Sats::new(34_000));
        assert_eq!(selected(&vault, 34_001, &[]), Err(VaultRejection::Insufficient { needed, usable }));
    }

    #[test]
    fn no_more_outputs_are_taken_than_one_transaction_can_spend() {
        let vault = vault(&[1_000; 120]);
        assert_eq!(selected(&vault, 63_000, &[]).map(|chosen| chosen.len()), Ok(63));
        assert_eq!(selected(&vault, 64_000, &[]).map(|chosen| chosen.len()), Ok(64));
        let (needed, found) = (Sats::new(64_001), Sats::new(64_000));
        assert_eq!(selected(&vault, 64_001, &[]), Err(VaultRejection::TooManyInputs { needed, found, max: COINS_MAX }));
        let mixed = self::vault(&[vec![1_000; 120], vec![150_000]].concat());
        assert_eq!(selected(&mixed, 64_001, &[121]), Ok(vec![121]));
    }
}
