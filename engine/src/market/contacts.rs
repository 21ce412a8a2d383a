//! The users' contacts outside the app, and their choices of notices.

use domain::{Contact, ContactChannel, ContactEvent, Contacts, MessageContent, NoticeChoices, UnixMs, UserId};

use super::Market;
use crate::{
    Refusal,
    ledger::{LedgerEvent, LedgerState},
};

impl Market {
    /// A user's contact, once durable.
    ///
    /// # Errors
    /// [`Refusal::Closed`].
    pub async fn contact(&self, user: UserId) -> Result<Contact, Refusal> {
        self.shared.ledger.contact(user).await.ok_or(Refusal::Closed)
    }

    /// The number of users that a chat is linked to now.
    #[must_use]
    pub fn chat_user_count(&self, chat: i64) -> usize {
        self.shared.ledger.lock().state().contacts().users_of(chat).count()
    }

    /// Sets an email address and queues its verification mail in the same batch.
    ///
    /// # Errors
    /// Those of [`Contacts::give_email`] and [`domain::Outbox::queue`].
    pub async fn set_email(&self, user: UserId, address: &str) -> Result<(), Refusal> {
        self.on_contacts(|ledger, now| {
            ledger.check_account(user)?;
            let Some(given) = ledger.contacts().set_email(user, address, now)? else { return Ok(Vec::new()) };
            let ContactEvent::EmailSet { serial, .. } = given else { return Ok(Vec::new()) };
            let content = MessageContent::Verification { serial };
            let mail = ledger.outbox().queue(user, ContactChannel::Email, content, now)?;
            Ok([LedgerEvent::Contact(given)].into_iter().chain(mail.map(LedgerEvent::Message)).collect())
        })
        .await
    }

    /// Marks the address with this number as verified.
    ///
    /// # Errors
    /// Those of [`Contacts::verify_email`].
    pub async fn verify_email(&self, user: UserId, serial: u64) -> Result<(), Refusal> {
        let verify = |ledger: &LedgerState, now| {
            Ok(vec![LedgerEvent::Contact(ledger.contacts().verify_email(user, serial, now)?)])
        };
        self.on_contacts(verify).await
    }

    /// Removes an address: any, or only the one with this number.
    pub async fn remove_email(&self, user: UserId, serial: Option<u64>) -> Result<(), Refusal> {
        self.change_contact(|contacts| Ok(contacts.remove_email(user, serial).into_iter().collect())).await
    }

    /// Records that the mail server rejects the address with this number permanently.
    pub async fn mark_email_rejected(&self, user: UserId, serial: u64) -> Result<(), Refusal> {
        self.change_contact(|contacts| Ok(contacts.bounce_email(user, serial).into_iter().collect())).await
    }

    /// Links a chat.
    ///
    /// # Errors
    /// [`domain::ContactRejection::ChatFull`].
    pub async fn link_telegram(&self, user: UserId, chat: i64) -> Result<(), Refusal> {
        self.on_contacts(|ledger, _| {
            ledger.check_account(user)?;
            Ok(ledger.contacts().link_telegram(user, chat)?.map(LedgerEvent::Contact).into_iter().collect())
        })
        .await
    }

    /// Unlinks a user's chat.
    pub async fn unlink_telegram(&self, user: UserId) -> Result<(), Refusal> {
        self.change_contact(|contacts| Ok(contacts.unlink_telegram(user).into_iter().collect())).await
    }

    /// Unlinks a chat from all users.
    pub async fn unlink_chat(&self, chat: i64) -> Result<(), Refusal> {
        self.change_contact(|contacts| Ok(contacts.unlink_chat(chat))).await
    }

    /// Sets a user's choices of notices.
    pub async fn choose_notices(&self, user: UserId, choices: NoticeChoices) -> Result<(), Refusal> {
        self.on_contacts(|ledger, _| {
            ledger.check_account(user)?;
            Ok(ledger.contacts().set_choices(user, choices).map(LedgerEvent::Contact).into_iter().collect())
        })
        .await
    }

    async fn change_contact(
        &self,
        decide: impl FnOnce(&Contacts) -> Result<Vec<ContactEvent>, Refusal>,
    ) -> Result<(), Refusal> {
        let decide = |ledger: &LedgerState, _: UnixMs| {
            Ok(decide(ledger.contacts())?.into_iter().map(LedgerEvent::Contact).collect())
        };
        self.on_contacts(decide).await
    }

    /// Decides on contacts and messages. A request that changes nothing repeats an earlier one, which is durable too
    /// once this returns.
    pub(super) async fn on_contacts(
        &self,
        decide: impl FnOnce(&LedgerState, UnixMs) -> Result<Vec<LedgerEvent>, Refusal>,
    ) -> Result<(), Refusal> {
        let decide = |ledger: &LedgerState, now| {
            let events = decide(ledger, now)?;
            let is_known = events.is_empty();
            Ok((events, is_known))
        };
        let (is_known, _) = self.on_ledger(decide).await?;
        if is_known && !self.shared.ledger.wait_all_durable().await {
            return Err(Refusal::Closed);
        }
        Ok(())
    }
}
