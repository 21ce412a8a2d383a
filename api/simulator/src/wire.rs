//! The API's views, as far as a lender reads them.

use std::fmt::Display;
use std::str::FromStr;

use domain::{
    CollateralType, GroupId, OfferId, ProcessType, Quantity, Sats, SubCollectionId, TermChangeId, UnitPrice, UnixMs,
};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::limits::Limits;
use crate::own_offer::OwnOffer;
use crate::public_book::PublicOffer;

/// The response of `/api/v1/config`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerConfig {
    /// The network of all addresses.
    #[serde(deserialize_with = "parsed")]
    pub(crate) network: bitcoin::Network,
    /// The vault signer; without one there are no instant offers.
    pub(crate) vault_signer_id: Option<String>,
    /// The limits of offers.
    pub(crate) limits: Limits,
}

/// The response of `/api/v1/vaults/me`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnVaultResponse {
    /// The signer of the vault.
    pub(crate) canister_id: Option<String>,
}

/// A nonce, wrapped as the API wraps it.
#[derive(Debug, Deserialize)]
pub(crate) struct NonceResponse {
    /// The nonce with the other fields of the message.
    pub(crate) data: Option<NonceData>,
}

/// A nonce and the other fields of the message.
#[derive(Debug, Deserialize)]
pub(crate) struct NonceData {
    pub(crate) nonce: String,
    /// The time of issue, in Unix seconds.
    pub(crate) issued: u64,
    /// The time of expiry, in Unix seconds.
    pub(crate) expires: u64,
    /// The domain to sign in to.
    pub(crate) domain: String,
}

/// A session.
#[derive(Debug, Deserialize)]
pub(crate) struct SessionResponse {
    /// The bearer token.
    pub(crate) jwt: String,
}

/// A vault.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VaultResponse {
    /// The usable balance, in sats.
    pub(crate) usable_balance_sats: u64,
    /// Its address; without one no instant offer can name it.
    pub(crate) vault_address: Option<String>,
}

/// An error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Problem {
    /// The error code.
    pub(crate) code: String,
    /// The description of the error.
    pub(crate) detail: String,
}

/// One of several results.
#[derive(Debug, Deserialize)]
pub(crate) struct ItemResult {
    /// Whether it succeeded.
    pub(crate) ok: bool,
    /// The error otherwise.
    #[serde(default)]
    pub(crate) error: Option<Problem>,
}

/// Results of several offers.
#[derive(Debug, Deserialize)]
pub(crate) struct Results {
    /// The results, in the order of the request.
    pub(crate) results: Vec<ItemResult>,
}

/// A page of the account's offers.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfferPage {
    pub(crate) data: Vec<MyOffer>,
    /// The cursor of the next page.
    pub(crate) next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct OneOffer {
    pub(crate) offer: MyOffer,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ManyOffers {
    pub(crate) offers: Vec<MyOffer>,
}

/// An offer of the account.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MyOffer {
    #[serde(deserialize_with = "parsed")]
    offer_id: OfferId,
    #[serde(deserialize_with = "parsed")]
    group_id: GroupId,
    #[serde(deserialize_with = "parsed")]
    sub_collection_id: u16,
    loan_process_type: String,
    principal: u64,
    used_principal: u64,
    #[serde(default, deserialize_with = "parsed_if_any")]
    fungible_amount: Option<u128>,
    #[serde(default)]
    peg: Option<serde::de::IgnoredAny>,
    is_paused_by_lender: bool,
    is_paused_from_terms: bool,
    #[serde(default)]
    new_term_change_request: Option<NewTerms>,
    tags: Vec<String>,
    created_at: u64,
}

/// Changed terms.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewTerms {
    #[serde(deserialize_with = "parsed")]
    new_term_id: TermChangeId,
}

impl MyOffer {
    pub(crate) const fn group(&self) -> GroupId {
        self.group_id
    }

    /// The offer in the form in which its lender remembers it.
    pub(crate) fn to_own_offer(&self, collateral: &CollateralType, quoted_at: Option<UnitPrice>) -> OwnOffer {
        OwnOffer {
            id: self.offer_id,
            group: self.group_id,
            sub: SubCollectionId(self.sub_collection_id),
            process: process(&self.loan_process_type),
            principal: Sats::new(self.principal),
            used: Sats::new(self.used_principal),
            quantity: quantity(self.fungible_amount, collateral),
            is_pegged: self.peg.is_some(),
            is_paused_by_hand: self.is_paused_by_lender,
            new_terms: self
                .new_term_change_request
                .as_ref()
                .filter(|_| self.is_paused_from_terms)
                .map(|to| to.new_term_id),
            is_reserved: self.tags.iter().any(|tag| tag == "under offer"),
            quoted_at,
            created_at: UnixMs(self.created_at),
        }
    }
}

/// A row of the market.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MarketRow {
    /// The group.
    #[serde(deserialize_with = "parsed")]
    pub(crate) id: GroupId,
    #[serde(default)]
    unit_price: Option<String>,
    /// Whether new offers are accepted.
    pub(crate) is_lending_allowed: bool,
}

impl MarketRow {
    /// The price, if it is known and valid.
    pub(crate) fn price(&self) -> Option<UnitPrice> {
        self.unit_price.as_deref().and_then(unit_price)
    }
}

/// A public offer.
#[derive(Debug, Deserialize)]
pub(crate) struct BookOffer {
    #[serde(rename = "offerId", deserialize_with = "parsed")]
    offer_id: OfferId,
    #[serde(rename = "subCollectionId", deserialize_with = "parsed")]
    sub_collection_id: u16,
    process: String,
    principal_amount_sats: u64,
    #[serde(default, deserialize_with = "parsed_if_any")]
    fungible_amount: Option<u128>,
    state: String,
}

impl BookOffer {
    /// The offer as an entry in the book of a group with this collateral.
    pub(crate) fn to_public_offer(&self, collateral: &CollateralType) -> PublicOffer {
        PublicOffer {
            offer: self.offer_id,
            sub: SubCollectionId(self.sub_collection_id),
            process: process(&self.process),
            principal: Sats::new(self.principal_amount_sats),
            quantity: quantity(self.fungible_amount, collateral),
            is_reserved: self.state == "reserved",
        }
    }
}

/// Parses both spellings of the API: `instant` in books and `Instant` in lists.
fn process(name: &str) -> ProcessType {
    if name.eq_ignore_ascii_case("instant") { ProcessType::Instant } else { ProcessType::Manual }
}

/// The quantity: one inscription if no amount is given.
fn quantity(raw: Option<u128>, collateral: &CollateralType) -> Quantity {
    Quantity::tokens(raw.unwrap_or(1), collateral.decimals())
}

/// Parses sats per whole unit with up to eight decimals.
fn unit_price(text: &str) -> Option<UnitPrice> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 8 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let scaled = whole.parse::<u64>().ok()?.checked_mul(UnitPrice::ONE_SAT)?;
    let fraction = format!("{decimals:0<8}").parse::<u64>().ok()?;
    scaled.checked_add(fraction).map(UnitPrice::from_scaled)
}

/// Deserializes a value from its text.
pub(crate) fn parsed<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|error| D::Error::custom(format!("{text:?}: {error}")))
}

/// Deserializes a value from its text, if there is one.
pub(crate) fn parsed_if_any<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    text.parse().map(Some).map_err(|error| D::Error::custom(format!("{text:?}: {error}")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_formatted_price_is_parsed_back(scaled: u64) {
            let price = UnitPrice::from_scaled(scaled);
            prop_assert_eq!(unit_price(&price.to_string()), Some(price));
        }

        #[test]
        fn no_text_makes_the_price_reader_panic(text in "\\PC{0,30}") {
            let _ = unit_price(&text);
        }
    }

    #[test]
    fn an_own_offer_is_read_from_the_apis_json() {
        let text = r#"{"offerId":"of_10000000002","groupId":"g_1","subCollectionId":"3","loanProcessType":"Instant",
            "principal":1250000,"usedPrincipal":0,"fungibleAmount":"250000000000000000000","isPausedByLender":true,
            "isPausedFromTerms":true,"newTermChangeRequest":{"newTermId":"tc_7"},
            "tags":["instant","under offer"],"createdAt":5,"maxLtv":75.5,"somethingNew":null}"#;
        let offer: MyOffer = serde_json::from_str(text).unwrap();
        let rune = CollateralType::Rune { rune_id: "1:1".to_owned(), rune_name: "A".to_owned(), decimals: 5 };
        let own = offer.to_own_offer(&rune, None);
        assert_eq!(
            (own.id.to_string().as_str(), own.group, own.sub),
            ("of_10000000002", GroupId(1), SubCollectionId(3))
        );
        assert_eq!(
            (own.process, own.quantity),
            (ProcessType::Instant, Quantity::tokens(250_000_000_000_000_000_000, 5))
        );
        assert!(own.is_paused_by_hand && own.is_reserved);
        assert_eq!(own.new_terms, Some(TermChangeId(7)));
    }
}
