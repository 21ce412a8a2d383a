//! Fee bumps by CPFP: a child for an unconfirmed transaction of a vault that pays too little, as its change is unusable
//! until it confirms.
//!
//! The signer is asked first, and the signed child is journaled before it is broadcast. Nothing needs to be reserved
//! before that: no loan and no withdrawal spends unconfirmed change. After a crash in between, the signer reports on
//! the next request which child it has signed, and signs the same again.

pub mod child_fee;

use std::collections::BTreeMap;

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, OutPoint, Transaction, Txid, consensus};
use domain::{PendingSpend, Sats, SpendId, UserId, VaultRejection};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError, ChainPosition};
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::signatures::{SignatureError, TransactionMismatch};
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::fee_bump::{FeeBump, FeeBumpError};
use signer::refusal::Refusal as SignerRefusal;
use signer::request::{FeeBumpRequest, SignedTransaction, SpentOutput};
use signer::vault_signer::{SignerError, VaultSigner as _};
use thiserror::Error;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::vaults::vault::{LenderVault, NoVault, amount, bitcoin_outpoint, ledger_outpoint};
use crate::vaults::vault_signatures;
use child_fee::{NoBump, Parent};

/// The reason why a child was not made. Nothing is taken out of the vault.
#[derive(Debug, Error)]
pub enum BumpError {
    /// There is no vault.
    #[error(transparent)]
    NoVault(#[from] NoVault),
    /// No child is due now.
    #[error(transparent)]
    NoBump(#[from] NoBump),
    /// The node does not answer, or refuses the child.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The child cannot be built.
    #[error(transparent)]
    Build(#[from] FeeBumpError),
    /// The signer refuses, or does not answer.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// A signature of the signer is invalid.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The signer signed another transaction.
    #[error(transparent)]
    OtherTransaction(#[from] TransactionMismatch),
    /// The signatures do not complete the transaction.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
}

/// An unsigned child.
struct Child {
    output: (OutPoint, Amount),
    fee: Amount,
    template: Template,
}

impl Child {
    fn of(vault: &LenderVault, output: (OutPoint, Amount), fee: Amount) -> Result<Self, FeeBumpError> {
        let template = FeeBump { vault: &vault.contract, output, fee }.build()?;
        Ok(Self { output, fee, template })
    }

    /// Builds the request to the signer.
    fn request(&self, lender: UserId) -> FeeBumpRequest {
        let (outpoint, held) = self.output;
        FeeBumpRequest {
            lender_id: lender.0,
            vault_output: SpentOutput { outpoint, sats: held.to_sat() },
            fee_sats: self.fee.to_sat(),
            psbt: self.template.psbt.clone(),
        }
    }

    /// Returns the finished transaction.
    fn finish(&self, vault: &LenderVault, answer: &SignedTransaction) -> Result<Transaction, BumpError> {
        let signers = &vault.contract.terms().signers;
        let signatures = vault_signatures::checked::<BumpError>(&self.template, answer, signers)?;
        Ok(self.template.finish(&signatures, answer.txid)?)
    }
}

impl<P: Ports> LoanService<P> {
    /// Builds a child for an unconfirmed loan or withdrawal, journals it and broadcasts it; returns its txid.
    ///
    /// # Errors
    /// [`BumpError`].
    pub async fn bump_fee(&self, lender: UserId, spend: SpendId) -> Result<Txid, BumpError> {
        let vault = self.lender_vault(lender).await?;
        let child = self.child_of(&vault, spend).await?;
        let (child, answer) = self.signed_child(&vault, child).await?;
        let transaction = child.finish(&vault, &answer)?;
        let txid = transaction.compute_txid();
        // A child that the node refuses, for example one too many next to others' children, is not journaled.
        self.ports.chain().test_accept(std::slice::from_ref(&transaction)).await?;
        let output = ledger_outpoint(&child.output.0);
        let left = child.template.output_amounts().into_iter().sum::<Amount>();
        let change = (domain::Outpoint { txid: txid.to_byte_array(), vout: 0 }, Sats::new(left.to_sat()));
        match self.market.bump_fee(lender, output, change, consensus::serialize(&transaction)).await {
            // The parent was confirmed or replaced meanwhile.
            Err(Refusal::Vault(VaultRejection::NoChange { .. } | VaultRejection::NotSpendable { .. })) => {
                return Err(NoBump::NotInMempool.into());
            }
            done => done?,
        };
        tracing::info!(%lender, %txid, fee = %child.fee, "a child raises the fee of an unconfirmed transaction");
        if let Err(error) = self.ports.chain().broadcast(std::slice::from_ref(&transaction)).await {
            // The watch broadcasts it again.
            tracing::warn!(%lender, %txid, %error, "the broadcast of a child failed; it is repeated");
        }
        Ok(txid)
    }

    /// Builds the child of a spend at the present fee rates.
    async fn child_of(&self, vault: &LenderVault, spend: SpendId) -> Result<Child, BumpError> {
        let leaving = vault.ledger.pending_spend(spend).ok_or(NoBump::NotInMempool)?;
        let output = self.spendable_change(vault, spend, leaving).await?;
        let parent = self.unconfirmed_parent(Txid::from_byte_array(leaving.txid)).await?;
        let target = self.ports.chain().fee_rate(child_fee::TARGET_BLOCKS).await?.min(self.rules.fee_rate_max);
        let weight = Child::of(vault, output, Amount::ZERO)?.template.weight;
        let fee = child_fee::fee(parent, weight, target, output.1)?;
        Ok(Child::of(vault, output, fee)?)
    }

    /// Returns the largest unconfirmed change output: the fee is the smallest share of it.
    async fn spendable_change(
        &self,
        vault: &LenderVault,
        spend: SpendId,
        leaving: &PendingSpend,
    ) -> Result<(OutPoint, Amount), BumpError> {
        let has_child = vault.ledger.pending_spend(SpendId::FeeBump(leaving.txid)).is_some();
        if has_child || matches!(spend, SpendId::FeeBump(_) | SpendId::Move(_)) {
            return Err(NoBump::NoChange.into());
        }
        let change = leaving.change.iter().filter_map(|change| Some((*change, vault.ledger.output(change)?)));
        let waiting = change.filter(|(_, output)| output.is_unconfirmed());
        let (outpoint, output) = waiting.max_by_key(|(_, output)| output.amount).ok_or(NoBump::NoChange)?;
        let (outpoint, held) = (bitcoin_outpoint(&outpoint), amount(output.amount));
        let unspent = self.ports.chain().unspent(outpoint).await?.ok_or(NoBump::NoChange)?;
        let is_own = unspent.output.script_pubkey == vault.script_pubkey() && unspent.output.value == held;
        if is_own && unspent.confirmations == 0 { Ok((outpoint, held)) } else { Err(NoBump::NoChange.into()) }
    }

    /// Returns an unconfirmed transaction whose inputs are all confirmed, with its fee.
    async fn unconfirmed_parent(&self, txid: Txid) -> Result<Parent, BumpError> {
        let chain = self.ports.chain();
        let seen = chain.transaction(txid).await?.filter(|seen| seen.position == ChainPosition::InMempool);
        let transaction = seen.ok_or(NoBump::NotInMempool)?.transaction;
        let mut parents: BTreeMap<Txid, Transaction> = BTreeMap::new();
        let mut inputs_total = Some(Amount::ZERO);
        for input in &transaction.input {
            let OutPoint { txid: parent, vout } = input.previous_output;
            if let std::collections::btree_map::Entry::Vacant(unknown) = parents.entry(parent) {
                let seen = chain.transaction(parent).await?.ok_or(NoBump::UnconfirmedInput)?;
                if seen.position == ChainPosition::InMempool {
                    return Err(NoBump::UnconfirmedInput.into());
                }
                unknown.insert(seen.transaction);
            }
            let spent = parents.get(&parent).and_then(|parent| parent.output.get(usize::try_from(vout).ok()?));
            inputs_total = inputs_total.zip(spent).and_then(|(sum, spent)| sum.checked_add(spent.value));
        }
        let values = transaction.output.iter().map(|output| output.value);
        let outputs_total = values.into_iter().try_fold(Amount::ZERO, Amount::checked_add);
        let paid = inputs_total.zip(outputs_total).and_then(|(inputs, outputs)| inputs.checked_sub(outputs));
        let paid = paid.ok_or_else(|| ChainError::InvalidResponse(format!("{txid} spends less than it pays")))?;
        Ok(Parent { version: transaction.version, weight: transaction.weight(), paid })
    }

    /// Asks the signer, and once more for the child that it signed before.
    async fn signed_child(&self, vault: &LenderVault, child: Child) -> Result<(Child, SignedTransaction), BumpError> {
        let (signer, lender) = (self.ports.signer(), vault.lender);
        match signer.bump_fee(child.request(lender)).await {
            Err(SignerError::Refused(SignerRefusal::HasChild { vout, fee_sats })) => {
                let spent = OutPoint { vout, ..child.output.0 };
                let known = vault.ledger.output(&ledger_outpoint(&spent)).filter(domain::VaultOutput::is_unconfirmed);
                let held = amount(known.ok_or(NoBump::NoChange)?.amount);
                let child = Child::of(vault, (spent, held), Amount::from_sat(fee_sats))?;
                let answer = signer.bump_fee(child.request(lender)).await?;
                Ok((child, answer))
            }
            answer => Ok((child, answer?)),
        }
    }
}
