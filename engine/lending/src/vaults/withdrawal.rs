//! Withdrawals from a vault, at once and only to its lender.
//!
//! The lender's message names the amount and can be used once. The outputs taken are journaled before the signer is
//! asked, and the finished transaction before it is broadcast: after a crash at any point, the same message leads to
//! the same transaction, or the outputs are released. The nonce of the message identifies the withdrawal.

mod plan;

use bitcoin::hashes::Hash as _;
use bitcoin::{FeeRate, Transaction, Txid, consensus};
use domain::{PendingSpend, Sats, SpendId, UserId, VaultRejection};
use engine::Refusal;
use engine::chain::ChainError;
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::signatures::{SignatureError, TransactionMismatch};
use escrow::contract::signing::spent_output::InputPolicy;
use escrow::contract::vault::vault_withdrawal;
use escrow::message_error::MessageError;
use signer::request;
use signer::signed_text::SignedText;
use signer::vault_signer::{SignerError, VaultSigner as _};
use thiserror::Error;

use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::service::fee_bounds::{self, FeeRateOutOfBounds};
use crate::service::loan_service::LoanService;
use crate::vaults::lender_order::{self, OrderTransaction, SignedOrder};
use crate::vaults::vault::{LenderVault, NoVault};
use crate::vaults::vault_signatures;
use plan::Plan;

/// The most attempts when other requests take chosen outputs.
const ATTEMPTS: usize = 4;

/// A lender's request for a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalRequest {
    /// The amount that leaves the vault, fee included; `None` for all that one transaction can spend.
    pub sats: Option<Sats>,
    /// The fee rate; the fee is paid out of the amount.
    pub fee_rate: FeeRate,
}

/// A withdrawal as it would be made now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedWithdrawal {
    /// The action that the lender is to sign.
    pub action: Action,
    /// The amount that leaves the vault, fee included.
    pub sats: Sats,
    /// The fee.
    pub fee: Sats,
    /// The highest fee, which the lender signs.
    pub fee_max: Sats,
    /// The amount that arrives.
    pub received: Sats,
    /// The address that receives it, given when the vault was opened.
    pub to: String,
    /// The change, which counts again after confirmation.
    pub change: Sats,
    /// The number of vault outputs spent.
    pub outputs: usize,
}

/// The reason why there is no withdrawal. Nothing is taken out of the vault, unless stated otherwise.
#[derive(Debug, Error)]
pub enum WithdrawalError {
    /// There is no vault.
    #[error(transparent)]
    NoVault(#[from] NoVault),
    /// The message cannot be parsed.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The message is about another action.
    #[error("the action of the message is not \"withdraw\"")]
    WrongAction,
    /// Withdrawals go to the address that the vault was opened with.
    #[error("the vault pays to {registered}, not to {found}")]
    WrongAddress {
        /// The vault's payment address.
        registered: String,
        /// The signed address.
        found: String,
    },
    /// The message sets no maximum fee, so that any fee could be taken.
    #[error("the message sets no maximum fee")]
    NoFeeMax,
    /// Other outputs have to be spent than at preparation, or the fee rate differs.
    #[error("the fee is {found}, and the lender signed at most {max}")]
    FeeAboveMax {
        /// The signed maximum.
        max: Sats,
        /// The fee of the transaction.
        found: Sats,
    },
    /// Signed for a vault signer with another policy.
    #[error("signed for the vault signer {found}, and this is {expected}")]
    OtherSigner {
        /// This signer's policy hash.
        expected: String,
        /// The signed policy hash.
        found: String,
    },
    /// The message was used for a withdrawal at another fee rate, or of other outputs than are possible now.
    #[error("the message was used for another withdrawal, {0}")]
    OtherWithdrawal(Txid),
    /// The fee rate is out of bounds.
    #[error(transparent)]
    FeeRate(#[from] FeeRateOutOfBounds),
    /// The balance is insufficient, or spread over too many outputs.
    #[error(transparent)]
    Vault(#[from] VaultRejection),
    /// The transaction cannot be built.
    #[error(transparent)]
    Build(#[from] vault_withdrawal::WithdrawalError),
    /// A lookup failed, or its answer forbids the withdrawal.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The signer refuses, and all outputs are released; or it did not answer: then the same message can be sent again
    /// until it expires, and the outputs are released after that.
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
    /// The journal holds an invalid transaction.
    #[error("the journal holds no valid transaction for the withdrawal {0}")]
    InvalidTransaction(Txid),
    /// Other requests were faster at each attempt.
    #[error("other requests took the vault's outputs first; try again")]
    Contended,
}

impl From<ChainError> for WithdrawalError {
    fn from(error: ChainError) -> Self {
        Self::Lookup(error.into())
    }
}

/// The limits of a `withdraw` message for this vault.
#[derive(Clone, Copy, Debug)]
struct SignedLimits {
    sats: Sats,
    fee_max: Option<Sats>,
}

impl SignedLimits {
    /// Checks a fee against the signed maximum.
    fn check_fee(self, found: Sats) -> Result<(), WithdrawalError> {
        let max = self.fee_max.ok_or(WithdrawalError::NoFeeMax)?;
        if found > max { Err(WithdrawalError::FeeAboveMax { max, found }) } else { Ok(()) }
    }
}

/// Returns the limits of a `withdraw` message for this vault.
async fn signed_limits<P: Ports>(
    service: &LoanService<P>,
    vault: &LenderVault,
    signed: &SignedText,
) -> Result<SignedLimits, WithdrawalError> {
    let message = ActionMessage::parse(&signed.message)?;
    let Action::Withdraw { sats, to, fee_max_sats, vault: policy } = message.action() else {
        return Err(WithdrawalError::WrongAction);
    };
    let registered = vault.payment_address.to_string();
    if *to != registered {
        return Err(WithdrawalError::WrongAddress { registered, found: to.clone() });
    }
    let expected = service.ports.signer().describe_vault(vault.lender.0).await?.policy_hash.to_string();
    if *policy != expected {
        return Err(WithdrawalError::OtherSigner { expected, found: policy.clone() });
    }
    Ok(SignedLimits { sats: Sats::new(*sats), fee_max: fee_max_sats.map(Sats::new) })
}

impl<P: Ports> LoanService<P> {
    /// Prepares a withdrawal, and the action for the lender to sign. Reserves nothing.
    ///
    /// # Errors
    /// [`WithdrawalError`].
    pub async fn prepare_withdrawal(
        &self,
        lender: UserId,
        request: WithdrawalRequest,
    ) -> Result<PreparedWithdrawal, WithdrawalError> {
        let vault = self.lender_vault(lender).await?;
        fee_bounds::check(request.fee_rate, self.recommended_rate().await?, self.rules.fee_rate_max)?;
        let sats = match request.sats {
            Some(sats) => sats,
            None => plan::spendable_max(&vault.ledger)?,
        };
        let plan = Plan::choose(&vault, sats, request.fee_rate)?;
        self.lookup().check(&plan.template, &InputPolicy::default()).await?;
        let policy = self.ports.signer().describe_vault(lender.0).await?.policy_hash.to_string();
        let (to, fee_max) = (vault.payment_address.to_string(), lender_order::fee_max(plan.fee()));
        let fee_max_sats = Some(fee_max.get());
        Ok(PreparedWithdrawal {
            action: Action::Withdraw { sats: sats.get(), to: to.clone(), fee_max_sats, vault: policy },
            sats,
            fee: plan.fee(),
            fee_max,
            received: plan.received(),
            to,
            change: plan.change.total(),
            outputs: plan.outputs.len(),
        })
    }

    /// Makes a withdrawal, or continues one that was interrupted. Idempotent for the same order.
    ///
    /// # Errors
    /// [`WithdrawalError`].
    pub async fn submit_withdrawal(
        &self,
        lender: UserId,
        order: &SignedOrder,
    ) -> Result<OrderTransaction, WithdrawalError> {
        for _ in 0..ATTEMPTS {
            let vault = self.lender_vault(lender).await?;
            let limits = signed_limits(self, &vault, &order.signed).await?;
            if let Some(txid) = vault.ledger.settled_withdrawal(order.nonce_use.nonce) {
                return Ok(OrderTransaction { txid: Txid::from_byte_array(txid), is_sent: true });
            }
            if let Some(leaving) = vault.ledger.pending_spend(SpendId::Withdrawal(order.nonce_use.nonce)) {
                let transaction = self.signed_transaction(&vault, leaving, limits.sats, order).await?;
                return Ok(self.broadcast_journaled(&transaction).await);
            }
            self.begin(&vault, limits, order).await?;
        }
        Err(WithdrawalError::Contended)
    }

    /// Reserves the outputs, before they are signed for.
    async fn begin(
        &self,
        vault: &LenderVault,
        limits: SignedLimits,
        order: &SignedOrder,
    ) -> Result<(), WithdrawalError> {
        fee_bounds::check(order.fee_rate, self.recommended_rate().await?, self.rules.fee_rate_max)?;
        let plan = Plan::choose(vault, limits.sats, order.fee_rate)?;
        limits.check_fee(plan.fee())?;
        self.lookup().check(&plan.template, &InputPolicy::default()).await?;
        let Plan { txid, outpoints, change, .. } = plan;
        match self.market.begin_withdrawal(vault.lender, txid.to_byte_array(), outpoints, change, order.nonce_use).await
        {
            // A duplicate of this message, or another request, took an output: try again.
            Ok(_) | Err(Refusal::Vault(VaultRejection::DuplicateSpend(_) | VaultRejection::NotSpendable { .. })) => {
                Ok(())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Returns the finished and journaled transaction of a withdrawal in progress.
    async fn signed_transaction(
        &self,
        vault: &LenderVault,
        leaving: &PendingSpend,
        sats: Sats,
        order: &SignedOrder,
    ) -> Result<Transaction, WithdrawalError> {
        let txid = Txid::from_byte_array(leaving.txid);
        if let Some(bytes) = &leaving.transaction {
            return consensus::deserialize(bytes).map_err(|_| WithdrawalError::InvalidTransaction(txid));
        }
        // With the same outputs and fee rate it is the same transaction.
        let outputs = vault.outputs(&leaving.outpoints).ok_or(WithdrawalError::OtherWithdrawal(txid))?;
        let back_outputs = u8::try_from(leaving.change.len()).unwrap_or(u8::MAX).max(1);
        let spent = (leaving.outpoints.clone(), outputs);
        let plan = Plan::from_outputs(vault, spent, sats, order.fee_rate, back_outputs)?;
        if plan.txid != txid {
            return Err(WithdrawalError::OtherWithdrawal(txid));
        }
        let (lender, id) = (vault.lender, order.nonce_use.nonce);
        let to_sign = plan.request(lender, order.signed.clone(), order.fee_rate);
        let answer = match self.ports.signer().sign_withdrawal(to_sign).await {
            // A temporary refusal may be lifted a moment later.
            Err(SignerError::Refused(refusal)) if !lender_order::is_temporary(&refusal) => {
                self.abandon_order(lender, id).await?;
                return Err(SignerError::Refused(refusal).into());
            }
            answer => answer?,
        };
        let signers = &vault.contract.terms().signers;
        let signatures = vault_signatures::checked::<WithdrawalError>(&plan.template, &answer, signers)?;
        let transaction = plan.template.finish(&signatures, txid)?;
        match self.market.withdrawal_signed(lender, id, consensus::serialize(&transaction)).await {
            // Another request with the same message was faster, with the same signatures.
            Ok(_) | Err(Refusal::Vault(VaultRejection::AlreadySigned(_))) => Ok(transaction),
            Err(refusal) => Err(refusal.into()),
        }
    }
}

impl Plan {
    /// Builds the request to the signer.
    fn request(&self, lender: UserId, signed: SignedText, fee_rate: FeeRate) -> request::WithdrawalRequest {
        request::WithdrawalRequest {
            lender_id: lender.0,
            signed,
            vault_outputs: lender_order::spent_outputs(&self.outputs),
            fee_rate_sat_per_kwu: fee_rate.to_sat_per_kwu(),
            back_outputs: self.change_outputs,
            psbt: self.template.psbt.clone(),
        }
    }
}
