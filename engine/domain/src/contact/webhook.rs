//! The webhooks of a user: URLs that get the user's notices as signed requests.

use serde::{Deserialize, Serialize};

use super::{ContactEvent, ContactRejection, Contacts};
use crate::{DAY_MS, NoticeKinds, UnixMs, UserId, WebhookId};

/// The reason why a webhook is paused. The journal stores variants by their position, so new ones must be added at the
/// end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WebhookPauseReason {
    /// Its user paused it.
    ByUser,
    /// It has not accepted an event within the last of the attempts.
    Failing,
    /// It answered that it is gone for good: 410.
    Gone,
}

/// The pause of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookPause {
    /// Its begin.
    pub since: UnixMs,
    /// Its reason.
    pub reason: WebhookPauseReason,
}

/// A URL that gets a user's notices as signed requests. Its secret is derived from its id and version, and stored
/// nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The id.
    pub id: WebhookId,
    /// The URL. Already validated at the edge.
    pub url: String,
    /// The kinds that are sent to it.
    pub kinds: NoticeKinds,
    /// The time of its creation.
    pub created_at: UnixMs,
    /// The version of the secret, counted from 1.
    pub secret_version: u32,
    /// The time until which the version before signs as well.
    pub previous_until: Option<UnixMs>,
    /// The time of its creation or of the end of its last pause; earlier notices are not sent to it by themselves.
    pub active_since: UnixMs,
    /// Its pause; `None` while events are sent to it.
    pub pause: Option<WebhookPause>,
}

impl Webhook {
    /// The maximum number of webhooks of one user.
    pub const PER_USER_MAX: usize = 5;
    /// The time for which a replaced secret signs beside the new one, in milliseconds.
    pub const OVERLAP_MS: u64 = DAY_MS;

    pub(super) const fn new(id: WebhookId, url: String, kinds: NoticeKinds, at: UnixMs) -> Self {
        let (secret_version, previous_until, pause) = (1, None, None);
        Self { id, url, kinds, created_at: at, secret_version, previous_until, active_since: at, pause }
    }

    /// The versions of the secret that sign at a time, the newest first.
    pub fn signing_versions(&self, now: UnixMs) -> impl Iterator<Item = u32> {
        let previous = self.previous_until.filter(|until| now < *until).map(|_| self.secret_version.saturating_sub(1));
        std::iter::once(self.secret_version).chain(previous)
    }

    pub(super) fn apply(&mut self, event: &ContactEvent, at: UnixMs) {
        match event {
            ContactEvent::WebhookKindsSet { kinds, .. } => self.kinds = *kinds,
            ContactEvent::WebhookSecretRotated { .. } => {
                self.secret_version = self.secret_version.saturating_add(1);
                self.previous_until = Some(at.plus_ms(Self::OVERLAP_MS));
            }
            ContactEvent::WebhookPaused { reason, .. } => {
                self.pause = Some(WebhookPause { since: at, reason: *reason });
            }
            ContactEvent::WebhookResumed { .. } => (self.pause, self.active_since) = (None, at),
            _ => {}
        }
    }
}

impl Contacts {
    /// Registers a webhook; returns its id and the event.
    ///
    /// # Errors
    /// [`ContactRejection::TooManyWebhooks`].
    pub fn add_webhook(
        &self,
        user: UserId,
        url: &str,
        kinds: NoticeKinds,
    ) -> Result<(WebhookId, ContactEvent), ContactRejection> {
        let count = self.by_user.get(&user).map_or(0, |contact| contact.webhooks.len());
        if count >= Webhook::PER_USER_MAX {
            return Err(ContactRejection::TooManyWebhooks { max: Webhook::PER_USER_MAX });
        }
        let webhook = WebhookId(self.latest_webhook.saturating_add(1));
        Ok((webhook, ContactEvent::WebhookAdded { user, webhook, url: url.to_owned(), kinds }))
    }

    /// A webhook of a user.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub fn webhook(&self, user: UserId, id: WebhookId) -> Result<&Webhook, ContactRejection> {
        let contact = self.by_user.get(&user);
        contact.and_then(|contact| contact.webhook(id)).ok_or(ContactRejection::UnknownWebhook(id))
    }

    /// A webhook of a user that is not paused.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`], [`ContactRejection::WebhookPaused`].
    pub fn active_webhook(&self, user: UserId, id: WebhookId) -> Result<&Webhook, ContactRejection> {
        let webhook = self.webhook(user, id)?;
        if webhook.pause.is_some() { Err(ContactRejection::WebhookPaused(id)) } else { Ok(webhook) }
    }

    /// Chooses the kinds that are sent to a webhook; no event if that changes nothing.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub fn set_webhook_kinds(
        &self,
        user: UserId,
        id: WebhookId,
        kinds: NoticeKinds,
    ) -> Result<Option<ContactEvent>, ContactRejection> {
        let known = self.webhook(user, id)?.kinds;
        Ok((known != kinds).then_some(ContactEvent::WebhookKindsSet { user, webhook: id, kinds }))
    }

    /// Replaces the secret of a webhook.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub fn rotate_webhook_secret(&self, user: UserId, id: WebhookId) -> Result<ContactEvent, ContactRejection> {
        self.webhook(user, id)?;
        Ok(ContactEvent::WebhookSecretRotated { user, webhook: id })
    }

    /// Pauses a webhook; no event if it is paused already.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub fn pause_webhook(
        &self,
        user: UserId,
        id: WebhookId,
        reason: WebhookPauseReason,
    ) -> Result<Option<ContactEvent>, ContactRejection> {
        let is_active = self.webhook(user, id)?.pause.is_none();
        Ok(is_active.then_some(ContactEvent::WebhookPaused { user, webhook: id, reason }))
    }

    /// Ends the pause of a webhook; no event if it is not paused.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub fn resume_webhook(&self, user: UserId, id: WebhookId) -> Result<Option<ContactEvent>, ContactRejection> {
        let is_paused = self.webhook(user, id)?.pause.is_some();
        Ok(is_paused.then_some(ContactEvent::WebhookResumed { user, webhook: id }))
    }

    /// Removes a webhook.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub fn remove_webhook(&self, user: UserId, id: WebhookId) -> Result<ContactEvent, ContactRejection> {
        self.webhook(user, id)?;
        Ok(ContactEvent::WebhookRemoved { user, webhook: id })
    }
}
