//! The conditions that a lender asks of borrowers.

use std::sync::Arc;

use domain::{CollectionGroup, LinkKey, NamedBorrower, OfferConditions};
use engine::asset_index::InscriptionId;
use engine::wire::NumberRangeView;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Conditions of an offer for borrowers; all of them have to be satisfied.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AskedConditions {
    /// The payment address of the only borrower who can take it, who has signed in before.
    borrower_address: Option<String>,
    /// Whether it is left out of the public book and can be taken by its link alone.
    unlisted: bool,
    /// The least number of loans that the borrower has repaid.
    repaid_min: u16,
    /// The number of days for which no lender must have taken the borrower's collateral.
    default_free_days: u16,
    /// The only inscriptions that can be pledged, all of the collection, beside those in `numbers`; any can if both are
    /// empty.
    inscriptions: Vec<String>,
    /// Ranges of the numbers, as ord counts inscriptions, of those that can be pledged.
    numbers: Vec<NumberRangeView>,
}

impl AskedConditions {
    /// The condition that only the borrower with this payment address can take the offer.
    #[must_use]
    pub fn for_borrower(address: String) -> Self {
        Self { borrower_address: Some(address), ..Self::default() }
    }

    /// The payment address of the only borrower.
    #[must_use]
    pub fn borrower_address(&self) -> Option<&str> {
        self.borrower_address.as_deref()
    }

    /// Returns the conditions, with a new key for the link of an unlisted offer; `None` if nothing is asked for.
    ///
    /// # Errors
    /// [`ErrorCode::UnknownBorrower`], [`ErrorCode::UnknownInscription`], [`ErrorCode::WrongCollection`].
    pub async fn resolve(&self, app: &App, group: &CollectionGroup) -> Result<Option<Arc<OfferConditions>>, ApiError> {
        let borrower = match &self.borrower_address {
            Some(address) => {
                let user = app.market.user_of(address).await;
                let user = user.ok_or_else(|| ApiError::plain(ErrorCode::UnknownBorrower))?;
                Some(NamedBorrower { user, payment_address: address.clone() })
            }
            None => None,
        };
        let mut inscriptions = Vec::with_capacity(self.inscriptions.len());
        for text in &self.inscriptions {
            let id: InscriptionId = text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownInscription))?;
            if app.market.group_of_inscription(id.into()) != Some(group.id) {
                return Err(ApiError::plain(ErrorCode::WrongCollection));
            }
            inscriptions.push(id.into());
        }
        inscriptions.sort_unstable();
        inscriptions.dedup();
        let conditions = OfferConditions {
            borrower,
            link_key: self.unlisted.then(|| LinkKey(rand::random())),
            repaid_min: self.repaid_min,
            default_free_days: self.default_free_days,
            inscriptions,
            numbers: self.numbers.iter().copied().map(Into::into).collect(),
        };
        Ok(Some(conditions).filter(|conditions| !conditions.is_empty()).map(Arc::new))
    }
}
