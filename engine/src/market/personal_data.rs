//! The removal of what a user's account has beside offers, loans and vaults: ways to reach the user, and favourites.

use domain::{GroupId, NoticeChoices, OutboxEvent, UserId};

use super::Market;
use crate::{
    Refusal,
    ledger::{LedgerEvent, LedgerState},
};

/// The data that was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedData {
    /// Whether there was an e-mail address.
    pub email: bool,
    /// Whether a Telegram chat was linked.
    pub telegram: bool,
    /// The number of webhooks.
    pub webhooks: usize,
    /// The number of subscribed browsers.
    pub pushes: usize,
    /// The number of favourite collections.
    pub favourites: usize,
}

impl Market {
    /// Removes a user's e-mail address, Telegram chat, webhooks with the record of their deliveries, subscribed browsers,
    /// choices of notices and favourites: all in one batch. What waits to be sent to them is not sent. The events that
    /// stored them stay in the journal.
    ///
    /// # Errors
    /// [`Refusal::Account`] for a user who never signed in.
    pub async fn remove_personal_data(&self, user: UserId) -> Result<RemovedData, Refusal> {
        let (removed, _) = self.on_ledger(|ledger, _| remove(ledger, user)).await?;
        // A repeated request finds nothing, and what it repeats is durable once this returns.
        if removed == RemovedData::default() && !self.shared.ledger.wait_all_durable().await {
            return Err(Refusal::Closed);
        }
        Ok(removed)
    }
}

fn remove(ledger: &LedgerState, user: UserId) -> Result<(Vec<LedgerEvent>, RemovedData), Refusal> {
    ledger.check_account(user)?;
    let (contacts, mut events) = (ledger.contacts(), Vec::new());
    let contact = contacts.get(user);
    let favourites: Vec<GroupId> = ledger.favourites(user).collect();
    let removed = RemovedData {
        email: contact.email.is_some(),
        telegram: contact.telegram.is_some(),
        webhooks: contact.webhooks.len(),
        pushes: contact.pushes.len(),
        favourites: favourites.len(),
    };
    events.extend(contacts.remove_email(user, None).map(LedgerEvent::Contact));
    events.extend(contacts.unlink_telegram(user).map(LedgerEvent::Contact));
    for webhook in &contact.webhooks {
        events.push(LedgerEvent::Contact(contacts.remove_webhook(user, webhook.id)?));
        events.push(LedgerEvent::Message(OutboxEvent::WebhookForgotten { webhook: webhook.id }));
    }
    for push in &contact.pushes {
        events.push(LedgerEvent::Contact(contacts.remove_push(user, push.id)?));
        events.push(LedgerEvent::Message(OutboxEvent::PushStopped { push: push.id }));
    }
    events.extend(contacts.set_choices(user, NoticeChoices::default()).map(LedgerEvent::Contact));
    for group in favourites {
        events.extend(ledger.set_favourite(user, group, false)?);
    }
    Ok((events, removed))
}
