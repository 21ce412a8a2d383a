//! The push subscriptions of a user: browsers that get the user's notices by Web Push.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ContactEvent, ContactRejection, Contacts};
use crate::{NoticeKinds, PushId, UnixMs, UserId};

/// The address of a browser at its push service, and the keys that encrypt for it. Already validated at the edge.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushTarget {
    /// The URL of the push service. It is a secret: with it and the keys anyone with the server's key can send.
    pub endpoint: String,
    /// The browser's public key (`p256dh`): an uncompressed point of P-256 in base64url.
    pub public_key: String,
    /// The secret that it shares with this server (`auth`): 16 bytes in base64url.
    pub auth: String,
}

impl fmt::Debug for PushTarget {
    /// Shows the host alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushTarget").field("host", &self.host()).finish_non_exhaustive()
    }
}

impl PushTarget {
    /// The host of the push service, with its port.
    #[must_use]
    pub fn host(&self) -> &str {
        let (_, rest) = self.endpoint.split_once("://").unwrap_or(("", &self.endpoint));
        rest.split(['/', '?', '#']).next().unwrap_or_default()
    }
}

/// A browser that gets a user's notices by Web Push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushSubscription {
    /// The id.
    pub id: PushId,
    /// The address and the keys.
    pub target: PushTarget,
    /// The `User-Agent` of the browser; empty when there was none.
    pub agent: String,
    /// The kinds that are sent to it.
    pub kinds: NoticeKinds,
    /// The time at which it was added; earlier notices are not sent to it.
    pub added_at: UnixMs,
}

impl PushSubscription {
    /// The maximum number of subscriptions of one user.
    pub const PER_USER_MAX: usize = 10;
    /// The number of characters of a `User-Agent` that are kept.
    pub const AGENT_LENGTH_MAX: usize = 256;
}

impl Contacts {
    /// Adds a subscription; returns its id and the events. One with the same address and keys keeps its id and its kinds,
    /// and one with the same address and other keys is replaced: a browser has one at a time.
    ///
    /// # Errors
    /// [`ContactRejection::TooManyPushes`].
    pub fn add_push(
        &self,
        user: UserId,
        target: PushTarget,
        agent: &str,
        kinds: NoticeKinds,
    ) -> Result<(PushId, Vec<ContactEvent>), ContactRejection> {
        let known = self.by_user.get(&user).map_or(&[][..], |contact| &contact.pushes);
        let same = known.iter().find(|push| push.target.endpoint == target.endpoint);
        if let Some(same) = same.filter(|same| same.target == target) {
            return Ok((same.id, Vec::new()));
        }
        if same.is_none() && known.len() >= PushSubscription::PER_USER_MAX {
            return Err(ContactRejection::TooManyPushes { max: PushSubscription::PER_USER_MAX });
        }
        let push = PushId(self.latest_push.saturating_add(1));
        let agent = agent.chars().take(PushSubscription::AGENT_LENGTH_MAX).collect();
        let removed = same.map(|same| ContactEvent::PushRemoved { user, push: same.id });
        let added = ContactEvent::PushAdded { user, push, target, agent, kinds };
        Ok((push, removed.into_iter().chain([added]).collect()))
    }

    /// A subscription of a user.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownPush`].
    pub fn push(&self, user: UserId, id: PushId) -> Result<&PushSubscription, ContactRejection> {
        let contact = self.by_user.get(&user);
        contact.and_then(|contact| contact.push(id)).ok_or(ContactRejection::UnknownPush(id))
    }

    /// Chooses the kinds that are sent to a browser; no event if that changes nothing.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownPush`].
    pub fn set_push_kinds(
        &self,
        user: UserId,
        id: PushId,
        kinds: NoticeKinds,
    ) -> Result<Option<ContactEvent>, ContactRejection> {
        let known = self.push(user, id)?.kinds;
        Ok((known != kinds).then_some(ContactEvent::PushKindsSet { user, push: id, kinds }))
    }

    /// Removes a subscription.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownPush`].
    pub fn remove_push(&self, user: UserId, id: PushId) -> Result<ContactEvent, ContactRejection> {
        self.push(user, id)?;
        Ok(ContactEvent::PushRemoved { user, push: id })
    }
}
