//! Tests of the rules, the dashboard and the runbook against the page of metrics and against each other.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use devchain::EmbeddedChain;
use lienbook::config::settings::Settings;
use postgres_testkit::ReplicatedServer;
use providers::resilience::UpstreamMetrics;

use super::rig::Rig;

/// An arbitrary time of the first block.
const START_SECONDS: u32 = 1_800_000_000;

const RULES: &str = include_str!("../../monitoring/lienbook.rules.yaml");
const RULE_TESTS: &str = include_str!("../../monitoring/lienbook.rules.test.yaml");
const DASHBOARD: &str = include_str!("../../monitoring/grafana/lienbook.dashboard.json");
const RUNBOOK: &str = include_str!("../../RUNBOOK.md");

/// The limit of every wait. Reaching it fails the test.
const WAIT_MAX: Duration = Duration::from_secs(90);

/// Within the quota of the metrics' page.
const POLL_EVERY: Duration = Duration::from_millis(500);

/// The metrics of each of several nodes on one journal.
const OF_EACH_NODE: [&str; 5] = [
    "lienbook_journal_sync_standbys",
    "lienbook_journal_sync_standbys_required",
    "lienbook_lease_remaining_seconds",
    "lienbook_node_is_writer",
    "lienbook_writer_epoch",
];

/// Those of a node that follows.
const OF_FOLLOWERS: [&str; 2] = ["lienbook_follower_lag_commits", "lienbook_follower_lag_seconds"];

/// Those of a server that is the only one, or the node that decides: it alone watches the chain and asks the signer.
const OF_THE_WRITER: [&str; 4] = [
    "lienbook_signer_last_success_timestamp_seconds",
    "lienbook_signer_up",
    "lienbook_signers_silent",
    "lienbook_watch_last_round_timestamp_seconds",
];

/// The words of a text that can be names of metrics or rules.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == ':')).collect()
}

/// The metrics that a text names; those of a histogram by the name of the whole.
fn metrics_in(text: &str) -> BTreeSet<&str> {
    let named = words(text).into_iter().filter(|word| word.starts_with("lienbook_") || word.starts_with("process_"));
    named.map(|name| name.strip_suffix("_bucket").unwrap_or(name)).collect()
}

/// The words behind a key of the rules.
fn values<'text>(text: &'text str, key: &str) -> Vec<&'text str> {
    text.lines()
        .filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix(key))
        .map(str::trim)
        .collect()
}

/// The metrics on the page by their types, and those that appear on it with their first label.
async fn exported(rig: &Rig) -> BTreeSet<String> {
    rig.app().metrics.count_message("email", None);
    rig.app().metrics.sockets_closed.with_label_values(&["test"]).inc();
    let page = rig.get_metrics("/metrics").await.text().await.unwrap();
    let typed = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next().map(str::to_owned));
    let upstreams = UpstreamMetrics::new().unwrap().collectors();
    let described = upstreams.iter().flat_map(|collector| collector.desc()).map(|family| family.fq_name.clone());
    typed.chain(described).collect()
}

/// Starts a node on the journal of a database.
async fn start_node(database: &ReplicatedServer, key: &Path, name: &str) -> Rig {
    let rig = Rig::start_on_with(EmbeddedChain::new(START_SECONDS).unwrap(), |settings: &mut Settings| {
        settings.journal = Some(database.url().parse().unwrap());
        settings.session_key_file = Some(key.to_owned());
        settings.node_name = Some(name.to_owned());
        // Nodes share a signer, which need not be there for its metrics.
        settings.signer_in_process = false;
        settings.signer_socket = Some(key.with_file_name("signer.sock"));
    });
    let rig = rig.await;
    rig.get("/health/ready").await.ok();
    rig
}

/// The metrics on a node's page, once it has all of these.
async fn exported_with(rig: &Rig, expected: &[&str]) -> BTreeSet<String> {
    let started_at = Instant::now();
    loop {
        let exported = exported(rig).await;
        let missing: Vec<_> = expected.iter().filter(|name| !exported.contains(**name)).collect();
        if missing.is_empty() {
            return exported;
        }
        assert!(started_at.elapsed() < WAIT_MAX, "{missing:?} are not among {exported:#?}");
        tokio::time::sleep(POLL_EVERY).await;
    }
}

/// A value on a node's page, once it is this one.
async fn wait_for_value(rig: &Rig, name: &str, value: &str) {
    let started_at = Instant::now();
    loop {
        let page = rig.get_metrics("/metrics").await.text().await.unwrap();
        if page.lines().any(|line| line == format!("{name} {value}")) {
            return;
        }
        assert!(started_at.elapsed() < WAIT_MAX, "{name} is not {value}: {page}");
        tokio::time::sleep(POLL_EVERY).await;
    }
}

#[actix_web::test]
async fn every_metric_of_the_rules_and_the_dashboard_exists() {
    let alone = Rig::start_on(EmbeddedChain::new(START_SECONDS).unwrap()).await;
    alone.get("/health/ready").await.ok();
    let of_one = exported(&alone).await;
    alone.server.stop().await;
    for name in OF_EACH_NODE.iter().chain(&OF_FOLLOWERS) {
        assert!(!of_one.contains(*name), "{name} is exported by a server that is no node");
    }

    let database = ReplicatedServer::start();
    let key = tempfile::NamedTempFile::new().unwrap();
    fs::write(&key, "7".repeat(64)).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let writer = start_node(&database, key.path(), "node0").await;
    wait_for_value(&writer, "lienbook_node_is_writer", "1").await;
    let of_writer = exported_with(&writer, &OF_EACH_NODE).await;
    let follower = start_node(&database, key.path(), "node1").await;
    let of_follower = exported_with(&follower, &[&OF_EACH_NODE[..], &OF_FOLLOWERS].concat()).await;
    wait_for_value(&follower, "lienbook_node_is_writer", "0").await;
    for (name, value) in [("lienbook_writer_epoch", "1"), ("lienbook_follower_lag_commits", "0")] {
        wait_for_value(&follower, name, value).await;
    }
    for name in ["lienbook_journal_sync_standbys", "lienbook_journal_sync_standbys_required"] {
        wait_for_value(&follower, name, "1").await;
    }
    let without = |all: &BTreeSet<String>, left_out: &[&str]| -> BTreeSet<String> {
        all.iter().filter(|name| !left_out.contains(&name.as_str())).cloned().collect()
    };
    assert_eq!(without(&of_writer, &OF_EACH_NODE), of_one, "the writer has every other figure of a single server");
    assert_eq!(without(&of_follower, &OF_FOLLOWERS), without(&of_writer, &OF_THE_WRITER), "those of a follower");

    let exported: BTreeSet<String> = of_writer.union(&of_follower).cloned().collect();
    for (file, text) in [("rules", RULES), ("rule tests", RULE_TESTS), ("dashboard", DASHBOARD)] {
        let named = metrics_in(text);
        assert!(named.len() > 20, "{file}: {named:?}");
        let unknown: Vec<_> = named.iter().filter(|name| !exported.contains(**name)).collect();
        assert!(unknown.is_empty(), "{file}: {unknown:?} are not among {exported:#?}");
        for name in OF_EACH_NODE.iter().chain(&OF_FOLLOWERS) {
            assert!(named.contains(name), "{file}: {name} is not used");
        }
    }
    follower.server.stop().await;
    writer.server.stop().await;
}

#[actix_web::test]
async fn metrics_are_in_base_units_and_no_two_have_one_name() {
    let rig = Rig::start_on(EmbeddedChain::new(START_SECONDS).unwrap()).await;
    rig.get("/health/ready").await.ok();
    let page = rig.get_metrics("/metrics").await.text().await.unwrap();
    let families: Vec<(&str, &str)> =
        page.lines().filter_map(|it| it.strip_prefix("# TYPE ")?.split_once(' ')).collect();
    assert_eq!(families.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len(), families.len(), "{families:?}");
    for (name, kind) in &families {
        assert_eq!(*kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
        assert!(!["_micro", "_milli", "_ms", "_minutes", "_kb"].iter().any(|unit| name.contains(unit)), "{name}");
    }
    let value = |series: &str| page.lines().find_map(|line| line.strip_prefix(series)?.trim().parse::<f64>().ok());
    assert_eq!(value("lienbook_refusals_total{code=\"not_found\"}"), Some(0.0), "each code has a series");
    assert!(
        value("lienbook_journal_commit_seconds_count").unwrap() >= value("lienbook_journal_commits_total").unwrap()
    );
    rig.get("/api/v1/nothing").await.refused(404, "not_found");
    let page = rig.get_metrics("/metrics").await.text().await.unwrap();
    assert!(page.contains("lienbook_refusals_total{code=\"not_found\"} 1\n"), "{page}");
    rig.server.stop().await;
}

#[test]
fn every_alert_has_a_section_of_the_runbook_and_every_section_an_alert() {
    let alerts: BTreeSet<&str> = values(RULES, "alert: ").into_iter().collect();
    assert!(alerts.len() > 30, "{alerts:?}");
    let sections: BTreeSet<&str> = RUNBOOK.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(alerts, sections);
    let links = values(RULES, "runbook_url: ");
    let expected: Vec<_> =
        values(RULES, "alert: ").iter().map(|alert| format!("api/RUNBOOK.md#{}", alert.to_lowercase())).collect();
    assert_eq!(links, expected);
    for section in RUNBOOK.split("\n## ").skip(1) {
        for part in ["**Meaning.**", "**See.**", "**Do.**", "**Over.**"] {
            assert_eq!(section.matches(part).count(), 1, "{part} in {section}");
        }
    }
    let targets = RUNBOOK.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap());
    for target in targets {
        assert!(sections.iter().any(|section| section.to_lowercase() == target), "#{target} leads nowhere");
    }
    for alert in &alerts {
        let cases = RULE_TESTS.matches(&format!("- alertname: {alert}\n")).count();
        let silent = RULE_TESTS.matches(&format!("\"{alert} is silent: ")).count();
        assert_eq!((cases, silent), (2, 1), "the tests of {alert}");
    }
}

#[test]
fn every_recorded_rule_that_is_used_is_recorded() {
    let recorded: BTreeSet<&str> = values(RULES, "record: ").into_iter().collect();
    for text in [RULES, DASHBOARD] {
        let used: BTreeSet<&str> = words(text).into_iter().filter(|word| word.starts_with("lienbook:")).collect();
        assert!(!used.is_empty() && used.is_subset(&recorded), "{used:?} {recorded:?}");
    }
}
