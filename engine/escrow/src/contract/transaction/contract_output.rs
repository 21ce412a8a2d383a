//! Contract outputs.

use bitcoin::{Address, Amount, Network, OutPoint, ScriptBuf, TxOut, XOnlyPublicKey};
use miniscript::descriptor::Tr;

use super::leaf::{Leaf, LeafSigner};
use super::spend::{SEQUENCE, Spend};
use super::unspendable::{Purpose, unspendable_key};

/// A taproot output that only two scripts can spend.
#[derive(Clone, Debug)]
pub struct ContractOutput {
    descriptor: Tr<XOnlyPublicKey>,
    pub(crate) first: Leaf,
    pub(crate) second: Leaf,
}

impl ContractOutput {
    /// Builds the contract of two miniscripts; `None` for one purpose in 2^127.
    pub(crate) fn new(purpose: Purpose, scripts: [&str; 2], signers: [Vec<LeafSigner>; 2]) -> Option<Self> {
        let internal = unspendable_key(purpose)?;
        let [first, second] = scripts;
        let descriptor: Tr<XOnlyPublicKey> = format!("tr({internal},{{{first},{second}}})").parse().ok()?;
        let spend_info = descriptor.spend_info();
        let mut leaves = spend_info.leaves().zip(signers).map(|(leaf, signers)| Leaf {
            script: leaf.script().to_owned(),
            hash: leaf.leaf_hash(),
            control_block: leaf.control_block().clone(),
            merkle_root: spend_info.merkle_root(),
            required: signers.len(),
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
