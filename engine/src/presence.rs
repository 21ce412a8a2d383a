//! The lenders with a limit on absence, and when each was last heard: by a request or an open connection.
//!
//! Kept in memory only. After a start everyone has the full time again; who was absent before stays so
//! until heard.

use std::{collections::HashMap, sync::Mutex};

use domain::{LimitedLenders, UnixMs, UserId};

use crate::locks::MutexExt as _;

#[derive(Debug, Default)]
pub(crate) struct Presence(Mutex<HashMap<UserId, UnixMs>>);

impl Presence {
    /// Follows a lender from now on.
    pub(crate) fn follow(&self, lender: UserId, now: UnixMs) {
        self.0.lock_unpoisoned().insert(lender, now);
    }

    /// Follows all lenders with a limit on absence, from now on.
    pub(crate) fn follow_all(&self, limited: &LimitedLenders, now: UnixMs) {
        for lender in limited.followed() {
            self.follow(lender, now);
        }
    }

    /// Stops following a lender.
    pub(crate) fn unfollow(&self, lender: UserId) {
        self.0.lock_unpoisoned().remove(&lender);
    }

    /// Records that a user was heard; returns whether the user is followed.
    pub(crate) fn hear(&self, user: UserId, now: UnixMs) -> bool {
        match self.0.lock_unpoisoned().get_mut(&user) {
            Some(heard_at) => {
                *heard_at = now.max(*heard_at);
                true
            }
            None => false,
        }
    }

    /// The followed lenders who were heard after a time, with the time of each, in that order.
    pub(crate) fn heard_after(&self, time: UnixMs) -> Vec<(UnixMs, UserId)> {
        let heard = self.0.lock_unpoisoned();
        let later = heard.iter().filter(|(_, heard_at)| **heard_at > time);
        let mut later: Vec<_> = later.map(|(lender, heard_at)| (*heard_at, *lender)).collect();
        drop(heard);
        later.sort_unstable();
        later
    }

    /// The time at which a followed lender was last heard.
    pub(crate) fn heard_at(&self, lender: UserId) -> Option<UnixMs> {
        self.0.lock_unpoisoned().get(&lender).copied()
    }
}
