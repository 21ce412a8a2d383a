//! The users whose notices may have changed, for the delivery worker.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use domain::UserId;
use tokio::sync::Notify;

/// The maximum number of users remembered; the delivery worker scans all users periodically anyway.
const STIRRED_MAX: usize = 10_000;

/// Users whose notices may be new.
#[derive(Debug, Default)]
pub(crate) struct Stirred {
    people: Mutex<BTreeSet<UserId>>,
    stir: Notify,
}

impl Stirred {
    /// Records that something happened to these users.
    pub(crate) fn note(&self, users: impl IntoIterator<Item = UserId>) {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        for user in users {
            if people.len() < STIRRED_MAX {
                people.insert(user);
            }
        }
        drop(people);
        self.stir.notify_one();
    }

    /// Waits until something has happened to a user; returns the users. Only one task can wait.
    pub(crate) async fn take(&self) -> BTreeSet<UserId> {
        loop {
            let people = std::mem::take(&mut *self.people.lock().unwrap_or_else(PoisonError::into_inner));
            if !people.is_empty() {
                return people;
            }
            self.stir.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix::test]
    async fn users_noted_before_or_during_a_wait_are_returned_once() {
        let stirred = Stirred::default();
        stirred.note([UserId(2), UserId(1), UserId(2)]);
        assert_eq!(stirred.take().await, BTreeSet::from([UserId(1), UserId(2)]));
        let (people, ()) = tokio::join!(stirred.take(), async { stirred.note([UserId(3)]) });
        assert_eq!(people, BTreeSet::from([UserId(3)]));
        stirred.note((0..20_000).map(UserId));
        assert_eq!(stirred.take().await.len(), STIRRED_MAX);
    }
}
