//! The single coin that funds a loan against BRC-20: without it the offer cannot be taken.

use bitcoin::Amount;
use domain::{CollateralType, Offer, ProcessType, Role, UserId};
use engine::Refusal;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

/// The coin required at the lender's payment address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FundingCoin {
    /// Its exact value: principal and platform fee, without change.
    pub wanted: Amount,
    /// Whether such a coin is confirmed and unreserved.
    pub is_available: bool,
}

impl<P: Ports> LoanService<P> {
    /// Returns the coin that an offer of this lender requires; `None` where any coins of the lender or of a vault will
    /// do.
    ///
    /// # Errors
    /// [`LoanServiceError::Lookup`] when the lender's holdings are unknown.
    pub async fn funding_coin(&self, lender: UserId, offer: &Offer) -> Result<Option<FundingCoin>, LoanServiceError> {
        let group = self.market.group(offer.id.group()).ok_or(Refusal::UnknownGroup)?;
        if offer.process != ProcessType::Manual || !matches!(group.collateral, CollateralType::Brc20 { .. }) {
            return Ok(None);
        }
        let terms = self.market.loan_terms(offer.id).await?.ok_or(LoanServiceError::UnknownOffer(offer.id))?;
        let wanted = self.lender_pays_for(offer, terms)?;
        let party = self.party(lender, Role::Lender).await?;
        let holdings = self.lookup().holdings(&party.payment).await?;
        let mut coins = holdings.plain().map(|held| &held.coin);
        let is_available = coins.any(|coin| coin.output.value == wanted && self.is_free(coin.outpoint, None));
        Ok(Some(FundingCoin { wanted, is_available }))
    }
}
