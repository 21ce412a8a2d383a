//! Tests of the alerts about several nodes and their database: parts of a real cluster are stopped, and what Prometheus
//! would scrape meanwhile is evaluated by the rules.

use std::time::{Duration, Instant};

use bitcoin::Network;
use escrow::wallet_key::WalletKey;

use super::cluster_rig::ClusterRig;
use super::crash::TestUser;
use super::scrapes::{Firing, MINUTE, Scrapes};

/// The limit of every wait. Reaching it fails the test.
const WAIT_MAX: Duration = Duration::from_secs(90);

const NODES: [usize; 3] = [0, 1, 2];

/// A value on the page of a node's metrics.
fn value(page: &str, name: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

/// Waits until the metric of every one of these nodes has this value; `None` waits until it is absent.
async fn wait_for(rig: &ClusterRig, nodes: &[usize], name: &str, expected: Option<f64>) {
    wait_until(rig, nodes, &format!("{name} is {expected:?}"), |page| value(page, name) == expected).await;
}

async fn wait_until(rig: &ClusterRig, nodes: &[usize], condition: &str, holds: impl Fn(&str) -> bool) {
    let started_at = Instant::now();
    for number in nodes {
        loop {
            let page = rig.metrics(*number).await;
            if page.as_deref().is_some_and(&holds) {
                break;
            }
            assert!(started_at.elapsed() < WAIT_MAX, "node{number}: timed out waiting until {condition}: {page:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Whether all nodes serve, one decides, the others follow it and the standby is connected; if so, the node that decides.
fn healthy_writer(pages: &[Option<String>]) -> Option<usize> {
    let mut writer = None;
    for (number, page) in pages.iter().enumerate() {
        let page = page.as_deref()?;
        let is = |name, expected| value(page, name) == Some(expected);
        if !is("lienbook_journal_sync_standbys", 1.0) || !is("lienbook_journal_sync_standbys_required", 1.0) {
            return None;
        }
        if is("lienbook_node_is_writer", 1.0) {
            if writer.replace(number).is_some() {
                return None;
            }
        } else if !is("lienbook_follower_lag_commits", 0.0) || value(page, "lienbook_follower_lag_seconds")? > 10.0 {
            return None;
        }
    }
    writer
}

/// Waits for the health of all nodes, and returns the one that decides. A claim that no standby has confirmed shows a holder
/// of the lease who does not decide, so the nodes themselves are asked.
async fn wait_for_health(rig: &ClusterRig) -> usize {
    let started_at = Instant::now();
    loop {
        let mut pages = Vec::new();
        for number in NODES {
            pages.push(rig.metrics(number).await);
        }
        if let Some(writer) = healthy_writer(&pages) {
            return writer;
        }
        assert!(started_at.elapsed() < WAIT_MAX, "timed out waiting until all nodes are in order: {pages:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The alerts that nothing here may raise unless it is expected.
const WATCHED: [&str; 6] = [
    "LienbookDown",
    "LienbookFollowerBehind",
    "LienbookJournalConflict",
    "LienbookNoWriter",
    "LienbookStandbyMissing",
    "LienbookTwoWriters",
];

/// Expects the alerts of one name, and that no other one fires.
fn expect_only(scrapes: &mut Scrapes, alerts: &[(&str, &[Firing])]) {
    for name in WATCHED {
        let firing = alerts.iter().find(|(alert, _)| *alert == name).map_or(&[][..], |(_, firing)| firing);
        scrapes.expect(name, firing);
    }
}

fn standby_missing(number: usize) -> Firing {
    Firing {
        labels: format!("severity: page, instance: node{number}, job: lienbook"),
        summary: format!("node{number} sees 0 synchronous standbys, fewer than are required."),
    }
}

fn down(number: usize) -> Firing {
    Firing {
        labels: format!("severity: page, instance: node{number}, job: lienbook"),
        summary: format!("The server node{number} cannot be scraped."),
    }
}

#[actix_web::test]
async fn a_stopped_standby_raises_its_alert_and_a_returned_one_ends_it() {
    let rig = ClusterRig::start(NODES.len()).await;
    let writer = wait_for_health(&rig).await;
    let base = rig.bases()[writer].clone();
    let user = TestUser::sign_in(&base, WalletKey::from_seed([1; 32], Network::Regtest).unwrap()).await;
    let mut scrapes = Scrapes::default();
    scrapes.scrape_for(&rig, 2 * MINUTE).await;
    expect_only(&mut scrapes, &[]);

    rig.database.standby.kill();
    wait_for(&rig, &NODES, "lienbook_journal_sync_standbys", Some(0.0)).await;
    let write = tokio::task::spawn_local(async move { user.create(&base, 40_000, "0001").await });
    let waits = |page: &str| value(page, "lienbook_journal_oldest_pending_seconds").is_some_and(|age| age > 5.0);
    wait_until(&rig, &[writer], "the write waits for the standby", waits).await;
    scrapes.scrape_for(&rig, MINUTE).await;
    expect_only(&mut scrapes, &[]);
    scrapes.scrape(&rig).await;
    expect_only(&mut scrapes, &[("LienbookStandbyMissing", &NODES.map(standby_missing))]);
    scrapes.expect_measured(
        "LienbookJournalStalled",
        &format!("instance=\"node{writer}\",job=\"lienbook\",severity=\"page\""),
    );

    rig.database.standby.restart();
    wait_for(&rig, &NODES, "lienbook_journal_sync_standbys", Some(1.0)).await;
    wait_for(&rig, &[writer], "lienbook_journal_oldest_pending_seconds", Some(0.0)).await;
    scrapes.scrape(&rig).await;
    expect_only(&mut scrapes, &[]);
    scrapes.expect("LienbookJournalStalled", &[]);
    scrapes.evaluate();

    // Its client may have stopped waiting, but nothing else has happened to it.
    let written = write.await.unwrap();
    assert!(matches!(written, Ok(_) | Err(None)), "{written:?}");
    let page = rig.metrics(writer).await.unwrap();
    let [commits, syncs] = ["commit", "sync"].map(|part| value(&page, &format!("lienbook_journal_{part}_seconds_sum")));
    assert!(
        syncs > Some(5.0) && commits >= syncs,
        "the wait for the standby is part of the sync: {commits:?} {syncs:?}"
    );
}

#[actix_web::test]
async fn a_dead_follower_and_a_cluster_without_a_writer_raise_their_alerts() {
    let mut rig = ClusterRig::start(NODES.len()).await;
    let writer = wait_for_health(&rig).await;
    let mut scrapes = Scrapes::default();
    scrapes.scrape_for(&rig, 2 * MINUTE).await;
    expect_only(&mut scrapes, &[]);

    let dead = (writer + 1) % NODES.len();
    rig.kill_node(dead);
    scrapes.scrape_for(&rig, MINUTE).await;
    expect_only(&mut scrapes, &[]);
    scrapes.scrape(&rig).await;
    expect_only(&mut scrapes, &[("LienbookDown", &[down(dead)])]);
    rig.start_node(dead);
    let writer = wait_for_health(&rig).await;
    scrapes.scrape(&rig).await;
    expect_only(&mut scrapes, &[]);

    // Without its database the writer ends, and no follower can take its place.
    rig.database.primary.kill();
    assert!(rig.has_left(writer).await, "the writer keeps on without its lease");
    let followers: Vec<_> = NODES.into_iter().filter(|number| *number != writer).collect();
    for name in ["lienbook_journal_sync_standbys", "lienbook_follower_lag_commits", "lienbook_lease_remaining_seconds"]
    {
        wait_for(&rig, &followers, name, None).await;
    }
    let lags = |page: &str| value(page, "lienbook_follower_lag_seconds").is_some_and(|lag| lag > 10.0);
    wait_until(&rig, &followers, "the age of the copies is seen", lags).await;
    scrapes.scrape_for(&rig, MINUTE + 1).await;
    let no_writer = Firing {
        labels: "severity: page, job: lienbook".to_owned(),
        summary: "No node holds the lease: nothing can be written.".to_owned(),
    };
    let alerts = [("LienbookNoWriter", &[no_writer][..]), ("LienbookDown", &[down(writer)])];
    expect_only(&mut scrapes, &alerts);

    rig.database.primary.restart();
    rig.database.wait_for_standby();
    rig.start_node(writer);
    wait_for_health(&rig).await;
    scrapes.scrape(&rig).await;
    expect_only(&mut scrapes, &[]);
    scrapes.evaluate();
}
