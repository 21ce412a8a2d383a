//! Manual offers that a lender wants to create or edit, checked before a book decides.

use std::sync::Arc;

use domain::{
    CollectionGroup, Command, GroupId, KeyQuote, Ltv, OfferConditions, OfferDraft, OfferId, ProcessType, Rejection,
    Sats, SubCollectionId, UnixMs, UserId,
};

use super::asked_conditions::AskedConditions;
use super::own_offer::own_manual_offer;
use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// The principal of an offer, and the bounds within which it follows the floor.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    principal: Sats,
    principal_min: Option<Sats>,
    max_ltv: Option<Ltv>,
}

/// Equal manual offers as requested.
#[derive(Clone, Copy, Debug)]
pub struct AskedOffer<'a> {
    /// The slug of the sub-collection.
    pub collection_slug: &'a str,
    /// The principal.
    pub bounds: Bounds,
    /// The number of offers.
    pub quantity: u8,
    /// The time from which they cannot be taken.
    pub good_until: Option<UnixMs>,
    /// The conditions for borrowers.
    pub conditions: Option<&'a AskedConditions>,
    /// Whether they are cancelled when the connection that places them is lost.
    pub cancels_on_disconnect: bool,
}

/// An edit of a manual offer as requested.
#[derive(Clone, Copy, Debug)]
pub struct AskedEdit {
    /// The offer.
    pub offer: OfferId,
    /// The new principal.
    pub bounds: Bounds,
    /// The new time from which it cannot be taken; `None` if it stays.
    pub good_until: Option<UnixMs>,
    /// Whether the new offer is cancelled when the connection that edits it is lost.
    pub cancels_on_disconnect: bool,
}

/// Offers whose sub-collection was found and whose values passed every check that needs no lock.
#[derive(Debug)]
pub struct CheckedOffer {
    group: Arc<CollectionGroup>,
    draft: OfferDraft,
    count: u8,
}

/// An edit of the caller's own manual offer.
#[derive(Debug)]
pub struct CheckedEdit {
    offer: OfferId,
    draft: OfferDraft,
}

impl Bounds {
    /// Returns a principal in sats with its least value in sats and its LTV in hundredths of a percent, if it follows the
    /// floor.
    #[must_use]
    pub fn new(principal: u64, principal_min: Option<u64>, ltv: Option<u32>) -> Self {
        let (principal, principal_min) = (Sats::new(principal), principal_min.map(Sats::new));
        Self { principal, principal_min, max_ltv: ltv.map(Ltv::from_basis_points) }
    }
}

impl AskedOffer<'_> {
    /// Checks everything that needs no lock.
    ///
    /// # Errors
    /// The codes of offers.
    pub async fn check(&self, app: &App, lender: UserId) -> Result<CheckedOffer, ApiError> {
        let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
        let (group, sub_collection) = app.market.sub_collection_named(self.collection_slug).ok_or_else(unknown)?;
        let limits = &app.settings.limits;
        if !(1..=limits.count_max).contains(&self.quantity) {
            return Err(Rejection::CountOutOfRange { max: limits.count_max }.into());
        }
        let price = app.market.row(group.id).and_then(|row| row.unit_price).map(|price| price.0);
        let conditions = match self.conditions {
            Some(asked) => asked.resolve(app, &group).await?,
            None => None,
        };
        let draft = draft(sub_collection, self.bounds, self.good_until, conditions);
        let draft = OfferDraft { cancels_on_disconnect: self.cancels_on_disconnect, ..draft };
        draft.check_manual(lender, &group, limits, price, app.now())?;
        Ok(CheckedOffer { group, draft, count: self.quantity })
    }
}

impl AskedEdit {
    /// Finds the offer. Its conditions stay.
    ///
    /// # Errors
    /// Those of [`own_manual_offer`].
    pub async fn check(&self, app: &App, lender: UserId) -> Result<CheckedEdit, ApiError> {
        let old = own_manual_offer(app, lender, self.offer).await?;
        let good_until = self.good_until.or(old.kept_good_until(app.now()));
        let conditions = app.market.offer_conditions(self.offer).await?;
        let draft = draft(old.sub_collection, self.bounds, good_until, conditions);
        let draft = OfferDraft { cancels_on_disconnect: self.cancels_on_disconnect, ..draft };
        Ok(CheckedEdit { offer: self.offer, draft })
    }
}

impl CheckedOffer {
    /// Returns the collection.
    #[must_use]
    pub fn group(&self) -> GroupId {
        self.group.id
    }

    /// Returns the offers as the limits of an API key count them.
    #[must_use]
    pub fn quote(&self) -> KeyQuote {
        KeyQuote { group: self.group.id, principal: self.draft.principal, count: self.count }
    }

    /// Returns the command that creates them.
    #[must_use]
    pub fn command(self, lender: UserId) -> Command {
        Command::Create { lender, draft: self.draft, count: self.count, usable: None }
    }
}

impl CheckedEdit {
    /// Returns the new offer as the limits of an API key count it.
    #[must_use]
    pub fn quote(&self) -> KeyQuote {
        KeyQuote { group: self.offer.group(), principal: self.draft.principal, count: 1 }
    }

    /// Returns the command that replaces the offer.
    #[must_use]
    pub fn command(self, lender: UserId) -> Command {
        Command::Edit { lender, offer: self.offer, draft: self.draft, usable: None }
    }
}

fn draft(
    sub_collection: SubCollectionId,
    Bounds { principal, principal_min, max_ltv }: Bounds,
    good_until: Option<UnixMs>,
    conditions: Option<Arc<OfferConditions>>,
) -> OfferDraft {
    OfferDraft {
        principal_min,
        max_ltv,
        good_until,
        conditions,
        ..OfferDraft::plain(sub_collection, ProcessType::Manual, principal)
    }
}
