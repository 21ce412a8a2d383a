//! Notices that cannot be derived from a book or from the journal; lost when the process ends.

use std::{collections::VecDeque, sync::Mutex};

use domain::UserId;

use crate::locks::MutexExt as _;
use crate::wire::NoticeView;

/// The maximum number of notices kept over all users; of more, the oldest are dropped.
const NOTICES_MAX: usize = 10_000;

/// Notices that are stored nowhere else.
#[derive(Debug, Default)]
pub(crate) struct EphemeralNotices(Mutex<VecDeque<(UserId, NoticeView)>>);

impl EphemeralNotices {
    /// Stores a notice, in place of an earlier one of the same kind about the same loan.
    pub(crate) fn push(&self, user: UserId, notice: NoticeView) {
        let mut notices = self.0.lock_unpoisoned();
        notices.retain(|(owner, known)| {
            let is_same = known.kind == notice.kind && known.loan_id == notice.loan_id;
            !(*owner == user && is_same && known.loan_id.is_some())
        });
        if notices.len() >= NOTICES_MAX {
            notices.pop_front();
        }
        notices.push_back((user, notice));
    }

    /// A user's notices, the oldest first.
    pub(crate) fn of(&self, user: UserId) -> Vec<NoticeView> {
        let notices = self.0.lock_unpoisoned();
        notices.iter().filter(|(owner, _)| *owner == user).map(|(_, notice)| notice.clone()).collect()
    }
}
