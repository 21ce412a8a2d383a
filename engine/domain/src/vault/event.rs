//! What happens to a vault, and why a command is refused.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::VaultChange;
use crate::{Nonce, OfferId, Outpoint, ReservationId, Sats};

/// Why outputs leave a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Departure {
    /// Into the loan of this reservation.
    Loan(ReservationId),
    /// Home to the lender, by the message with this nonce.
    Withdrawal(Nonce),
    /// Back to the vault without the miners' fee, by a child of the transaction with this id, in internal byte order.
    FeeBump([u8; 32]),
}

/// Something that happened to one vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VaultEvent {
    /// Money arrived that is no output on the chain.
    Credited {
        /// How much.
        amount: Sats,
    },
    /// Such money left by a withdrawal.
    Debited {
        /// How much.
        amount: Sats,
    },
    /// Money was set aside for a borrower who is signing.
    Held {
        /// For which reservation.
        reservation: ReservationId,
        /// How much.
        amount: Sats,
    },
    /// A hold ended and the money is usable again.
    Released {
        /// Which reservation.
        reservation: ReservationId,
    },
    /// A hold became a loan, paid by money that is no output on the chain.
    Lent {
        /// Which reservation.
        reservation: ReservationId,
    },
    /// Its lender opened it, or named another payment address.
    Opened {
        /// The signer's key for it.
        signer_key: [u8; 32],
        /// The lender's ordinals key.
        lender_key: [u8; 32],
        /// Where withdrawals go.
        payment_address: String,
    },
    /// The signer admitted an offer.
    OfferAdmitted {
        /// Which.
        offer: OfferId,
        /// How the signer names it.
        admission: [u8; 32],
    },
    /// An offer is gone, and its admission with it.
    OfferForgotten {
        /// Which.
        offer: OfferId,
    },
    /// An output that pays to the vault stands in a block.
    OutputConfirmed {
        /// Which.
        outpoint: Outpoint,
        /// What it holds.
        amount: Sats,
        /// The block's height.
        height: u32,
    },
    /// Its block left the best chain.
    OutputUnconfirmed {
        /// Which.
        outpoint: Outpoint,
    },
    /// It is not there any more: spent by a transaction that the vault knows nothing of, or never mined again.
    OutputSpent {
        /// Which.
        outpoint: Outpoint,
    },
    /// The signer signed a loan: the hold ends, and the outputs leave.
    Spent {
        /// Whose hold ends.
        reservation: ReservationId,
        /// The loan's transaction, in internal byte order.
        txid: [u8; 32],
        /// What it spends of the vault.
        outpoints: Vec<Outpoint>,
        /// What comes back once it is confirmed.
        change: VaultChange,
    },
    /// A withdrawal was asked for: the outputs are nobody else's from now on.
    Withdrawing {
        /// The nonce of the lender's message.
        id: Nonce,
        /// The transaction, in internal byte order.
        txid: [u8; 32],
        /// What it spends.
        outpoints: Vec<Outpoint>,
        /// What leaves the vault, the miners' fee included.
        amount: Sats,
        /// What comes back once it is confirmed.
        change: VaultChange,
    },
    /// The signer signed a withdrawal; it is sent after this and not before.
    WithdrawalSigned {
        /// The nonce of the lender's message.
        id: Nonce,
        /// The finished transaction as it goes over the wire.
        transaction: Vec<u8>,
    },
    /// A transaction that took outputs will never be mined: they come back, as far as the chain still has them.
    DepartureFailed {
        /// Which.
        departure: Departure,
    },
    /// A transaction that took outputs is buried: they are forgotten.
    DepartureSettled {
        /// Which.
        departure: Departure,
    },
    /// The signer signed a child of a transaction that waits for a block, which is sent after this and not before: an output
    /// of the parent's change is replaced by the child's.
    FeeBumped {
        /// The parent, in internal byte order.
        parent: [u8; 32],
        /// Which output of its change the child spends.
        outpoint: Outpoint,
        /// What the child pays the miners.
        fee: Sats,
        /// The child's only output.
        change: (Outpoint, Sats),
        /// The finished child as it goes over the wire.
        transaction: Vec<u8>,
    },
}

/// Why a vault command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VaultRejection {
    /// Less is usable than asked for.
    #[error("{needed} needed, {usable} usable")]
    Insufficient {
        /// What was asked for.
        needed: Sats,
        /// What is usable.
        usable: Sats,
    },
    /// The reservation holds money already.
    #[error("{0} holds money already")]
    AlreadyHeld(ReservationId),
    /// The reservation holds nothing here.
    #[error("{0} holds nothing here")]
    NotHeld(ReservationId),
    /// The balance would exceed all the bitcoin there is.
    #[error("the balance would be too large")]
    TooLarge,
    /// Its keys stand in its script, and money may have been paid there.
    #[error("the vault was opened with other keys")]
    OtherKeys,
    /// Nobody opened it.
    #[error("the vault is not open")]
    NotOpen,
    /// It pays to more outputs than are followed.
    #[error("the vault has {max} outputs already")]
    TooManyOutputs {
        /// The most.
        max: usize,
    },
    /// There is enough, but in too many outputs for one transaction.
    #[error("{needed} needed, and the {max} largest free outputs hold {found}")]
    Scattered {
        /// What was asked for.
        needed: Sats,
        /// What they hold.
        found: Sats,
        /// The most outputs that one transaction spends.
        max: usize,
    },
    /// A transaction that takes outputs takes at least one, and none twice.
    #[error("a departure takes at least one output, and none twice")]
    EmptyDeparture,
    /// The output is not in a block, or leaves already, or was never there.
    #[error("output {}:{} cannot be spent", hex(&outpoint.txid), outpoint.vout)]
    NotSpendable {
        /// Which.
        outpoint: Outpoint,
    },
    /// More would come back than is taken out.
    #[error("{taken} is taken, and {change} would come back")]
    ExcessiveChange {
        /// What the outputs hold.
        taken: Sats,
        /// What would come back.
        change: Sats,
    },
    /// The rest would come back in too many outputs, or twice in the same.
    #[error("what comes back is in {max} outputs at most, each another one")]
    ScatteredChange {
        /// The most.
        max: usize,
    },
    /// It takes outputs already.
    #[error("it takes outputs of the vault already")]
    AlreadyLeaving(Departure),
    /// It takes no outputs.
    #[error("it takes no outputs of the vault")]
    NotLeaving(Departure),
    /// Its change is in a block.
    #[error("its transaction is in a block")]
    Mined(Departure),
    /// No transaction under way that may have a child has this change; a child has none itself.
    #[error("output {}:{} is no change of a loan or a withdrawal that waits", hex(&outpoint.txid), outpoint.vout)]
    NoChange {
        /// Which.
        outpoint: Outpoint,
    },
    /// It was signed already.
    #[error("the withdrawal is signed already")]
    AlreadySigned(Nonce),
}

/// A transaction id as it is shown: the last byte first.
fn hex(txid: &[u8; 32]) -> String {
    txid.iter().rev().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
