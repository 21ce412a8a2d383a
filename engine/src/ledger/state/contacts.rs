//! The users' contacts, and the messages to be delivered to them.

use domain::{AccountRejection, Contact, Contacts, Message, MessageId, Outbox, UserId};

use super::LedgerState;

/// A message that is due for delivery, and the contact it goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueMessage {
    /// The message.
    pub message: Message,
    /// The contact's current state.
    pub contact: Contact,
}

impl LedgerState {
    /// All contacts.
    pub(crate) const fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Messages that have not been delivered yet.
    pub(crate) const fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Refuses users who never signed in.
    pub(crate) fn check_account(&self, user: UserId) -> Result<(), AccountRejection> {
        self.account(user).map(drop).ok_or(AccountRejection::UnknownUser(user))
    }

    /// Messages that were handed over and whose outcome is not known.
    pub(crate) fn deliveries_in_progress(&self) -> Vec<MessageId> {
        self.outbox.in_flight().collect()
    }
}
