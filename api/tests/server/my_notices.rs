//! Tests of loans and notices on the private channel, and in the list.

use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::feed::{Socket, ticket};
use super::lender::TestUser;
use super::rig::Rig;
use super::test_loans::{SECRETS, TestLoan};

/// Opens a user's private channel; returns its snapshot.
async fn listen(rig: &Rig, user: &TestUser) -> (Socket, Value) {
    let mut socket = Socket::open(rig).await;
    socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": ticket(rig, user).await})).await;
    let snapshot = socket.next_frame().await;
    assert_eq!(snapshot["type"], "snapshot", "{snapshot}");
    (socket, snapshot)
}

/// Returns every frame until none comes for a while.
async fn frames(socket: &mut Socket) -> Vec<String> {
    let mut frames = Vec::new();
    while let Ok(Some(Ok(message))) = tokio::time::timeout(Duration::from_millis(150), socket.0.next()).await {
        if let Message::Text(text) = message {
            frames.push(text.to_string());
        }
    }
    frames
}

/// Returns every frame until what is awaited is there, and those that follow soon.
async fn frames_with(socket: &mut Socket, is_there: impl Fn(&[String]) -> bool) -> Vec<String> {
    let mut received = Vec::new();
    let wait = async {
        while !is_there(&received) {
            if let Message::Text(text) = socket.0.next().await.unwrap().unwrap() {
                received.push(text.to_string());
            }
        }
    };
    let is_in_time = tokio::time::timeout(Duration::from_secs(90), wait).await.is_ok();
    assert!(is_in_time, "{received:?}");
    received.extend(frames(socket).await);
    received
}

fn ops(frames: &[String], name: &str) -> Vec<Value> {
    let frames = frames.iter().map(|frame| serde_json::from_str::<Value>(frame).unwrap());
    let ops = frames.flat_map(|frame| frame["ops"].as_array().cloned().unwrap_or_default());
    ops.filter(|op| op["op"] == name).collect()
}

#[actix_web::test]
async fn both_sides_are_notified_of_their_loan_and_other_users_are_not() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let other_user = TestUser::sign_in(&rig, 3).await;
    let (mut one, snapshot) = listen(&rig, &lender).await;
    assert_eq!((&snapshot["data"]["loans"], &snapshot["data"]["notices"]), (&json!([]), &json!([])));
    let (mut other, _) = listen(&rig, &borrower).await;
    let (mut quiet, _) = listen(&rig, &other_user).await;
    let prepared = TestLoan::prepared(&rig, &lender, &borrower).await;
    let received = frames_with(&mut one, |frames| !ops(frames, "my_offer").is_empty()).await;
    assert!(!received.concat().contains(&prepared.id.to_string()), "the borrower has not accepted: {received:?}");
    let offers = ops(&received, "my_offer");
    let is_under_offer = |op: &Value| op["offer"]["tags"].as_array().unwrap().contains(&json!("under offer"));
    assert!(!is_under_offer(offers.last().unwrap()), "nothing is reserved yet: {received:?}");
    let accepted = prepared.accept(&rig).await;
    let mut received = frames_with(&mut one, |frames| ops(frames, "my_offer").last().is_some_and(is_under_offer)).await;
    let repaid = accepted.begin(&rig).await.confirm(&rig, 0).await.repay(&rig).await;

    let is_repaid = |frames: &[String]| {
        let is_last = ops(frames, "my_loan").last().is_some_and(|op| op["loan"]["state"] == "REPAID");
        is_last && ops(frames, "notice").iter().any(|op| op["notice"]["kind"] == "repaid")
    };
    received.extend(frames_with(&mut one, is_repaid).await);
    let answered = frames_with(&mut other, is_repaid).await;
    for (frames, side) in [(&received, "lender"), (&answered, "borrower")] {
        let loans = ops(frames, "my_loan");
        assert!(loans.iter().all(|op| op["loan"]["role"] == side && op["loan"]["loanId"] == repaid.id.to_string()));
        assert_eq!(loans.last().unwrap()["loan"]["state"], "REPAID", "{frames:?}");
        assert!(!SECRETS.iter().any(|secret| frames.concat().contains(secret)), "{frames:?}");
    }
    let kinds = |frames: &[String]| -> Vec<String> {
        let notices = ops(frames, "notice");
        notices.iter().map(|op| op["notice"]["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&received), ["offer_accepted", "counter_signature_needed", "loan_started", "repaid"]);
    assert_eq!(kinds(&answered), ["loan_started", "repaid"]);
    assert_eq!(frames(&mut quiet).await, [""; 0]);

    // Published notices are in the list under the same ids, and a new subscriber's snapshot has them.
    let list = lender.get(&rig, "/api/v1/me/notices").await.ok();
    let mut listed: Vec<Value> = list["data"].as_array().unwrap().iter().map(|notice| notice["id"].clone()).collect();
    let mut notified: Vec<Value> = ops(&received, "notice").iter().map(|op| op["notice"]["id"].clone()).collect();
    listed.sort_by_key(ToString::to_string);
    notified.sort_by_key(ToString::to_string);
    assert_eq!(listed, notified);
    let running = TestLoan::running(&rig, &lender, &borrower).await;
    let (_socket, snapshot) = listen(&rig, &lender).await;
    let loans = snapshot["data"]["loans"].as_array().unwrap();
    assert_eq!((loans.len(), &loans[0]["loanId"]), (1, &json!(running.id.to_string())));
    assert_eq!(snapshot["data"]["notices"].as_array().unwrap().len(), 7);
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_offer_being_taken_shows_at_once_on_the_market_channel() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let mut socket = Socket::open(&rig).await;
    socket.subscribe("market").await;
    let deal = TestLoan::prepared(&rig, &lender, &borrower).await;
    let counts = |frames: &[String]| {
        let rows = ops(frames, "row");
        let row = rows.iter().rfind(|op| op["row"]["id"] == "g_1")?;
        Some([row["row"]["manual"]["underOfferCount"].as_u64()?, row["row"]["manual"]["offerCount"].as_u64()?])
    };
    let last = async |socket: &mut Socket, expected: [u64; 2]| {
        counts(&frames_with(socket, |frames| counts(frames) == Some(expected)).await)
    };
    assert_eq!(last(&mut socket, [0, 1]).await, Some([0, 1]), "nothing is reserved yet");
    let accepted = deal.accept(&rig).await;
    assert_eq!(last(&mut socket, [1, 0]).await, Some([1, 0]));
    accepted.begin(&rig).await;
    assert_eq!(last(&mut socket, [0, 0]).await, Some([0, 0]));
    rig.server.stop().await;
}
