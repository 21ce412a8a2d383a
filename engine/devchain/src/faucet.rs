//! The faucet: it owns the mining rewards and pays any script on request.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::key::TapTweak as _;
use bitcoin::secp256k1::{All, Keypair, Message, Secp256k1, SecretKey};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, OutPoint, ScriptBuf, Sequence, TapSighashType, Transaction, TxIn, TxOut, Witness, XOnlyPublicKey, absolute,
};

use super::best_chain::BestChain;
use super::control_error::ControlError;

/// The fee of a transaction of the faucet: enough to be mined again after a reorg.
const FEE: Amount = Amount::from_sat(1_000);

/// The faucet's key, which owns every mining reward; it is no secret.
#[derive(Clone, Debug)]
pub(crate) struct Faucet {
    pub(crate) secp: Secp256k1<All>,
    pub(crate) keys: Keypair,
}

/// Outputs of the faucet with their outpoints.
pub(crate) type FundingInputs = Vec<(OutPoint, TxOut)>;

impl Faucet {
    pub(crate) fn new() -> Result<Self, ControlError> {
        let secp = Secp256k1::new();
        let secret = sha256::Hash::hash(b"Lienbook/devnet/faucet");
        let secret = SecretKey::from_slice(secret.as_byte_array()).map_err(|_| ControlError::Signing("no key"))?;
        Ok(Self { keys: Keypair::from_secret_key(&secp, &secret), secp })
    }

    pub(crate) fn public_key(&self) -> XOnlyPublicKey {
        self.keys.x_only_public_key().0
    }

    pub(crate) fn script_pubkey(&self) -> ScriptBuf {
        ScriptBuf::new_p2tr(&self.secp, self.public_key(), None)
    }

    /// Returns a signed transaction that pays these outputs first, then the change to the faucet. It spends `carriers`,
    /// which belong to the faucet, and further coins only if `is_plain`.
    pub(crate) fn pay(
        &self,
        chain: &BestChain,
        carriers: FundingInputs,
        mut outputs: Vec<TxOut>,
        is_plain: impl Fn(OutPoint) -> bool,
    ) -> Result<Transaction, ControlError> {
        let wanted = total(&outputs).checked_add(FEE).unwrap_or(Amount::MAX);
        let carried = total(carriers.iter().map(|(_, output)| output));
        let missing = wanted.checked_sub(carried).unwrap_or(Amount::ZERO);
        let (plain, found) = self.select_coins(chain, missing, is_plain);
        let found = found.checked_add(carried).unwrap_or(Amount::MAX);
        let inputs = [carriers, plain].concat();
        let rest = found.checked_sub(wanted).ok_or(ControlError::FaucetEmpty { wanted, found })?;
        let change = TxOut { value: rest, script_pubkey: self.script_pubkey() };
        if rest >= change.script_pubkey.minimal_non_dust() {
            outputs.push(change);
        }
        let input = inputs.iter().map(|(outpoint, _)| TxIn {
            previous_output: *outpoint,
            script_sig: ScriptBuf::new(),
            sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
            witness: Witness::new(),
        });
        let mut transaction = Transaction {
            version: Version::TWO,
            lock_time: absolute::LockTime::ZERO,
            input: input.collect(),
            output: outputs,
        };
        let spent: Vec<TxOut> = inputs.into_iter().map(|(_, output)| output).collect();
        self.sign(&mut transaction, &spent)?;
        Ok(transaction)
    }

    /// The faucet's largest coins that together reach the wanted amount.
    fn select_coins(
        &self,
        chain: &BestChain,
        wanted: Amount,
        is_plain: impl Fn(OutPoint) -> bool,
    ) -> (FundingInputs, Amount) {
        let (script, height) = (self.script_pubkey(), chain.next_height());
        let own = chain.coins().filter(|(_, coin)| coin.output.script_pubkey == script && coin.is_mature_at(height));
        let mut coins: BinaryHeap<_> = own.map(|(outpoint, coin)| (coin.output.value, Reverse(outpoint))).collect();
        let (mut inputs, mut found) = (Vec::new(), Amount::ZERO);
        while found < wanted {
            let Some((value, Reverse(outpoint))) = coins.pop() else { break };
            if is_plain(outpoint) {
                found = found.checked_add(value).unwrap_or(Amount::MAX);
                inputs.push((outpoint, TxOut { value, script_pubkey: script.clone() }));
            }
        }
        (inputs, found)
    }

    fn sign(&self, transaction: &mut Transaction, spent: &[TxOut]) -> Result<(), ControlError> {
        let tweaked = self.keys.tap_tweak(&self.secp, None).to_keypair();
        let sighash_type = TapSighashType::Default;
        for index in 0..transaction.input.len() {
            let hash = SighashCache::new(&*transaction)
                .taproot_key_spend_signature_hash(index, &Prevouts::All(spent), sighash_type)
                .map_err(|_| ControlError::Signing("no sighash"))?;
            let message = Message::from_digest(hash.to_byte_array());
            let signature = self.secp.sign_schnorr_no_aux_rand(&message, &tweaked);
            transaction.input[index].witness = Witness::p2tr_key_spend(&Signature { signature, sighash_type });
        }
        Ok(())
    }
}

/// The sum of outputs, capped at the maximum amount of money.
fn total<'a>(outputs: impl IntoIterator<Item = &'a TxOut>) -> Amount {
    let values = outputs.into_iter().map(|output| output.value);
    values.fold(Amount::ZERO, |sum, value| sum.checked_add(value).unwrap_or(Amount::MAX))
}
