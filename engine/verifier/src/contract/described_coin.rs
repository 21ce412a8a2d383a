//! Outputs to be spent, as the server describes them.

use bitcoin::{Amount, CompressedPublicKey, OutPoint, TxOut, Txid, XOnlyPublicKey};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use ordinals::RuneId;
use serde::Deserialize;

use crate::text_value::TextValue;

/// A key and the kind of address that it spends from.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DescribedKey {
    /// Taproot.
    P2tr {
        /// The internal key.
        #[serde(rename = "publicKey")]
        public_key: TextValue<XOnlyPublicKey>,
    },
    /// Native segwit.
    P2wpkh {
        /// The key.
        #[serde(rename = "publicKey")]
        public_key: TextValue<CompressedPublicKey>,
    },
    /// Segwit nested in P2SH.
    P2shP2wpkh {
        /// The key.
        #[serde(rename = "publicKey")]
        public_key: TextValue<CompressedPublicKey>,
    },
}

/// An output and its key. Its script follows from the key.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct DescribedCoin {
    /// The transaction.
    pub txid: TextValue<Txid>,
    /// The index of the output.
    pub vout: u32,
    /// Its value.
    pub sats: u64,
    /// The key that spends it.
    pub key: DescribedKey,
}

/// A coin and the assets that the server's indexer found in it.
#[derive(Clone, Debug, Deserialize)]
pub struct DescribedAssetCoin {
    /// The coin.
    #[serde(flatten)]
    pub coin: DescribedCoin,
    /// The number of the coin's sats that precede each inscription.
    #[serde(default)]
    pub inscriptions: Vec<u64>,
    /// Its runes.
    #[serde(default)]
    pub runes: Vec<DescribedRuneAmount>,
}

/// An amount of a rune in a coin.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedRuneAmount {
    /// The rune's id.
    pub id: TextValue<RuneId>,
    /// The amount, in raw units.
    pub amount_raw: TextValue<u128>,
}

impl DescribedKey {
    /// Returns the key.
    #[must_use]
    pub const fn coin_key(&self) -> CoinKey {
        match self {
            Self::P2tr { public_key } => CoinKey::P2tr(public_key.0),
            Self::P2wpkh { public_key } => CoinKey::P2wpkh(public_key.0),
            Self::P2shP2wpkh { public_key } => CoinKey::P2shP2wpkh(public_key.0),
        }
    }
}

impl DescribedCoin {
    /// Returns the coin.
    #[must_use]
    pub fn coin(&self) -> Coin {
        let key = self.key.coin_key();
        let output = TxOut { value: Amount::from_sat(self.sats), script_pubkey: key.script_pubkey() };
        Coin { outpoint: OutPoint::new(self.txid.0, self.vout), output, key }
    }
}

impl DescribedAssetCoin {
    /// Returns the coin with its assets.
    #[must_use]
    pub fn asset_coin(&self) -> AssetCoin {
        AssetCoin {
            coin: self.coin.coin(),
            inscriptions: self.inscriptions.iter().copied().map(Amount::from_sat).collect(),
            runes: self.runes.iter().map(|rune| (rune.id.0, rune.amount_raw.0)).collect(),
        }
    }
}
