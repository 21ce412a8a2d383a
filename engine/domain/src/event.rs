//! The events of all streams: the journal stores them, and every state is rebuilt from them.

use serde::{Deserialize, Serialize};

use crate::{
    AccountEvent, AssetEvent, BookEvent, ContactEvent, GroupId, HaltEvent, ListingEvent, LoanEvent, LoanId,
    OutboxEvent, TransferOrderEvent, UserId, VaultEvent,
};

/// A sequence of events that one state machine decides and applies, numbered from 1 without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// The listed collection groups.
    Listings,
    /// Users and used nonces.
    Accounts,
    /// The order book of a group.
    Book(GroupId),
    /// The vault of a lender.
    Vault(UserId),
    /// The pledged outpoints.
    Assets,
    /// The lifecycle of a loan.
    Loan(LoanId),
    /// Orders for BRC-20 transfer inscriptions.
    Orders,
    /// The users' contacts outside the app.
    Contacts,
    /// Messages to be delivered to them.
    Outbox,
    /// The parts of the market that its operator has halted.
    Halts,
}

/// An event of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// In [`Stream::Listings`].
    Listing(ListingEvent),
    /// In [`Stream::Accounts`].
    Account(AccountEvent),
    /// In a [`Stream::Book`].
    Book(BookEvent),
    /// In a [`Stream::Vault`].
    Vault(VaultEvent),
    /// In [`Stream::Assets`].
    Asset(AssetEvent),
    /// In a [`Stream::Loan`].
    Loan(LoanEvent),
    /// In [`Stream::Orders`].
    Order(TransferOrderEvent),
    /// In [`Stream::Contacts`].
    Contact(ContactEvent),
    /// In [`Stream::Outbox`].
    Message(OutboxEvent),
    /// In [`Stream::Halts`].
    Halt(HaltEvent),
}
