//! Tests of trading over the socket of one of several nodes.

use std::time::{Duration, Instant};

use bitcoin::Network;
use escrow::wallet_key::WalletKey;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::cluster_rig::ClusterRig;
use super::crash::TestUser;

const WAIT_MAX: Duration = Duration::from_secs(30);

/// A socket that trades for a lender on one node.
struct Trader(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Trader {
    /// Returns an authenticated socket; the node answers tickets that another one has issued.
    async fn on(base: &str, lender: &TestUser, ticket_from: &str) -> Self {
        let ticket = lender.feed_ticket(ticket_from).await;
        let url = format!("{}/api/v1/feed", base.replace("http://", "ws://"));
        let mut trader = Self(connect_async(url).await.unwrap().0);
        let answer = trader.ask(&json!({"op": "authenticate", "ticket": ticket}), "authenticated").await;
        assert_eq!(answer["type"], "authenticated", "{answer}");
        trader
    }

    async fn ask(&mut self, frame: &Value, kind: &str) -> Value {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
        loop {
            let next = tokio::time::timeout(WAIT_MAX, self.0.next()).await.expect("an answer").unwrap().unwrap();
            if let Message::Text(text) = next {
                let frame: Value = serde_json::from_str(&text).unwrap();
                if frame["type"] == kind || frame["type"] == "error" {
                    return frame;
                }
            }
        }
    }

    async fn command(&mut self, frame: &Value) -> Value {
        self.ask(frame, "answers").await["answers"][0].take()
    }
}

fn place(id: &str) -> Value {
    json!({"op": "place", "id": id, "collectionSlug": "paper-frogs-7d", "principalAmount": 400_000})
}

/// Waits until a node shows these numbers of a lender's offers.
async fn until_open(lender: &TestUser, base: &str, count: usize) {
    let started_at = Instant::now();
    loop {
        let open = lender.try_offers(base).await.map(|offers| offers.len());
        if open == Some(count) {
            return;
        }
        assert!(started_at.elapsed() < WAIT_MAX, "{base} shows {open:?} offers instead of {count}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[actix_web::test]
async fn a_follower_names_the_writer_and_a_successor_cancels_the_offers_of_lost_connections() {
    let mut rig = ClusterRig::start(2).await;
    let writer = rig.writer().await;
    let (deciding, following) = (rig.base(writer).unwrap(), rig.bases_without(writer).remove(0));
    let lender = TestUser::sign_in(&following, WalletKey::from_seed([1; 32], Network::Regtest).unwrap()).await;

    let mut of_follower = Trader::on(&following, &lender, &following).await;
    let refused = of_follower.command(&place("a")).await;
    assert_eq!(refused["error"]["code"], "no_writer", "{refused}");
    assert_eq!(refused["error"]["values"]["writer"], format!("node{writer}"), "{refused}");

    let kept = lender.create(&deciding, 300_000, "kept").await.unwrap();
    let mut of_writer = Trader::on(&deciding, &lender, &following).await;
    let heartbeat = of_writer.command(&json!({"op": "heartbeat", "id": "b", "cancelOnDisconnect": 60})).await;
    assert_eq!(heartbeat["result"]["cancelOnDisconnect"], 60, "{heartbeat}");
    let bound = of_writer.command(&place("c")).await;
    assert_eq!(bound["result"]["kind"], "placed", "{bound}");
    until_open(&lender, &following, 2).await;

    rig.kill_node(writer);
    let successor = rig.writer_other_than(writer).await;
    let deciding = rig.base(successor).unwrap();
    until_open(&lender, &deciding, 1).await;
    let offers = lender.offers(&deciding).await;
    assert!(offers.contains_key(&kept), "{offers:?}");
    // The socket that this node has refused to trade is good for it now.
    let placed = of_follower.command(&place("d")).await;
    assert_eq!(placed["result"]["kind"], "placed", "{placed}");
    rig.start_node(writer);
    until_open(&lender, &rig.base(writer).unwrap(), 2).await;
}
