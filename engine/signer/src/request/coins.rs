//! The coins that a request names.

use bitcoin::{Amount, CompressedPublicKey, OutPoint, TxOut, XOnlyPublicKey};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use ordinals::RuneId;
use serde::{Deserialize, Serialize};

use crate::as_text;

/// A coin of the borrower, and what it is claimed to carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BorrowerCoin {
    /// Its outpoint and value.
    pub output: SpentOutput,
    /// The key that owns it.
    pub key: BorrowerKey,
    /// For each inscription, the number of the coin's sats before it.
    pub inscription_offsets: Vec<u64>,
    /// Its runes in raw units.
    pub runes: Vec<RuneHolding>,
}

/// An amount of a rune.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuneHolding {
    /// The rune.
    #[serde(with = "as_text")]
    pub id: RuneId,
    /// The amount in raw units.
    #[serde(with = "as_text")]
    pub amount: u128,
}

/// The key of the borrower's coin: the serialized form of [`CoinKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BorrowerKey {
    /// Taproot by its internal key.
    P2tr(#[serde(with = "as_text")] XOnlyPublicKey),
    /// Native segwit.
    P2wpkh(#[serde(with = "as_text")] CompressedPublicKey),
    /// Segwit nested in P2SH.
    P2shP2wpkh(#[serde(with = "as_text")] CompressedPublicKey),
}

/// A spent output. Its value need not be trusted: the signature commits to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpentOutput {
    /// Its outpoint.
    #[serde(with = "as_text")]
    pub outpoint: OutPoint,
    /// Its value, in sats.
    pub sats: u64,
}

impl From<BorrowerKey> for CoinKey {
    fn from(key: BorrowerKey) -> Self {
        match key {
            BorrowerKey::P2tr(key) => Self::P2tr(key),
            BorrowerKey::P2wpkh(key) => Self::P2wpkh(key),
            BorrowerKey::P2shP2wpkh(key) => Self::P2shP2wpkh(key),
        }
    }
}

impl From<CoinKey> for BorrowerKey {
    fn from(key: CoinKey) -> Self {
        match key {
            CoinKey::P2tr(key) => Self::P2tr(key),
            CoinKey::P2wpkh(key) => Self::P2wpkh(key),
            CoinKey::P2shP2wpkh(key) => Self::P2shP2wpkh(key),
        }
    }
}

impl From<&Coin> for BorrowerCoin {
    fn from(coin: &Coin) -> Self {
        Self {
            output: SpentOutput { outpoint: coin.outpoint, sats: coin.output.value.to_sat() },
            key: coin.key.into(),
            inscription_offsets: Vec::new(),
            runes: Vec::new(),
        }
    }
}

impl From<&AssetCoin> for BorrowerCoin {
    fn from(coin: &AssetCoin) -> Self {
        Self {
            inscription_offsets: coin.inscriptions.iter().map(|offset| offset.to_sat()).collect(),
            runes: coin.runes.iter().map(|(id, amount)| RuneHolding { id: *id, amount: *amount }).collect(),
            ..Self::from(&coin.coin)
        }
    }
}

impl SpentOutput {
    /// Returns its value.
    #[must_use]
    pub const fn value(&self) -> Amount {
        Amount::from_sat(self.sats)
    }
}

impl From<&BorrowerCoin> for AssetCoin {
    fn from(coin: &BorrowerCoin) -> Self {
        let key = CoinKey::from(coin.key);
        let output = TxOut { value: coin.output.value(), script_pubkey: key.script_pubkey() };
        Self {
            coin: Coin { outpoint: coin.output.outpoint, output, key },
            inscriptions: coin.inscription_offsets.iter().copied().map(Amount::from_sat).collect(),
            runes: coin.runes.iter().map(|held| (held.id, held.amount)).collect(),
        }
    }
}
