//! Tests of what belongs to several nodes beside the journal: the vault signer, operators' commands, reports of nodes.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use domain::UnixMs;
use lienbook::cluster::node_credential::NodeCredential;
use lienbook::cluster::node_exchange::{HEARD_MAX, PATH};
use lienbook::config::server_key::{SESSION, ServerKey};
use reqwest::StatusCode;
use serde_json::Value;

use super::cluster_rig::{ClusterRig, SESSION_KEY};
use super::process::{failure, run};
use super::signer::{Running, SignerFolder, wait_until};

/// The epochs in a signer's log, in order.
fn epochs(folder: &SignerFolder) -> Vec<u64> {
    let log = fs::read_to_string(folder.path("signed.jsonl")).unwrap();
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries.filter_map(|entry| find(&entry, "writer_epoch")?["epoch"].as_u64()).collect()
}

/// The value of a field at any depth.
fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let fields = value.as_object()?;
    fields.get(name).or_else(|| fields.values().find_map(|value| find(value, name)))
}

#[actix_web::test]
async fn the_signer_sees_the_epoch_of_every_writer() {
    let folder = SignerFolder::new();
    let _signer = Running::start(&folder);
    let socket = folder.path("signer.sock");
    let mut rig = ClusterRig::start_with(2, &["--signer-socket", socket.to_str().unwrap()]).await;
    wait_until(|| epochs(&folder).len() == 1);
    let former = rig.writer().await;
    rig.kill_node(former);
    rig.writer_other_than(former).await;
    wait_until(|| epochs(&folder).len() == 2);
    let seen = epochs(&folder);
    assert!(seen[0] < seen[1], "{seen:?}");
}

#[actix_web::test]
async fn operators_commands_are_refused_by_a_follower_which_names_the_writer() {
    let rig = ClusterRig::start(2).await;
    let writer = rig.writer().await;
    let follower = 1 - writer;
    let price = |node: usize| {
        let data = rig.data(node).to_str().unwrap();
        run(&["price", "set", "paper-frogs", "1000000", "--data", data])
    };
    // It finds the writer in the lease, at most a poll after the writer has it.
    let mut refused = failure(&price(follower));
    for _ in 0..100 {
        if refused.contains("run this command on") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        refused = failure(&price(follower));
    }
    let at = format!("run this command on node{writer} ({})", rig.base(writer).unwrap());
    assert!(refused.contains(&at), "{refused}");
    let set = price(writer);
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
}

/// The credential of a node of the rig for a report.
fn credential() -> String {
    let folder = tempfile::tempdir().unwrap();
    let key = ServerKey::find(&SESSION, Some(SESSION_KEY), &folder.path().join("unused")).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = UnixMs(u64::try_from(now).unwrap());
    NodeCredential::new(key.derive("node credential")).issue("127.0.0.1".parse().unwrap(), PATH, now)
}

#[actix_web::test]
async fn the_exchange_of_nodes_is_for_nodes_alone() {
    let rig = ClusterRig::start(2).await;
    let writer = rig.writer().await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let send = async |node: usize, credential: Option<&str>| {
        // The most that a report can have, with the longest ids.
        let heard: Vec<u64> = (0..HEARD_MAX).map(|number| u64::MAX - u64::try_from(number).unwrap()).collect();
        let body = serde_json::json!({"heard": heard, "volumes_hash": ""}).to_string();
        let url = format!("{}{PATH}", rig.base(node).unwrap());
        let mut request = http.post(url).header("content-type", "application/json").body(body);
        if let Some(credential) = credential {
            request = request.header("lienbook-forwarded", credential);
        }
        let answer = request.send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    };
    for credential in [None, Some("1 127.0.0.1 00"), Some("")] {
        assert_eq!(send(writer, credential).await.0, StatusCode::NOT_FOUND, "{credential:?}");
    }
    let credential = credential();
    assert_eq!(send(writer, Some(&credential)).await, (StatusCode::OK, r#"{"volumes":[]}"#.to_owned()));
    let (status, refused) = send(1 - writer, Some(&credential)).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{refused}");
    assert!(refused.contains("no_writer"), "{refused}");
}
