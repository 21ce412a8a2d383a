//! The requests that carry out a lender's decisions.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{CollateralType, GroupId, OfferId, ProcessType, Sats, TermChangeId};
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use reqwest::Method;
use serde_json::{Value, json};

use crate::amount::ltv;
use crate::api_client::CallError;
use crate::demo_market::DemoMarket;
use crate::market_view::MarketView;
use crate::offer_action::Quote;
use crate::own_offer::OwnOffer;
use crate::wallet_session::WalletSession;
use crate::wire::{ManyOffers, MyOffer, OfferPage, OneOffer, Results, VaultResponse};

/// The maximum number of offers that one request creates.
pub(crate) const BATCH_MAX: usize = 20;

/// A lender's vault as the server reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VaultInfo {
    /// The usable balance.
    pub(crate) usable: Sats,
    pub(crate) address: String,
}

/// The executor of a lender's actions.
pub(crate) struct LenderClient {
    pub(crate) session: WalletSession,
    market: Arc<DemoMarket>,
    view: Arc<MarketView>,
}

impl LenderClient {
    pub(crate) const fn new(session: WalletSession, market: Arc<DemoMarket>, view: Arc<MarketView>) -> Self {
        Self { session, market, view }
    }

    /// The lender's vault, if it exists and has an address.
    pub(crate) async fn vault(&mut self) -> Result<Option<VaultInfo>, CallError> {
        match self.session.read("/api/v1/vault").await {
            Ok(answer) => {
                let vault: VaultResponse = answer.read()?;
                let usable = Sats::new(vault.usable_balance_sats);
                Ok(vault.vault_address.map(|address| VaultInfo { usable, address }))
            }
            Err(CallError::Refused { code, .. }) if code == "vault_not_found" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns all offers of the lender, with the prices at quoting from `known`.
    pub(crate) async fn offers(&mut self, known: &[OwnOffer]) -> Result<Vec<OwnOffer>, CallError> {
        const PAGES_MAX: usize = 10;
        let quoted_at: BTreeMap<OfferId, _> = known.iter().map(|own| (own.id, own.quoted_at)).collect();
        let (mut all, mut path) = (Vec::new(), "/api/v1/offers?limit=100".to_owned());
        for _ in 0..PAGES_MAX {
            let page: OfferPage = self.session.read(&path).await?.read()?;
            all.extend(
                page.data
                    .iter()
                    .filter_map(|offer| self.own_offer(offer))
                    .map(|own| OwnOffer { quoted_at: quoted_at.get(&own.id).copied().flatten(), ..own }),
            );
            match page.next_cursor {
                Some(cursor) => path = format!("/api/v1/offers?limit=100&cursor={cursor}"),
                None => break,
            }
        }
        Ok(all)
    }

    /// Creates manual offers in one request.
    pub(crate) async fn quote_manual(&mut self, quotes: &[Quote]) -> Result<Vec<OwnOffer>, CallError> {
        let items: Vec<Value> = quotes
            .iter()
            .filter_map(|quote| {
                let mut item = self.session.wallet_fields();
                item["collection_slug"] = self.slug(quote)?.into();
                item["principal_amount"] = quote.principal.get().into();
                item["quantity"] = quote.count.into();
                if let Some((least, price)) = quote.least.zip(self.view.price(quote.group)) {
                    item["principal_amount"] = (quote.principal.get() / 3 * 4).into();
                    item["principal_min_amount"] = least.get().into();
                    item["ltv_max"] = ltv(price, quote.principal, quote.quantity).basis_points().into();
                }
                Some(item)
            })
            .collect();
        let body = json!({ "offers": items });
        let answer = self.session.write(Method::POST, "/api/v1/offers/manual", &body).await?;
        Ok(self.with_current_prices(&answer.read::<ManyOffers>()?.offers))
    }

    /// Creates an instant offer.
    pub(crate) async fn quote_instant(&mut self, quote: &Quote, vault: &VaultInfo) -> Result<Vec<OwnOffer>, CallError> {
        let Some(slug) = self.slug(quote) else { return Ok(Vec::new()) };
        let signed = self.session.signed(Action::CreateOffer(self.new_offer(quote, &slug))).await?;
        let mut body = json!({
            "collection_slug": slug,
            "principal_amount_sats": quote.principal.get(),
            "ltv_max": quote.max_ltv.map(domain::Ltv::basis_points),
            "signature": signed.signature,
            "signature_timestamp": signed.issued_s,
            "vault_address": vault.address,
            "accept_next_term": quote.accepts_next_term,
            "message": signed.message,
        });
        let path = if self.is_rune(quote.group) {
            body["fungible_amount"] = quote.quantity.raw.to_string().into();
            "/api/v1/offers/instant/runes"
        } else {
            "/api/v1/offers/instant/ordinals"
        };
        let answer = self.session.write(Method::POST, path, &body).await?;
        Ok(self.with_current_prices(&[answer.read::<OneOffer>()?.offer]))
    }

    /// Replaces an offer.
    pub(crate) async fn edit(
        &mut self,
        offer: OfferId,
        quote: &Quote,
        vault: Option<&VaultInfo>,
    ) -> Result<Vec<OwnOffer>, CallError> {
        let answer = match (quote.process, vault) {
            (ProcessType::Manual, _) => {
                let body = json!({ "principal_amount": quote.principal.get() });
                self.session.write(Method::PATCH, &format!("/api/v1/offers/manual/{offer}"), &body).await?
            }
            (ProcessType::Instant, Some(vault)) => {
                let Some(body) = self.signed_edit(offer, quote, vault).await? else { return Ok(Vec::new()) };
                self.session.write(Method::POST, "/api/v1/offers/instant/batch-edit", &body).await?
            }
            (ProcessType::Instant, None) => return Ok(Vec::new()),
        };
        Ok(self.with_current_prices(&[answer.read::<OneOffer>()?.offer]))
    }

    /// Cancels an offer.
    pub(crate) async fn cancel(&mut self, own: &OwnOffer) -> Result<(), CallError> {
        let id = own.id.to_string();
        let answer = match own.process {
            ProcessType::Manual => {
                let body = json!({ "offerIds": [id] });
                self.session.write(Method::POST, "/api/v1/offers/manual/cancel", &body).await?
            }
            ProcessType::Instant => {
                let (ordinals, runes) = if self.is_rune(own.group) { (vec![], vec![id]) } else { (vec![id], vec![]) };
                let vault = Some(self.session.vault_signer().to_owned());
                let action = CancelOffers { ordinal_offer_ids: ordinals.clone(), rune_offer_ids: runes.clone(), vault };
                let mut body = self.signed_envelope(Action::CancelOffers(action)).await?;
                body["ordinalOfferIds"] = json!(ordinals);
                body["runeOfferIds"] = json!(runes);
                self.session.write(Method::POST, "/api/v1/offers/instant/batch-cancel", &body).await?
            }
        };
        first_error(&answer.read()?)
    }

    /// Pauses (`pause`) or resumes (`resume`) an offer.
    pub(crate) async fn pause_or_resume(&mut self, offer: OfferId, verb: &str) -> Result<(), CallError> {
        let body = json!({ "offerIds": [offer.to_string()] });
        let answer = self.session.write(Method::POST, &format!("/api/v1/offers/{verb}"), &body).await?;
        first_error(&answer.read()?)
    }

    /// Accepts changed terms for an offer.
    pub(crate) async fn accept_term(&mut self, offer: OfferId, change: TermChangeId) -> Result<(), CallError> {
        let (offer_id, term_id) = (offer.to_string(), change.to_string());
        let action = Action::AcceptTerm { offer_id: offer_id.clone(), term_id: term_id.clone() };
        let signed = self.session.signed(action).await?;
        let body = json!({
            "term_id": term_id,
            "instant_offer_id": offer_id,
            "signature": signed.signature,
            "signature_timestamp": signed.issued_s,
            "message": signed.message,
        });
        self.session.write(Method::POST, "/api/v1/offers/instant/accept-term", &body).await.map(drop)
    }

    async fn signed_edit(
        &mut self,
        offer: OfferId,
        quote: &Quote,
        vault: &VaultInfo,
    ) -> Result<Option<Value>, CallError> {
        let Some(slug) = self.slug(quote) else { return Ok(None) };
        let new_offer = self.new_offer(quote, &slug);
        let action = Action::EditOffer { delete_offer_id: offer.to_string(), new_offer };
        let mut body = self.signed_envelope(action).await?;
        let mut new_offer = json!({
            "principalAmountSats": quote.principal.get(),
            "ltvMax": quote.max_ltv.map(domain::Ltv::basis_points),
            "acceptNextTerm": quote.accepts_next_term,
        });
        let (offer_type, field) = if self.is_rune(quote.group) {
            new_offer["collectionSlug"] = slug.into();
            new_offer["fungibleAmount"] = quote.quantity.raw.to_string().into();
            ("rune", "editRuneOffer")
        } else {
            new_offer["childCollectionSlug"] = slug.into();
            ("inscription", "editOrdinalOffer")
        };
        body["offerType"] = offer_type.into();
        body[field] = json!({ "deleteOfferExternalId": offer.to_string(), "newOffer": new_offer });
        body["vaultAddress"] = vault.address.clone().into();
        Ok(Some(body))
    }

    /// The signed fields that a batch of instant offers carries.
    async fn signed_envelope(&mut self, action: Action) -> Result<Value, CallError> {
        let signed = self.session.signed(action).await?;
        Ok(json!({
            "userAddress": self.session.payment_address(),
            "publicKey": self.session.payment_public_key(),
            "signature": signed.signature,
            "signatureTimestamp": signed.issued_s,
            "nonce": signed.nonce,
            "canisterId": self.session.vault_signer(),
            "message": signed.message,
        }))
    }

    fn new_offer(&self, quote: &Quote, slug: &str) -> NewOffer {
        NewOffer {
            collection_slug: slug.to_owned(),
            principal_sats: quote.principal.get(),
            process: OfferProcess::Instant(InstantTerms {
                principal_min_sats: None,
                fungible_amount: self.is_rune(quote.group).then_some(quote.quantity.raw),
                inscriptions: None,
                ltv_max: quote.max_ltv.map_or(0, domain::Ltv::basis_points),
                accept_next_term: quote.accepts_next_term,
                borrower: None,
                good_until_s: None,
                vault: self.session.vault_signer().to_owned(),
            }),
        }
    }

    fn slug(&self, quote: &Quote) -> Option<String> {
        let demo = self.market.group(quote.group)?;
        Some(demo.group.sub_collection(quote.sub)?.slug.to_string())
    }

    fn is_rune(&self, group: GroupId) -> bool {
        self.market.group(group).is_some_and(|demo| matches!(demo.group.collateral, CollateralType::Rune { .. }))
    }

    fn own_offer(&self, offer: &MyOffer) -> Option<OwnOffer> {
        let demo = self.market.group(offer.group())?;
        Some(offer.to_own_offer(&demo.group.collateral, None))
    }

    /// New offers, with the current price as their price at quoting.
    fn with_current_prices(&self, offers: &[MyOffer]) -> Vec<OwnOffer> {
        let priced = |own: OwnOffer| OwnOffer { quoted_at: self.view.price(own.group), ..own };
        offers.iter().filter_map(|offer| self.own_offer(offer)).map(priced).collect()
    }
}

/// Returns the first error of a batch.
fn first_error(results: &Results) -> Result<(), CallError> {
    match results.results.iter().find(|result| !result.ok) {
        None => Ok(()),
        Some(failed) => {
            let (code, detail) =
                failed.error.as_ref().map(|problem| (problem.code.clone(), problem.detail.clone())).unwrap_or_default();
            Err(CallError::Refused { status: reqwest::StatusCode::CONFLICT, code, detail })
        }
    }
}
