//! An input of a transaction, before it is signed.

use bitcoin::psbt::Input;
use bitcoin::taproot::LeafVersion;
use bitcoin::transaction::InputWeightPrediction;
use bitcoin::{OutPoint, ScriptBuf, Sequence, TxIn, TxOut, Witness};

use super::coin::{Coin, CoinKey};
use super::leaf::Leaf;
use super::lock::Lock;

/// The sequence of all inputs but exits: replaceable, and without a relative locktime.
pub const SEQUENCE: Sequence = Sequence::ENABLE_RBF_NO_LOCKTIME;

/// An input, with the key or script that spends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spend<'a> {
    /// A coin of one user.
    Coin(&'a Coin),
    /// A contract, by one of its scripts.
    Script {
        /// Its outpoint.
        outpoint: OutPoint,
        /// The output that is spent.
        output: TxOut,
        /// The script.
        leaf: &'a Leaf,
    },
}

impl Spend<'_> {
    /// The outpoint that it spends.
    #[must_use]
    pub const fn outpoint(&self) -> OutPoint {
        match self {
            Self::Coin(coin) => coin.outpoint,
            Self::Script { outpoint, .. } => *outpoint,
        }
    }

    /// The output that it spends.
    #[must_use]
    pub fn output(&self) -> TxOut {
        match self {
            Self::Coin(coin) => coin.output.clone(),
            Self::Script { output, .. } => output.clone(),
        }
    }

    /// The weight that witness and signature script add.
    pub(crate) fn prediction(&self) -> InputWeightPrediction {
        match self {
            Self::Coin(Coin { key: CoinKey::P2tr(_), .. }) => InputWeightPrediction::P2TR_KEY_DEFAULT_SIGHASH,
            Self::Coin(Coin { key: CoinKey::P2wpkh(_), .. }) => InputWeightPrediction::P2WPKH_MAX,
            Self::Coin(Coin { key: CoinKey::P2shP2wpkh(_), .. }) => InputWeightPrediction::new(23, [72, 33]),
            Self::Script { leaf, .. } => {
                let signatures = leaf.signers.iter().take(leaf.required).map(|signer| signer.signature_length());
                let absent = leaf.signers.iter().skip(leaf.required).map(|_| 0);
                let proof = [leaf.script.len(), leaf.control_block.size()];
                InputWeightPrediction::new(0, signatures.chain(absent).chain(proof))
            }
        }
    }

    pub(crate) fn lock(&self) -> Lock {
        match self {
            Self::Coin(coin) => Lock::Key(coin.key),
            Self::Script { leaf, .. } => Lock::Script(Box::new((*leaf).clone())),
        }
    }

    fn sequence(&self) -> Sequence {
        match self {
            Self::Coin(_) => SEQUENCE,
            Self::Script { leaf, .. } => leaf.sequence,
        }
    }

    pub(crate) fn unsigned_input(&self) -> TxIn {
        TxIn {
            previous_output: self.outpoint(),
            script_sig: ScriptBuf::new(),
            sequence: self.sequence(),
            witness: Witness::new(),
        }
    }

    pub(crate) fn psbt_input(&self) -> Input {
        let mut input = Input { witness_utxo: Some(self.output()), ..Input::default() };
        match self {
            Self::Coin(coin) => {
                input.redeem_script = coin.key.redeem_script();
                if let CoinKey::P2tr(key) = coin.key {
                    input.tap_internal_key = Some(key);
                }
            }
            Self::Script { leaf, .. } => {
                input.tap_internal_key = Some(leaf.control_block.internal_key);
                input.tap_merkle_root = leaf.merkle_root;
                let script = (leaf.script.clone(), LeafVersion::TapScript);
                input.tap_scripts.insert(leaf.control_block.clone(), script);
            }
        }
        input
    }
}
