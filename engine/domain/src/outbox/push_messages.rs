//! The limits of messages to browsers.

use super::{Outbox, OutboxRejection};
use crate::{ContactChannel, UnixMs, UserId};

impl Outbox {
    /// The maximum number of messages to one browser that have not ended.
    pub const PUSH_PENDING_MAX: usize = 50;
    /// The maximum number of messages to all browsers that have not ended.
    pub const PUSHES_PENDING_MAX: usize = 50_000;

    /// Refuses a further message to a browser that has too many. In a day it gets as many as a mailbox.
    pub(super) fn check_push_room(
        &self,
        user: UserId,
        channel: ContactChannel,
        is_critical: bool,
        now: UnixMs,
    ) -> Result<(), OutboxRejection> {
        if self.pushes.len() >= Self::PUSHES_PENDING_MAX {
            return Err(OutboxRejection::Full { max: Self::PUSHES_PENDING_MAX });
        }
        if self.pushes.pending(channel) >= Self::PUSH_PENDING_MAX {
            return Err(OutboxRejection::TooMany { max: Self::PUSH_PENDING_MAX });
        }
        self.check_day(user, channel, is_critical, now)
    }
}
