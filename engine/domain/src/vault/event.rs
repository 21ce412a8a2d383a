//! The events of a vault, and the reasons why a command is refused.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{SignerKeys, VaultChange};
use crate::{DelegationId, Nonce, OfferId, Outpoint, ReservationId, Sats};

/// The identity of a transaction that spends outputs of a vault: what it pays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SpendId {
    /// The loan of this reservation.
    Loan(ReservationId),
    /// A withdrawal to the lender, by the message with this nonce.
    Withdrawal(Nonce),
    /// A fee bump, back to the vault less the fee: a CPFP child of the transaction with this id, in internal byte
    /// order.
    FeeBump([u8; 32]),
    /// The move of everything to the vault of other signers, by the message with this nonce.
    Move(Nonce),
}

/// An event of one vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VaultEvent {
    /// Sats were credited without an output on the chain.
    Credited {
        /// The amount.
        amount: Sats,
    },
    /// Such sats were withdrawn.
    Debited {
        /// The amount.
        amount: Sats,
    },
    /// Sats were reserved for a borrower.
    Held {
        /// The reservation.
        reservation: ReservationId,
        /// The amount.
        amount: Sats,
    },
    /// A hold ended and its sats are usable again.
    Released {
        /// The reservation.
        reservation: ReservationId,
    },
    /// A hold became a loan, paid from sats without an output on the chain.
    Lent {
        /// The reservation.
        reservation: ReservationId,
    },
    /// Its lender opened it, or set another payment address; one signer has it alone.
    Opened {
        /// The signer's key for this vault.
        signer_key: [u8; 32],
        /// The lender's ordinals key.
        lender_key: [u8; 32],
        /// The address that withdrawals pay to.
        payment_address: String,
    },
    /// The signer admitted an offer.
    OfferAdmitted {
        /// The offer.
        offer: OfferId,
        /// The signer's id of the offer.
        admission: [u8; 32],
    },
    /// An offer left the book, and its admission was removed.
    #[serde(rename = "OfferForgotten")]
    AdmissionRemoved {
        /// The offer.
        offer: OfferId,
    },
    /// An output that pays to the vault was confirmed.
    OutputConfirmed {
        /// The output.
        outpoint: Outpoint,
        /// Its amount.
        amount: Sats,
        /// The block's height.
        height: u32,
    },
    /// A reorg disconnected its block.
    OutputUnconfirmed {
        /// The output.
        outpoint: Outpoint,
    },
    /// The output is gone: spent by a transaction unknown to the vault, or not mined again after a reorg.
    OutputSpent {
        /// The output.
        outpoint: Outpoint,
    },
    /// The signer signed a loan: the hold ends, and the outputs are spent.
    Spent {
        /// The reservation of the hold.
        reservation: ReservationId,
        /// The id of the loan's transaction, in internal byte order.
        txid: [u8; 32],
        /// The outputs of the vault that it spends.
        outpoints: Vec<Outpoint>,
        /// The change that returns once it is confirmed.
        change: VaultChange,
    },
    /// A withdrawal was requested: its outputs are not available for anything else from now on.
    Withdrawing {
        /// The nonce of the lender's message.
        id: Nonce,
        /// The id of the transaction, in internal byte order.
        txid: [u8; 32],
        /// The outputs that it spends.
        outpoints: Vec<Outpoint>,
        /// The sats that leave the vault, fee included.
        amount: Sats,
        /// The change that returns once it is confirmed.
        change: VaultChange,
    },
    /// The signer signed a withdrawal; it is broadcast only after this.
    WithdrawalSigned {
        /// The nonce of the lender's message.
        id: Nonce,
        /// The finished transaction in network serialization.
        transaction: Vec<u8>,
    },
    /// A transaction that spends outputs will never be mined: the outputs that the chain still has are returned.
    #[serde(rename = "DepartureFailed")]
    SpendFailed {
        /// The transaction.
        #[serde(rename = "departure")]
        spend: SpendId,
    },
    /// A transaction that spends outputs is too deep for a reorg: they are dropped.
    #[serde(rename = "DepartureSettled")]
    SpendSettled {
        /// The transaction.
        #[serde(rename = "departure")]
        spend: SpendId,
    },
    /// The signer signed a CPFP child of an unconfirmed transaction, which is broadcast only after this: a change
    /// output of the parent is replaced by the child's output.
    FeeBumped {
        /// The id of the parent, in internal byte order.
        parent: [u8; 32],
        /// The change output that the child spends.
        outpoint: Outpoint,
        /// The fee of the child.
        fee: Sats,
        /// The child's only output.
        change: (Outpoint, Sats),
        /// The finished child in network serialization.
        transaction: Vec<u8>,
    },
    /// An admitted offer was signed by a program under a delegation, not by the lender's wallet.
    OfferDelegated {
        /// The offer.
        offer: OfferId,
        /// The delegation.
        delegation: DelegationId,
    },
    /// Its lender opened it, or set another payment address; several signers share it.
    OpenedShared {
        /// The signers.
        signers: SignerKeys,
        /// The lender's ordinals key.
        lender_key: [u8; 32],
        /// The address that withdrawals pay to.
        payment_address: String,
    },
    /// A move to other signers was requested: the outputs are not available for anything else from now on.
    Moving {
        /// The nonce of the lender's message.
        id: Nonce,
        /// The id of the transaction, in internal byte order.
        txid: [u8; 32],
        /// All outputs of the vault, which it spends.
        outpoints: Vec<Outpoint>,
        /// The new signers.
        signers: SignerKeys,
        /// The outputs to the vault that they hold.
        arriving: VaultChange,
    },
    /// The signers until then signed the move; it is broadcast only after this. From now on the vault is that of the new
    /// signers, and the offers that the others admitted are not admitted any more.
    MoveSigned {
        /// The nonce of the lender's message.
        id: Nonce,
        /// The finished transaction in network serialization.
        transaction: Vec<u8>,
    },
}

/// The reason why a vault command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VaultRejection {
    /// The usable balance is lower than requested.
    #[error("{needed} needed, {usable} usable")]
    Insufficient {
        /// The requested amount.
        needed: Sats,
        /// The usable balance.
        usable: Sats,
    },
    /// There is a hold for the reservation already.
    #[error("there is a hold for {0} already")]
    AlreadyHeld(ReservationId),
    /// There is no hold for the reservation.
    #[error("there is no hold for {0}")]
    NotHeld(ReservationId),
    /// The balance would exceed the maximum supply of bitcoin.
    #[error("the balance would be too large")]
    TooLarge,
    /// The keys cannot change: they are part of its script, and it may have received payments.
    #[error("the vault was opened with other keys")]
    OtherKeys,
    /// It was never opened.
    #[error("the vault is not open")]
    NotOpen,
    /// It has more outputs than are tracked.
    #[error("the vault has {max} outputs already")]
    TooManyOutputs {
        /// The maximum.
        max: usize,
    },
    /// The balance suffices, but in too many outputs for one transaction.
    #[error("{needed} needed, and the {max} largest free outputs hold {found}")]
    TooManyInputs {
        /// The requested amount.
        needed: Sats,
        /// The sum of the largest outputs that fit.
        found: Sats,
        /// The maximum number of outputs that one transaction spends.
        max: usize,
    },
    /// A transaction must spend at least one output, and none twice.
    #[error("a transaction spends at least one output, and none twice")]
    InvalidInputs,
    /// The output is not confirmed, is being spent already, or does not exist.
    #[error("output {}:{} cannot be spent", hex(&outpoint.txid), outpoint.vout)]
    NotSpendable {
        /// The output.
        outpoint: Outpoint,
    },
    /// The change would exceed the spent outputs.
    #[error("the change of {change} exceeds the spent outputs of {taken}")]
    ExcessiveChange {
        /// The sum of the spent outputs.
        taken: Sats,
        /// The sum of the change.
        change: Sats,
    },
    /// There are too many change outputs, or one is listed twice.
    #[error("at most {max} change outputs, each listed once")]
    InvalidChangeOutputs {
        /// The maximum.
        max: usize,
    },
    /// It spends outputs of the vault already.
    #[error("the transaction spends outputs of the vault already")]
    DuplicateSpend(SpendId),
    /// It spends no outputs of the vault.
    #[error("no pending transaction of the vault")]
    UnknownSpend(SpendId),
    /// Its change is confirmed.
    #[error("the change of the transaction is confirmed")]
    Mined(SpendId),
    /// No unconfirmed transaction that may have a child has this change output; a child itself may have none.
    #[error("output {}:{} is no change of an unconfirmed loan or withdrawal", hex(&outpoint.txid), outpoint.vout)]
    NoChange {
        /// The output.
        outpoint: Outpoint,
    },
    /// It was signed already.
    #[error("the withdrawal is signed already")]
    AlreadySigned(Nonce),
    /// The vault is moving to other signers.
    #[error("the vault is moving to other signers")]
    Moving,
    /// Sats are reserved, or outputs are being spent: the vault cannot move as a whole.
    #[error("{held} are reserved for borrowers who are signing, and {pending} transactions of the vault are not final")]
    InUse {
        /// The reserved sats.
        held: Sats,
        /// The number of transactions that spend its outputs and could still be replaced by a reorg.
        pending: usize,
    },
    /// The move would leave confirmed outputs behind.
    #[error("a move spends all of the vault's {found} outputs, and names {named}")]
    Incomplete {
        /// The number of free outputs.
        found: usize,
        /// The number of outputs that the transaction spends.
        named: usize,
    },
}

/// A transaction id in display order: the last byte first.
fn hex(txid: &[u8; 32]) -> String {
    txid.iter().rev().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
