//! Servers that stop, die, restart and are replaced while batches are appended.

use std::{mem, thread, time::Duration};

use persistence::{PostgresAddress, SynchronousStandbys};
use postgres_testkit::{ReplicatedServer, Server, wait_until};

use crate::{
    form::LEASE_TTL,
    load::{Failures, Load, assert_all_present, writer},
};

const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lienbook-writer' AND \
    wait_event = 'SyncRep'";

fn no_failure(failures: &Failures) {
    assert_eq!(*failures.lock().unwrap(), Vec::<String>::new());
}

/// Waits until the writer's commit waits for the standby, and for nothing else.
fn wait_for_sync_rep(server: &Server) {
    wait_until("a commit waits for the standby", || server.sql(WAITING) == "1");
}

/// The number of acknowledged batches, once those answered before are counted.
fn settled(load: &Load) -> u64 {
    let mut seen = load.acknowledged();
    wait_until("no more batches are counted", || {
        thread::sleep(Duration::from_millis(200));
        let now = load.acknowledged();
        now == mem::replace(&mut seen, now)
    });
    seen
}

#[test]
fn a_commit_waits_for_a_stopped_standby_while_the_lease_is_renewed() {
    let pair = ReplicatedServer::start();
    let address: PostgresAddress = pair.url().parse().unwrap();
    let failures = Failures::default();
    let (journal, lease, epoch) = writer(&address, SynchronousStandbys::Required(1), &failures);
    let load = Load::start(&journal);
    load.wait_for(20);
    assert_eq!(journal.durability().unwrap().standbys_connected, Some(1));

    pair.standby.freeze();
    wait_for_sync_rep(&pair.primary);
    let answered = settled(&load);
    for _ in 0..5 {
        assert!(lease.renew(epoch, LEASE_TTL).unwrap());
    }
    assert_eq!(lease.observe().unwrap().epoch, epoch);
    // An operator who cancels the wait makes the commit visible, and not durable: it must not be answered.
    let mut cancelled = String::new();
    for _ in 0..3 {
        let begun = "SELECT query_start FROM pg_stat_activity WHERE application_name = 'lienbook-writer' AND \
            wait_event = 'SyncRep'";
        wait_until("a statement that was not cancelled waits for the standby", || {
            let next = pair.primary.sql(begun);
            !next.is_empty() && next != mem::replace(&mut cancelled, next.clone())
        });
        pair.primary
            .sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'lienbook-writer'");
    }
    wait_for_sync_rep(&pair.primary);
    // Nor may it be answered after its connection was ended by force.
    let end = "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE application_name = \
        'lienbook-writer' AND wait_event = 'SyncRep'";
    wait_until("the connection was ended while it waited", || pair.primary.sql(end) == "1");
    wait_for_sync_rep(&pair.primary);
    assert_eq!(load.acknowledged(), answered, "answered without the standby");

    pair.standby.thaw();
    load.wait_for(20);
    let acknowledged = load.stop();
    journal.close();
    no_failure(&failures);
    assert_all_present(&address, &acknowledged);
}

#[test]
fn a_primary_that_dies_is_replaced_by_its_standby_without_a_loss() {
    let pair = ReplicatedServer::start();
    let address: PostgresAddress = pair.url().parse().unwrap();
    let failures = Failures::default();
    // The standby is synchronous; once promoted it has none of its own, which these options accept.
    let (journal, lease, epoch) = writer(&address, SynchronousStandbys::NotRequired, &failures);
    let load = Load::start(&journal);
    load.wait_for(50);
    pair.primary.kill();
    pair.standby.promote();
    load.wait_for(50);
    assert!(lease.renew(epoch, LEASE_TTL).unwrap());
    let acknowledged = load.stop();
    journal.close();
    no_failure(&failures);
    assert_all_present(&address, &acknowledged);
}

#[test]
fn a_promoted_server_without_a_standby_answers_no_commit_that_needs_one() {
    let pair = ReplicatedServer::start();
    let address: PostgresAddress = pair.url().parse().unwrap();
    let failures = Failures::default();
    let (journal, _lease, _epoch) = writer(&address, SynchronousStandbys::Required(1), &failures);
    let load = Load::start(&journal);
    load.wait_for(20);
    pair.standby.sql("ALTER SYSTEM SET log_connections = on");
    pair.standby.sql("SELECT pg_reload_conf()");
    pair.primary.kill();
    let answered = load.acknowledged();
    pair.standby.promote();
    // The promoted server has no standby, and its settings say so. When the writer comes again, it has refused it once.
    let attempts = || pair.standby.log().matches("application_name=lienbook-writer").count();
    let before = attempts();
    wait_until("the writer has refused the promoted server", || attempts() >= before + 2);
    // Those that were answered before the kill may be counted after it.
    assert!(load.acknowledged() <= answered + 8, "answered by an unsafe server");
    let before = settled(&load);
    // The operator names a standby again, and connects one: here the setting is what the writer asks for.
    pair.standby.sql("ALTER SYSTEM SET synchronous_standby_names = 'another'");
    pair.standby.sql("SELECT pg_reload_conf()");
    wait_for_sync_rep(&pair.standby);
    assert_eq!(load.acknowledged(), before, "answered without a standby");
    pair.standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
    pair.standby.sql("SELECT pg_reload_conf()");
    load.wait_for(1);
    let acknowledged = load.stop();
    journal.close();
    assert_all_present(&address, &acknowledged);
}

#[test]
fn connections_that_are_ended_by_force_lose_and_double_nothing() {
    const ENDS: u32 = 25;
    let server = Server::start(&[]);
    let address: PostgresAddress = server.new_schema_url().parse().unwrap();
    let failures = Failures::default();
    let (journal, _lease, _epoch) = writer(&address, SynchronousStandbys::NotRequired, &failures);
    let load = Load::start(&journal);
    for _ in 0..ENDS {
        load.wait_for(10);
        server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'lienbook-%'");
    }
    load.wait_for(10);
    let acknowledged = load.stop();
    journal.close();
    no_failure(&failures);
    assert_all_present(&address, &acknowledged);
    assert!(acknowledged.len() >= 260);
}

#[test]
fn a_server_that_is_killed_and_restarted_loses_and_doubles_nothing() {
    const KILLS: u32 = 4;
    let server = Server::start(&[]);
    let address: PostgresAddress = server.new_schema_url().parse().unwrap();
    let failures = Failures::default();
    let (journal, lease, epoch) = writer(&address, SynchronousStandbys::NotRequired, &failures);
    let load = Load::start(&journal);
    for _ in 0..KILLS {
        load.wait_for(20);
        server.kill();
        server.restart();
    }
    load.wait_for(20);
    assert!(lease.renew(epoch, LEASE_TTL).unwrap());
    let acknowledged = load.stop();
    journal.close();
    no_failure(&failures);
    assert_all_present(&address, &acknowledged);
}
