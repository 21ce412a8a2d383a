//! Outputs that somebody spends.

use bitcoin::secp256k1::Secp256k1;
use bitcoin::{CompressedPublicKey, OutPoint, ScriptBuf, TxOut, XOnlyPublicKey};

/// Whose signature spends a coin, and by which script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoinKey {
    /// Taproot by its internal key, without a script tree.
    P2tr(XOnlyPublicKey),
    /// Native segwit.
    P2wpkh(CompressedPublicKey),
    /// Segwit nested in P2SH.
    P2shP2wpkh(CompressedPublicKey),
}

/// An output and the key that spends it.
///
/// Inputs that are no segwit have no place here: their signatures would change the id that pre-signatures commit to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coin {
    /// Where it is.
    pub outpoint: OutPoint,
    /// What it holds, as the chain has it and no wallet says.
    pub output: TxOut,
    /// What spends it.
    pub key: CoinKey,
}

impl CoinKey {
    /// What pays to it.
    #[must_use]
    pub fn script_pubkey(&self) -> ScriptBuf {
        match self {
            Self::P2tr(key) => ScriptBuf::new_p2tr(&Secp256k1::verification_only(), *key, None),
            Self::P2wpkh(key) => ScriptBuf::new_p2wpkh(&key.wpubkey_hash()),
            Self::P2shP2wpkh(key) => ScriptBuf::new_p2sh(&ScriptBuf::new_p2wpkh(&key.wpubkey_hash()).script_hash()),
        }
    }

    /// The key without its parity: the same secret signs for all coins of one such key, whatever their kind.
    #[must_use]
    pub fn x_only(&self) -> XOnlyPublicKey {
        match self {
            Self::P2tr(key) => *key,
            Self::P2wpkh(key) | Self::P2shP2wpkh(key) => key.0.x_only_public_key().0,
        }
    }

    /// The script that a P2SH input reveals.
    #[must_use]
    pub fn redeem_script(&self) -> Option<ScriptBuf> {
        match self {
            Self::P2shP2wpkh(key) => Some(ScriptBuf::new_p2wpkh(&key.wpubkey_hash())),
            Self::P2tr(_) | Self::P2wpkh(_) => None,
        }
    }
}

impl Coin {
    /// Whether its script is really its key's.
    #[must_use]
    pub fn is_its_keys(&self) -> bool {
        self.output.script_pubkey == self.key.script_pubkey()
    }
}
