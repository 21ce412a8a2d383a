//! What people were told that follows from nothing in a book or in the journal; forgotten with the process.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use domain::UserId;

use crate::wire::NoticeView;

/// So many notices of all people are remembered; of more the oldest are forgotten.
const REMEMBERED_MAX: usize = 10_000;

/// Notices that nothing else remembers.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<VecDeque<(UserId, NoticeView)>>);

impl Told {
    /// Remembers a notice.
    pub(crate) fn remember(&self, user: UserId, notice: NoticeView) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= REMEMBERED_MAX {
            told.pop_front();
        }
        told.push_back((user, notice));
    }

    /// What somebody was told, the oldest first.
    pub(crate) fn of(&self, user: UserId) -> Vec<NoticeView> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().filter(|(whose, _)| *whose == user).map(|(_, notice)| notice.clone()).collect()
    }
}
