//! The API keys of all users.

use std::collections::{BTreeSet, HashMap};

use crate::{ApiKey, ApiKeyId, QuotedDay, UnixMs, UserId};

/// The API keys of all users: those that can be used, and the latest that have ended, so that their use is refused by
/// its reason.
#[derive(Clone, Debug, Default)]
pub struct ApiKeys {
    by_id: HashMap<ApiKeyId, ApiKey>,
    of_user: BTreeSet<(UserId, ApiKeyId)>,
    latest: u64,
}

impl ApiKeys {
    /// The id of the next key.
    #[must_use]
    pub fn next_id(&self) -> ApiKeyId {
        ApiKeyId(self.latest.saturating_add(1))
    }

    /// A key, also one that has ended.
    #[must_use]
    pub fn get(&self, id: ApiKeyId) -> Option<&ApiKey> {
        self.by_id.get(&id)
    }

    /// The keys of a user in the order of their creation, also those that have ended.
    pub fn of(&self, user: UserId) -> impl Iterator<Item = &ApiKey> {
        let ids = self.of_user.range((user, ApiKeyId(0))..=(user, ApiKeyId(u64::MAX)));
        ids.filter_map(|(_, id)| self.by_id.get(id))
    }

    /// Adds a key, and forgets the earliest of those that have ended.
    pub(crate) fn insert(&mut self, key: ApiKey, at: UnixMs) {
        let user = key.user;
        self.latest = self.latest.max(key.id.0);
        self.of_user.insert((user, key.id));
        self.by_id.insert(key.id, key);
        let ended: Vec<ApiKeyId> = self.of(user).filter(|key| !key.is_open(at)).map(|key| key.id).collect();
        for id in ended.iter().take(ended.len().saturating_sub(ApiKey::ENDED_MAX)) {
            self.remove(user, *id);
        }
    }

    pub(crate) fn revoke(&mut self, id: ApiKeyId, at: UnixMs) {
        if let Some(key) = self.by_id.get_mut(&id) {
            key.revoked_at = Some(at);
        }
    }

    pub(crate) fn set_quoted(&mut self, id: ApiKeyId, quoted: QuotedDay) {
        if let Some(key) = self.by_id.get_mut(&id) {
            key.quoted = quoted;
        }
    }

    pub(crate) fn remove_all(&mut self, user: UserId) {
        let ids: Vec<ApiKeyId> = self.of(user).map(|key| key.id).collect();
        for id in ids {
            self.remove(user, id);
        }
    }

    fn remove(&mut self, user: UserId, id: ApiKeyId) {
        self.of_user.remove(&(user, id));
        self.by_id.remove(&id);
    }
}
