//! Inscriptions and commitments to rune names, made by the faucet: a commit output and the transaction that reveals it.

use bitcoin::hashes::Hash as _;
use bitcoin::opcodes::all::{OP_CHECKSIG, OP_ENDIF, OP_IF};
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::secp256k1::Message;
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::{LeafVersion, Signature, TaprootBuilder, TaprootSpendInfo};
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, OutPoint, ScriptBuf, Sequence, TapLeafHash, TapSighashType, Transaction, TxIn, TxOut, Witness, absolute,
};

use ordinals::Rune;

use super::control_error::ControlError;
use super::faucet::Faucet;

/// The fee of the reveal: enough to be mined again after a reorg, however long the content.
const FEE: Amount = Amount::from_sat(10_000);
/// The limit of one push in a script.
const MAX_PUSH_BYTES: usize = 520;

/// The content of an inscription.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content<'a> {
    /// The media type.
    pub(crate) content_type: &'a [u8],
    pub(crate) body: &'a [u8],
}

/// A script that holds content, and the key that spends it.
#[derive(Debug)]
pub(crate) struct Inscriber<'a> {
    faucet: &'a Faucet,
    script: ScriptBuf,
    tree: TaprootSpendInfo,
}

impl<'a> Inscriber<'a> {
    /// Returns the inscriber of a content.
    pub(crate) fn new(faucet: &'a Faucet, content: Content<'_>) -> Result<Self, ControlError> {
        let mut builder =
            opened(faucet).push_slice(b"ord").push_slice([1]).push_slice(push(content.content_type)?).push_int(0);
        for part in content.body.chunks(MAX_PUSH_BYTES) {
            builder = builder.push_slice(push(part)?);
        }
        Self::closed(faucet, builder)
    }

    /// Returns the commitment to a rune's name, which is not an inscription.
    pub(crate) fn committing_to(faucet: &'a Faucet, rune: Rune) -> Result<Self, ControlError> {
        Self::closed(faucet, opened(faucet).push_slice(push(&rune.commitment())?))
    }

    fn closed(faucet: &'a Faucet, builder: Builder) -> Result<Self, ControlError> {
        let script = builder.push_opcode(OP_ENDIF).into_script();
        let tree = TaprootBuilder::new().add_leaf(0, script.clone()).map_err(|_| ControlError::Signing("no tree"))?;
        let tree = tree.finalize(&faucet.secp, faucet.public_key()).map_err(|_| ControlError::Signing("no tree"))?;
        Ok(Self { faucet, script, tree })
    }

    /// The commit output, whose reveal leaves `postage` to its outputs.
    pub(crate) fn commitment(&self, postage: Amount) -> Result<TxOut, ControlError> {
        let value = postage.checked_add(FEE).ok_or(ControlError::Postage(postage))?;
        Ok(TxOut { value, script_pubkey: ScriptBuf::new_p2tr_tweaked(self.tree.output_key()) })
    }

    /// Spends the commit output into other outputs, of which the first carries an inscription on its first sat.
    pub(crate) fn reveal(
        &self,
        commit: &Transaction,
        vout: u32,
        outputs: Vec<TxOut>,
    ) -> Result<Transaction, ControlError> {
        let place = usize::try_from(vout).ok();
        let spent = place.and_then(|place| commit.output.get(place)).ok_or(ControlError::Signing("no commitment"))?;
        let mut reveal = Transaction {
            version: Version::TWO,
            lock_time: absolute::LockTime::ZERO,
            input: vec![TxIn {
                previous_output: OutPoint::new(commit.compute_txid(), vout),
                script_sig: ScriptBuf::new(),
                sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
                witness: Witness::new(),
            }],
            output: outputs,
        };
        let (leaf, sighash_type) =
            (TapLeafHash::from_script(&self.script, LeafVersion::TapScript), TapSighashType::Default);
        let hash = SighashCache::new(&reveal)
            .taproot_script_spend_signature_hash(0, &Prevouts::All(&[spent]), leaf, sighash_type)
            .map_err(|_| ControlError::Signing("no sighash"))?;
        let message = Message::from_digest(hash.to_byte_array());
        let signature = self.faucet.secp.sign_schnorr_no_aux_rand(&message, &self.faucet.keys);
        let key = (self.script.clone(), LeafVersion::TapScript);
        let proof = self.tree.control_block(&key).ok_or(ControlError::Signing("no proof"))?;
        let signature = Signature { signature, sighash_type };
        reveal.input[0].witness = Witness::from_slice(&[signature.to_vec(), self.script.to_bytes(), proof.serialize()]);
        Ok(reveal)
    }
}

/// The start of a script that the faucet's key spends, up to the data that is never executed.
fn opened(faucet: &Faucet) -> Builder {
    let spent_by = Builder::new().push_x_only_key(&faucet.public_key()).push_opcode(OP_CHECKSIG);
    spent_by.push_int(0).push_opcode(OP_IF)
}

fn push(bytes: &[u8]) -> Result<PushBytesBuf, ControlError> {
    let mut push = PushBytesBuf::new();
    push.extend_from_slice(bytes).map_err(|_| ControlError::Signing("content too long"))?;
    Ok(push)
}
