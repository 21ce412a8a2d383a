//! A withdrawal from a vault with the signer's help: without delay, and only to its lender.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut};
use thiserror::Error;

use super::Vault;
use super::vault_change::{self, SplitError};
use crate::contract::transaction::assembly::{Assembly, AssemblyError, WrongFee, check_exact_fee, sum};
use crate::contract::transaction::template::{Template, total};

/// The share of the outputs to withdraw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Their whole value.
    All,
    /// This amount; the rest returns to the vault, where it needs [`super::EXIT_BLOCKS`] confirmations again
    /// before the lender can exit alone.
    Part(Amount),
}

/// A withdrawal to build.
#[derive(Clone, Copy, Debug)]
pub struct VaultWithdrawal<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The outputs of the vault to spend.
    pub outputs: &'a [(OutPoint, Amount)],
    /// The lender's own address that the vault was registered with. No other can be given.
    pub destination: &'a ScriptBuf,
    /// The share to withdraw; the fee is paid out of it.
    pub share: Share,
    /// The fee rate.
    pub fee_rate: FeeRate,
    /// The number of outputs in which the rest returns; 1 if there is none.
    pub change_outputs: usize,
}

/// The reason why a withdrawal cannot be made in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WithdrawalError {
    /// The withdrawal would pay the vault itself.
    #[error("a withdrawal must not go to the vault itself")]
    DestinationIsVault,
    /// The outputs are insufficient.
    #[error("the vault's outputs hold {found}, and {wanted} is required")]
    InsufficientFunds {
        /// The amount to withdraw.
        wanted: Amount,
        /// The amount found.
        found: Amount,
    },
    /// The rest cannot be split into this number of outputs.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The value after the fee would be dust.
    #[error("after the fee, {amount} leaves less than the dust limit of {min}")]
    TooSmall {
        /// The amount to withdraw.
        amount: Amount,
        /// The minimum.
        min: Amount,
    },
    /// The outputs do not make a valid transaction.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] WithdrawalFault),
}

/// A fault that the final check of a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WithdrawalFault {
    /// The inputs are not exactly the vault's outputs, spent by the signer's script.
    #[error("input {index} is not the expected output of the vault, spent by the signer's script")]
    ForeignInput {
        /// Its index.
        index: usize,
    },
    /// The last output is not the lender's.
    #[error("the last output does not go to the lender's own address")]
    WrongDestination,
    /// An output is neither the lender's nor the vault's.
    #[error("output {index} is neither the lender's nor the vault's change")]
    ForeignOutput {
        /// Its index.
        index: usize,
    },
    /// The rest has another number of outputs, or unequal ones.
    #[error("the change has {found} outputs instead of {expected} equal ones")]
    WrongSplit {
        /// The number expected.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// The value that returns is not the rest.
    #[error("{found} returns to the vault, and {expected} is due")]
    WrongRest {
        /// The rest of the outputs.
        expected: Amount,
        /// The value that returns.
        found: Amount,
    },
    /// The fee is more or less than the fee rate requires.
    #[error(transparent)]
    WrongFee(#[from] WrongFee),
}

impl VaultWithdrawal<'_> {
    /// Builds the transaction, with every sat accounted for.
    pub fn build(&self) -> Result<Template, WithdrawalError> {
        let vault = self.vault.output().script_pubkey();
        if *self.destination == vault {
            return Err(WithdrawalError::DestinationIsVault);
        }
        let found = sum(self.outputs.iter().map(|(_, value)| *value))?;
        let amount = self.amount(found);
        let rest = found.checked_sub(amount).ok_or(WithdrawalError::InsufficientFunds { wanted: amount, found })?;
        // A rest below the dust limit goes to the lender too.
        let due = if rest < vault.minimal_non_dust() { Amount::ZERO } else { rest };
        vault_change::check_count(due, self.change_outputs, &vault, self.fee_rate)?;
        let back =
            if due > Amount::ZERO { vault_change::outputs(due, self.change_outputs, &vault) } else { Vec::new() };
        let assembly = Assembly {
            version: Version::TWO,
            spends: self.vault.spends(self.outputs, self.vault.signer_leaf()),
            outputs: back,
            found,
            due,
            change: self.destination,
            fee_rate: self.fee_rate,
            unconfirmed: &[],
        };
        let template = assembly.finish()?;
        if !pays(&template, self.destination) {
            return Err(WithdrawalError::TooSmall { amount, min: self.destination.minimal_non_dust() });
        }
        self.check(&template)?;
        Ok(template)
    }

    /// The amount to withdraw from outputs of value `found`.
    fn amount(&self, found: Amount) -> Amount {
        match self.share {
            Share::All => found,
            Share::Part(amount) => amount,
        }
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), WithdrawalFault> {
        let expected = self.vault.spends(self.outputs, self.vault.signer_leaf());
        if let Some(index) = template.first_mismatched_input(expected.into_iter()) {
            return Err(WithdrawalFault::ForeignInput { index });
        }
        if !pays(template, self.destination) {
            return Err(WithdrawalFault::WrongDestination);
        }
        let vault = self.vault.output().script_pubkey();
        let before = template.psbt.unsigned_tx.output.split_last().map_or(&[][..], |(_, before)| before);
        let is_foreign = |(_, output): &(usize, &TxOut)| output.script_pubkey != vault;
        if let Some((index, _)) = before.iter().enumerate().find(is_foreign) {
            return Err(WithdrawalFault::ForeignOutput { index });
        }
        let held = total(template.input_amounts());
        let rest = held.checked_sub(self.amount(held)).unwrap_or(Amount::MAX);
        let expected = if rest < vault.minimal_non_dust() { Amount::ZERO } else { rest };
        let found = total(before.iter().map(|output| output.value));
        if found != expected {
            return Err(WithdrawalFault::WrongRest { expected, found });
        }
        let parts = if expected > Amount::ZERO { self.change_outputs } else { 0 };
        if before.len() != parts || (parts > 0 && before != vault_change::outputs(found, parts, &vault)) {
            return Err(WithdrawalFault::WrongSplit { expected: parts, found: before.len() });
        }
        Ok(check_exact_fee(template, self.fee_rate)?)
    }
}

/// Whether the last output pays to `destination`.
fn pays(template: &Template, destination: &ScriptBuf) -> bool {
    template.psbt.unsigned_tx.output.last().is_some_and(|output| output.script_pubkey == *destination)
}
