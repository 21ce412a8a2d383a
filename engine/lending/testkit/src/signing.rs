//! Users' signatures.

use bitcoin::transaction::Version;
use bitcoin::{OutPoint, Psbt, Sequence, Transaction, TxIn, TxOut, absolute};
use lending::service::unsigned_transactions::UnsignedPsbt;

use crate::people::Person;

impl Person {
    /// Signs transactions.
    pub fn sign(&self, transactions: &[UnsignedPsbt]) -> Vec<String> {
        transactions.iter().map(|transaction| self.sign_one(transaction)).collect()
    }

    /// Signs a transaction.
    pub fn sign_one(&self, transaction: &UnsignedPsbt) -> String {
        self.wallet.sign_psbt(&transaction.base64).unwrap()
    }

    /// Builds and signs a transaction that spends these outputs.
    pub fn spend(&self, spent: &[(OutPoint, TxOut)], output: Vec<TxOut>) -> Transaction {
        let input = spent.iter().map(|(outpoint, _)| TxIn {
            previous_output: *outpoint,
            sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
            ..TxIn::default()
        });
        let lock_time = absolute::LockTime::ZERO;
        let unsigned = Transaction { version: Version::TWO, lock_time, input: input.collect(), output };
        let mut psbt = Psbt::from_unsigned_tx(unsigned).unwrap();
        for (input, (_, output)) in psbt.inputs.iter_mut().zip(spent) {
            input.witness_utxo = Some(output.clone());
        }
        let signed: Psbt = self.wallet.sign_psbt(&psbt.to_string()).unwrap().parse().unwrap();
        let mut transaction = signed.unsigned_tx;
        for (input, signed) in transaction.input.iter_mut().zip(signed.inputs) {
            if let Some(signature) = signed.tap_key_sig {
                input.witness.push(signature.to_vec());
            }
            for (key, signature) in signed.partial_sigs {
                input.witness.push(signature.to_vec());
                input.witness.push(key.to_bytes());
            }
        }
        transaction
    }
}
