//! Outputs to be spent.

use bitcoin::{CompressedPublicKey, OutPoint, ScriptBuf, TxOut, XOnlyPublicKey};

use crate::verification::VERIFICATION;

/// The key whose signature spends a coin, and the type of its script.
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
/// Inputs without segwit are excluded: their signatures would change the id that pre-signatures commit to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coin {
    /// Its outpoint.
    pub outpoint: OutPoint,
    /// Its value and script as on the chain, not as claimed by a wallet.
    pub output: TxOut,
    /// The key that spends it.
    pub key: CoinKey,
}

impl CoinKey {
    /// The script that pays to the key.
    #[must_use]
    pub fn script_pubkey(&self) -> ScriptBuf {
        match self {
            Self::P2tr(key) => ScriptBuf::new_p2tr(&VERIFICATION, *key, None),
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
    /// Whether its script matches its key.
    #[must_use]
    pub fn matches_key(&self) -> bool {
        self.output.script_pubkey == self.key.script_pubkey()
    }
}
