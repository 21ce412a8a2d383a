//! The collateral of a borrow request, looked up when the request is placed and when it is filled.

use domain::{AssetRejection, BorrowRequest, CollateralType, CollectionGroup, Command, Inscription, Role, UserId};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use escrow::contract::assets::asset_coin::AssetCoin;

use crate::lookups::holdings::InscriptionError;
use crate::lookups::ports::Ports;
use crate::origination::loan_request::{brc20_raw, rune_amount};
use crate::records::outpoint::to_domain;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

impl<P: Ports> LoanService<P> {
    /// Checks that a borrower holds collateral: inscriptions or runes that are confirmed and not pledged for another
    /// loan, or a BRC-20 balance, of which a transfer inscription may be pledged. It is not reserved.
    ///
    /// # Errors
    /// [`LoanServiceError::NoInscription`] where one is to be named, [`LoanServiceError::NotOfCollection`],
    /// [`LoanServiceError::InsufficientTokens`], [`AssetRejection::Pledged`], and those of the lookups.
    pub async fn check_held_collateral(
        &self,
        borrower: UserId,
        inscriptions: &[Inscription],
        raw: u128,
        group: &CollectionGroup,
    ) -> Result<(), LoanServiceError> {
        let borrower = self.party(borrower, Role::Borrower).await?;
        match &group.collateral {
            CollateralType::Inscription => {
                let ids: Vec<InscriptionId> = inscriptions.iter().map(|inscription| (*inscription).into()).collect();
                let coins = self.inscribed_coins(&ids, group.id, &borrower).await?;
                let holder = |coin: &AssetCoin| self.market.reservation_of_output(&to_domain(coin.coin.outpoint));
                match coins.iter().find_map(holder) {
                    Some(holder) => Err(Refusal::Asset(AssetRejection::Pledged(holder)).into()),
                    None => Ok(()),
                }
            }
            CollateralType::Rune { rune_id, .. } => {
                let id = rune_id.parse().map_err(|_| LoanServiceError::UnknownToken)?;
                self.rune_coins(id, raw, &borrower).await.map(drop)
            }
            CollateralType::Brc20 { ticker, decimals } => {
                let wanted = brc20_raw(raw, *decimals)?;
                let balance = self.lookup().brc20_balance(&borrower.ordinals_key(), ticker).await?;
                let found = balance.available.saturating_add(balance.transferable);
                if found < wanted { Err(LoanServiceError::InsufficientTokens { wanted, found }) } else { Ok(()) }
            }
        }
    }

    /// Returns the amount of a collection's token that a borrower holds and no loan uses, in raw units.
    ///
    /// # Errors
    /// [`LoanServiceError::UnknownToken`] in a collection of inscriptions, and those of the lookups.
    pub async fn held_tokens(&self, borrower: UserId, group: &CollectionGroup) -> Result<u128, LoanServiceError> {
        let borrower = self.party(borrower, Role::Borrower).await?;
        match &group.collateral {
            CollateralType::Inscription => Err(LoanServiceError::UnknownToken),
            CollateralType::Rune { rune_id, .. } => {
                let id = rune_id.parse().map_err(|_| LoanServiceError::UnknownToken)?;
                let coins = self.free_rune_coins(id, &borrower).await?;
                Ok(coins.iter().map(|coin| rune_amount(coin, id)).fold(0, u128::saturating_add))
            }
            CollateralType::Brc20 { ticker, decimals } => {
                let balance = self.lookup().brc20_balance(&borrower.ordinals_key(), ticker).await?;
                Ok(balance.available.saturating_add(balance.transferable) / brc20_raw(1, *decimals)?)
            }
        }
    }

    /// Checks that the borrower of a request still holds the collateral, before a lender fills it. A request whose
    /// collateral is gone ends.
    ///
    /// # Errors
    /// [`LoanServiceError::RequestedCollateralGone`], and what keeps the collateral from being pledged now.
    pub async fn check_collateral_to_fill(
        &self,
        request: &BorrowRequest,
        group: &CollectionGroup,
    ) -> Result<(), LoanServiceError> {
        let terms = &request.terms;
        let held = self.check_held_collateral(terms.borrower.user, &terms.inscriptions, terms.quantity.raw, group);
        match held.await {
            Err(error) if is_gone(&error) => {
                self.market.command(group.id, Command::CloseRequest { request: request.id }, None).await?;
                Err(LoanServiceError::RequestedCollateralGone)
            }
            held => held,
        }
    }
}

/// Whether the inscription is proven to be with someone else, as opposed to collateral that is unconfirmed, pledged for a
/// loan which may not start, or could not be looked up.
fn is_gone(error: &LoanServiceError) -> bool {
    use InscriptionError::{NotYours, Unknown};
    matches!(error, LoanServiceError::Inscription(Unknown(_) | NotYours(_)) | LoanServiceError::UnsupportedAddresses(_))
}
