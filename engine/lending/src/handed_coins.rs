//! Which outputs of vaults and of lenders' wallets borrowers were handed a moment ago.
//!
//! An output may be handed to several borrowers, and only one of their loans can take it. This keeps them apart as long
//! as there are enough; it is a courtesy and no promise, so it is not journaled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use domain::{Outpoint, UnixMs};
use escrow::contract::coin::Coin;

use crate::outpoint;

/// More than this many are not remembered.
const REMEMBERED_MAX: usize = 100_000;

/// Outputs that somebody may be signing for.
#[derive(Debug, Default)]
pub struct HandedCoins(Mutex<BTreeMap<Outpoint, UnixMs>>);

/// What names an output.
pub trait Handed {
    /// Which.
    fn outpoint(&self) -> Outpoint;
}

impl Handed for Outpoint {
    fn outpoint(&self) -> Outpoint {
        *self
    }
}

impl Handed for Coin {
    fn outpoint(&self) -> Outpoint {
        outpoint::to_domain(self.outpoint)
    }
}

impl HandedCoins {
    /// Lets somebody choose among outputs, told which were handed out and can still be signed for, and remembers the
    /// choice until then. Nobody else chooses meanwhile: two at once would choose the same.
    ///
    /// # Errors
    /// Those of the choice; then nothing is remembered.
    pub fn choose<C: Handed, E>(
        &self,
        now: UnixMs,
        until: UnixMs,
        choice: impl FnOnce(&BTreeSet<Outpoint>) -> Result<Vec<C>, E>,
    ) -> Result<Vec<C>, E> {
        let mut handed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handed.retain(|_, until| *until > now);
        let chosen = choice(&handed.keys().copied().collect())?;
        for output in &chosen {
            if handed.len() < REMEMBERED_MAX {
                handed.insert(output.outpoint(), until);
            }
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMs = UnixMs(1_000);

    fn output(number: u32) -> Outpoint {
        Outpoint { txid: [7; 32], vout: number }
    }

    /// The lowest output that is not avoided.
    fn lowest(avoiding: &BTreeSet<Outpoint>) -> Result<Vec<Outpoint>, ()> {
        (0..1_000).map(output).find(|output| !avoiding.contains(output)).map(|output| vec![output]).ok_or(())
    }

    #[test]
    fn people_who_choose_at_the_same_time_choose_different_outputs() {
        let handed = HandedCoins::default();
        let choose = || handed.choose(NOW, NOW.plus_ms(1), lowest).unwrap();
        let chosen: BTreeSet<Outpoint> = std::thread::scope(|scope| {
            let choosing: Vec<_> =
                (0..8).map(|_| scope.spawn(|| (0..50).flat_map(|_| choose()).collect::<Vec<_>>())).collect();
            choosing.into_iter().flat_map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(chosen, (0..400).map(output).collect());
    }

    #[test]
    fn an_output_is_free_again_in_time_and_where_nothing_was_chosen() {
        let handed = HandedCoins::default();
        assert_eq!(handed.choose(NOW, NOW.plus_ms(5), |_| Err::<Vec<Outpoint>, _>(())), Err(()));
        assert_eq!(handed.choose(NOW, NOW.plus_ms(5), lowest), Ok(vec![output(0)]));
        assert_eq!(handed.choose(NOW.plus_ms(4), NOW.plus_ms(5), lowest), Ok(vec![output(1)]));
        assert_eq!(handed.choose(NOW.plus_ms(5), NOW.plus_ms(9), lowest), Ok(vec![output(0)]));
    }
}
