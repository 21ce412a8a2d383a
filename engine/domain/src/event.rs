//! Everything that ever happened: what the journal keeps and what rebuilds every state.

use serde::{Deserialize, Serialize};

use crate::{
    AccountEvent, AssetEvent, BookEvent, ContactEvent, GroupId, ListingEvent, LoanEvent, LoanId, OrderEvent,
    OutboxEvent, UserId, VaultEvent,
};

/// A sequence of events that one state machine decides and applies, numbered from 1 without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// Which collection groups exist.
    Listings,
    /// Users and burned nonces.
    Accounts,
    /// The order book of a group.
    Book(GroupId),
    /// The vault of a lender.
    Vault(UserId),
    /// Which outpoints are pledged.
    Assets,
    /// The life of a loan.
    Loan(LoanId),
    /// Orders of BRC-20 transfer notes.
    Orders,
    /// How people can be told of something outside of the app.
    Contacts,
    /// Messages on their way to them.
    Outbox,
}

/// Something that happened in one stream.
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
    Order(OrderEvent),
    /// In [`Stream::Contacts`].
    Contact(ContactEvent),
    /// In [`Stream::Outbox`].
    Message(OutboxEvent),
}
