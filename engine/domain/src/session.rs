//! Sessions of accounts: chains of refresh tokens, of which only the newest renews.

use std::collections::{BTreeSet, HashMap};

use crate::{SessionId, UnixMs, UserId};

/// One session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The user.
    pub user: UserId,
    /// The client's user agent at sign-in; empty if it sent none.
    pub agent: String,
    /// The time of the sign-in.
    pub opened_at: UnixMs,
    /// The time of the last renewal.
    pub used_at: UnixMs,
    /// The number of the token that renews it.
    pub serial: u32,
}

impl Session {
    /// The time without a renewal after which a session ends, in milliseconds: 14 days.
    pub const IDLE_MS: u64 = 14 * 24 * 3_600_000;
    /// The maximum lifetime of a session, however often it is renewed, in milliseconds: 30 days.
    pub const LIFETIME_MS: u64 = 30 * 24 * 3_600_000;
    /// The time within which the previous token yields the same successor once more, in milliseconds.
    ///
    /// Two tabs of one browser may send the same cookie at the same time, and an answer can be lost. After this time, a
    /// reused token is taken as copied.
    pub const GRACE_MS: u64 = 15_000;
    /// The maximum number of sessions of one account; a further one ends the least recently used.
    pub const PER_USER_MAX: usize = 20;
    /// The maximum number of bytes of a user agent that are stored.
    pub const AGENT_LENGTH_MAX: usize = 200;

    /// The time at which it ends unless it is renewed.
    #[must_use]
    pub fn ends_at(&self) -> UnixMs {
        self.used_at.plus_ms(Self::IDLE_MS).min(self.opened_at.plus_ms(Self::LIFETIME_MS))
    }
}

/// The result of using a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshOutcome {
    /// A new token with this number.
    Next(u32),
    /// The successor that the token already has.
    Same,
    /// None: the token was used before, so a copy of it exists.
    Reused,
}

/// All sessions that have not ended.
#[derive(Clone, Debug, Default)]
pub struct Sessions {
    by_id: HashMap<SessionId, Session>,
    of_user: BTreeSet<(UserId, SessionId)>,
    endings: BTreeSet<(UnixMs, SessionId)>,
    latest: u64,
}

impl Sessions {
    /// The id of the next session.
    #[must_use]
    pub fn next_id(&self) -> SessionId {
        SessionId(self.latest + 1)
    }

    /// A session that has not ended at `now`.
    #[must_use]
    pub fn get(&self, id: SessionId, now: UnixMs) -> Option<&Session> {
        self.by_id.get(&id).filter(|session| session.ends_at() > now)
    }

    /// The sessions of a user that have not ended at `now`, in the order in which they were opened.
    pub fn of(&self, user: UserId, now: UnixMs) -> impl Iterator<Item = (SessionId, &Session)> {
        let ids = self.of_user.range((user, SessionId(0))..=(user, SessionId(u64::MAX)));
        ids.filter_map(move |(_, id)| self.get(*id, now).map(|session| (*id, session)))
    }

    /// The result of using the token of this number of a session at `now`; `None` if the session has ended.
    #[must_use]
    pub fn renewal(&self, id: SessionId, serial: u32, now: UnixMs) -> Option<RefreshOutcome> {
        let session = self.get(id, now)?;
        let is_in_grace = session.used_at.plus_ms(Session::GRACE_MS) > now;
        Some(match session.serial.checked_sub(serial) {
            Some(0) => session.serial.checked_add(1).map_or(RefreshOutcome::Reused, RefreshOutcome::Next),
            Some(1) if is_in_grace => RefreshOutcome::Same,
            _ => RefreshOutcome::Reused,
        })
    }

    /// Opens a session; if the user has the maximum, the least recently used one ends.
    pub(crate) fn open(&mut self, id: SessionId, user: UserId, agent: String, at: UnixMs) {
        self.latest = self.latest.max(id.0);
        while self.ids_of(user).count() >= Session::PER_USER_MAX {
            let used_at = |id: &SessionId| self.by_id.get(id).map(|session| (session.used_at, *id));
            let Some(oldest) = self.ids_of(user).min_by_key(used_at) else { break };
            self.end(oldest);
        }
        self.insert(id, Session { user, agent, opened_at: at, used_at: at, serial: 1 });
    }

    /// Applies a renewal.
    pub(crate) fn renew(&mut self, id: SessionId, serial: u32, at: UnixMs) {
        if let Some(session) = self.remove(id) {
            self.insert(id, Session { serial, used_at: at, ..session });
        }
    }

    /// Ends a session.
    pub(crate) fn end(&mut self, id: SessionId) {
        self.remove(id);
    }

    /// Ends every session of a user.
    pub(crate) fn end_all(&mut self, user: UserId) {
        let ids: Vec<SessionId> = self.ids_of(user).collect();
        for id in ids {
            self.remove(id);
        }
    }

    /// Removes the sessions that have ended by `at`.
    pub(crate) fn remove_ended(&mut self, at: UnixMs) {
        while let Some(&(ends_at, id)) = self.endings.first()
            && ends_at <= at
        {
            self.remove(id);
        }
    }

    fn ids_of(&self, user: UserId) -> impl Iterator<Item = SessionId> {
        self.of_user.range((user, SessionId(0))..=(user, SessionId(u64::MAX))).map(|(_, id)| *id)
    }

    fn insert(&mut self, id: SessionId, session: Session) {
        self.endings.insert((session.ends_at(), id));
        self.of_user.insert((session.user, id));
        self.by_id.insert(id, session);
    }

    fn remove(&mut self, id: SessionId) -> Option<Session> {
        let session = self.by_id.remove(&id)?;
        self.endings.remove(&(session.ends_at(), id));
        self.of_user.remove(&(session.user, id));
        Some(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: UserId = UserId(7);
    const ID: SessionId = SessionId(1);

    fn opened() -> Sessions {
        let mut sessions = Sessions::default();
        sessions.open(ID, USER, "a browser".to_owned(), UnixMs(0));
        sessions
    }

    #[test]
    fn within_the_grace_a_used_token_has_one_successor_and_later_none() {
        let mut sessions = opened();
        assert_eq!(sessions.renewal(ID, 1, UnixMs(1_000)), Some(RefreshOutcome::Next(2)));
        sessions.renew(ID, 2, UnixMs(1_000));
        assert_eq!(sessions.renewal(ID, 1, UnixMs(15_999)), Some(RefreshOutcome::Same));
        assert_eq!(sessions.renewal(ID, 1, UnixMs(16_000)), Some(RefreshOutcome::Reused));
        assert_eq!(sessions.renewal(ID, 2, UnixMs(16_000)), Some(RefreshOutcome::Next(3)));
        sessions.renew(ID, 3, UnixMs(16_000));
        assert_eq!(
            sessions.renewal(ID, 1, UnixMs(16_001)),
            Some(RefreshOutcome::Reused),
            "two behind, even within the grace"
        );
        assert_eq!(sessions.renewal(ID, 4, UnixMs(16_001)), Some(RefreshOutcome::Reused), "not issued yet");
        assert_eq!(sessions.renewal(SessionId(2), 1, UnixMs(0)), None);
    }

    #[test]
    fn a_session_ends_after_fourteen_idle_days_or_after_thirty_days() {
        let mut sessions = opened();
        assert!(sessions.get(ID, UnixMs(Session::IDLE_MS - 1)).is_some());
        assert!(sessions.get(ID, UnixMs(Session::IDLE_MS)).is_none());
        let day = 24 * 3_600_000;
        for number in 1..30 {
            sessions.renew(ID, number + 1, UnixMs(u64::from(number) * day));
        }
        let end = UnixMs(Session::LIFETIME_MS);
        assert_eq!(sessions.get(ID, UnixMs(end.0 - 1)).map(Session::ends_at), Some(end));
        assert_eq!(sessions.renewal(ID, 30, end), None);
        sessions.remove_ended(end);
        assert!(sessions.by_id.is_empty() && sessions.of_user.is_empty() && sessions.endings.is_empty());
    }

    #[test]
    fn a_session_beyond_the_maximum_ends_the_least_recently_used() {
        let mut sessions = opened();
        for number in 2..=20 {
            sessions.open(SessionId(number), USER, String::new(), UnixMs(number));
        }
        sessions.open(SessionId(21), UserId(8), String::new(), UnixMs(21));
        sessions.renew(ID, 2, UnixMs(30));
        sessions.open(sessions.next_id(), USER, String::new(), UnixMs(40));
        let ids: Vec<u64> = sessions.of(USER, UnixMs(41)).map(|(id, _)| id.0).collect();
        assert_eq!(ids.len(), Session::PER_USER_MAX);
        assert!(ids.contains(&1) && !ids.contains(&2) && ids.contains(&22), "{ids:?}");
        sessions.end(ID);
        assert_eq!(sessions.of(USER, UnixMs(41)).count(), Session::PER_USER_MAX - 1);
        sessions.end_all(USER);
        assert_eq!(sessions.of(USER, UnixMs(41)).count(), 0);
        assert_eq!(sessions.of(UserId(8), UnixMs(41)).count(), 1);
    }
}
