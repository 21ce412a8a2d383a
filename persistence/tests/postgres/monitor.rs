//! The figures of the database for monitoring: of every state of it, none is wrong.

use std::time::{Duration, Instant};

use persistence::{JournalMonitor, PostgresAddress, SynchronousStandbys};
use postgres_testkit::{ReplicatedServer, wait_until};

use crate::load::{Failures, Load, writer};

/// Far above what a healthy server takes, and below the limits of waits.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The same for a server that does not answer.
const FROZEN_TIMEOUT: Duration = Duration::from_secs(2);

/// Cluster-wide, so that it is created once.
const CREATE_LOGIN: &str = "CREATE ROLE unprivileged LOGIN; GRANT USAGE ON SCHEMA public TO unprivileged; \
    GRANT SELECT ON lienbook_writer TO unprivileged";

fn monitor(url: &str, required: u32) -> JournalMonitor {
    monitor_within(url, required, TIMEOUT)
}

fn monitor_within(url: &str, required: u32, timeout: Duration) -> JournalMonitor {
    let address: PostgresAddress = url.parse().unwrap();
    JournalMonitor::new(&address, SynchronousStandbys::at_least(required), timeout).unwrap()
}

/// The connected standbys, and those that are required.
fn standbys(monitor: &JournalMonitor) -> (Option<u64>, u64) {
    let durability = monitor.read().unwrap().durability;
    (durability.standbys_connected, durability.standbys_required)
}

#[test]
fn a_standby_is_counted_while_it_is_connected_and_the_position_is_that_of_the_journal() {
    let pair = ReplicatedServer::start();
    let address: PostgresAddress = pair.url().parse().unwrap();
    let failures = Failures::default();
    let (journal, _lease, _epoch) = writer(&address, SynchronousStandbys::Required(1), &failures);
    let load = Load::start(&journal);
    load.wait_for(20);
    let monitor = monitor(&pair.url(), 1);
    let figures = monitor.read().unwrap();
    assert!(figures.position > 0, "{figures:?}");
    assert_eq!(standbys(&monitor), (Some(1), 1));

    pair.standby.kill();
    wait_until("the standby is no longer counted", || standbys(&monitor) == (Some(0), 1));
    pair.standby.restart();
    wait_until("the standby is counted again", || standbys(&monitor) == (Some(1), 1));
    drop(load.stop());
    assert_eq!(*failures.lock().unwrap(), Vec::<String>::new());
    assert_eq!(monitor.read().unwrap().position, engine::journal::SharedJournal::position(&*journal).0);
}

#[test]
fn the_required_number_is_that_of_the_server_or_of_the_setting_if_that_is_larger() {
    let pair = ReplicatedServer::start();
    drop(writer(&pair.url().parse().unwrap(), SynchronousStandbys::Required(1), &Failures::default()));
    assert_eq!(standbys(&monitor(&pair.url(), 0)), (Some(1), 1), "commits wait for one");
    assert_eq!(standbys(&monitor(&pair.url(), 3)), (Some(1), 3), "with fewer it is refused");
    pair.primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 2 (*)'");
    pair.primary.sql("SELECT pg_reload_conf()");
    let monitor = monitor(&pair.url(), 1);
    wait_until("the change is noticed", || standbys(&monitor) == (Some(1), 2));
}

#[test]
fn a_login_that_may_not_see_the_standbys_does_not_count_none() {
    let pair = ReplicatedServer::start();
    drop(writer(&pair.url().parse().unwrap(), SynchronousStandbys::Required(1), &Failures::default()));
    pair.primary.sql(CREATE_LOGIN);
    let url = pair.url().replace("postgres@", "unprivileged@");
    let seen = monitor(&url, 1);
    assert_eq!(standbys(&seen), (None, 1));
    pair.primary.sql("GRANT pg_monitor TO unprivileged");
    assert_eq!(standbys(&seen), (Some(1), 1));
    pair.primary.sql("REVOKE pg_monitor FROM unprivileged");
    pair.standby.kill();
    // No connection is hidden then, so that this login knows it too.
    wait_until("no standby is counted", || standbys(&seen) == (Some(0), 1));
}

#[test]
fn a_frozen_or_killed_database_gives_no_figures_and_each_reading_ends() {
    let pair = ReplicatedServer::start();
    drop(writer(&pair.url().parse().unwrap(), SynchronousStandbys::Required(1), &Failures::default()));
    let monitor = monitor_within(&pair.url(), 1, FROZEN_TIMEOUT);
    wait_until("the standby is counted", || {
        monitor.read().is_ok_and(|figures| figures.durability.standbys_connected == Some(1))
    });
    pair.primary.freeze();
    let asked_at = Instant::now();
    let frozen = monitor.read();
    assert!(frozen.is_err(), "{frozen:?}");
    assert!(asked_at.elapsed() < 10 * FROZEN_TIMEOUT, "{:?}", asked_at.elapsed());
    pair.primary.thaw();
    wait_until("the thawed server answers", || monitor.read().is_ok());
    pair.primary.kill();
    let killed = monitor.read();
    assert!(killed.is_err(), "{killed:?}");
}
