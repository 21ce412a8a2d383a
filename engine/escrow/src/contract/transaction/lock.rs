//! The lock of an input: its signers, and the rest of its witness.

use bitcoin::psbt::PsbtSighashType;
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::{CompressedPublicKey, EcdsaSighashType, ScriptBuf, TapLeafHash, TapSighashType, Witness, XOnlyPublicKey};

use super::coin::CoinKey;
use super::leaf::Leaf;

/// The condition that spends an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lock {
    /// One key.
    Key(CoinKey),
    /// One script of a contract.
    Script(Box<Leaf>),
}

/// A signature of an input: its key, and the sighash type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signer {
    /// ECDSA by this key, for the whole transaction (`ALL`).
    Ecdsa(CompressedPublicKey),
    /// Schnorr by the output key that belongs to this internal key, for the whole transaction (`DEFAULT`).
    KeyPath(XOnlyPublicKey),
    /// Schnorr by a key in a script.
    Leaf {
        /// The key.
        key: XOnlyPublicKey,
        /// The script.
        leaf: TapLeafHash,
        /// The sighash type.
        sighash: TapSighashType,
    },
}

impl Signer {
    /// The sighash type of the signature.
    #[must_use]
    pub fn sighash(&self) -> PsbtSighashType {
        match self {
            Self::Ecdsa(_) => EcdsaSighashType::All.into(),
            Self::KeyPath(_) => TapSighashType::Default.into(),
            Self::Leaf { sighash, .. } => (*sighash).into(),
        }
    }

    /// Whether `holder` makes this signature.
    #[must_use]
    pub fn matches_key(&self, holder: &CoinKey) -> bool {
        match (self, holder) {
            (Self::Ecdsa(own), CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key)) => own == key,
            (Self::KeyPath(own) | Self::Leaf { key: own, .. }, CoinKey::P2tr(key)) => own == key,
            _ => false,
        }
    }
}

impl Lock {
    /// The signers, in the order of the witness.
    #[must_use]
    pub fn signers(&self) -> Vec<Signer> {
        match self {
            Self::Key(CoinKey::P2tr(key)) => vec![Signer::KeyPath(*key)],
            Self::Key(CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key)) => vec![Signer::Ecdsa(*key)],
            Self::Script(leaf) => {
                let signers = leaf.signers.iter();
                signers.map(|own| Signer::Leaf { key: own.key, leaf: leaf.hash, sighash: own.sighash }).collect()
            }
        }
    }

    /// The number of signatures that it requires of its signers.
    #[must_use]
    pub fn required(&self) -> usize {
        match self {
            Self::Key(_) => 1,
            Self::Script(leaf) => leaf.required,
        }
    }

    /// The signature script: the program that a nested coin reveals, and empty for all others.
    #[must_use]
    pub fn script_sig(&self) -> ScriptBuf {
        let Self::Key(key) = self else { return ScriptBuf::new() };
        let program = key.redeem_script().and_then(|script| PushBytesBuf::try_from(script.into_bytes()).ok());
        program.map_or_else(ScriptBuf::new, |program| Builder::new().push_slice(program).into_script())
    }

    /// The witness with these signatures, in the order of [`Lock::signers`]; empty ones for signers that are not
    /// required.
    #[must_use]
    pub fn witness<S: AsRef<[u8]>>(&self, signatures: &[S]) -> Witness {
        let mut witness = Witness::new();
        for signature in signatures {
            witness.push(signature);
        }
        match self {
            Self::Key(CoinKey::P2tr(_)) => {}
            Self::Key(CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key)) => witness.push(key.to_bytes()),
            Self::Script(leaf) => {
                witness.push(leaf.script.as_bytes());
                witness.push(leaf.control_block.serialize());
            }
        }
        witness
    }
}
