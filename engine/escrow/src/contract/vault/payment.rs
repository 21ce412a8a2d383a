//! The lender's payments: into the vault, in one or more outputs, or to their own address for a loan that takes a coin
//! of an exact amount.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut};
use thiserror::Error;

use super::Vault;
use super::vault_change::{self, SplitError};
use crate::contract::transaction::assembly::{Assembly, AssemblyError, WrongFee, check_fee, sum};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::Template;

/// The payee of a payment.
#[derive(Clone, Copy, Debug)]
pub enum Payee<'a> {
    /// A vault.
    Vault(&'a Vault),
    /// The address that also receives the change.
    Own,
}

/// A payment to build.
#[derive(Clone, Copy, Debug)]
pub struct Payment<'a> {
    /// The payee.
    pub to: Payee<'a>,
    /// The lender's coins that pay, without inscriptions or runes; all of them are spent.
    pub coins: &'a [Coin],
    /// The amount paid.
    pub amount: Amount,
    /// The number of outputs for a vault; otherwise 1.
    pub outputs: usize,
    /// The script that receives the change.
    pub change: &'a ScriptBuf,
    /// The fee rate, paid in addition to the amount.
    pub fee_rate: FeeRate,
}

/// The reason why a payment cannot be made in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PaymentError {
    /// The change would go to the vault, which was not requested.
    #[error("the change of a deposit must not go to the vault")]
    ChangeIsVault,
    /// The amount cannot be split into this number of outputs.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The coins do not make a valid transaction.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] PaymentFault),
    /// An input is not one of the lender's coins.
    #[error("it spends {0}, which is not one of the lender's coins")]
    UnknownCoin(OutPoint),
    /// The transaction was changed.
    #[error("it is not a payment built from these coins")]
    Altered,
}

/// A fault that the final check of a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PaymentFault {
    /// The first outputs are not the payment.
    #[error("the first outputs are not the whole amount for its payee")]
    WrongPayee,
    /// The inputs are not exactly the coins.
    #[error("input {index} is not the expected coin")]
    ForeignInput {
        /// Its index.
        index: usize,
    },
    /// An output pays a script that it must not pay.
    #[error("output {index} is neither the payment nor the change")]
    ForeignOutput {
        /// Its index.
        index: usize,
    },
    /// The fee is too low or too high.
    #[error(transparent)]
    WrongFee(#[from] WrongFee),
}

impl Payment<'_> {
    /// Builds the transaction, with every sat accounted for.
    pub fn build(&self) -> Result<Template, PaymentError> {
        let script = self.script();
        if matches!(self.to, Payee::Vault(_)) && *self.change == script {
            return Err(PaymentError::ChangeIsVault);
        }
        // A deposit without change pays more than its split was computed for.
        let max = if matches!(self.to, Payee::Own) { 1 } else { vault_change::OUTPUTS_MAX };
        if !(1..=max).contains(&self.outputs) {
            return Err(SplitError { rest: self.amount, max, found: self.outputs }.into());
        }
        let assembly = Assembly {
            version: Version::TWO,
            spends: self.spends().collect(),
            outputs: self.paid(),
            found: sum(self.coins.iter().map(|coin| coin.output.value))?,
            due: self.amount,
            change: self.change,
            fee_rate: self.fee_rate,
            unconfirmed: &[],
        };
        let template = assembly.finish()?;
        self.check(&template)?;
        Ok(template)
    }

    /// Rebuilds a payment that was handed out before, from the lender's coins that it spends, as the chain has them.
    /// Returns it with its fee rate.
    ///
    /// # Errors
    /// If it is any other transaction.
    pub fn rebuild(
        unsigned: &Transaction,
        to: Payee<'_>,
        coins: &[Coin],
        change: &ScriptBuf,
    ) -> Result<(Template, FeeRate), PaymentError> {
        let mut ordered = Vec::with_capacity(unsigned.input.len());
        for outpoint in unsigned.input.iter().map(|input| input.previous_output) {
            let coin = coins.iter().find(|coin| coin.outpoint == outpoint);
            ordered.push(coin.cloned().ok_or(PaymentError::UnknownCoin(outpoint))?);
        }
        let spends: Vec<Spend<'_>> = ordered.iter().map(Spend::Coin).collect();
        let handed_out = Template::new(unsigned.version, unsigned.lock_time, &spends, unsigned.output.clone());
        // The highest fee rate that does not require more than the fee it pays.
        let per_kwu =
            handed_out.fee().and_then(|fee| fee.to_sat().checked_mul(1_000)?.checked_div(handed_out.weight.to_wu()));
        let fee_rate = per_kwu.map(FeeRate::from_sat_per_kwu).ok_or(PaymentError::Altered)?;
        let paid: Vec<Amount> = match to {
            Payee::Vault(vault) => {
                let vault = vault.output().script_pubkey();
                let paid = unsigned.output.iter().take_while(|output| output.script_pubkey == vault);
                paid.map(|output| output.value).collect()
            }
            Payee::Own => unsigned.output.first().map(|output| output.value).into_iter().collect(),
        };
        let amount = sum(paid.iter().copied())?;
        let payment = Payment { to, coins: &ordered, amount, outputs: paid.len(), change, fee_rate };
        let template = payment.build().map_err(|error| match error {
            PaymentError::Split(_) => PaymentError::Altered,
            other => other,
        })?;
        if template.psbt.unsigned_tx == *unsigned { Ok((template, fee_rate)) } else { Err(PaymentError::Altered) }
    }

    fn spends(&self) -> impl ExactSizeIterator<Item = Spend<'_>> {
        self.coins.iter().map(Spend::Coin)
    }

    /// The payment outputs.
    fn paid(&self) -> Vec<TxOut> {
        vault_change::outputs(self.amount, self.outputs, &self.script())
    }

    /// The script of the payee.
    fn script(&self) -> ScriptBuf {
        match self.to {
            Payee::Vault(vault) => vault.output().script_pubkey(),
            Payee::Own => self.change.clone(),
        }
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), PaymentFault> {
        let outputs = &template.psbt.unsigned_tx.output;
        let paid = self.paid();
        if !outputs.starts_with(&paid) {
            return Err(PaymentFault::WrongPayee);
        }
        if let Some(index) = template.first_mismatched_input(self.spends()) {
            return Err(PaymentFault::ForeignInput { index });
        }
        let is_foreign =
            |(index, output): &(usize, &TxOut)| *index > paid.len() || output.script_pubkey != *self.change;
        if let Some((index, _)) = outputs.iter().enumerate().skip(paid.len()).find(is_foreign) {
            return Err(PaymentFault::ForeignOutput { index });
        }
        Ok(check_fee(template, self.fee_rate, self.change, paid.len())?)
    }
}
