//! The randomness of a run that its seed repeats byte by byte.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bitcoin::hashes::{Hash as _, HashEngine as _, sha256};
use lending::service::loan_ids::LoanIds;
use signer::key_source::KeySource;

/// A source whose draws depend on its seed and their number alone. Clones draw in turns.
#[derive(Clone, Debug)]
pub struct Randomness {
    seed: u64,
    drawn: Arc<AtomicU64>,
}

impl Randomness {
    /// Creates a source.
    pub fn of(seed: u64) -> Self {
        Self { seed, drawn: Arc::default() }
    }

    /// Returns the next 32 bytes.
    pub fn draw(&self) -> [u8; 32] {
        let mut engine = sha256::Hash::engine();
        for number in [self.seed, self.drawn.fetch_add(1, Ordering::Relaxed)] {
            engine.input(&number.to_le_bytes());
        }
        sha256::Hash::from_engine(engine).to_byte_array()
    }

    /// Returns the source of a signer's keys.
    pub fn keys(&self) -> KeySource {
        let own = self.clone();
        KeySource::of_a_test(move || own.draw())
    }

    /// Returns the source of loans' ids.
    pub fn loan_ids(&self) -> LoanIds {
        let own = self.clone();
        LoanIds::of_a_test(move || u128::from_le_bytes(*own.draw().first_chunk().unwrap()))
    }
}
