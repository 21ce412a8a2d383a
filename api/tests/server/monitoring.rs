//! Tests of the rules, the dashboard and the runbook against the page of metrics and against each other.

use std::collections::BTreeSet;

use devchain::EmbeddedChain;
use providers::resilience::UpstreamMetrics;

use super::rig::Rig;

/// An arbitrary time of the first block.
const START_SECONDS: u32 = 1_800_000_000;

const RULES: &str = include_str!("../../monitoring/lienbook.rules.yaml");
const RULE_TESTS: &str = include_str!("../../monitoring/lienbook.rules.test.yaml");
const DASHBOARD: &str = include_str!("../../monitoring/grafana/lienbook.dashboard.json");
const RUNBOOK: &str = include_str!("../../RUNBOOK.md");

/// The metrics of several nodes on one journal, which this program does not have yet.
const OF_SEVERAL_NODES: [&str; 7] = [
    "lienbook_follower_lag_commits",
    "lienbook_follower_lag_seconds",
    "lienbook_journal_sync_standbys",
    "lienbook_journal_sync_standbys_required",
    "lienbook_lease_remaining_seconds",
    "lienbook_node_is_writer",
    "lienbook_writer_epoch",
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

#[actix_web::test]
async fn every_metric_of_the_rules_and_the_dashboard_exists() {
    let rig = Rig::start_on(EmbeddedChain::new(START_SECONDS).unwrap()).await;
    rig.get("/health/ready").await.ok();
    let exported = exported(&rig).await;
    for (file, text) in [("rules", RULES), ("rule tests", RULE_TESTS), ("dashboard", DASHBOARD)] {
        let named = metrics_in(text);
        assert!(named.len() > 20, "{file}: {named:?}");
        let unknown = named.iter().filter(|name| !exported.contains(**name) && !OF_SEVERAL_NODES.contains(name));
        let unknown: Vec<_> = unknown.collect();
        assert!(unknown.is_empty(), "{file}: {unknown:?} are not among {exported:#?}");
        for name in OF_SEVERAL_NODES {
            assert!(named.contains(name), "{file}: {name} is not used");
        }
    }
    for name in OF_SEVERAL_NODES {
        assert!(!exported.contains(name), "{name} exists now: take it out of the list");
    }
    rig.server.stop().await;
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
