//! The repair of gaps, against a scripted feed.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use lienbook_client::{Channel, Client, Event, Feed, Staleness};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

/// Answers each subscription with the next list of frames; an empty list closes the connection. Returns the subscriptions.
async fn serve(mut scripts: Vec<Vec<Value>>) -> (Client, mpsc::UnboundedReceiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (heard, subscriptions) = mpsc::unbounded_channel();
    scripts.reverse();
    actix_web::rt::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut socket = accept_async(stream).await.unwrap();
            while let Some(Ok(Message::Text(text))) = socket.next().await {
                heard.send(serde_json::from_str(&text).unwrap()).unwrap();
                let frames = scripts.pop().unwrap_or_default();
                if frames.is_empty() {
                    break;
                }
                for frame in frames {
                    socket.send(Message::text(frame.to_string())).await.unwrap();
                }
            }
        }
    });
    (Client::new(url.parse().unwrap(), None).unwrap(), subscriptions)
}

/// The row of a collection without offers.
fn row() -> Value {
    let volumes = json!({"totalVolume": 0, "volume24h": 0, "volume7d": 0, "volume30d": 0});
    json!({
        "id": "g_1", "groupSlug": "paper-frogs", "instantOrdinalSlug": null, "collectionName": "Paper Frogs",
        "collectionSymbol": "FROG", "collectionImgURL": "", "collateralType": "inscription", "runeId": null,
        "runeName": null, "runeDecimals": null, "ticker": null, "floor": null, "unitPrice": null, "pointsMultiplier": 0,
        "isLendingAllowed": true, "totalLoans": 0, "runningLoans": 0, "externalCollectionLink": null,
        "marketVolumeStats": null, "internalVolumeStats": volumes,
        "priceChangeStats": {"change24h": null, "change7d": null, "change30d": null}, "subCollections": [],
        "maxInstantLTV": null, "manual": null, "instant": null,
    })
}

fn snapshot(seq: u64) -> Value {
    json!({"type": "snapshot", "channel": "book:g_1", "epoch": "e", "seq": seq,
        "data": {"row": row(), "offers": [], "loans": []}})
}

fn delta(prev: u64, seq: u64, crc: Option<u32>) -> Value {
    json!({"type": "delta", "channel": "book:g_1", "epoch": "e", "prev": prev, "seq": seq, "ops": [], "crc": crc})
}

#[actix_web::test]
async fn gaps_and_wrong_checksums_are_repaired_by_a_new_subscription() {
    let (client, mut subscriptions) = serve(vec![
        vec![snapshot(5), delta(5, 6, Some(0)), delta(7, 8, None)],
        vec![snapshot(8), delta(8, 9, Some(7))],
        vec![json!({"type": "snapshot", "channel": "book:g_1", "epoch": "e", "seq": 9, "data": 1})],
        vec![json!({"type": "news"}), delta(1, 2, None), snapshot(20)],
    ])
    .await;
    let channel = Channel::Book("g_1".to_owned());
    let mut feed = Feed::new(&client, [channel.clone()]).unwrap();
    let mut events = Vec::new();
    while events.len() < 7 {
        events.push(timeout(Duration::from_secs(20), feed.next()).await.expect("no event"));
    }
    let (changed, stale) = (Event::Changed(channel.clone()), |reason| Event::Stale(channel.clone(), reason));
    // An empty book has the checksum 0.
    assert_eq!(
        events[..5],
        [changed.clone(), changed.clone(), stale(Staleness::Gap), changed.clone(), stale(Staleness::Checksum)]
    );
    assert!(matches!(&events[5], Event::Stale(_, Staleness::Unreadable(_))), "{:?}", events[5]);
    assert_eq!(events[6], changed);
    assert!(feed.book("g_1").is_some());
    for _ in 0..4 {
        let sent = subscriptions.recv().await.unwrap();
        assert_eq!(sent, json!({"op": "subscribe", "channel": "book:g_1"}), "after a gap nothing is continued");
    }
}

#[actix_web::test]
async fn a_lost_connection_is_continued_at_its_position() {
    let channel = Channel::Book("g_1".to_owned());
    // A frame that is none ends the first connection; the second closes at once, and the third continues.
    let (client, mut subscriptions) =
        serve(vec![vec![snapshot(5), json!(7)], vec![], vec![delta(5, 9, Some(0))]]).await;
    let mut feed = Feed::new(&client, [channel.clone()]).unwrap();
    assert_eq!(feed.next().await, Event::Changed(channel.clone()));
    assert_eq!(feed.next().await, Event::Stale(channel.clone(), Staleness::Disconnected));
    loop {
        if timeout(Duration::from_secs(20), feed.next()).await.expect("no event") == Event::Changed(channel.clone()) {
            break;
        }
    }
    subscriptions.recv().await.unwrap();
    let continued = json!({"op": "subscribe", "channel": "book:g_1", "after": {"epoch": "e", "seq": 5}});
    assert_eq!(
        [subscriptions.recv().await.unwrap(), subscriptions.recv().await.unwrap()],
        [continued.clone(), continued]
    );
}
