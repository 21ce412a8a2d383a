//! Notices that cannot be derived from a book or from the journal; lost when the process ends.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use domain::UserId;

use crate::wire::NoticeView;

/// The maximum number of notices kept over all users; of more, the oldest are dropped.
const REMEMBERED_MAX: usize = 10_000;

/// Notices that are stored nowhere else.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<VecDeque<(UserId, NoticeView)>>);

impl Told {
    /// Stores a notice.
    pub(crate) fn remember(&self, user: UserId, notice: NoticeView) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= REMEMBERED_MAX {
            told.pop_front();
        }
        told.push_back((user, notice));
    }

    /// A user's notices, the oldest first.
    pub(crate) fn of(&self, user: UserId) -> Vec<NoticeView> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().filter(|(whose, _)| *whose == user).map(|(_, notice)| notice.clone()).collect()
    }
}
