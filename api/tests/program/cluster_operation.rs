//! Tests of what belongs to several nodes beside the journal: the vault signer, operators' commands, reports of nodes.

use std::fs;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use super::cluster_rig::ClusterRig;
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

#[actix_web::test]
async fn the_exchange_of_nodes_is_for_nodes_alone() {
    let rig = ClusterRig::start(1).await;
    let url = format!("{}/nodes/exchange", rig.base(0).unwrap());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = r#"{"heard":[1],"volumes_hash":""}"#;
    for credential in [None, Some("1 127.0.0.1 00"), Some("")] {
        let mut request = http.post(&url).header("content-type", "application/json").body(body);
        if let Some(credential) = credential {
            request = request.header("lienbook-forwarded", credential);
        }
        assert_eq!(request.send().await.unwrap().status(), StatusCode::NOT_FOUND, "{credential:?}");
    }
}
