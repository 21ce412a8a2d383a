//! The source of new ids.

use std::sync::Arc;

use domain::LoanId;

/// Returns an id that no loan has.
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
