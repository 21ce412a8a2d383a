//! The terms of an instant offer, and the comparison of the request with the signed message.

use std::sync::Arc;

use domain::{
    CollateralType, CollectionGroup, Ltv, OfferDraft, ProcessType, Quantity, Sats, SubCollectionId, UnixMs, UserId,
};
use engine::NonceUse;
use escrow::action::{NewOffer, OfferProcess};
use escrow::address::WalletAddress;
use lending::instant_offers::service::SignedAction;
use serde_json::json;
use signer::signed_text::SignedText;

use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::offers::asked_conditions::AskedConditions;
use crate::session::nonce_issuer::Purpose;
use crate::session::signed_message::{PresentedMessage, SignedMessage, check_equal};

/// The kind of collateral of an instant offer; each has its own resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstantKind {
    /// Inscriptions.
    Ordinal,
    /// Runes.
    Rune,
}

/// The terms of an instant offer as requested.
#[derive(Clone, Debug)]
pub struct RequestedTerms {
    /// The kind of collateral.
    pub kind: InstantKind,
    /// The slug of the sub-collection.
    pub collection_slug: String,
    /// The principal in sats; the largest one if it follows the floor.
    pub principal_sats: u64,
    /// The least principal in sats, if it follows the floor.
    pub principal_min_sats: Option<u64>,
    /// The amount in raw units, for runes.
    pub fungible_amount: Option<u128>,
    /// The maximum LTV in hundredths of a percent.
    pub ltv_max: u32,
    /// Whether an announced term change is accepted in advance.
    pub accept_next_term: bool,
    /// The vault that funds the loans.
    pub vault_address: String,
    /// The time from which nothing is lent, in unix milliseconds.
    pub good_until: Option<u64>,
    /// The conditions for borrowers.
    pub conditions: Option<AskedConditions>,
}

/// The terms that the message of an instant offer must name.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedOffer<'terms> {
    /// The slug of the sub-collection.
    pub collection_slug: &'terms str,
    /// The principal in sats; the largest one if it follows the floor.
    pub principal_sats: u64,
    /// The least principal in sats, if it follows the floor.
    pub principal_min_sats: Option<u64>,
    /// The amount in raw units, for tokens.
    pub fungible_amount: Option<u128>,
    /// The number of inscriptions that secure the loan together, where it is not one.
    pub inscriptions: Option<u32>,
    /// The maximum LTV in hundredths of a percent.
    pub ltv_max: u32,
    /// Whether an announced term change is accepted in advance.
    pub accept_next_term: bool,
    /// The payment address of the one borrower who can take it.
    pub borrower_address: Option<&'terms str>,
    /// The time from which nothing is lent, in unix milliseconds.
    pub good_until: Option<u64>,
}

/// A validated offer, and the group it belongs to.
pub struct ValidatedOffer {
    /// The group.
    pub group: Arc<CollectionGroup>,
    /// The draft for the order book.
    pub draft: OfferDraft,
}

/// Checks a message of the caller: signer, domain and network, time, nonce.
///
/// # Errors
/// The codes of messages and signatures; `signature_timestamp` must be the time at which the message was issued.
pub fn check_message(
    app: &App,
    lender: &SignedIn,
    message: &str,
    signature: &str,
    signature_timestamp: u64,
) -> Result<SignedMessage, ApiError> {
    check_message_of(app, &lender.signing_address(app)?, message, signature, signature_timestamp)
}

/// Checks a message as [`check_message`] does, and that it has not been used: a used message is refused as such,
/// whatever the state of the offers that it names. The nonce is consumed with the action, which checks once more.
///
/// # Errors
/// Those of [`check_message`], and [`ErrorCode::NonceUsed`].
pub async fn check_unused_message(
    app: &App,
    lender: &SignedIn,
    message: &str,
    signature: &str,
    signature_timestamp: u64,
) -> Result<SignedMessage, ApiError> {
    let signed = check_message(app, lender, message, signature, signature_timestamp)?;
    app.market.check_unused(nonce_use(&signed)).await?;
    Ok(signed)
}

/// Checks a message as [`check_message`] does, for any one of the caller's addresses.
///
/// # Errors
/// Those of [`check_message`].
pub fn check_message_of(
    app: &App,
    address: &WalletAddress,
    message: &str,
    signature: &str,
    signature_timestamp: u64,
) -> Result<SignedMessage, ApiError> {
    let signed = check_action(app, address, message, signature)?;
    check_equal("signature_timestamp", &signature_timestamp, &signed.issued_s)?;
    Ok(signed)
}

/// Checks a message whose request repeats nothing of it.
///
/// # Errors
/// The codes of messages and signatures.
pub fn check_action(
    app: &App,
    address: &WalletAddress,
    message: &str,
    signature: &str,
) -> Result<SignedMessage, ApiError> {
    let claim = PresentedMessage { message, signature, address, purpose: Purpose::Action };
    SignedMessage::check(app.signing_context(), claim, app.now().seconds())
}

/// Returns the nonce of a message, to be consumed in the batch of its event.
#[must_use]
pub fn nonce_use(signed: &SignedMessage) -> NonceUse {
    NonceUse { nonce: signed.nonce, expires_at: signed.expires_at }
}

/// Returns the signed message, which the vault signer checks again.
#[must_use]
pub fn signed_action(signed: &SignedMessage, message: String, signature: String) -> SignedAction {
    SignedAction { text: SignedText { message, signature }, nonce_use: nonce_use(signed) }
}

impl ExpectedOffer<'_> {
    /// Compares every field with the signed message. `vault_signer` is the one of this server; the vault that funds the
    /// loans follows from the signer of the message.
    ///
    /// # Errors
    /// [`ErrorCode::MessageFieldMismatch`] with the field, [`ErrorCode::MessageWrongAction`] for a manual offer.
    pub fn compare(&self, signed: &NewOffer, vault_signer: &str) -> Result<(), ApiError> {
        let OfferProcess::Instant(terms) = &signed.process else {
            return Err(SignedMessage::wrong_action("Process: instant"));
        };
        check_equal("collection_slug", self.collection_slug, signed.collection_slug.as_str())?;
        check_equal("principal_amount_sats", &self.principal_sats, &signed.principal_sats)?;
        let least = shown(terms.principal_min_sats);
        check_equal("principal_min_amount_sats", &shown(self.principal_min_sats), &least)?;
        check_equal("fungible_amount", &shown(self.fungible_amount), &shown(terms.fungible_amount))?;
        check_equal("inscriptions", &shown(self.inscriptions), &shown(terms.inscriptions))?;
        check_equal("ltv_max", &self.ltv_max, &terms.ltv_max)?;
        check_equal("accept_next_term", &self.accept_next_term, &terms.accept_next_term)?;
        check_equal("borrower_address", &shown(self.borrower_address), &shown(terms.borrower.as_deref()))?;
        let good_until = terms.good_until_s.map(|good_until_s| good_until_s.saturating_mul(1_000));
        check_equal("good_until", &shown(self.good_until), &shown(good_until))?;
        check_equal("vault", vault_signer, terms.vault.as_str())
    }
}

impl RequestedTerms {
    /// Compares the request with the signed message, which names of the conditions the borrower alone.
    ///
    /// # Errors
    /// Those of [`ExpectedOffer::compare`].
    pub fn compare(&self, signed: &NewOffer, vault_signer: &str) -> Result<(), ApiError> {
        let expected = ExpectedOffer {
            collection_slug: &self.collection_slug,
            principal_sats: self.principal_sats,
            principal_min_sats: self.principal_min_sats,
            fungible_amount: self.fungible_amount,
            inscriptions: None,
            ltv_max: self.ltv_max,
            accept_next_term: self.accept_next_term,
            borrower_address: self.conditions.as_ref().and_then(AskedConditions::borrower_address),
            good_until: self.good_until,
        };
        expected.compare(signed, vault_signer)
    }

    /// Finds the sub-collection of the offer and checks that its collateral is of the requested kind.
    ///
    /// # Errors
    /// [`ErrorCode::UnknownCollection`], [`ErrorCode::WrongQuantity`], [`ErrorCode::VaultNotFound`],
    /// [`ErrorCode::NotYourVault`].
    pub async fn validate(&self, app: &App, lender: UserId) -> Result<ValidatedOffer, ApiError> {
        let own_vault = app.market.vault(lender).await.and_then(|vault| vault.vault_address);
        let own_vault = own_vault.ok_or_else(|| ApiError::plain(ErrorCode::VaultNotFound))?;
        if self.vault_address != own_vault {
            let values = json!({"vaultAddress": own_vault});
            return Err(ApiError::plain(ErrorCode::NotYourVault).with_values(values));
        }
        let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
        let (group, sub_collection) = app.market.sub_collection_named(&self.collection_slug).ok_or_else(unknown)?;
        let quantity = match (self.kind, &group.collateral, self.fungible_amount) {
            (InstantKind::Ordinal, CollateralType::Inscription, _) => None,
            (InstantKind::Rune, CollateralType::Rune { decimals, .. }, Some(raw)) => {
                Some(Quantity::tokens(raw, *decimals))
            }
            (InstantKind::Rune, CollateralType::Rune { .. }, None) => {
                return Err(ApiError::new(ErrorCode::WrongQuantity, "fungible_amount is missing"));
            }
            (InstantKind::Ordinal | InstantKind::Rune, _, _) => return Err(unknown()),
        };
        let conditions = match &self.conditions {
            Some(asked) => asked.resolve(app, &group).await?,
            None => None,
        };
        let draft = OfferDraft { conditions, ..self.draft(sub_collection, quantity) };
        Ok(ValidatedOffer { group, draft })
    }

    fn draft(&self, sub_collection: SubCollectionId, quantity: Option<Quantity>) -> OfferDraft {
        OfferDraft {
            cancels_on_disconnect: false,
            sub_collection,
            process: ProcessType::Instant,
            principal: Sats::new(self.principal_sats),
            quantity,
            max_ltv: Some(Ltv::from_basis_points(self.ltv_max)),
            principal_min: self.principal_min_sats.map(Sats::new),
            accepts_next_term: self.accept_next_term,
            good_until: self.good_until.map(UnixMs),
            conditions: None,
        }
    }
}

/// Returns the text of a value that may be absent, for comparison.
fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// Parses a raw token amount, which is sent as a decimal string.
///
/// # Errors
/// [`ErrorCode::InvalidField`].
pub fn parse_amount(field: &str, text: &str) -> Result<u128, ApiError> {
    let is_plain =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| is_plain).ok_or_else(|| {
        let detail = format!("{field} must be a whole number of raw units, as a decimal string");
        ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": field}))
    })
}

#[cfg(test)]
mod tests {
    use escrow::action::InstantTerms;

    use super::*;

    #[test]
    fn every_field_of_the_request_is_compared_with_the_message() {
        let requested = RequestedTerms {
            kind: InstantKind::Rune,
            collection_slug: "dog-14d".to_owned(),
            principal_sats: 100_000,
            principal_min_sats: Some(50_000),
            fungible_amount: Some(5_000),
            ltv_max: 7_500,
            accept_next_term: true,
            vault_address: "ledger:us_1".to_owned(),
            good_until: Some(1_800_043_200_000),
            conditions: Some(serde_json::from_value(json!({"borrower_address": "bcrt1qborrower"})).unwrap()),
        };
        let terms = InstantTerms {
            inscriptions: None,
            principal_min_sats: Some(50_000),
            fungible_amount: Some(5_000),
            ltv_max: 7_500,
            accept_next_term: true,
            borrower: Some("bcrt1qborrower".to_owned()),
            good_until_s: Some(1_800_043_200),
            vault: "signer".to_owned(),
        };
        let signed = NewOffer {
            collection_slug: "dog-14d".to_owned(),
            principal_sats: 100_000,
            process: OfferProcess::Instant(terms.clone()),
        };
        assert_eq!(requested.compare(&signed, "signer"), Ok(()));
        let instant = |terms| NewOffer { process: OfferProcess::Instant(terms), ..signed.clone() };
        for (field, altered) in [
            ("collection_slug", NewOffer { collection_slug: "dog-30d".to_owned(), ..signed.clone() }),
            ("principal_amount_sats", NewOffer { principal_sats: 100_001, ..signed.clone() }),
            ("principal_min_amount_sats", instant(InstantTerms { principal_min_sats: Some(49_999), ..terms.clone() })),
            ("principal_min_amount_sats", instant(InstantTerms { principal_min_sats: None, ..terms.clone() })),
            ("fungible_amount", instant(InstantTerms { fungible_amount: Some(5_001), ..terms.clone() })),
            ("fungible_amount", instant(InstantTerms { fungible_amount: None, ..terms.clone() })),
            ("ltv_max", instant(InstantTerms { ltv_max: 7_501, ..terms.clone() })),
            ("accept_next_term", instant(InstantTerms { accept_next_term: false, ..terms.clone() })),
            ("borrower_address", instant(InstantTerms { borrower: Some("other".to_owned()), ..terms.clone() })),
            ("borrower_address", instant(InstantTerms { borrower: None, ..terms.clone() })),
            ("good_until", instant(InstantTerms { good_until_s: Some(1_800_043_201), ..terms.clone() })),
            ("good_until", instant(InstantTerms { good_until_s: None, ..terms.clone() })),
            ("vault", instant(InstantTerms { vault: "other".to_owned(), ..terms.clone() })),
        ] {
            let refusal = requested.compare(&altered, "signer").unwrap_err();
            assert_eq!(refusal.code(), ErrorCode::MessageFieldMismatch);
            assert_eq!(refusal.values().unwrap()["field"], field);
        }
        let manual = NewOffer { process: OfferProcess::Manual { quantity: 1 }, ..signed };
        assert_eq!(requested.compare(&manual, "signer").unwrap_err().code(), ErrorCode::MessageWrongAction);
    }

    #[test]
    fn an_amount_has_one_spelling() {
        assert_eq!(parse_amount("a", "250000000000000000000").unwrap(), 250_000_000_000_000_000_000);
        for text in ["", "-1", "+1", "01", "1.5", "1e3", " 1", "٣", &"9".repeat(60)] {
            assert!(parse_amount("a", text).is_err(), "{text}");
        }
    }
}
