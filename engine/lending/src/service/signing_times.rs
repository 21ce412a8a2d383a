//! The time that each party has to sign.

use domain::UnixMs;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;

/// The time for which a prepared loan without a reservation can be signed, in milliseconds.
pub(crate) const SOFT_RESERVATION_MS: u64 = 5 * 60 * 1_000;
/// The time for which offer, collateral and coins are reserved for a borrower, until the vault signer has signed or the
/// borrower has signed rebuilt transactions; in milliseconds.
pub(crate) const BORROWER_SIGNING_MS: u64 = 15 * 60 * 1_000;
/// The time that a lender has to counter-sign, in milliseconds.
pub(crate) const LENDER_SIGNING_MS: u64 = 12 * 60 * 60 * 1_000;

impl<P: Ports> LoanService<P> {
    /// Returns the deadline of the party that acts next, limited so that neither term nor grace period is cut.
    pub(crate) fn signing_deadline(&self, allowance_ms: u64, sign_by: UnixMs) -> UnixMs {
        self.market.now().plus_ms(allowance_ms).min(sign_by)
    }
}
