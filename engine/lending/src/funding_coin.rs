//! The one coin that funds a loan against BRC-20: without it the offer cannot be taken.

use bitcoin::Amount;
use domain::{CollateralType, Offer, ProcessType, Role, UserId};
use engine::Refusal;

use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::ports::Ports;

/// What one coin at the lender's payment address must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FundingCoin {
    /// Exactly this: principal and platform fee, without change.
    pub wanted: Amount,
    /// Whether a block has such a coin that nothing else was promised.
    pub is_there: bool,
}

impl<P: Ports> Desk<P> {
    /// The coin that an offer of this lender's takes; `None` where it may be any coins of the lender's or of a vault.
    ///
    /// # Errors
    /// [`DeskError::Lookup`], when nobody can say what the lender holds.
    pub async fn funding_coin(&self, lender: UserId, offer: &Offer) -> Result<Option<FundingCoin>, DeskError> {
        let group = self.market.group(offer.id.group()).ok_or(Refusal::UnknownGroup)?;
        if offer.process != ProcessType::Manual || !matches!(group.collateral, CollateralType::Brc20 { .. }) {
            return Ok(None);
        }
        let wanted = self.lender_pays_for(&group, offer)?;
        let party = self.party(lender, Role::Lender).await?;
        let holdings = self.lookup().holdings(&party.payment).await?;
        let mut coins = holdings.plain().map(|held| &held.coin);
        let is_there = coins.any(|coin| coin.output.value == wanted && self.is_free(coin.outpoint, None));
        Ok(Some(FundingCoin { wanted, is_there }))
    }
}
