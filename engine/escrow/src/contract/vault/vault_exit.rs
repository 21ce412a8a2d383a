//! The exit from a vault: by the lender alone, without the signer's consent, a day after it was funded.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Sequence};
use thiserror::Error;

use super::{EXIT_BLOCKS, Vault};
use crate::contract::transaction::assembly::{Assembly, AssemblyError, WrongFee, check_exact_fee, sum};
use crate::contract::transaction::template::Template;

/// An exit to build.
#[derive(Clone, Copy, Debug)]
pub struct VaultExit<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The outputs of the vault to spend. Nodes accept the transaction once each has [`EXIT_BLOCKS`] confirmations.
    pub outputs: &'a [(OutPoint, Amount)],
    /// The receiving script, which the lender chooses freely.
    pub destination: &'a ScriptBuf,
    /// The fee rate, paid out of the outputs' value.
    pub fee_rate: FeeRate,
}

/// The reason why a vault cannot be exited in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExitError {
    /// The exit would pay back to the vault, where the lender would wait for another day.
    #[error("an exit must not pay the vault itself")]
    DestinationIsVault,
    /// The value after the fee would be dust.
    #[error("after the fee, {amount} leaves less than the dust limit of {min}")]
    TooSmall {
        /// The total of the outputs.
        amount: Amount,
        /// The minimum.
        min: Amount,
    },
    /// The outputs do not make a valid transaction.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] ExitFault),
}

/// A fault that the final check of a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExitFault {
    /// A sequence differs: the script refuses a smaller one, and a larger one waits longer.
    #[error("input {index} has the sequence {found}, and the script requires {EXIT_BLOCKS} blocks")]
    WrongSequence {
        /// Its index.
        index: usize,
        /// Its sequence.
        found: Sequence,
    },
    /// Relative locktimes require version 2 (BIP-68); version 3 would restrict a child that pays for it.
    #[error("the transaction has version {}, not 2", .0.0)]
    WrongVersion(Version),
    /// The inputs are not exactly the vault's outputs, spent by the lender's script.
    #[error("input {index} is not the expected output of the vault, spent by the lender's script")]
    ForeignInput {
        /// Its index.
        index: usize,
    },
    /// The outputs are not a single one to the lender's chosen script.
    #[error("{count} outputs, and not one to the lender's destination")]
    WrongDestination {
        /// The number found.
        count: usize,
    },
    /// The fee is more or less than the fee rate requires.
    #[error(transparent)]
    WrongFee(#[from] WrongFee),
}

impl VaultExit<'_> {
    /// Builds the transaction, with every sat accounted for.
    pub fn build(&self) -> Result<Template, ExitError> {
        if *self.destination == self.vault.output().script_pubkey() {
            return Err(ExitError::DestinationIsVault);
        }
        let amount = sum(self.outputs.iter().map(|(_, value)| *value))?;
        let assembly = Assembly {
            version: Version::TWO,
            spends: self.vault.spends(self.outputs, self.vault.exit_leaf()),
            outputs: Vec::new(),
            found: amount,
            due: Amount::ZERO,
            change: self.destination,
            fee_rate: self.fee_rate,
            unconfirmed: &[],
        };
        let template = assembly.finish()?;
        if template.psbt.unsigned_tx.output.is_empty() {
            return Err(ExitError::TooSmall { amount, min: self.destination.minimal_non_dust() });
        }
        self.check(&template)?;
        Ok(template)
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), ExitFault> {
        let transaction = &template.psbt.unsigned_tx;
        let wanted = Sequence::from_height(EXIT_BLOCKS);
        if let Some(index) = transaction.input.iter().position(|input| input.sequence != wanted) {
            return Err(ExitFault::WrongSequence { index, found: transaction.input[index].sequence });
        }
        if transaction.version != Version::TWO {
            return Err(ExitFault::WrongVersion(transaction.version));
        }
        let expected = self.vault.spends(self.outputs, self.vault.exit_leaf());
        if let Some(index) = template.first_mismatched_input(expected.into_iter()) {
            return Err(ExitFault::ForeignInput { index });
        }
        let pays_destination = |output: &bitcoin::TxOut| output.script_pubkey == *self.destination;
        if transaction.output.len() != 1 || !transaction.output.iter().all(pays_destination) {
            return Err(ExitFault::WrongDestination { count: transaction.output.len() });
        }
        Ok(check_exact_fee(template, self.fee_rate)?)
    }
}
