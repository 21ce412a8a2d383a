//! Idle accounts: accounts that have only signed in, ordered by their last use.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Session, UnixMs, UserId};

/// Idle accounts. Signing in needs only a key and costs nothing, so an account that no state depends on is removed.
#[derive(Clone, Debug, Default)]
pub struct IdleAccounts {
    used_at: FxHashMap<UserId, UnixMs>,
    by_use: BTreeSet<(UnixMs, UserId)>,
    /// Accounts that state depends on: they are kept.
    active: FxHashSet<UserId>,
}

impl IdleAccounts {
    /// The maximum number of idle accounts. Beyond it the least recently used one is removed first.
    pub const IDLE_MAX: usize = 50_000;
    /// The time after its last use at which an account is removed, in milliseconds: then none of its sessions can be
    /// renewed any more.
    pub const IDLE_MS: u64 = Session::IDLE_MS;
    /// The time within which a used account is not removed, in milliseconds, however many there are: one of its
    /// requests may be in progress.
    pub const IN_USE_MS: u64 = 3_600_000;
    /// The maximum number of accounts that one sign-in removes: two for one that is added, so that a surplus shrinks.
    pub const REMOVED_PER_SIGN_IN_MAX: usize = 2;

    /// The number of idle accounts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_use.len()
    }

    /// Whether there are no idle accounts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_use.is_empty()
    }

    /// Whether state depends on an account.
    #[must_use]
    pub fn is_active(&self, user: UserId) -> bool {
        self.active.contains(&user)
    }

    /// The accounts to remove at `now`, least recently used first.
    pub fn to_remove(&self, now: UnixMs) -> impl Iterator<Item = UserId> {
        let surplus = self.by_use.len().saturating_sub(Self::IDLE_MAX - 1);
        let is_expired = move |(index, used_at): (usize, UnixMs)| {
            let idle_ms = if index < surplus { Self::IN_USE_MS } else { Self::IDLE_MS };
            used_at.plus_ms(idle_ms) <= now
        };
        let oldest = self.by_use.iter().enumerate().take(Self::REMOVED_PER_SIGN_IN_MAX);
        oldest.filter(move |(index, (used_at, _))| is_expired((*index, *used_at))).map(|(_, (_, user))| *user)
    }

    /// Whether there is room for another account at `now`.
    #[must_use]
    pub fn has_room(&self, now: UnixMs) -> bool {
        self.by_use.len() < Self::IDLE_MAX || self.to_remove(now).next().is_some()
    }

    /// Records that an account signed in or renewed a session.
    pub(crate) fn touch(&mut self, user: UserId, at: UnixMs) {
        if self.active.contains(&user) {
            return;
        }
        self.remove(user);
        self.used_at.insert(user, at);
        self.by_use.insert((at, user));
    }

    /// Records that state depends on an account from now on.
    pub(crate) fn mark_active(&mut self, user: UserId) {
        self.remove(user);
        self.active.insert(user);
    }

    /// Removes an account from the index.
    pub(crate) fn remove(&mut self, user: UserId) {
        if let Some(used_at) = self.used_at.remove(&user) {
            self.by_use.remove(&(used_at, user));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evicted(idle: &IdleAccounts, now: u64) -> Vec<u64> {
        idle.to_remove(UnixMs(now)).map(|user| user.0).collect()
    }

    #[test]
    fn an_idle_account_is_removed_fourteen_days_after_its_last_use() {
        let mut idle = IdleAccounts::default();
        for number in 1..=4 {
            idle.touch(UserId(number), UnixMs(number));
        }
        idle.touch(UserId(1), UnixMs(100));
        idle.mark_active(UserId(2));
        idle.touch(UserId(2), UnixMs(200));
        assert!(evicted(&idle, IdleAccounts::IDLE_MS + 2).is_empty());
        assert_eq!(evicted(&idle, IdleAccounts::IDLE_MS + 3), [3]);
        assert_eq!(evicted(&idle, u64::MAX), [3, 4], "two at a time");
        idle.remove(UserId(3));
        assert_eq!((evicted(&idle, u64::MAX), idle.len()), (vec![4, 1], 2));
        assert!(idle.is_active(UserId(2)) && !idle.is_active(UserId(1)));
    }

    #[test]
    fn idle_accounts_are_bounded_and_recently_used_ones_are_not_evicted() {
        let mut idle = IdleAccounts::default();
        for number in 1..=IdleAccounts::IDLE_MAX {
            assert!(idle.has_room(UnixMs(0)));
            idle.touch(UserId(u64::try_from(number).unwrap()), UnixMs(0));
        }
        assert!(!idle.has_room(UnixMs(IdleAccounts::IN_USE_MS - 1)));
        assert!(idle.has_room(UnixMs(IdleAccounts::IN_USE_MS)));
        assert_eq!(evicted(&idle, IdleAccounts::IN_USE_MS), [1]);
        idle.remove(UserId(1));
        assert!(idle.has_room(UnixMs(0)));
        assert!(evicted(&idle, IdleAccounts::IN_USE_MS).is_empty());
    }
}
