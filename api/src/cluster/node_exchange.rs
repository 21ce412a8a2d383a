//! The exchange between a node that follows and the one that decides, about what is not in the journal: which lenders
//! were heard, and what marketplaces report of their volumes.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use domain::{GroupId, Sats, UnixMs, UserId};
use engine::Market;
use engine::wire::Volumes;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use serde::{Deserialize, Serialize};
use tokio::time::{MissedTickBehavior, interval};

use super::{Cluster, Role, node_credential};
use crate::failure::Failure;

/// The path of the exchange at the node that decides.
pub const PATH: &str = "/nodes/exchange";

/// The interval of exchanges: well below the least limit on absence.
const INTERVAL: Duration = Duration::from_secs(5);

/// The most lenders in one report, which with ids of any length fits into the body of a request. Others are in the next
/// report, which follows at once.
pub const HEARD_MAX: usize = 2_000;

/// The number of failed reports in a row after which the log says so.
const FAILURES_LOGGED: u32 = 6;

/// The client that a report is in the name of: the node itself.
const ITSELF: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The report of a node that follows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The lenders with a limit on absence who were heard since the report before, at most [`HEARD_MAX`].
    pub heard: Vec<u64>,
    /// The hash of the volumes that this node has.
    pub volumes_hash: String,
}

/// The answer of the node that decides.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The volumes of each collection on the marketplaces: in total and of the last day, week and month, in sats. Empty
    /// if the hash of the report is theirs.
    pub volumes: Vec<(u32, [u64; 4])>,
}

/// The volumes of the collections that have some.
fn volumes_of(market: &Market) -> BTreeMap<GroupId, Volumes> {
    let groups = market.groups();
    let known = groups.iter().filter_map(|group| Some((group.id, market.row(group.id)?.market_volume_stats?)));
    known.collect()
}

fn numbers(volumes: &Volumes) -> [u64; 4] {
    [volumes.total, volumes.day, volumes.week, volumes.month].map(Sats::get)
}

fn hash_of(volumes: &BTreeMap<GroupId, Volumes>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (group, volumes) in volumes {
        hasher.update(&group.0.to_le_bytes());
        for number in numbers(volumes) {
            hasher.update(&number.to_le_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Answers the report of a node that follows.
pub async fn answer(market: &Market, report: Report) -> Answer {
    for lender in report.heard.into_iter().take(HEARD_MAX) {
        market.hear(UserId(lender)).await;
    }
    let volumes = volumes_of(market);
    if hash_of(&volumes) == report.volumes_hash {
        return Answer { volumes: Vec::new() };
    }
    Answer { volumes: volumes.iter().map(|(group, volumes)| (group.0, numbers(volumes))).collect() }
}

/// Reports to the node that decides while this one follows.
pub async fn run(cluster: &Cluster, now: impl Fn() -> UnixMs) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut reported, mut failures) = (now(), 0);
    loop {
        ticks.tick().await;
        if cluster.role() != Role::Follower {
            reported = now();
            continue;
        }
        loop {
            let (part, rest) = next_part(cluster.market.heard_after(reported));
            match report(cluster, part.iter().map(|(_, lender)| lender.0).collect(), now()).await {
                Ok(is_taken) => {
                    failures = 0;
                    if is_taken && let Some((heard_at, _)) = part.last() {
                        reported = *heard_at;
                    }
                    if !is_taken || rest == 0 {
                        break;
                    }
                }
                Err(failure) => {
                    failures += 1;
                    if failures % FAILURES_LOGGED == 0 {
                        tracing::warn!(%failure, failures, "the node that decides does not take reports of heard lenders");
                    }
                    break;
                }
            }
        }
    }
}

/// The lenders of one report, in the order in which they were heard, and the number of those that are left. A report is
/// sent even if it has none, because its answer has the volumes.
fn next_part(mut heard: Vec<(UnixMs, UserId)>) -> (Vec<(UnixMs, UserId)>, usize) {
    let count = heard.len();
    if let Some((next, _)) = heard.get(HEARD_MAX).copied() {
        heard.truncate(HEARD_MAX);
        // Those of one millisecond are in one report, unless they are too many for it.
        let whole = heard.partition_point(|(at, _)| *at < next);
        if whole > 0 {
            heard.truncate(whole);
        }
    }
    let rest = count - heard.len();
    (heard, rest)
}

/// Sends a report; returns whether there is a node that took it.
async fn report(cluster: &Cluster, heard: Vec<u64>, now: UnixMs) -> Result<bool, Failure> {
    let Some(writer) = cluster.writer().filter(|writer| writer.name != cluster.name) else { return Ok(false) };
    let report = Report { heard, volumes_hash: hash_of(&volumes_of(&cluster.market)) };
    let body = serde_json::to_vec(&report).map_err(Failure::new)?;
    let credential = cluster.credential().issue(ITSELF, PATH, now);
    let request = Request::builder().method(Method::POST).uri(format!("{}{PATH}", writer.url));
    let request = request.header(node_credential::HEADER, credential).header("content-type", "application/json");
    let request = request.body(Full::from(Bytes::from(body))).map_err(Failure::new)?;
    let answer = cluster.client().send(request).await.map_err(|error| Failure::new(format!("{error:?}")))?;
    if answer.status != StatusCode::OK {
        return Err(Failure::new(format!("{} answers {}", writer.name, answer.status)));
    }
    take(&cluster.market, serde_json::from_slice(&answer.body).map_err(Failure::new)?).await;
    Ok(true)
}

/// Takes the answer of the node that decides.
async fn take(market: &Market, answer: Answer) {
    for (group, sats) in answer.volumes {
        let [total, day, week, month] = sats.map(Sats::new);
        // A collection that this node does not know yet gets its volumes at a later exchange.
        let _ = market.set_market_volumes(GroupId(group), Volumes { total, day, week, month }).await;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use engine::Settings;
    use engine::clock::SystemClock;
    use persistence::{Options, SledJournal};

    use super::*;
    use crate::operator::request::{self, Request};

    /// A market with one collection.
    async fn market(data: &Path) -> Market {
        let journal = Arc::new(SledJournal::open(data, Options::default()).unwrap());
        let market = Market::start(journal, Arc::new(SystemClock), Settings::default()).unwrap();
        let collection = serde_json::from_value(serde_json::json!({
            "name": "Frogs", "slug": "frogs", "symbol": "FROG", "collateral": {"type": "inscription"},
            "sub_collections": [{"slug": "frogs", "term_days": 14, "interest_basis_points": 500, "manual": true}],
        }));
        request::answer(&market, Request::AddCollection { collection: collection.unwrap() }).await;
        assert_eq!(market.groups().len(), 1);
        market
    }

    #[test]
    fn every_heard_lender_is_in_a_report() {
        let heard = |count: u64, a_millisecond: u64| -> Vec<(UnixMs, UserId)> {
            (0..count).map(|number| (UnixMs(number / a_millisecond), UserId(number))).collect()
        };
        for (count, a_millisecond) in [(0, 1), (1, 1), (2_000, 1), (2_001, 1), (9_000, 700), (9_000, 1)] {
            let all = heard(count, a_millisecond);
            let (mut after, mut reported) = (None, Vec::new());
            loop {
                let left = all.iter().copied().filter(|(at, _)| after.is_none_or(|after| *at > after)).collect();
                let (part, rest) = next_part(left);
                assert!(part.len() <= HEARD_MAX);
                after = part.last().map(|(at, _)| *at).or(after);
                reported.extend(part);
                if rest == 0 {
                    break;
                }
            }
            assert_eq!(reported, all, "{count} lenders, {a_millisecond} a millisecond");
        }
    }

    #[actix_web::test]
    async fn a_node_that_follows_gets_the_volumes_that_it_does_not_have() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let (writer, other) = (market(folders[0].path()).await, market(folders[1].path()).await);
        let group = writer.groups()[0].id;
        assert_eq!(group, other.groups()[0].id);
        let report = |market: &Market| Report { heard: vec![1, 2], volumes_hash: hash_of(&volumes_of(market)) };
        assert_eq!(answer(&writer, report(&other)).await.volumes, []);
        let [total, day, week, month] = [40, 1, 2, 3].map(Sats::new);
        writer.set_market_volumes(group, Volumes { total, day, week, month }).await.unwrap();
        let shown = async |market: &Market| {
            while volumes_of(market).is_empty() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        shown(&writer).await;
        let answered = answer(&writer, report(&other)).await;
        assert_eq!(answered.volumes, [(group.0, [40, 1, 2, 3])]);
        take(&other, answered).await;
        shown(&other).await;
        assert_eq!(volumes_of(&other), volumes_of(&writer));
        assert_eq!(answer(&writer, report(&other)).await.volumes, []);
        writer.stop().await;
        other.stop().await;
    }
}
