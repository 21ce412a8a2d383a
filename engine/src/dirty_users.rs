//! The users whose notices may have changed, for the delivery worker.

use std::{collections::BTreeSet, sync::Mutex};

use domain::UserId;
use tokio::sync::Notify;

use crate::locks::MutexExt as _;

/// The maximum number of users remembered; the delivery worker scans all users periodically anyway.
const USERS_MAX: usize = 10_000;

/// Users whose notices may be new.
#[derive(Debug, Default)]
pub(crate) struct DirtyUsers {
    users: Mutex<BTreeSet<UserId>>,
    changed: Notify,
}

impl DirtyUsers {
    /// Records that something happened to these users.
    pub(crate) fn mark(&self, users: impl IntoIterator<Item = UserId>) {
        let mut dirty = self.users.lock_unpoisoned();
        for user in users {
            if dirty.len() < USERS_MAX {
                dirty.insert(user);
            }
        }
        drop(dirty);
        self.changed.notify_one();
    }

    /// Waits until something has happened to a user; returns the users. Only one task can wait.
    pub(crate) async fn take(&self) -> BTreeSet<UserId> {
        loop {
            let dirty = std::mem::take(&mut *self.users.lock_unpoisoned());
            if !dirty.is_empty() {
                return dirty;
            }
            self.changed.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix::test]
    async fn users_marked_before_or_during_a_wait_are_returned_once() {
        let dirty_users = DirtyUsers::default();
        dirty_users.mark([UserId(2), UserId(1), UserId(2)]);
        assert_eq!(dirty_users.take().await, BTreeSet::from([UserId(1), UserId(2)]));
        let (users, ()) = tokio::join!(dirty_users.take(), async { dirty_users.mark([UserId(3)]) });
        assert_eq!(users, BTreeSet::from([UserId(3)]));
        dirty_users.mark((0..20_000).map(UserId));
        assert_eq!(dirty_users.take().await.len(), USERS_MAX);
    }
}
