//! The form of every request field by its name, for the published schema and for the checks of bodies.
//!
//! A name has the same meaning in every request, so one table serves all. Most fields have a parser that is stricter
//! than the table and has an error code of its own; where there is none, or where the parser runs after other checks,
//! [`check`] refuses values that are too long.

use bitcoin::secp256k1::constants::{PUBLIC_KEY_SIZE, SCHNORR_PUBLIC_KEY_SIZE};
use domain::{LendingLimits, LoanStage, OfferConditions, Quantity, Slug};
use escrow::action::CANCELLED_OFFERS_MAX;
use escrow::address::ADDRESS_LENGTH_MAX;
use escrow::message_signature::{MESSAGE_LENGTH_MAX, SIGNATURE_LENGTH_MAX};
use lending::ending::repay;
use providers::TOKEN_BYTES_MAX;
use serde_json::{Value, json};

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::request_limits::{self, BODY_LENGTH_MAX, MAIL_TOKEN_BYTES, PUSH_AUTH_LENGTH, PUSH_KEY_LENGTH};
use super::{cursor, idempotency_key, token_amount};
use crate::email_address;

/// The longest name that a client gives, such as that of its wallet or of a vault signer.
pub const NAME_LENGTH_MAX: usize = 128;

/// The longest signed transaction as text, so that its body has room for the other fields.
const SIGNED_TEXT_LENGTH_MAX: usize = BODY_LENGTH_MAX - 4 * 1_024;

/// The longest numeric id in hexadecimal digits, with its prefix of three characters.
const LONG_ID_LENGTH_MAX: usize = 3 + HEX_DIGITS_OF_128_BITS;
const HEX_DIGITS_OF_128_BITS: usize = 32;

/// The length of a transaction id in hexadecimal digits.
const TXID_LENGTH: usize = 64;
/// The length of a transaction id, `i`, and the decimal digits of 32 bits.
const INSCRIPTION_LENGTH_MAX: usize = TXID_LENGTH + 1 + 10;

/// The form of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextForm {
    /// The smallest number of characters.
    pub length_min: usize,
    /// The largest number of characters.
    pub length_max: usize,
    /// An ECMA-262 regular expression that it matches.
    pub pattern: Option<String>,
    /// Whether [`check`] checks it.
    is_checked: bool,
}

impl TextForm {
    /// The form of strings that a parser of their own refuses when they are longer.
    fn parsed(length_min: usize, length_max: usize, pattern: &str) -> Self {
        Self { length_min, length_max, pattern: Some(pattern.to_owned()), is_checked: false }
    }

    /// The form of strings whose length is checked here.
    fn checked(length_min: usize, length_max: usize, pattern: &str) -> Self {
        Self { is_checked: true, ..Self::parsed(length_min, length_max, pattern) }
    }

    /// The form of free text whose length is checked here.
    const fn free(length_max: usize) -> Self {
        Self { length_min: 0, length_max, pattern: None, is_checked: true }
    }
}

/// Returns the form of the string of this name, or of the strings in the list of this name.
#[must_use]
pub fn text(name: &str) -> Option<TextForm> {
    // A number with this many digits fits into 128 bits.
    let raw_digits_max = usize::from(Quantity::DECIMALS_MAX);
    Some(match name {
        "address"
        | "paymentAddress"
        | "recieveAddress"
        | "payment_address"
        | "ordinal_address"
        | "borrower_address"
        | "borrower_payment_address"
        | "borrower_ordinal_address"
        | "userAddress" => TextForm::parsed(1, ADDRESS_LENGTH_MAX, "^[0-9A-Za-z]+$"),
        "payment_pubkey"
        | "paymentPubkey"
        | "publicKey"
        | "ordinal_pubkey"
        | "borrower_payment_pubkey"
        | "borrower_ordinal_pubkey" => {
            TextForm::parsed(2 * SCHNORR_PUBLIC_KEY_SIZE, 2 * PUBLIC_KEY_SIZE, "^[0-9A-Fa-f]+$")
        }
        "digest" => TextForm::parsed(64, 64, "^[0-9A-Fa-f]+$"),
        "collection_slug" | "collectionSlug" | "childCollectionSlug" => {
            TextForm::checked(1, Slug::LENGTH_MAX, "^[a-z0-9-]+$")
        }
        // An id of a collection contains an underscore, and is accepted in place of its slug.
        "collection_group_slug" | "collection" | "collection_id" | "name" => {
            TextForm::checked(1, Slug::LENGTH_MAX, "^[a-z0-9_-]+$")
        }
        // Text that is not an id names no offer; lists of ids have a result for each entry.
        "offerIds" => TextForm::free(request_limits::OFFER_ID_LENGTH_MAX),
        "offerId" | "offer_id" | "ordinalOfferIds" | "runeOfferIds" | "deleteOfferExternalId" | "instant_offer_id" => {
            TextForm::checked(1, request_limits::OFFER_ID_LENGTH_MAX, "^[0-9a-z_]+$")
        }
        "loanIds"
        | "loan_id"
        | "loanId"
        | "refinancedLoanId"
        | "refinanced_loan_id"
        | "acceptRequest"
        | "offer_accept_request_id"
        | "extensionRequestId"
        | "orderId"
        | "term_id"
        | "request_id"
        | "requestId"
        | "negotiation_id"
        | "negotiationId"
        | "session_id"
        | "key_id"
        | "delegation_id"
        | "webhook_id"
        | "push_id"
        | "delivery_id" => TextForm::checked(1, LONG_ID_LENGTH_MAX, "^[0-9a-z_]+$"),
        "message" => TextForm::parsed(1, MESSAGE_LENGTH_MAX, "^[ -~\\n]+$"),
        "signature" | "ordinal_signature" => TextForm::parsed(1, SIGNATURE_LENGTH_MAX, "^[0-9A-Za-z+/=]+$"),
        "nonce" | "linkKey" => TextForm::checked(HEX_DIGITS_OF_128_BITS, HEX_DIGITS_OF_128_BITS, "^[0-9a-f]+$"),
        "canisterId" | "canister_id" | "vault_address" | "vaultAddress" | "ticker" | "bot" => {
            TextForm::checked(1, NAME_LENGTH_MAX, "^[!-~]+$")
        }
        "wallet" | "walletName" | "wallet_name" | "borrower_wallet" => TextForm::free(NAME_LENGTH_MAX),
        "cf_turnstile_response" => TextForm::free(TOKEN_BYTES_MAX),
        "base64" | "revealBase64" | "signedBase64" | "signed_psbt" | "payouts" => {
            TextForm::checked(1, SIGNED_TEXT_LENGTH_MAX, "^[0-9A-Za-z+/=]+$")
        }
        "transaction" => TextForm::checked(2, SIGNED_TEXT_LENGTH_MAX, "^([0-9A-Fa-f]{2})+$"),
        "hash" => TextForm::parsed(TXID_LENGTH, TXID_LENGTH, "^[0-9a-f]+$"),
        "inscriptionId" | "inscription_id" | "inscriptionIds" | "inscription_ids" | "inscriptions" => {
            TextForm::checked(TXID_LENGTH + 2, INSCRIPTION_LENGTH_MAX, "^[0-9a-f]{64}i(0|[1-9][0-9]*)$")
        }
        // Whole tokens have at most as many decimals as the token; the limit here is that of any token.
        "amount" | "token_amount" => {
            TextForm::checked(1, raw_digits_max, &format!("^[0-9]+(\\.[0-9]{{1,{}}})?$", token_amount::DECIMALS))
        }
        "fungible_amount" | "fungibleAmount" => TextForm::checked(1, raw_digits_max, "^(0|[1-9][0-9]*)$"),
        "email" => TextForm::parsed(
            3,
            email_address::LENGTH_MAX,
            "^[0-9A-Za-z]+([._+-][0-9A-Za-z]+)*@[0-9A-Za-z]+(-[0-9A-Za-z]+)*(\\.[0-9A-Za-z]+)+$",
        ),
        "token" => {
            let length = base64::encoded_len(MAIL_TOKEN_BYTES, false).unwrap_or(MAIL_TOKEN_BYTES);
            TextForm::parsed(length, length, "^[0-9A-Za-z_-]+$")
        }
        "p256dh" => TextForm::parsed(PUSH_KEY_LENGTH, PUSH_KEY_LENGTH, "^[0-9A-Za-z_-]+$"),
        "auth" => TextForm::parsed(PUSH_AUTH_LENGTH, PUSH_AUTH_LENGTH, "^[0-9A-Za-z_-]+$"),
        // Of webhooks, of push services, and of pages that are embedded elsewhere.
        "url" | "endpoint" => TextForm::parsed(1, request_limits::URL_LENGTH_MAX, "^[!-~]+$"),
        "afterEventId" => TextForm::checked(1, request_limits::EVENT_ID_LENGTH_MAX, "^[0-9a-z_-]+$"),
        "start" => TextForm::parsed(1, request_limits::START_TOKEN_LENGTH_MAX, "^[0-9A-Za-z_-]+$"),
        "cursor" => TextForm::parsed(1, cursor::LENGTH_MAX, "^[0-9A-Za-z_-]+$"),
        "search" => TextForm { is_checked: false, ..TextForm::free(request_limits::SEARCH_LENGTH_MAX) },
        "stage" => {
            let names: Vec<_> = LoanStage::ALL.iter().map(ToString::to_string).collect();
            let (one, most) = (names.join("|"), names.iter().map(|name| name.len() + 1).sum::<usize>());
            TextForm::parsed(1, most - 1, &format!("^({one})(,({one}))*$"))
        }
        "Idempotency-Key" => TextForm::parsed(1, idempotency_key::KEY_LENGTH_MAX, "^[!-~]+$"),
        _ => return None,
    })
}

/// Returns the smallest and the largest number of items of the list of this name.
#[must_use]
pub fn items(name: &str) -> Option<(usize, usize)> {
    Some(match name {
        "offers" => (1, request_limits::MANUAL_OFFERS_MAX),
        "offerIds" => (1, request_limits::OFFERS_MAX),
        "signed" => (0, request_limits::OFFERS_MAX),
        "ordinalOfferIds" | "runeOfferIds" => (0, CANCELLED_OFFERS_MAX),
        "loanIds" => (1, repay::BATCH_MAX),
        "payouts" => (request_limits::PAYOUTS, request_limits::PAYOUTS),
        "collections" => (0, LendingLimits::COLLECTIONS_MAX),
        "inscriptions" => (0, OfferConditions::INSCRIPTIONS_MAX),
        "numbers" => (0, OfferConditions::NUMBER_RANGES_MAX),
        "inscriptionIds" | "inscription_ids" => (0, Quantity::INSCRIPTIONS_MAX),
        "kinds" => (0, request_limits::NOTICE_KINDS_MAX),
        _ => return None,
    })
}

/// Refuses a body with a string or a list that is longer than the table permits.
///
/// # Errors
/// [`ErrorCode::InvalidField`], which names the field.
pub fn check(body: &Value) -> Result<(), ApiError> {
    let Value::Object(fields) = body else { return Ok(()) };
    for (name, value) in fields {
        check_field(name, value)?;
    }
    Ok(())
}

fn check_field(name: &str, value: &Value) -> Result<(), ApiError> {
    let too_long = |max: usize, of: &str| {
        let detail = format!("{name} has at most {max} {of}");
        ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": name}))
    };
    match value {
        Value::String(given) => match text(name).filter(|form| form.is_checked) {
            Some(form) if given.chars().count() > form.length_max => Err(too_long(form.length_max, "characters")),
            _ => Ok(()),
        },
        Value::Array(list) => match items(name) {
            Some((_, max)) if list.len() > max => Err(too_long(max, "items")),
            _ => list.iter().try_for_each(|item| check_field(name, item)),
        },
        Value::Object(_) => check(value),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_longer_than_the_table_permits_are_refused_at_any_depth() {
        let at_most = "x".repeat(NAME_LENGTH_MAX);
        for (body, is_taken) in [
            (json!({"walletName": at_most}), true),
            (json!({"walletName": format!("{at_most}x")}), false),
            (json!({"walletName": null, "hardware_wallet": true}), true),
            (json!({"offers": [{"wallet": at_most}, {"wallet": format!("{at_most}x")}]}), false),
            (json!({"newOffer": {"collectionSlug": "x".repeat(Slug::LENGTH_MAX + 1)}}), false),
            (json!({"loanIds": vec!["ln_1"; repay::BATCH_MAX]}), true),
            (json!({"loanIds": vec!["ln_1"; repay::BATCH_MAX + 1]}), false),
            (json!({"loanIds": ["x".repeat(LONG_ID_LENGTH_MAX + 1)]}), false),
        ] {
            let checked = check(&body);
            assert_eq!(checked.is_ok(), is_taken, "{body}");
        }
    }
}
