//! The scripts that can spend a contract.

use bitcoin::secp256k1::constants::SCHNORR_SIGNATURE_SIZE;
use bitcoin::taproot::ControlBlock;
use bitcoin::{ScriptBuf, Sequence, TapLeafHash, TapNodeHash, TapSighashType, XOnlyPublicKey};

/// A script that can spend a contract, with the proof of its membership in the script tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The script.
    pub script: ScriptBuf,
    /// Its hash, which signatures commit to.
    pub hash: TapLeafHash,
    /// The path to the output key.
    pub control_block: ControlBlock,
    /// The root of the contract's script tree.
    pub merkle_root: Option<TapNodeHash>,
    /// The signers in the order of the witness, which is the reverse of the script's.
    pub signers: Vec<LeafSigner>,
    /// The number of signatures that the script requires: exactly so many, the others are empty.
    pub required: usize,
    /// The sequence that the script requires of its input.
    pub sequence: Sequence,
}

/// A key of a script, and the sighash type of its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSigner {
    /// The key, as in the script.
    pub key: XOnlyPublicKey,
    /// `Default`, unless the signature is made before the whole transaction is known.
    pub sighash: TapSighashType,
}

impl LeafSigner {
    /// A signer of the whole transaction.
    #[must_use]
    pub const fn with_default_sighash(key: XOnlyPublicKey) -> Self {
        Self { key, sighash: TapSighashType::Default }
    }

    /// The length of its signature in bytes: 64, and one more if it names its sighash type.
    #[must_use]
    pub fn signature_length(self) -> usize {
        if self.sighash == TapSighashType::Default { SCHNORR_SIGNATURE_SIZE } else { SCHNORR_SIGNATURE_SIZE + 1 }
    }
}
