//! The platform's share of the interest, paid by the lender.

use bitcoin::{Amount, TxOut};
use domain::{LoanDeal, LoanTerms, Offer, Sats};

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

/// The platform's share of the interest, in percent.
pub const PLATFORM_SHARE_PERCENT: u64 = 20;

impl<P: Ports> LoanService<P> {
    /// Returns the platform's share of the interest; zero where it would be dust.
    pub(crate) fn platform_fee(&self, interest: Sats) -> Result<Sats, LoanServiceError> {
        let Some(platform) = &self.rules.platform_script else { return Ok(Sats::ZERO) };
        let share = interest.get().checked_mul(PLATFORM_SHARE_PERCENT).ok_or(LoanServiceError::OutOfRange)? / 100;
        let is_dust = Amount::from_sat(share) < platform.minimal_non_dust();
        Ok(if is_dust { Sats::ZERO } else { Sats::new(share) })
    }

    /// Returns the output that pays the platform fee of a deal.
    pub(crate) fn platform_output(&self, deal: &LoanDeal) -> Option<TxOut> {
        let platform = self.rules.platform_script.clone().filter(|_| deal.platform_fee > Sats::ZERO)?;
        Some(TxOut { value: Amount::from_sat(deal.platform_fee.get()), script_pubkey: platform })
    }

    /// Returns the sum that the lender of a manual offer pays into its loan on these terms: principal and platform fee.
    ///
    /// # Errors
    /// [`LoanServiceError::OutOfRange`].
    pub(crate) fn lender_pays_for(&self, offer: &Offer, terms: LoanTerms) -> Result<Amount, LoanServiceError> {
        let interest = terms.interest.of(offer.principal).ok_or(LoanServiceError::OutOfRange)?;
        let wanted = offer.principal.checked_add(self.platform_fee(interest)?).ok_or(LoanServiceError::OutOfRange)?;
        Ok(Amount::from_sat(wanted.get()))
    }
}
