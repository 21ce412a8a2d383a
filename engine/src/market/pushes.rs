//! The push subscriptions of users' browsers.

use domain::{ContactRejection, NoticeKinds, OutboxEvent, PushId, PushSubscription, PushTarget, UserId};

use super::Market;
use crate::{
    Refusal,
    ledger::{LedgerEvent, LedgerState},
};

impl Market {
    /// A subscription of a user, once durable.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownPush`], [`Refusal::Closed`].
    pub async fn push(&self, user: UserId, id: PushId) -> Result<PushSubscription, Refusal> {
        let contact = self.contact(user).await?;
        Ok(contact.push(id).cloned().ok_or(ContactRejection::UnknownPush(id))?)
    }

    /// Subscribes a browser; the caller has validated the address and the keys.
    ///
    /// # Errors
    /// [`ContactRejection::TooManyPushes`].
    pub async fn add_push(
        &self,
        user: UserId,
        target: PushTarget,
        agent: &str,
        kinds: NoticeKinds,
    ) -> Result<PushSubscription, Refusal> {
        let add = |ledger: &LedgerState, _| {
            ledger.check_account(user)?;
            let (id, added) = ledger.contacts().add_push(user, target, agent, kinds)?;
            Ok((added.into_iter().map(LedgerEvent::Contact).collect(), id))
        };
        let (id, _) = self.on_ledger(add).await?;
        self.push(user, id).await
    }

    /// Chooses the kinds that are sent to a browser.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownPush`].
    pub async fn set_push_kinds(
        &self,
        user: UserId,
        id: PushId,
        kinds: NoticeKinds,
    ) -> Result<PushSubscription, Refusal> {
        self.on_contacts(|ledger, _| {
            let chosen = ledger.contacts().set_push_kinds(user, id, kinds)?;
            Ok(chosen.into_iter().map(LedgerEvent::Contact).collect())
        })
        .await?;
        self.push(user, id).await
    }

    /// Removes a subscription; what waits for it ends in the same batch.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownPush`].
    pub async fn remove_push(&self, user: UserId, id: PushId) -> Result<(), Refusal> {
        self.on_contacts(|ledger, _| {
            let removed = LedgerEvent::Contact(ledger.contacts().remove_push(user, id)?);
            Ok(vec![removed, LedgerEvent::Message(OutboxEvent::PushStopped { push: id })])
        })
        .await
    }
}
