//! Money out of a vault, at once and to nobody but its lender.
//!
//! The lender's message names the amount and is good once. What is taken is journaled before the signer is asked, and the
//! finished transaction before it is sent: whatever dies in between, the same message leads to the same transaction, or
//! the vault has its outputs back. The nonce of the message names the withdrawal.

mod plan;

use bitcoin::hashes::Hash as _;
use bitcoin::{FeeRate, Transaction, Txid, consensus, taproot};
use domain::{Departure, Leaving, Sats, UserId, VaultRejection};
use engine::chain::{Chain as _, ChainError};
use engine::{Burn, Refusal};
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::contract::finished::FinishError;
use escrow::contract::signatures::{OtherTransaction, SignatureError, Signatures};
use escrow::contract::spent_output::Spending;
use escrow::contract::vault_withdrawal;
use escrow::message_error::MessageError;
use signer::refusal::Refusal as SignerRefusal;
use signer::request::{SpentOutput, WithdrawalRequest};
use signer::signed_text::SignedText;
use signer::vault_signer::{SignerError, VaultSigner as _};
use thiserror::Error;

use crate::desk::Desk;
use crate::fee_bounds::{self, FeeRateOutOfBounds};
use crate::lookup::LookupError;
use crate::ports::Ports;
use crate::vault::{NoVault, OwnVault};
use plan::Plan;

/// How often coins are chosen anew because somebody else was faster.
const ATTEMPTS: usize = 4;
/// How much more than the prepared fee the lender signs, in percent: other outputs may have to be spent than were chosen
/// when it was prepared.
const FEE_SLACK_PERCENT: u64 = 50;

/// What a lender asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalWish {
    /// What shall leave the vault, the fee included; `None` for all that one transaction can take.
    pub sats: Option<Sats>,
    /// What the miners are paid, out of that.
    pub fee_rate: FeeRate,
}

/// What a withdrawal would come to if it was made now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedWithdrawal {
    /// What the lender is to sign.
    pub action: Action,
    /// What leaves the vault, the fee included.
    pub sats: Sats,
    /// What the miners get of it.
    pub fee: Sats,
    /// The most that they get, which the lender signs.
    pub fee_max: Sats,
    /// What arrives.
    pub arrives: Sats,
    /// Where it arrives: the address that the vault was opened with.
    pub to: String,
    /// What goes back to the vault and counts again when it is in a block.
    pub back: Sats,
    /// How many outputs of the vault are spent.
    pub outputs: usize,
}

/// What a lender signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawalOrder {
    /// The `withdraw`; the caller has verified its signature, place and time.
    pub signed: SignedText,
    /// Its nonce.
    pub burn: Burn,
    /// What the miners are paid.
    pub fee_rate: FeeRate,
}

/// A withdrawal that is signed and journaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// Its transaction.
    pub txid: Txid,
    /// Whether the node has it. If not it is sent again and again, until a block has it or something that it spends.
    pub is_sent: bool,
}

/// Why there is no withdrawal. Nothing is taken out of the vault, unless it says otherwise.
#[derive(Debug, Error)]
pub enum WithdrawalError {
    /// There is no vault.
    #[error(transparent)]
    NoVault(#[from] NoVault),
    /// The message is not understood.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The message is about something else.
    #[error("the message does not say \"withdraw\"")]
    WrongAction,
    /// Withdrawals go to the address that the vault was opened with.
    #[error("the vault pays to {registered}, not to {found}")]
    WrongAddress {
        /// The vault's payment address.
        registered: String,
        /// What was signed.
        found: String,
    },
    /// The lender signed no fee, so that any could be taken.
    #[error("the message does not say what the miners may be paid")]
    NoFeeCeiling,
    /// Other outputs have to be spent than when it was prepared, or the rate is another one.
    #[error("the fee is {found}, and the lender signed at most {max}")]
    FeeAboveCeiling {
        /// What was signed.
        max: Sats,
        /// What the transaction would pay.
        found: Sats,
    },
    /// Signed for a signer that keeps to another policy.
    #[error("signed for the vault signer {found}, and this is {expected}")]
    OtherSigner {
        /// This signer's.
        expected: String,
        /// What was signed.
        found: String,
    },
    /// The message was used for a withdrawal at another fee rate, or of other outputs than can be made now.
    #[error("the message was used for another withdrawal, {0}")]
    OtherWithdrawal(Txid),
    /// Nobody means to pay that.
    #[error(transparent)]
    FeeRate(#[from] FeeRateOutOfBounds),
    /// There is not enough, or in too many outputs.
    #[error(transparent)]
    Vault(#[from] VaultRejection),
    /// No such transaction can be made.
    #[error(transparent)]
    Build(#[from] vault_withdrawal::WithdrawalError),
    /// The chain knows something that forbids it, or nobody could be asked.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The signer says no, and the vault has everything back; or it gave no answer: then the same message can be sent
    /// again until it expires, and the vault has everything back after that.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// A signature of the signer does not hold.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The signer signed another transaction.
    #[error(transparent)]
    OtherTransaction(#[from] OtherTransaction),
    /// The signatures do not finish the transaction.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// The journal has something that is no transaction.
    #[error("the withdrawal {0} was kept as something that is no transaction")]
    NoTransaction(Txid),
    /// Others were faster each time.
    #[error("the vault's outputs are taken by others at this moment")]
    Contended,
}

impl From<ChainError> for WithdrawalError {
    fn from(error: ChainError) -> Self {
        Self::Lookup(error.into())
    }
}

/// What a `withdraw` for this vault allows.
#[derive(Clone, Copy, Debug)]
struct Said {
    sats: Sats,
    fee_max: Option<Sats>,
}

impl Said {
    /// Holds a fee against what the lender signed.
    fn check_fee(self, found: Sats) -> Result<(), WithdrawalError> {
        let max = self.fee_max.ok_or(WithdrawalError::NoFeeCeiling)?;
        if found > max { Err(WithdrawalError::FeeAboveCeiling { max, found }) } else { Ok(()) }
    }
}

/// The amounts of a `withdraw` for this vault.
async fn said<P: Ports>(desk: &Desk<P>, vault: &OwnVault, signed: &SignedText) -> Result<Said, WithdrawalError> {
    let message = ActionMessage::parse(&signed.message)?;
    let Action::Withdraw { sats, to, fee_max_sats, vault: policy } = message.action() else {
        return Err(WithdrawalError::WrongAction);
    };
    let registered = vault.home.to_string();
    if *to != registered {
        return Err(WithdrawalError::WrongAddress { registered, found: to.clone() });
    }
    let expected = desk.ports.signer().describe().await?.policy_hash.to_string();
    if *policy != expected {
        return Err(WithdrawalError::OtherSigner { expected, found: policy.clone() });
    }
    Ok(Said { sats: Sats::new(*sats), fee_max: fee_max_sats.map(Sats::new) })
}

impl<P: Ports> Desk<P> {
    /// What a withdrawal would come to, and what the lender is to sign for it. Takes nothing.
    ///
    /// # Errors
    /// [`WithdrawalError`].
    pub async fn prepare_withdrawal(
        &self,
        lender: UserId,
        wish: WithdrawalWish,
    ) -> Result<PreparedWithdrawal, WithdrawalError> {
        let vault = self.own_vault(lender).await?;
        fee_bounds::check(wish.fee_rate, self.recommended_rate().await?, self.rules.fee_rate_max)?;
        let sats = match wish.sats {
            Some(sats) => sats,
            None => plan::all_of(&vault.ledger)?,
        };
        let plan = Plan::choose(&vault, sats, wish.fee_rate)?;
        self.lookup().check(&plan.template, &Spending::default()).await?;
        let policy = self.ports.signer().describe().await?.policy_hash.to_string();
        let (to, fee_max) = (vault.home.to_string(), plan.fee_max());
        let fee_max_sats = Some(fee_max.get());
        Ok(PreparedWithdrawal {
            action: Action::Withdraw { sats: sats.get(), to: to.clone(), fee_max_sats, vault: policy },
            sats,
            fee: plan.fee(),
            fee_max,
            arrives: plan.arrives(),
            to,
            back: plan.change.total(),
            outputs: plan.outputs.len(),
        })
    }

    /// Makes a withdrawal, or goes on with it where it was left: the same order again gives the same answer.
    ///
    /// # Errors
    /// [`WithdrawalError`].
    pub async fn submit_withdrawal(
        &self,
        lender: UserId,
        order: &WithdrawalOrder,
    ) -> Result<Withdrawal, WithdrawalError> {
        for _ in 0..ATTEMPTS {
            let vault = self.own_vault(lender).await?;
            let said = said(self, &vault, &order.signed).await?;
            if let Some(txid) = vault.ledger.withdrawn(order.burn.nonce) {
                return Ok(Withdrawal { txid: Txid::from_byte_array(txid), is_sent: true });
            }
            if let Some(leaving) = vault.ledger.departure(Departure::Withdrawal(order.burn.nonce)) {
                let transaction = self.signed(&vault, leaving, said.sats, order).await?;
                return Ok(self.send(&transaction).await);
            }
            self.begin(&vault, said, order).await?;
        }
        Err(WithdrawalError::Contended)
    }

    /// Takes the outputs, before anybody signs for them.
    async fn begin(&self, vault: &OwnVault, said: Said, order: &WithdrawalOrder) -> Result<(), WithdrawalError> {
        fee_bounds::check(order.fee_rate, self.recommended_rate().await?, self.rules.fee_rate_max)?;
        let plan = Plan::choose(vault, said.sats, order.fee_rate)?;
        said.check_fee(plan.fee())?;
        self.lookup().check(&plan.template, &Spending::default()).await?;
        let Plan { txid, outpoints, change, .. } = plan;
        match self.market.begin_withdrawal(vault.lender, txid.to_byte_array(), outpoints, change, order.burn).await {
            // The same message came twice at once, or somebody else took an output: look again.
            Ok(_) | Err(Refusal::Vault(VaultRejection::AlreadyLeaving(_) | VaultRejection::NotSpendable { .. })) => {
                Ok(())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// The finished transaction of a withdrawal that was begun, journaled.
    async fn signed(
        &self,
        vault: &OwnVault,
        leaving: &Leaving,
        sats: Sats,
        order: &WithdrawalOrder,
    ) -> Result<Transaction, WithdrawalError> {
        let txid = Txid::from_byte_array(leaving.txid);
        if let Some(bytes) = &leaving.transaction {
            return consensus::deserialize(bytes).map_err(|_| WithdrawalError::NoTransaction(txid));
        }
        // Of the same outputs at the same rate it is the same transaction.
        let outputs = vault.outputs(&leaving.outpoints).ok_or(WithdrawalError::OtherWithdrawal(txid))?;
        let back_outputs = u8::try_from(leaving.change.len()).unwrap_or(u8::MAX).max(1);
        let spent = (leaving.outpoints.clone(), outputs);
        let plan = Plan::of(vault, spent, sats, order.fee_rate, back_outputs)?;
        if plan.txid != txid {
            return Err(WithdrawalError::OtherWithdrawal(txid));
        }
        let (lender, id) = (vault.lender, order.burn.nonce);
        let request = plan.request(lender, order.signed.clone(), order.fee_rate);
        let answer = match self.ports.signer().sign_withdrawal(request).await {
            // It may say something else a moment later.
            Err(SignerError::Refused(refusal)) if !is_passing(&refusal) => {
                self.give_up(vault, order).await?;
                return Err(SignerError::Refused(refusal).into());
            }
            answer => answer?,
        };
        let key = vault.contract.terms().signer;
        let mut signatures: Option<Signatures> = None;
        for signed in answer.signatures {
            let signature =
                taproot::Signature { signature: signed.signature, sighash_type: bitcoin::TapSighashType::Default };
            let checked = plan.template.check_signature(signed.index, &key, &signature)?;
            signatures = Some(match signatures {
                None => checked,
                Some(others) => others.merge(checked)?,
            });
        }
        let signatures = signatures.ok_or(FinishError::MissingSignature { index: 0 })?;
        let transaction = plan.template.finish(&signatures, txid)?;
        match self.market.withdrawal_signed(lender, id, consensus::serialize(&transaction)).await {
            // Another request with the same message was faster, with the same signatures.
            Ok(_) | Err(Refusal::Vault(VaultRejection::AlreadySigned(_))) => Ok(transaction),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// The signer will not sign: the outputs are the vault's again, and count as soon as somebody has looked at the chain.
    async fn give_up(&self, vault: &OwnVault, order: &WithdrawalOrder) -> Result<(), WithdrawalError> {
        match self.market.abandon_withdrawal(vault.lender, order.burn.nonce).await {
            Ok(_) | Err(Refusal::Vault(VaultRejection::AlreadySigned(_) | VaultRejection::NotLeaving(_))) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Sends what is journaled. Without an answer it is sent again by whoever watches the vaults.
    async fn send(&self, transaction: &Transaction) -> Withdrawal {
        let txid = transaction.compute_txid();
        let sent = self.ports.chain().broadcast(std::slice::from_ref(transaction)).await;
        if let Err(error) = &sent {
            tracing::warn!(%txid, %error, "a withdrawal is not sent yet");
        }
        Withdrawal { txid, is_sent: sent.is_ok() }
    }
}

/// Whether the signer may say something else of the same request.
const fn is_passing(refusal: &SignerRefusal) -> bool {
    matches!(refusal, SignerRefusal::Busy | SignerRefusal::LogFailed)
}

impl Plan {
    /// What the signer is asked.
    fn request(&self, lender: UserId, signed: SignedText, fee_rate: FeeRate) -> WithdrawalRequest {
        let outputs = self.outputs.iter();
        let vault_outputs =
            outputs.map(|(outpoint, value)| SpentOutput { outpoint: *outpoint, sats: value.to_sat() }).collect();
        WithdrawalRequest {
            lender_id: lender.0,
            signed,
            vault_outputs,
            fee_rate_sat_per_kwu: fee_rate.to_sat_per_kwu(),
            back_outputs: self.back_outputs,
            psbt: self.template.psbt.clone(),
        }
    }
}
