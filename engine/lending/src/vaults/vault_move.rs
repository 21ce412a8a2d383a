//! The move of a vault to other signers, by one message of its lender.
//!
//! The new signers accept the message first, as the opening of the vault that they hold: they derive its address
//! themselves. The outputs are journaled before the signers until now are asked, and the finished transaction before it is
//! broadcast: after a crash at any point, the same message leads to the same transaction, or the outputs are released. With
//! the finished transaction the journal has the new signers, and the offers and delegations that name the others end.

mod plan;

use bitcoin::hashes::Hash as _;
use bitcoin::{FeeRate, Transaction, Txid, consensus};
use domain::{Command, PendingSpend, Sats, SpendId, UserId, VaultRejection};
use engine::Refusal;
use engine::chain::ChainError;
use engine::coin_index::CoinIndex as _;
use engine::wire::LoanProcessType;
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
use crate::lookups::signer_router::Holder;
use crate::service::fee_bounds::{self, FeeRateOutOfBounds};
use crate::service::loan_service::LoanService;
use crate::vaults::attested_vault::{AttestedVault, AttestedVaultError};
use crate::vaults::lender_order::{self, OrderTransaction, SignedOrder};
use crate::vaults::vault::{self, LenderVault, NoVault, bitcoin_outpoint, sats};
use crate::vaults::vault_signatures;
use plan::Plan;

/// The most attempts when other requests change the vault meanwhile.
const ATTEMPTS: usize = 4;

/// A move as it would be made now.
#[derive(Clone, Debug)]
pub struct PreparedMove {
    /// The action that the lender is to sign.
    pub action: Action,
    /// The sum of the outputs that move.
    pub sats: Sats,
    /// The number of these outputs.
    pub outputs: usize,
    /// The fee.
    pub fee: Sats,
    /// The highest fee, which the lender signs.
    pub fee_max: Sats,
    /// The amount that arrives.
    pub received: Sats,
    /// The address that the vault has now.
    pub from: String,
    /// The confirmed amount at that address that would stay: it carries inscriptions or runes, or is not indexed yet.
    pub stays: Sats,
    /// The vault that it moves to.
    pub to: AttestedVault,
}

/// The reason why a vault is not moved. Nothing has left it, unless stated otherwise.
#[derive(Debug, Error)]
pub enum MoveError {
    /// There is no vault.
    #[error(transparent)]
    NoVault(#[from] NoVault),
    /// The signers of new vaults hold it already, or the earlier ones are not configured.
    #[error("the vault is held by the signers of new vaults, and there are no others to move it to")]
    NotMovable,
    /// The message cannot be parsed.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The message is about another action.
    #[error("the action of the message is not \"move vault\"")]
    WrongAction,
    /// A field of the message differs from this vault, or from that of the new signers.
    #[error("{field} of the message is {found}, and of the vault it is {expected}")]
    WrongField {
        /// The name of the field.
        field: &'static str,
        /// The value of the vault.
        expected: String,
        /// The signed value.
        found: String,
    },
    /// The fee rate differs from that of the preparation, or the outputs do.
    #[error("the fee is {found}, and the lender signed at most {max}")]
    FeeAboveMax {
        /// The signed maximum.
        max: Sats,
        /// The fee of the transaction.
        found: Sats,
    },
    /// The message was used for a move at another fee rate, or of other outputs than are known now.
    #[error("the message was used for another transaction, {0}")]
    OtherMove(Txid),
    /// The signers of new vaults describe none, or have another script for it.
    #[error(transparent)]
    NewVault(AttestedVaultError),
    /// The fee rate is out of bounds.
    #[error(transparent)]
    FeeRate(#[from] FeeRateOutOfBounds),
    /// The vault is in use, or in too many outputs.
    #[error(transparent)]
    Vault(#[from] VaultRejection),
    /// The transaction cannot be built: after the fee nothing is left.
    #[error(transparent)]
    Build(#[from] vault_withdrawal::WithdrawalError),
    /// A lookup failed, or its answer forbids the move.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// Signers refuse, and all outputs are released; or they did not answer: then the same message can be sent again until
    /// it expires, and the outputs are released after that.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// A signature of a signer is invalid.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The signers signed another transaction.
    #[error(transparent)]
    OtherTransaction(#[from] TransactionMismatch),
    /// The signatures do not complete the transaction.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// The journal holds an invalid transaction.
    #[error("the journal holds no valid transaction for the move {0}")]
    InvalidTransaction(Txid),
    /// Other requests were faster at each attempt.
    #[error("other requests changed the vault first; try again")]
    Contended,
}

impl From<AttestedVaultError> for MoveError {
    fn from(error: AttestedVaultError) -> Self {
        match error {
            AttestedVaultError::NoVault(error) => error.into(),
            AttestedVaultError::Signer(error) => error.into(),
            AttestedVaultError::InvalidTerms(_) | AttestedVaultError::OtherScript => Self::NewVault(error),
        }
    }
}

impl From<ChainError> for MoveError {
    fn from(error: ChainError) -> Self {
        Self::Lookup(error.into())
    }
}

/// The fields of a `move vault` message.
struct Terms {
    from_vault: String,
    to: String,
    fee_max: Sats,
    payment_address: String,
    vault: String,
}

impl Terms {
    fn of(signed: &SignedText) -> Result<Self, MoveError> {
        match ActionMessage::parse(&signed.message)?.action().clone() {
            Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault } => {
                Ok(Self { from_vault, to, fee_max: Sats::new(fee_max_sats), payment_address, vault })
            }
            _ => Err(MoveError::WrongAction),
        }
    }
}

fn check_field(field: &'static str, expected: String, found: &str) -> Result<(), MoveError> {
    if expected == found { Ok(()) } else { Err(MoveError::WrongField { field, expected, found: found.to_owned() }) }
}

impl<P: Ports> LoanService<P> {
    /// Prepares the move of a whole vault to the signers of new vaults, and the action for the lender to sign. Reserves
    /// nothing.
    ///
    /// # Errors
    /// [`MoveError`].
    pub async fn prepare_move(&self, lender: UserId, fee_rate: FeeRate) -> Result<PreparedMove, MoveError> {
        let vault = self.lender_vault(lender).await?;
        let from_policy = self.policy_before(lender).await?;
        fee_bounds::check(fee_rate, self.recommended_rate().await?, self.rules.fee_rate_max)?;
        let to = self.new_vault(&vault).await?;
        let plan = Plan::of_all(&vault, &to.contract, fee_rate)?;
        self.lookup().check(&plan.template, &InputPolicy::default()).await?;
        let fee_max = lender_order::fee_max(plan.fee());
        let action = Action::MoveVault {
            from_vault: from_policy,
            to: to.address.clone(),
            fee_max_sats: fee_max.get(),
            payment_address: vault.payment_address.to_string(),
            vault: to.policy.policy_hash.to_string(),
        };
        Ok(PreparedMove {
            action,
            sats: plan.taken(),
            outputs: plan.outputs.len(),
            fee: plan.fee(),
            fee_max,
            received: plan.arriving.total(),
            from: vault::address_of(&vault.contract, self.rules.network).ok_or(AttestedVaultError::OtherScript)?,
            stays: self.left_behind(&vault, &plan).await?,
            to,
        })
    }

    /// Makes a move, or continues one that was interrupted. Idempotent for the same order.
    ///
    /// # Errors
    /// [`MoveError`].
    pub async fn submit_move(&self, lender: UserId, order: &SignedOrder) -> Result<OrderTransaction, MoveError> {
        let terms = Terms::of(&order.signed)?;
        let id = order.nonce_use.nonce;
        for _ in 0..ATTEMPTS {
            let vault = self.lender_vault(lender).await?;
            if let Some(txid) = vault.ledger.settled_withdrawal(id) {
                return Ok(OrderTransaction { txid: Txid::from_byte_array(txid), is_sent: true });
            }
            if let Some(leaving) = vault.ledger.pending_spend(SpendId::Move(id)) {
                let transaction = self.signed_move(&vault, leaving, &terms, order).await?;
                self.end_quotes(lender).await;
                return Ok(self.broadcast_journaled(&transaction).await);
            }
            self.begin_move(&vault, &terms, order).await?;
        }
        Err(MoveError::Contended)
    }

    /// Opens the vault at the new signers, and reserves the outputs, before they are signed for.
    async fn begin_move(&self, vault: &LenderVault, terms: &Terms, order: &SignedOrder) -> Result<(), MoveError> {
        check_field("From vault", self.policy_before(vault.lender).await?, &terms.from_vault)?;
        check_field("Payment address", vault.payment_address.to_string(), &terms.payment_address)?;
        let to = self.new_vault(vault).await?;
        check_field("Vault", to.policy.policy_hash.to_string(), &terms.vault)?;
        check_field("To", to.address.clone(), &terms.to)?;
        fee_bounds::check(order.fee_rate, self.recommended_rate().await?, self.rules.fee_rate_max)?;
        let plan = Plan::of_all(vault, &to.contract, order.fee_rate)?;
        let (max, found) = (terms.fee_max, plan.fee());
        if found > max {
            return Err(MoveError::FeeAboveMax { max, found });
        }
        self.lookup().check(&plan.template, &InputPolicy::default()).await?;
        let (signer, lender_key) = (self.ports.signer().current(), vault.contract.terms().lender);
        let script = signer.open_vault(vault.lender.0, lender_key, order.signed.clone()).await?;
        if script != to.contract.output().script_pubkey() {
            return Err(AttestedVaultError::OtherScript.into());
        }
        let Plan { txid, outpoints, arriving, .. } = plan;
        let (spent, signers) = ((txid.to_byte_array(), outpoints), vault::signer_keys(&to.contract.terms().signers));
        match self.market.begin_move(vault.lender, spent, signers, arriving, order.nonce_use).await {
            // A duplicate of this message was faster, or the vault has changed: look again.
            Ok(_)
            | Err(Refusal::Vault(
                VaultRejection::DuplicateSpend(_)
                | VaultRejection::NotSpendable { .. }
                | VaultRejection::Incomplete { .. },
            )) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Returns the finished and journaled transaction of a move in progress.
    async fn signed_move(
        &self,
        vault: &LenderVault,
        leaving: &PendingSpend,
        terms: &Terms,
        order: &SignedOrder,
    ) -> Result<Transaction, MoveError> {
        let txid = Txid::from_byte_array(leaving.txid);
        if let Some(bytes) = &leaving.transaction {
            return consensus::deserialize(bytes).map_err(|_| MoveError::InvalidTransaction(txid));
        }
        // With the same outputs, address and fee rate it is the same transaction.
        let outputs = vault.outputs(&leaving.outpoints).ok_or(MoveError::OtherMove(txid))?;
        let plan = Plan::to_address(vault, (leaving.outpoints.clone(), outputs), &terms.to, order.fee_rate)?;
        if plan.txid != txid {
            return Err(MoveError::OtherMove(txid));
        }
        let (lender, id) = (vault.lender, order.nonce_use.nonce);
        let request = plan.request(lender, order.signed.clone(), order.fee_rate);
        let answer = match self.ports.signer().move_vault(request).await {
            // A temporary refusal may be lifted a moment later.
            Err(SignerError::Refused(refusal)) if !lender_order::is_temporary(&refusal) => {
                self.abandon_order(lender, id).await?;
                return Err(SignerError::Refused(refusal).into());
            }
            answer => answer?,
        };
        let signers = &vault.contract.terms().signers;
        let signatures = vault_signatures::checked::<MoveError>(&plan.template, &answer, signers)?;
        let transaction = plan.template.finish(&signatures, txid)?;
        match self.market.move_signed(lender, id, consensus::serialize(&transaction)).await {
            // Another request with the same message was faster.
            Ok(_) | Err(Refusal::Vault(VaultRejection::AlreadySigned(_))) => Ok(transaction),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Cancels the lender's instant offers: they were signed for the signers before, and the new ones do not know them. What
    /// remains of a failure is cancelled by the reconciliation with the signers.
    async fn end_quotes(&self, lender: UserId) {
        let own = match self.market.my_offers(lender).await {
            Ok(own) => own,
            Err(error) => {
                tracing::warn!(%lender, %error, "the offers of a moved vault are cancelled later");
                return;
            }
        };
        let instant = own.into_iter().filter(|offer| offer.loan_process_type == LoanProcessType::Instant);
        for offer in instant.map(|offer| offer.offer_id.0) {
            let cancelled = self.market.command(offer.group(), Command::Cancel { lender, offer }, None).await;
            if let Err(error) = cancelled {
                tracing::warn!(%offer, %lender, %error, "an offer of a moved vault is cancelled later");
            }
        }
    }

    /// Returns the hash of the policy of the signers that a vault would leave.
    async fn policy_before(&self, lender: UserId) -> Result<String, MoveError> {
        let router = self.ports.signer();
        match (router.holder(lender).await?, router.previous()) {
            (Holder::Previous, Some(previous)) => Ok(previous.describe().await?.policy_hash.to_string()),
            _ => Err(MoveError::NotMovable),
        }
    }

    /// Returns the vault of the same lender at the signers of new vaults.
    async fn new_vault(&self, vault: &LenderVault) -> Result<AttestedVault, MoveError> {
        Ok(AttestedVault::at(self.ports.signer().current(), vault, self.rules.network).await?)
    }

    /// Returns the sum of the outputs at a vault's address that a move does not take.
    async fn left_behind(&self, vault: &LenderVault, plan: &Plan) -> Result<Sats, MoveError> {
        let script = vault.script_pubkey();
        let listed = self.ports.coins().outputs_of(&script).await.map_err(LookupError::from)?;
        let moved: Vec<_> = plan.outpoints.iter().map(bitcoin_outpoint).collect();
        let others = listed.into_iter().filter(|outpoint| !moved.contains(outpoint)).collect();
        let unspent = self.lookup().unspent_outputs(others).await?;
        let own = unspent.into_values().map(|(unspent, _)| unspent.output).filter(|it| it.script_pubkey == script);
        Ok(own.map(|output| sats(output.value)).sum())
    }
}

impl Plan {
    /// Builds the request to the signers that the vault leaves.
    fn request(&self, lender: UserId, signed: SignedText, fee_rate: FeeRate) -> request::MoveRequest {
        request::MoveRequest {
            lender_id: lender.0,
            signed,
            vault_outputs: lender_order::spent_outputs(&self.outputs),
            fee_rate_sat_per_kwu: fee_rate.to_sat_per_kwu(),
            psbt: self.template.psbt.clone(),
        }
    }
}
