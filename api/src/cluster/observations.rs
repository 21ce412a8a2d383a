//! Observations of the lease, the journal and its database, for monitoring. Each has its time, so that an old one counts
//! as unknown.

use std::sync::Mutex;
use std::time::Duration;

use engine::journal::Position;
use engine::locks::MutexExt as _;
use persistence::JournalFigures;
use tokio::time::Instant;

use super::Role;

/// The age up to which a follower's observation of the lease counts. It looks at it several times a second.
const LEASE_AGE_MAX: Duration = Duration::from_secs(5);

/// The age up to which figures of the database count.
const DATABASE_AGE_MAX: Duration = Duration::from_secs(10);

/// The observations of a node.
#[derive(Debug)]
pub struct Observations {
    lease: Mutex<Option<ObservedLease>>,
    /// The latest moment at which this node's copy is known to have held every commit.
    complete_at: Mutex<Instant>,
    database: Mutex<Option<(Instant, JournalFigures)>>,
}

/// The lease as it was seen.
#[derive(Clone, Copy, Debug)]
struct ObservedLease {
    epoch: u64,
    seen_at: Instant,
    ends_at: Instant,
}

/// The figures of a node for monitoring. One that is not known is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeFigures {
    /// Whether this node decides.
    pub is_writer: bool,
    /// The epoch of the latest claim of the lease that this node has seen.
    pub epoch: Option<u64>,
    /// The time until the lease ends, unless it is renewed; zero if none is held.
    pub lease_remaining: Option<Duration>,
    /// The number of commits that a follower has not applied; absent on the node that decides.
    pub lag_commits: Option<u64>,
    /// The time since a follower is known to have had every commit; absent on the node that decides.
    pub lag: Option<Duration>,
    /// The number of connected synchronous standbys of the database.
    pub standbys: Option<u64>,
    /// The number of them without which nothing is committed.
    pub standbys_required: Option<u64>,
}

impl Observations {
    /// Returns the observations of a node that has just read the journal.
    #[must_use]
    pub fn starting_at(now: Instant) -> Self {
        Self { lease: Mutex::default(), complete_at: Mutex::new(now), database: Mutex::default() }
    }

    /// Records the lease, which ends after `remaining` unless it is renewed.
    pub fn see_lease(&self, epoch: u64, remaining: Duration, now: Instant) {
        let seen = ObservedLease { epoch, seen_at: now, ends_at: now + remaining };
        *self.lease.lock_unpoisoned() = Some(seen);
    }

    /// Records that this node has applied every commit that was durable at a moment.
    pub fn see_complete(&self, at: Instant) {
        let mut complete_at = self.complete_at.lock_unpoisoned();
        *complete_at = at.max(*complete_at);
    }

    /// Records figures of the database that were asked for at a moment.
    pub fn see_database(&self, at: Instant, figures: JournalFigures) {
        *self.database.lock_unpoisoned() = Some((at, figures));
    }

    /// Returns the figures of a node with this role that has applied the commits up to `applied`.
    #[must_use]
    pub fn figures(&self, role: Role, applied: Position, now: Instant) -> NodeFigures {
        let (is_writer, is_follower) = (matches!(role, Role::Writer { .. }), role == Role::Follower);
        let lease = *self.lease.lock_unpoisoned();
        // The writer's own renewal counts however old it is: a lease that was not renewed has ended.
        let current = lease.filter(|seen| is_writer || now.duration_since(seen.seen_at) <= LEASE_AGE_MAX);
        let database = self.database.lock_unpoisoned().clone();
        let database =
            database.filter(|(at, _)| now.duration_since(*at) <= DATABASE_AGE_MAX).map(|(_, figures)| figures);
        let lag_commits = database.as_ref().map(|figures| figures.position.saturating_sub(applied.0));
        let lag = now.duration_since(*self.complete_at.lock_unpoisoned());
        let durability = database.map(|figures| figures.durability);
        NodeFigures {
            is_writer,
            epoch: lease.map(|seen| seen.epoch),
            lease_remaining: current.map(|seen| seen.ends_at.duration_since(now)),
            lag_commits: lag_commits.filter(|_| is_follower),
            lag: is_follower.then_some(lag),
            standbys: durability.as_ref().and_then(|durability| durability.standbys_connected),
            standbys_required: durability.map(|durability| durability.standbys_required),
        }
    }
}

#[cfg(test)]
mod tests {
    use persistence::Durability;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn figures(position: u64, standbys_connected: Option<u64>) -> JournalFigures {
        let durability = Durability { unsafe_reason: None, standbys_connected, standbys_required: 1 };
        JournalFigures { position, durability }
    }

    #[test]
    fn a_follower_that_sees_nothing_any_more_knows_only_how_old_its_copy_is() {
        let start = Instant::now();
        let seen = Observations::starting_at(start);
        let at = |now: Instant| seen.figures(Role::Follower, Position(7), now);
        assert_eq!(at(start), NodeFigures { lag: Some(Duration::ZERO), ..NodeFigures::default() });

        seen.see_lease(3, 2 * SECOND, start + SECOND);
        seen.see_database(start + SECOND, figures(9, Some(1)));
        seen.see_complete(start + SECOND);
        let known = NodeFigures {
            is_writer: false,
            epoch: Some(3),
            lease_remaining: Some(SECOND),
            lag_commits: Some(2),
            lag: Some(SECOND),
            standbys: Some(1),
            standbys_required: Some(1),
        };
        assert_eq!(at(start + 2 * SECOND), known);
        let ended = NodeFigures { lease_remaining: Some(Duration::ZERO), lag: Some(5 * SECOND), ..known };
        assert_eq!(at(start + 6 * SECOND), ended, "it has lapsed");

        let cut_off = NodeFigures { epoch: Some(3), lag: Some(59 * SECOND), ..NodeFigures::default() };
        assert_eq!(at(start + 60 * SECOND), cut_off);
        seen.see_complete(start);
        assert_eq!(at(start + 60 * SECOND), cut_off, "an older moment changes nothing");
    }

    #[test]
    fn a_writer_has_no_lag_and_an_ended_lease_once_it_does_not_renew() {
        let start = Instant::now();
        let seen = Observations::starting_at(start);
        seen.see_lease(4, 3 * SECOND, start);
        seen.see_database(start, figures(9, None));
        let writer = NodeFigures {
            is_writer: true,
            epoch: Some(4),
            lease_remaining: Some(2 * SECOND),
            standbys_required: Some(1),
            ..NodeFigures::default()
        };
        let role = Role::Writer { epoch: 4 };
        assert_eq!(seen.figures(role, Position(9), start + SECOND), writer);
        let ended = NodeFigures { lease_remaining: Some(Duration::ZERO), standbys_required: None, ..writer };
        assert_eq!(seen.figures(role, Position(9), start + 20 * SECOND), ended);
        let leaving = seen.figures(Role::Leaving, Position(9), start + SECOND);
        assert_eq!(leaving, NodeFigures { is_writer: false, ..writer }, "neither decides nor follows");
    }
}
