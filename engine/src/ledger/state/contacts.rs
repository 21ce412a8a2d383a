//! How people can be told of something, and the messages on their way to them.

use domain::{AccountRejection, Contact, Contacts, Message, MessageId, Outbox, UserId};

use super::LedgerState;

/// A message that can be handed over, and to whom it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueMessage {
    /// The message.
    pub message: Message,
    /// The contact as it is now.
    pub contact: Contact,
}

impl LedgerState {
    /// Everybody's contacts.
    pub(crate) const fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Messages on their way.
    pub(crate) const fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Refuses people who never signed in.
    pub(crate) fn check_known(&self, user: UserId) -> Result<(), AccountRejection> {
        self.account(user).map(drop).ok_or(AccountRejection::UnknownUser(user))
    }

    /// Messages that were handed over and of which nothing was heard.
    pub(crate) fn handed(&self) -> Vec<MessageId> {
        self.outbox.handed().collect()
    }
}
