//! The output that backs a lender's instant offers.
//!
//! - Its keys are those of [`vault_signers`] and of the lender.
//! - [`payment`] funds it, [`vault_withdrawal`] withdraws from it with the signers, [`vault_exit`] without.
//! - [`vault_change`] splits what returns to it, and a [`fee_bump`] raises the fee of an unconfirmed parent.

pub mod fee_bump;
pub mod payment;
pub mod vault_change;
pub mod vault_exit;
pub mod vault_signers;
pub mod vault_withdrawal;

use bitcoin::{Amount, OutPoint, Sequence, XOnlyPublicKey};
use thiserror::Error;

use crate::contract::transaction::contract_output::ContractOutput;
use crate::contract::transaction::leaf::{Leaf, LeafSigner};
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::unspendable::Purpose;
use crate::contract::vault::vault_signers::VaultSigners;

/// The number of confirmations after which the lender can exit alone, about a day.
pub const EXIT_BLOCKS: u16 = 144;

/// The terms of a vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultTerms {
    /// The lender's id.
    pub lender_id: u64,
    /// The signers' keys for this lender.
    pub signers: VaultSigners,
    /// The lender's ordinals key.
    pub lender: XOnlyPublicKey,
}

/// The reason why there can be no such vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VaultError {
    /// A signer's key equals the lender's, whose exit must not need a signer.
    #[error("a signer's key must not be the lender's")]
    SameKey,
    /// The id gives no key, which happens for one in 2^127.
    #[error("this lender id gives no internal key")]
    UnusableId,
}

/// `tr(unspendable, {pk(signer), and_v(v:pk(lender),older(144))})`, with several signers
/// `tr(unspendable, {multi_a(required,signer,…), and_v(v:pk(lender),older(144))})`.
#[derive(Clone, Debug)]
pub struct Vault {
    terms: VaultTerms,
    output: ContractOutput,
}

impl Vault {
    /// Builds the vault of these terms.
    pub fn new(terms: VaultTerms) -> Result<Self, VaultError> {
        let VaultTerms { lender_id, ref signers, lender } = terms;
        if signers.keys().contains(&lender) {
            return Err(VaultError::SameKey);
        }
        let required = signers.required();
        let scripts = [signers.miniscript(), format!("and_v(v:pk({lender}),older({EXIT_BLOCKS}))")];
        let signers = [signers.in_witness_order(), vec![LeafSigner::with_default_sighash(lender)]];
        let purpose = Purpose::Vault(lender_id);
        let output = ContractOutput::new(purpose, [&scripts[0], &scripts[1]], signers);
        let mut output = output.ok_or(VaultError::UnusableId)?;
        output.first.required = required;
        output.second.sequence = Sequence::from_height(EXIT_BLOCKS);
        Ok(Self { terms, output })
    }

    /// Returns its terms.
    #[must_use]
    pub const fn terms(&self) -> &VaultTerms {
        &self.terms
    }

    /// Returns its output.
    #[must_use]
    pub const fn output(&self) -> &ContractOutput {
        &self.output
    }

    /// The script of the signers, which spends into a loan that matches an offer, or to the lender.
    #[must_use]
    pub const fn signer_leaf(&self) -> &Leaf {
        &self.output.first
    }

    /// Spends outputs of the vault by one of its scripts.
    pub(crate) fn spends<'a>(&self, outputs: &[(OutPoint, Amount)], leaf: &'a Leaf) -> Vec<Spend<'a>> {
        outputs.iter().map(|(outpoint, value)| self.output.spend(*outpoint, *value, leaf)).collect()
    }

    /// The script of an exit: the lender alone, [`EXIT_BLOCKS`] after the payment.
    #[must_use]
    pub const fn exit_leaf(&self) -> &Leaf {
        &self.output.second
    }
}
