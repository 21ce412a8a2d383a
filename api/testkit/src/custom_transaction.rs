//! Transactions that no builder makes: those of attackers, and those of the tests themselves.

use bitcoin::absolute::LockTime;
use bitcoin::taproot::LeafVersion;
use bitcoin::transaction::Version;
use bitcoin::{Amount, Psbt, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Weight, Witness};
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::spend::{SEQUENCE, Spend};
use escrow::contract::transaction::template::Template;

use super::test_wallet::TestWallet;

/// An arbitrary unsigned transaction.
pub struct CustomTransaction<'a> {
    pub version: Version,
    pub lock_time: LockTime,
    /// Overrides the sequence of every input.
    pub sequence: Option<Sequence>,
    pub spends: Vec<Spend<'a>>,
    pub outputs: Vec<TxOut>,
}

impl<'a> CustomTransaction<'a> {
    /// Creates a transaction of version 2 without a lock time.
    pub fn new(spends: Vec<Spend<'a>>, outputs: Vec<TxOut>) -> Self {
        Self { version: Version::TWO, lock_time: LockTime::ZERO, sequence: None, spends, outputs }
    }

    /// Returns it in the form that wallets receive.
    pub fn template(&self) -> Template {
        let input = self.spends.iter().map(|spend| {
            let sequence = match spend {
                Spend::Coin(_) => SEQUENCE,
                Spend::Script { leaf, .. } => leaf.sequence,
            };
            TxIn {
                previous_output: spend.outpoint(),
                script_sig: ScriptBuf::new(),
                sequence: self.sequence.unwrap_or(sequence),
                witness: Witness::new(),
            }
        });
        let (version, lock_time, output) = (self.version, self.lock_time, self.outputs.clone());
        let mut psbt =
            Psbt::from_unsigned_tx(Transaction { version, lock_time, input: input.collect(), output }).unwrap();
        for (input, spend) in psbt.inputs.iter_mut().zip(&self.spends) {
            input.witness_utxo = Some(spend.output());
            match spend {
                Spend::Coin(coin) => {
                    input.redeem_script = coin.key.redeem_script();
                    if let CoinKey::P2tr(key) = coin.key {
                        input.tap_internal_key = Some(key);
                    }
                }
                Spend::Script { leaf, .. } => {
                    let script = (leaf.script.clone(), LeafVersion::TapScript);
                    input.tap_scripts.insert(leaf.control_block.clone(), script);
                }
            }
        }
        Template { psbt, weight: Weight::MAX_BLOCK, locks: self.spends.iter().map(lock).collect() }
    }

    /// Signs it for these wallets; `presigned` adds a given signature for an input and a place.
    pub fn signed(&self, signers: &[&TestWallet], presigned: Option<(usize, usize, &[u8])>) -> Transaction {
        assembled(&self.template(), signers, presigned)
    }
}

fn lock(spend: &Spend<'_>) -> Lock {
    match spend {
        Spend::Coin(coin) => Lock::Key(coin.key),
        Spend::Script { leaf, .. } => Lock::Script(Box::new((*leaf).clone())),
    }
}

/// Assembles a transaction from the signatures of these wallets and a given one: only the node verifies them.
pub fn assembled(
    template: &Template,
    signers: &[&TestWallet],
    presigned: Option<(usize, usize, &[u8])>,
) -> Transaction {
    let signed = signers.iter().map(|person| person.signatures(template)).reduce(|all, own| all.merge(own).unwrap());
    let signature = |signed: &Option<Signatures>, index: usize, place: usize| match presigned {
        Some((input, at, signature)) if (input, at) == (index, place) => signature.to_vec(),
        _ => signed.as_ref().and_then(|signed| signed.get(index, place)).unwrap_or_default().to_vec(),
    };
    let mut transaction = template.psbt.unsigned_tx.clone();
    for (index, (input, lock)) in transaction.input.iter_mut().zip(&template.locks).enumerate() {
        let places = 0..lock.signers().len();
        input.script_sig = lock.script_sig();
        input.witness = lock.witness(&places.map(|place| signature(&signed, index, place)).collect::<Vec<_>>());
    }
    transaction
}

/// A change to a transaction, with a description.
pub type Change<'a> = (&'a str, &'a dyn Fn(&mut Transaction));

/// Returns an output of this value.
pub fn pay(script_pubkey: ScriptBuf, sats: u64) -> TxOut {
    TxOut { value: Amount::from_sat(sats), script_pubkey }
}
