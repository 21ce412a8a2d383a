//! The randomness of a run that its seed repeats byte by byte.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use lending::service::loan_ids::LoanIds;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use signer::key_source::KeySource;

/// A generator that several parts of a run draw from in turns. Clones share it.
#[derive(Clone, Debug)]
pub struct Randomness(Arc<Mutex<ChaCha8Rng>>);

impl Randomness {
    /// Creates a generator.
    pub fn of(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(ChaCha8Rng::seed_from_u64(seed))))
    }

    /// Returns whether something happens that happens so many times in a thousand.
    pub fn happens(&self, per_mille: u16) -> bool {
        self.rng().random_ratio(u32::from(per_mille), 1_000)
    }

    /// Returns a time of at most so many milliseconds.
    pub fn milliseconds(&self, max: u64) -> Duration {
        Duration::from_millis(self.rng().random_range(0..=max))
    }

    /// Returns the source of a signer's keys.
    pub fn keys(&self) -> KeySource {
        let own = self.clone();
        KeySource::of_a_test(move || own.rng().random())
    }

    /// Returns the source of loans' ids.
    pub fn loan_ids(&self) -> LoanIds {
        let own = self.clone();
        LoanIds::of_a_test(move || own.rng().random())
    }

    fn rng(&self) -> MutexGuard<'_, ChaCha8Rng> {
        self.0.lock().unwrap()
    }
}
