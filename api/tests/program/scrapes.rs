//! Scrapes of real nodes, evaluated by the real alert rules with Prometheus' own tool.
//!
//! By the clock of the rules a scrape is 15 seconds after the one before, whatever time has passed here: so minutes of an
//! alert's `for` need no minutes, and no test depends on how fast this machine is.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::cluster_rig::ClusterRig;

const RULES: &str = include_str!("../../monitoring/lienbook.rules.yaml");

const SCRAPE_SECONDS: usize = 15;

/// The number of scrapes in a minute.
pub const MINUTE: usize = 60 / SCRAPE_SECONDS;

/// The samples of all series so far.
#[derive(Default)]
pub struct Scrapes {
    /// By the series' name and labels; `None` where the page did not have it.
    series: BTreeMap<String, Vec<Option<String>>>,
    count: usize,
    /// The expectations, of alerts and of expressions.
    checks: String,
    measured: String,
}

impl Scrapes {
    /// Scrapes every node once: one that does not answer has only `up`, which is 0.
    pub async fn scrape(&mut self, rig: &ClusterRig) {
        for number in 0..rig.nodes.len() {
            let page = rig.metrics(number).await;
            self.add(number, "up", if page.is_some() { "1" } else { "0" });
            for line in page.iter().flat_map(|page| page.lines()).filter(|line| !line.starts_with('#')) {
                let (name, value) = line.rsplit_once(' ').unwrap();
                self.add(number, name, value);
            }
        }
        self.count += 1;
    }

    /// The same several times.
    pub async fn scrape_for(&mut self, rig: &ClusterRig, scrapes: usize) {
        for _ in 0..scrapes {
            self.scrape(rig).await;
        }
    }

    fn add(&mut self, number: usize, name: &str, value: &str) {
        let (name, labels) = name.split_once('{').unwrap_or((name, "}"));
        let separator = if labels == "}" { "" } else { "," };
        let series = format!("{name}{{instance=\"node{number}\",job=\"lienbook\"{separator}{labels}");
        let samples = self.series.entry(series).or_default();
        samples.resize(self.count, None);
        samples.push(Some(value.to_owned()));
    }

    /// Expects that at the last scrape exactly these alerts of a name fire, each with its labels and annotations.
    pub fn expect(&mut self, alert: &str, fire: &[Firing]) {
        let seconds = (self.count - 1) * SCRAPE_SECONDS;
        let expected = if fire.is_empty() { " []" } else { "" };
        let checks = &mut self.checks;
        writeln!(checks, "      - alertname: {alert}\n        eval_time: {seconds}s\n        exp_alerts:{expected}")
            .unwrap();
        for Firing { labels, summary } in fire {
            writeln!(checks, "          - exp_labels: {{{labels}}}\n            exp_annotations:").unwrap();
            writeln!(checks, "              summary: \"{summary}\"").unwrap();
            writeln!(checks, "              runbook_url: api/RUNBOOK.md#{}", alert.to_lowercase()).unwrap();
        }
    }

    /// Expects that an alert with these labels, as a query has them, fires at the last scrape; its summary has a measured
    /// value.
    pub fn expect_measured(&mut self, alert: &str, labels: &str) {
        let seconds = (self.count - 1) * SCRAPE_SECONDS;
        let selector = format!("ALERTS{{alertname=\"{alert}\",alertstate=\"firing\"}}");
        let sample = format!("ALERTS{{alertname=\"{alert}\",alertstate=\"firing\",{labels}}}");
        writeln!(self.measured, "      - expr: '{selector}'\n        eval_time: {seconds}s").unwrap();
        writeln!(self.measured, "        exp_samples:\n          - labels: '{sample}'\n            value: 1").unwrap();
    }

    /// Evaluates the rules, and fails if an alert is expected and does not fire, or fires and is not expected.
    pub fn evaluate(&self) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scrapes.yaml");
        fs::write(&path, self.rule_test()).unwrap();
        let output = Command::new("promtool").args(["test", "rules"]).arg(&path).output();
        let output = output.expect("promtool is installed by .ci/tools");
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
        assert!(output.status.success(), "{said}");
    }

    fn rule_test(&self) -> String {
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("monitoring/lienbook.rules.yaml");
        let mut text = format!("rule_files: [{}]\nevaluation_interval: {SCRAPE_SECONDS}s\n", rules.display());
        text.push_str("group_eval_order:\n");
        for group in RULES.lines().filter_map(|line| line.strip_prefix("  - name: ")) {
            writeln!(text, "  - {group}").unwrap();
        }
        writeln!(text, "tests:\n  - interval: {SCRAPE_SECONDS}s\n    input_series:").unwrap();
        for (series, samples) in &self.series {
            let mut samples = samples.clone();
            samples.resize(self.count, None);
            writeln!(text, "      - series: '{series}'\n        values: '{}'", values(&samples)).unwrap();
        }
        format!("{text}    alert_rule_test:\n{}    promql_expr_test:\n{}", self.checks, self.measured)
    }
}

/// An alert that fires.
pub struct Firing {
    /// Its labels, as in YAML.
    pub labels: String,
    /// Its summary.
    pub summary: String,
}

/// The samples in promtool's notation. A series that a page no longer has is stale from then on, as in Prometheus.
fn values(samples: &[Option<String>]) -> String {
    let mut before = None;
    let written = samples.iter().map(|sample| {
        let text = match (before, sample) {
            (_, Some(value)) => value.as_str(),
            (Some(_), None) => "stale",
            (None, None) => "_",
        };
        before = sample.as_ref();
        text
    });
    written.collect::<Vec<_>>().join(" ")
}
