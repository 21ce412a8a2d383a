//! The fields of a kit, each parsed once.

use std::str::FromStr;

use bitcoin::address::NetworkUnchecked;
use bitcoin::hex::FromHex as _;
use bitcoin::taproot::Signature;
use bitcoin::{Address, Network, OutPoint, ScriptBuf, Transaction, XOnlyPublicKey};
use ordinals::RuneId;

use super::document::PaymentDocument;
use super::kit_error::KitError;
use crate::address::WalletAddress;
use crate::contract::transaction::coin::CoinKey;

/// Parses a text; whether it was the canonical spelling is checked when the kit is written again.
fn parse<T: FromStr>(field: &'static str, text: &str, wanted: &'static str) -> Result<T, KitError> {
    text.parse().map_err(|_| KitError::Malformed { field, wanted })
}

/// Parses a number in hexadecimal after a prefix.
pub(super) fn id(field: &'static str, text: &str, prefix: &'static str) -> Result<u128, KitError> {
    let number = text.strip_prefix(prefix).and_then(|digits| u128::from_str_radix(digits, 16).ok());
    number.ok_or(KitError::Malformed { field, wanted: "an id" })
}

pub(super) fn network(text: &str) -> Result<Network, KitError> {
    parse("network", text, "a Bitcoin network")
}

pub(super) fn key(field: &'static str, text: &str) -> Result<XOnlyPublicKey, KitError> {
    parse(field, text, "an x-only public key in hexadecimal")
}

pub(super) fn outpoint(field: &'static str, text: &str) -> Result<OutPoint, KitError> {
    parse(field, text, "an output as TXID:VOUT")
}

pub(super) fn rune_id(field: &'static str, text: &str) -> Result<RuneId, KitError> {
    parse(field, text, "a rune id")
}

pub(super) fn raw_units(field: &'static str, text: &str) -> Result<u128, KitError> {
    parse(field, text, "a whole number")
}

/// The script that an address of this network pays to.
pub(super) fn script(field: &'static str, text: &str, network: Network) -> Result<ScriptBuf, KitError> {
    let address: Address<NetworkUnchecked> = parse(field, text, "a Bitcoin address")?;
    let address = address.require_network(network);
    let address = address.map_err(|_| KitError::Malformed { field, wanted: "an address of the kit's network" })?;
    Ok(address.script_pubkey())
}

/// The payment address and its key.
pub(super) fn payment(document: &PaymentDocument, network: Network) -> Result<CoinKey, KitError> {
    let wanted = "an address of the kit's network that a single key spends";
    let address = WalletAddress::parse(&document.address, network);
    let address = address.map_err(|_| KitError::Malformed { field: "payment.address", wanted })?;
    let coin_key = address.coin_key(&document.public_key);
    coin_key.map_err(|_| KitError::Malformed { field: "payment.public_key", wanted: "the key of the payment address" })
}

pub(super) fn signature(field: &'static str, text: &str) -> Result<Signature, KitError> {
    let malformed = KitError::Malformed { field, wanted: "a taproot signature in hexadecimal" };
    let bytes = Vec::from_hex(text).map_err(|_| malformed.clone())?;
    Signature::from_slice(&bytes).map_err(|_| malformed)
}

pub(super) fn transaction(field: &'static str, text: &str) -> Result<Transaction, KitError> {
    let decoded = bitcoin::consensus::encode::deserialize_hex(text);
    decoded.map_err(|_| KitError::Malformed { field, wanted: "a transaction in hexadecimal" })
}
