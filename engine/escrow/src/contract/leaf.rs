//! Contract outputs, and the scripts that can spend them.

use bitcoin::secp256k1::Secp256k1;
use bitcoin::secp256k1::constants::SCHNORR_SIGNATURE_SIZE;
use bitcoin::taproot::ControlBlock;
use bitcoin::{
    Address, Amount, Network, OutPoint, ScriptBuf, Sequence, TapLeafHash, TapNodeHash, TapSighashType, TxOut,
    XOnlyPublicKey,
};
use miniscript::descriptor::Tr;

use super::template::{SEQUENCE, Spend};
use super::unspendable::{Purpose, unspendable_key};

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
    /// The sequence that the script requires of its input.
    pub sequence: Sequence,
}

/// A key that a script requires, and the sighash type of its signature.
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

/// A taproot output that only two scripts can spend.
#[derive(Clone, Debug)]
pub struct ContractOutput {
    descriptor: Tr<XOnlyPublicKey>,
    pub(super) first: Leaf,
    pub(super) second: Leaf,
}

impl ContractOutput {
    /// Builds the contract of two miniscripts; `None` for one purpose in 2^127.
    pub(super) fn new(purpose: Purpose, scripts: [&str; 2], signers: [Vec<LeafSigner>; 2]) -> Option<Self> {
        let internal = unspendable_key(&Secp256k1::verification_only(), purpose)?;
        let [first, second] = scripts;
        let descriptor: Tr<XOnlyPublicKey> = format!("tr({internal},{{{first},{second}}})").parse().ok()?;
        let spend_info = descriptor.spend_info();
        let mut leaves = spend_info.leaves().zip(signers).map(|(leaf, signers)| Leaf {
            script: leaf.script().to_owned(),
            hash: leaf.leaf_hash(),
            control_block: leaf.control_block().clone(),
            merkle_root: spend_info.merkle_root(),
            signers,
            sequence: SEQUENCE,
        });
        let (first, second) = (leaves.next()?, leaves.next()?);
        drop(leaves);
        Some(Self { descriptor, first, second })
    }

    /// The descriptor, as other wallets and nodes read it.
    #[must_use]
    pub fn descriptor(&self) -> String {
        self.descriptor.to_string()
    }

    /// The script that pays to it.
    #[must_use]
    pub fn script_pubkey(&self) -> ScriptBuf {
        self.descriptor.script_pubkey()
    }

    /// Its address.
    #[must_use]
    pub fn address(&self, network: Network) -> Address {
        self.descriptor.address(network)
    }

    /// Spends an output of the contract by one of its scripts.
    #[must_use]
    pub fn spend<'a>(&self, outpoint: OutPoint, value: Amount, leaf: &'a Leaf) -> Spend<'a> {
        let output = TxOut { value, script_pubkey: self.script_pubkey() };
        Spend::Script { outpoint, output, leaf }
    }
}
