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

/// The most lenders in one report; others are in the next one.
pub const HEARD_MAX: usize = 10_000;

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
    let mut reported_at = now();
    loop {
        ticks.tick().await;
        let time = now();
        if cluster.role() != Role::Follower {
            reported_at = time;
            continue;
        }
        match report(cluster, reported_at, time).await {
            // A lender who was heard in the same millisecond is reported twice rather than never.
            Ok(true) => reported_at = UnixMs(time.0.saturating_sub(1)),
            Ok(false) => {}
            Err(failure) => tracing::debug!(%failure, "the node that decides was not given a report"),
        }
    }
}

/// Sends a report; returns whether there is a node that took it.
async fn report(cluster: &Cluster, after: UnixMs, now: UnixMs) -> Result<bool, Failure> {
    let Some(writer) = cluster.writer().filter(|writer| writer.name != cluster.name) else { return Ok(false) };
    let mut heard: Vec<u64> = cluster.market.heard_after(after).into_iter().map(|lender| lender.0).collect();
    heard.truncate(HEARD_MAX);
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
    let answer: Answer = serde_json::from_slice(&answer.body).map_err(Failure::new)?;
    take(&cluster.market, answer).await;
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
