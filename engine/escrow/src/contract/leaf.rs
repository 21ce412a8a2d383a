//! Contracts as outputs, and the scripts that can spend them.

use bitcoin::secp256k1::Secp256k1;
use bitcoin::taproot::ControlBlock;
use bitcoin::{
    Address, Amount, Network, OutPoint, ScriptBuf, Sequence, TapLeafHash, TapNodeHash, TxOut, XOnlyPublicKey,
};
use miniscript::descriptor::Tr;

use super::template::{SEQUENCE, Spend};
use super::unspendable::{Purpose, unspendable_key};

/// A script that can spend a contract, and the proof that it belongs to it.
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
    /// Bytes of each signature, in the order of the witness: 64, and 65 where it names its sighash.
    pub signatures: &'static [usize],
    /// What the script asks of its input.
    pub sequence: Sequence,
}

/// A taproot output that only two scripts can spend.
#[derive(Clone, Debug)]
pub struct ContractOutput {
    descriptor: Tr<XOnlyPublicKey>,
    pub(super) first: Leaf,
    pub(super) second: Leaf,
}

impl ContractOutput {
    /// The contract of two miniscripts; `None` for one purpose in 2^127.
    pub(super) fn new(purpose: Purpose, scripts: [&str; 2], signatures: [&'static [usize]; 2]) -> Option<Self> {
        let internal = unspendable_key(&Secp256k1::verification_only(), purpose)?;
        let [first, second] = scripts;
        let descriptor: Tr<XOnlyPublicKey> = format!("tr({internal},{{{first},{second}}})").parse().ok()?;
        let spend_info = descriptor.spend_info();
        let mut leaves = spend_info.leaves().zip(signatures).map(|(leaf, signatures)| Leaf {
            script: leaf.script().to_owned(),
            hash: leaf.leaf_hash(),
            control_block: leaf.control_block().clone(),
            merkle_root: spend_info.merkle_root(),
            signatures,
            sequence: SEQUENCE,
        });
        let (first, second) = (leaves.next()?, leaves.next()?);
        drop(leaves);
        Some(Self { descriptor, first, second })
    }

    /// The descriptor, in the form that other wallets and nodes read.
    #[must_use]
    pub fn descriptor(&self) -> String {
        self.descriptor.to_string()
    }

    /// What pays to it.
    #[must_use]
    pub fn script_pubkey(&self) -> ScriptBuf {
        self.descriptor.script_pubkey()
    }

    /// Its address.
    #[must_use]
    pub fn address(&self, network: Network) -> Address {
        self.descriptor.address(network)
    }

    /// What was paid to it, spent by one of its scripts.
    #[must_use]
    pub fn spend<'a>(&self, outpoint: OutPoint, value: Amount, leaf: &'a Leaf) -> Spend<'a> {
        let output = TxOut { value, script_pubkey: self.script_pubkey() };
        Spend::Script { outpoint, output, leaf }
    }
}
