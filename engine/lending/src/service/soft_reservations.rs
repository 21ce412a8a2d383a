//! Soft reservations of vault outputs and lenders' coins that borrowers were recently given to sign for.
//!
//! An output may be given to several borrowers, and only one of their loans can take it. Soft reservations give
//! borrowers different outputs while there are enough; they are best effort and not journaled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use domain::{Outpoint, UnixMs};
use engine::locks::MutexExt as _;
use escrow::contract::transaction::coin::Coin;

use crate::records::outpoint;

/// The most soft reservations kept.
const RESERVATIONS_MAX: usize = 100_000;

/// Outputs that borrowers may be signing for, and until when.
#[derive(Debug, Default)]
pub(crate) struct SoftReservations(Mutex<BTreeMap<Outpoint, UnixMs>>);

/// An item with an outpoint.
pub(crate) trait HasOutpoint {
    /// The outpoint.
    fn outpoint(&self) -> Outpoint;
}

impl HasOutpoint for Outpoint {
    fn outpoint(&self) -> Outpoint {
        *self
    }
}

impl HasOutpoint for Coin {
    fn outpoint(&self) -> Outpoint {
        outpoint::to_domain(self.outpoint)
    }
}

impl SoftReservations {
    /// Runs a choice among outputs, given those that are softly reserved now, and reserves the chosen ones until
    /// `until`. Choices are serialized: two concurrent ones would choose the same.
    ///
    /// # Errors
    /// Those of the choice; then nothing is reserved.
    pub(crate) fn choose<C: HasOutpoint, E>(
        &self,
        now: UnixMs,
        until: UnixMs,
        choice: impl FnOnce(&BTreeSet<Outpoint>) -> Result<Vec<C>, E>,
    ) -> Result<Vec<C>, E> {
        let mut reserved = self.0.lock_unpoisoned();
        reserved.retain(|_, until| *until > now);
        let chosen = choice(&reserved.keys().copied().collect())?;
        for output in &chosen {
            if reserved.len() < RESERVATIONS_MAX {
                reserved.insert(output.outpoint(), until);
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

    /// Returns the lowest output that is not to be avoided.
    fn lowest(avoiding: &BTreeSet<Outpoint>) -> Result<Vec<Outpoint>, ()> {
        (0..1_000).map(output).find(|output| !avoiding.contains(output)).map(|output| vec![output]).ok_or(())
    }

    #[test]
    fn concurrent_choices_take_different_outputs() {
        let reserved = SoftReservations::default();
        let choose = || reserved.choose(NOW, NOW.plus_ms(1), lowest).unwrap();
        let chosen: BTreeSet<Outpoint> = std::thread::scope(|scope| {
            let choosing: Vec<_> =
                (0..8).map(|_| scope.spawn(|| (0..50).flat_map(|_| choose()).collect::<Vec<_>>())).collect();
            choosing.into_iter().flat_map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(chosen, (0..400).map(output).collect());
    }

    #[test]
    fn an_output_is_free_again_after_its_time_and_after_a_failed_choice() {
        let reserved = SoftReservations::default();
        assert_eq!(reserved.choose(NOW, NOW.plus_ms(5), |_| Err::<Vec<Outpoint>, _>(())), Err(()));
        assert_eq!(reserved.choose(NOW, NOW.plus_ms(5), lowest), Ok(vec![output(0)]));
        assert_eq!(reserved.choose(NOW.plus_ms(4), NOW.plus_ms(5), lowest), Ok(vec![output(1)]));
        assert_eq!(reserved.choose(NOW.plus_ms(5), NOW.plus_ms(9), lowest), Ok(vec![output(0)]));
    }
}
