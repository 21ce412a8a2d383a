//! The source of the ids of new loans.

use std::sync::Arc;

use domain::LoanId;

/// A source of ids that no loan has: randomness, of which 128 bits do not repeat.
#[derive(Clone)]
pub struct LoanIds(Arc<dyn Fn() -> u128 + Send + Sync>);

impl LoanIds {
    /// Ids of a test, whose run is repeated byte by byte.
    #[must_use]
    pub fn of_a_test(draw: impl Fn() -> u128 + Send + Sync + 'static) -> Self {
        Self(Arc::new(draw))
    }

    pub(crate) fn next(&self) -> LoanId {
        LoanId((self.0)())
    }
}

impl Default for LoanIds {
    fn default() -> Self {
        Self(Arc::new(rand::random))
    }
}

impl std::fmt::Debug for LoanIds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoanIds")
    }
}
