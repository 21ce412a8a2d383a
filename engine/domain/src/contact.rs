//! The users' contacts outside the app, by e-mail, by Telegram, by webhooks and by Web Push, and their choices of notices.

mod channel;
mod event;
mod push;
mod webhook;

use std::collections::{BTreeSet, HashMap, VecDeque};

use thiserror::Error;

use crate::{DAY_MS, NoticeKind, NoticeKinds, PushId, UnixMs, UserId, WebhookId};

pub use channel::{ChannelKind, ContactChannel};
pub use event::ContactEvent;
pub use push::{PushSubscription, PushTarget};
pub use webhook::{Webhook, WebhookPause, WebhookPauseReason};

/// A user's choices of the notices to get outside the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NoticeChoices {
    /// Whether critical kinds are sent at all.
    pub critical_alerts: bool,
    /// The kinds that are sent; critical ones only with [`Self::critical_alerts`].
    pub kinds: NoticeKinds,
}

impl NoticeChoices {
    /// Whether a kind is sent. Those that are not a matter of choice always are.
    #[must_use]
    pub const fn includes(self, kind: NoticeKind) -> bool {
        !kind.is_choosable() || (self.kinds.contains(kind) && (self.critical_alerts || !kind.is_critical()))
    }
}

impl Default for NoticeChoices {
    fn default() -> Self {
        Self { critical_alerts: true, kinds: NoticeKinds::critical() }
    }
}

/// An e-mail address. Already validated at the edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailContact {
    /// The address.
    pub address: String,
    /// A unique number of this setting of an address.
    pub serial: u64,
    /// The deadline of its verification.
    pub expires_at: UnixMs,
    /// The time at which it was verified as the user's own; `None` before.
    pub verified_at: Option<UnixMs>,
    /// The time since which its mail server permanently rejects it; `None` while it does not.
    pub bounced_at: Option<UnixMs>,
}

/// A private chat with the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TelegramContact {
    /// Telegram's id of the chat.
    pub chat: i64,
    /// The time at which it was linked.
    pub linked_at: UnixMs,
}

/// One user's contacts and choices of notices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// The e-mail address, verified or not.
    pub email: Option<EmailContact>,
    /// The Telegram chat.
    pub telegram: Option<TelegramContact>,
    /// The choices of notices by e-mail and Telegram.
    pub choices: NoticeChoices,
    /// The webhooks in the order of their creation, each with its own choice of notices.
    pub webhooks: Vec<Webhook>,
    /// The subscribed browsers in the order in which they were added, each with its own choice of notices.
    pub pushes: Vec<PushSubscription>,
}

impl Contact {
    /// The channels of the given kinds.
    #[must_use]
    pub fn channels(&self, kinds: &[ChannelKind]) -> Vec<ContactChannel> {
        let webhooks = self.webhooks.iter().map(|webhook| ContactChannel::Webhook(webhook.id));
        let pushes = self.pushes.iter().map(|push| ContactChannel::Push(push.id));
        let all = [ContactChannel::Email, ContactChannel::Telegram].into_iter().chain(webhooks).chain(pushes);
        all.filter(|channel| kinds.contains(&channel.kind())).collect()
    }

    /// A webhook.
    #[must_use]
    pub fn webhook(&self, id: WebhookId) -> Option<&Webhook> {
        self.webhooks.iter().find(|webhook| webhook.id == id)
    }

    /// A subscribed browser.
    #[must_use]
    pub fn push(&self, id: PushId) -> Option<&PushSubscription> {
        self.pushes.iter().find(|push| push.id == id)
    }

    /// Whether the user wants notices of a kind by a channel.
    #[must_use]
    pub fn wants(&self, channel: ContactChannel, kind: NoticeKind) -> bool {
        match channel {
            ContactChannel::Email | ContactChannel::Telegram => self.choices.includes(kind),
            ContactChannel::Webhook(id) => self.webhook(id).is_some_and(|webhook| webhook.kinds.contains(kind)),
            ContactChannel::Push(id) => {
                self.push(id).is_some_and(|push| !kind.is_choosable() || push.kinds.contains(kind))
            }
        }
    }

    /// The time since which the user is reachable by this channel; `None` if they are not.
    #[must_use]
    pub fn reachable_since(&self, channel: ContactChannel) -> Option<UnixMs> {
        match channel {
            ContactChannel::Email => self.email.as_ref().filter(|email| email.bounced_at.is_none())?.verified_at,
            ContactChannel::Telegram => self.telegram.map(|telegram| telegram.linked_at),
            ContactChannel::Webhook(id) => {
                self.webhook(id).filter(|webhook| webhook.pause.is_none()).map(|webhook| webhook.active_since)
            }
            ContactChannel::Push(id) => self.push(id).map(|push| push.added_at),
        }
    }

    fn is_reachable(&self) -> bool {
        let channels = self.channels(&ChannelKind::ALL);
        channels.into_iter().any(|channel| self.reachable_since(channel).is_some())
    }
}

/// The reason why a contact was not changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ContactRejection {
    /// Another address was set less than a minute ago, or too many were set within a day.
    #[error("another verification mail can be requested at {again_at:?}")]
    TooManyEmails {
        /// The time from which the next can be set.
        again_at: UnixMs,
    },
    /// The address to be verified has been changed or removed.
    #[error("the address was changed or removed")]
    OtherEmail,
    /// The address was not verified in time.
    #[error("the address was not verified in time")]
    VerificationExpired,
    /// The address is verified already.
    #[error("the address is verified already")]
    AlreadyVerified,
    /// A chat is linked to the maximum number of users.
    #[error("a chat can be linked to at most {max} users")]
    ChatFull {
        /// The maximum.
        max: usize,
    },
    /// The user has the maximum number of webhooks.
    #[error("at most {max} webhooks")]
    TooManyWebhooks {
        /// The maximum.
        max: usize,
    },
    /// The user has no such webhook.
    #[error("no such webhook: {0}")]
    UnknownWebhook(WebhookId),
    /// The webhook is paused.
    #[error("the webhook is paused: {0}")]
    WebhookPaused(WebhookId),
    /// The user has the maximum number of subscribed browsers.
    #[error("at most {max} browsers")]
    TooManyPushes {
        /// The maximum.
        max: usize,
    },
    /// The user has no such subscription.
    #[error("no such push subscription: {0}")]
    UnknownPush(PushId),
}

/// An address that was set within the last day.
#[derive(Clone, Debug)]
struct RecentEmail {
    at: UnixMs,
    user: UserId,
    address: String,
}

/// All contacts.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    by_user: HashMap<UserId, Contact>,
    /// The users who are reachable, by id.
    reachable: BTreeSet<UserId>,
    /// The users linked to each chat.
    chats: BTreeSet<(i64, UserId)>,
    /// The addresses set within the last day, the oldest first.
    recent_emails: VecDeque<RecentEmail>,
    latest_serial: u64,
    latest_webhook: u64,
    latest_push: u64,
}

impl Contacts {
    /// The time within which an address can be verified, in milliseconds.
    pub const VERIFICATION_MS: u64 = 24 * 3_600_000;
    /// The minimum time between two verification mails of one user, in milliseconds.
    pub const EMAIL_INTERVAL_MS: u64 = 60_000;
    /// The maximum number of verification mails of one user per day.
    pub const EMAILS_PER_USER_MAX: usize = 5;
    /// The maximum number of verification mails to one address per day, over all users.
    pub const EMAILS_PER_ADDRESS_MAX: usize = 3;
    /// The maximum number of verification mails per day, over all users.
    pub const EMAILS_MAX: usize = 5_000;
    /// The maximum number of users that one chat can be linked to.
    pub const USERS_PER_CHAT_MAX: usize = 10;

    /// The contact of a user, which may be empty.
    #[must_use]
    pub fn get(&self, user: UserId) -> Contact {
        self.by_user.get(&user).cloned().unwrap_or_default()
    }

    /// Reachable users, by id, after the given one.
    pub fn reachable_after(&self, after: Option<UserId>) -> impl Iterator<Item = UserId> {
        let from = after.map_or(UserId(0), |user| UserId(user.0.saturating_add(1)));
        self.reachable.range(from..).copied()
    }

    /// Whether a user is reachable by any channel.
    #[must_use]
    pub fn is_reachable(&self, user: UserId) -> bool {
        self.reachable.contains(&user)
    }

    /// Sets an address, which is to be verified; no event if it is already the verified one and accepts mail.
    ///
    /// # Errors
    /// [`ContactRejection::TooManyEmails`]: the limits keep any mailbox from being flooded, over all users.
    pub fn set_email(
        &self,
        user: UserId,
        address: &str,
        now: UnixMs,
    ) -> Result<Option<ContactEvent>, ContactRejection> {
        let known = self.by_user.get(&user).and_then(|contact| contact.email.as_ref());
        if known
            .is_some_and(|known| known.address == address && known.verified_at.is_some() && known.bounced_at.is_none())
        {
            return Ok(None);
        }
        self.check_email_limits(user, address, now)?;
        Ok(Some(ContactEvent::EmailSet {
            user,
            address: address.to_owned(),
            serial: self.latest_serial + 1,
            expires_at: now.plus_ms(Self::VERIFICATION_MS),
        }))
    }

    fn check_email_limits(&self, user: UserId, address: &str, now: UnixMs) -> Result<(), ContactRejection> {
        let recent: Vec<&RecentEmail> =
            self.recent_emails.iter().filter(|recent| recent.at.plus_ms(DAY_MS) > now).collect();
        let nth_last = |max: usize, is_counted: &dyn Fn(&RecentEmail) -> bool, window_ms: u64| {
            let again_at = recent.iter().rev().filter(|email| is_counted(email)).nth(max - 1)?.at.plus_ms(window_ms);
            (again_at > now).then_some(again_at)
        };
        let is_own = |email: &RecentEmail| email.user == user;
        let is_same = |email: &RecentEmail| email.address.eq_ignore_ascii_case(address);
        let again_at = [
            nth_last(1, &is_own, Self::EMAIL_INTERVAL_MS),
            nth_last(Self::EMAILS_PER_USER_MAX, &is_own, DAY_MS),
            nth_last(Self::EMAILS_PER_ADDRESS_MAX, &is_same, DAY_MS),
            nth_last(Self::EMAILS_MAX, &|_| true, DAY_MS),
        ];
        match again_at.into_iter().flatten().max() {
            Some(again_at) => Err(ContactRejection::TooManyEmails { again_at }),
            None => Ok(()),
        }
    }

    /// Verifies an address: the user has read a mail that was sent to it.
    ///
    /// # Errors
    /// [`ContactRejection::OtherEmail`], [`ContactRejection::AlreadyVerified`],
    /// [`ContactRejection::VerificationExpired`].
    pub fn verify_email(&self, user: UserId, serial: u64, now: UnixMs) -> Result<ContactEvent, ContactRejection> {
        let email = self.by_user.get(&user).and_then(|contact| contact.email.as_ref());
        let email = email.filter(|email| email.serial == serial).ok_or(ContactRejection::OtherEmail)?;
        if email.verified_at.is_some() {
            return Err(ContactRejection::AlreadyVerified);
        }
        if email.expires_at <= now {
            return Err(ContactRejection::VerificationExpired);
        }
        Ok(ContactEvent::EmailVerified { user })
    }

    /// Removes an address; no event if there is none, or if it is not the one with this number.
    #[must_use]
    pub fn remove_email(&self, user: UserId, serial: Option<u64>) -> Option<ContactEvent> {
        let email = self.by_user.get(&user)?.email.as_ref()?;
        serial.is_none_or(|serial| serial == email.serial).then_some(ContactEvent::EmailRemoved { user })
    }

    /// Records that the mail server permanently rejects the address with this number; no event if the address has
    /// changed since, or if that is recorded already.
    #[must_use]
    pub fn bounce_email(&self, user: UserId, serial: u64) -> Option<ContactEvent> {
        let email = self.by_user.get(&user)?.email.as_ref()?;
        (email.serial == serial && email.bounced_at.is_none()).then_some(ContactEvent::EmailBounced { user })
    }

    /// Links a chat, in place of the one before; no event if it is linked already.
    ///
    /// # Errors
    /// [`ContactRejection::ChatFull`].
    pub fn link_telegram(&self, user: UserId, chat: i64) -> Result<Option<ContactEvent>, ContactRejection> {
        if self.chats.contains(&(chat, user)) {
            return Ok(None);
        }
        if self.users_of(chat).count() >= Self::USERS_PER_CHAT_MAX {
            return Err(ContactRejection::ChatFull { max: Self::USERS_PER_CHAT_MAX });
        }
        Ok(Some(ContactEvent::TelegramLinked { user, chat }))
    }

    /// Unlinks a user's chat; no event if there is none.
    #[must_use]
    pub fn unlink_telegram(&self, user: UserId) -> Option<ContactEvent> {
        self.by_user.get(&user)?.telegram.map(|_| ContactEvent::TelegramUnlinked { user })
    }

    /// Unlinks a chat from all users.
    #[must_use]
    pub fn unlink_chat(&self, chat: i64) -> Vec<ContactEvent> {
        self.users_of(chat).map(|user| ContactEvent::TelegramUnlinked { user }).collect()
    }

    /// Sets a user's choices of notices; no event if that changes nothing.
    #[must_use]
    pub fn set_choices(&self, user: UserId, choices: NoticeChoices) -> Option<ContactEvent> {
        let known = self.by_user.get(&user).map(|contact| contact.choices).unwrap_or_default();
        (known != choices).then_some(ContactEvent::ChoicesSet { user, choices })
    }

    /// The users linked to a chat, by id.
    pub fn users_of(&self, chat: i64) -> impl Iterator<Item = UserId> {
        self.chats.range((chat, UserId(0))..=(chat, UserId(u64::MAX))).map(|(_, user)| *user)
    }

    /// Applies an event. Addresses that were set more than a day before `at` are no longer counted.
    pub fn apply(&mut self, event: &ContactEvent, at: UnixMs) {
        let user = event.user();
        let contact = self.by_user.entry(user).or_default();
        match event {
            ContactEvent::EmailSet { address, serial, expires_at, .. } => {
                let (address, serial, expires_at) = (address.clone(), *serial, *expires_at);
                self.recent_emails.push_back(RecentEmail { at, user, address: address.clone() });
                self.latest_serial = self.latest_serial.max(serial);
                contact.email = Some(EmailContact { address, serial, expires_at, verified_at: None, bounced_at: None });
            }
            ContactEvent::EmailVerified { .. } => {
                if let Some(email) = &mut contact.email {
                    // The user has read a mail that was sent there.
                    (email.verified_at, email.bounced_at) = (Some(at), None);
                }
            }
            ContactEvent::EmailBounced { .. } => {
                if let Some(email) = &mut contact.email {
                    email.bounced_at = Some(at);
                }
            }
            ContactEvent::EmailRemoved { .. } => contact.email = None,
            ContactEvent::TelegramLinked { chat, .. } => {
                let linked = TelegramContact { chat: *chat, linked_at: at };
                if let Some(before) = contact.telegram.replace(linked) {
                    self.chats.remove(&(before.chat, user));
                }
                self.chats.insert((*chat, user));
            }
            ContactEvent::TelegramUnlinked { .. } => {
                if let Some(before) = contact.telegram.take() {
                    self.chats.remove(&(before.chat, user));
                }
            }
            ContactEvent::ChoicesSet { choices, .. } => contact.choices = *choices,
            ContactEvent::WebhookAdded { webhook, url, kinds, .. } => {
                self.latest_webhook = self.latest_webhook.max(webhook.0);
                contact.webhooks.push(Webhook::new(*webhook, url.clone(), *kinds, at));
            }
            ContactEvent::WebhookRemoved { webhook, .. } => contact.webhooks.retain(|known| known.id != *webhook),
            ContactEvent::WebhookKindsSet { webhook, .. }
            | ContactEvent::WebhookSecretRotated { webhook, .. }
            | ContactEvent::WebhookPaused { webhook, .. }
            | ContactEvent::WebhookResumed { webhook, .. } => {
                if let Some(known) = contact.webhooks.iter_mut().find(|known| known.id == *webhook) {
                    known.apply(event, at);
                }
            }
            ContactEvent::PushAdded { push, target, agent, kinds, .. } => {
                self.latest_push = self.latest_push.max(push.0);
                let (target, agent) = (target.clone(), agent.clone());
                contact.pushes.push(PushSubscription { id: *push, target, agent, kinds: *kinds, added_at: at });
            }
            ContactEvent::PushKindsSet { push, kinds, .. } => {
                if let Some(known) = contact.pushes.iter_mut().find(|known| known.id == *push) {
                    known.kinds = *kinds;
                }
            }
            ContactEvent::PushRemoved { push, .. } => contact.pushes.retain(|known| known.id != *push),
        }
        if contact.is_reachable() {
            self.reachable.insert(user);
        } else {
            self.reachable.remove(&user);
        }
        while self.recent_emails.front().is_some_and(|recent| recent.at.plus_ms(DAY_MS) <= at) {
            self.recent_emails.pop_front();
        }
    }
}

#[cfg(test)]
mod push_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod webhook_tests;
