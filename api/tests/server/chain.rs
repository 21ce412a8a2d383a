//! Tests of the chain's status: with a node, without one, and with one of another network.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

use bitcoin::Network;
use bitcoin::constants::genesis_block;
use devchain::EmbeddedChain;
use engine::chain::Chain as _;
use lienbook::config::settings::Settings;
use lienbook::node::Node;
use lienbook::server::Server;
use lienbook::upstreams::MeteredUpstreams;

use super::rig::{Rig, settings};

const START_SECONDS: u32 = 1_800_000_000;

#[actix_web::test]
async fn the_chain_is_shown_as_the_node_sees_it() {
    let chain = EmbeddedChain::new(START_SECONDS).unwrap();
    let tip = chain.tip().await.unwrap();
    let rig = Rig::start_on(chain).await;
    let shown = rig.get("/api/v1/chain").await.ok();
    assert_eq!((shown["network"].as_str(), shown["height"].as_u64()), (Some("regtest"), Some(150)));
    assert_eq!(shown["blockHash"], tip.hash.to_string());
    assert_eq!(shown["indexerHeight"], 150);
    assert_eq!(shown["medianTime"].as_u64(), Some(u64::from(tip.median_time_seconds) * 1_000));
    // The mempool is empty, so the minimum relay fee is enough.
    let rates = ["fast", "halfHour", "hour"].map(|name| shown["feeRates"][name].as_f64().unwrap());
    assert!(rates.iter().all(|rate| (0.1..=1.0).contains(rate)) && rates[0] >= rates[2], "{shown}");
    rig.server.stop().await;
}

#[actix_web::test]
async fn without_a_node_the_chain_is_unavailable_and_the_market_is_served() {
    let rig = Rig::start().await;
    let answer = rig.get("/api/v1/chain").await;
    answer.refused(503, "node_unavailable");
    assert!(answer.headers.contains_key("retry-after"));
    assert_eq!(rig.get("/api/v1/collections").await.ok()["data"].as_array().unwrap().len(), 3);
    rig.server.stop().await;
}

/// A node that returns this hash for every block.
fn node_with(hash: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut part = [0; 1_024];
        while !request.ends_with(b"}") {
            let length = stream.read(&mut part).unwrap();
            request.extend_from_slice(&part[..length]);
        }
        let text = String::from_utf8(request).unwrap();
        let id = text.split("\"id\":").nth(1).unwrap().split([',', '}']).next().unwrap();
        let body = format!(r#"{{"jsonrpc":"2.0","result":"{hash}","id":{id}}}"#);
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    });
    url
}

/// The error of a server that does not start with this node.
async fn refusal(node_url: String, password: Option<&str>) -> String {
    let ord_url = Some("http://127.0.0.1:9".to_owned());
    let settings =
        Settings { node_url: Some(node_url), node_user: Some("user".into()), ord_url, ..Settings::default() };
    let connected = match MeteredUpstreams::with_own(&settings, password.map(str::to_owned)) {
        Ok(upstreams) => Node::connect(&settings, Arc::new(upstreams)).await,
        Err(failure) => Err(failure),
    };
    let failure = connected.err().unwrap();
    assert_eq!(failure.lines().count(), 1, "{failure}");
    failure.to_string()
}

#[actix_web::test]
async fn an_unreachable_node_or_one_of_another_network_is_refused_at_the_start() {
    let genesis = |network| genesis_block(network).block_hash().to_string();
    let line = refusal(node_with(genesis(Network::Signet)), Some("p")).await;
    assert!(line.contains("is on signet, and the setting network is regtest"), "{line}");
    let line = refusal(node_with("ab".repeat(32)), Some("p")).await;
    assert!(line.contains("is on another network, and"), "{line}");
    let line = refusal(node_with(genesis(Network::Regtest)), Some("p")).await;
    assert!(line.contains("cannot use the ord server at http://127.0.0.1:9"), "{line}");
    let line = refusal("http://127.0.0.1:9".to_owned(), Some("p")).await;
    assert!(line.contains("cannot use the node at http://127.0.0.1:9"), "{line}");
    let line = refusal("http://127.0.0.1:9".to_owned(), None).await;
    assert!(line.contains("LIENBOOK_NODE_PASSWORD"), "{line}");
    let line = refusal("http://user:secret@127.0.0.1:9".to_owned(), Some("p")).await;
    assert!(line.contains("the setting node_url is not accepted") && !line.contains("secret"), "{line}");
}

#[actix_web::test]
async fn a_server_without_a_node_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = std::cell::RefCell::new(String::new());
    let server =
        Server::builder(settings(&folder)).progress(&|line| output.borrow_mut().push_str(line)).start().await.unwrap();
    server.stop().await;
    assert!(output.borrow().contains("loans are not possible yet"), "{}", output.borrow());
}
