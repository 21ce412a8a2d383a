//! Tests of the demo's own mail and chat: messages are really delivered, and readable only by their recipient.

use std::time::{Duration, Instant};

use lienbook::demo::inbox::BOT_NAME;
use reqwest::{Method, StatusCode, redirect};
use serde_json::{Value, json};
use simulator::{DemoMarket, Pace};

use super::lender::TestUser;
use super::message_servers::wait_until;
use super::rig::Rig;

const MINE: &str = "/api/v1/me/notifications";
const EMAIL: &str = "/api/v1/me/notifications/email";
const TELEGRAM: &str = "/api/v1/me/notifications/telegram";
const MAIL: &str = "/api/v1/devnet/mail";
const CHAT: &str = "/api/v1/devnet/telegram";

async fn rig() -> Rig {
    Rig::start_demo(DemoMarket::new(7).with_lenders(0, Pace::LIVELY), |settings| settings.demo_block_seconds = 3_600)
        .await
}

/// Waits for messages to a user, and returns them.
async fn read(rig: &Rig, user: &TestUser, path: &str) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let data = user.get(rig, path).await.ok()["data"].as_array().unwrap().clone();
        if !data.is_empty() {
            return data;
        }
        assert!(began.elapsed() < Duration::from_secs(90), "no message arrived at {path}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[actix_web::test]
async fn a_visitor_reads_only_their_own_mails() {
    let rig = rig().await;
    let (visitor, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    assert_eq!(visitor.get(&rig, MINE).await.ok()["email"]["isAvailable"], true);
    visitor.post(&rig, EMAIL, &json!({"email": "lender@example.org"})).await.ok();
    let mail = read(&rig, &visitor, MAIL).await.remove(0);
    assert_eq!((&mail["subject"], &mail["to"]), (&json!("Confirm your e-mail address"), &json!("lender@example.org")));
    // Another account with the same address reads the messages to that account alone.
    assert_eq!(other.get(&rig, MAIL).await.ok()["data"], json!([]));
    other.post(&rig, EMAIL, &json!({"email": "lender@example.org"})).await.ok();
    let theirs = read(&rig, &other, MAIL).await;
    assert!(theirs.len() == 1 && theirs[0]["messageId"] != mail["messageId"]);
    assert_eq!(visitor.get(&rig, MAIL).await.ok()["data"].as_array().unwrap().len(), 1);

    let text = mail["text"].as_str().unwrap();
    let link = text.split_whitespace().find(|word| word.contains("#verify=")).unwrap();
    assert!(link.starts_with(&rig.base), "{link}");
    let token = link.split_once("#verify=").unwrap().1;
    let verified = rig.post("/api/v1/notifications/verification", &json!({ "token": token })).await;
    assert_eq!(verified.status, StatusCode::NO_CONTENT);
    assert_eq!(visitor.get(&rig, MINE).await.ok()["email"]["isVerified"], true);
    rig.get(MAIL).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_visitor_links_a_chat_of_the_demo_by_following_the_link() {
    let rig = rig().await;
    let (visitor, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    wait_until(|| rig.app().delivery.bot().unwrap().name().is_some()).await;
    let url = visitor.send(&rig, Method::POST, TELEGRAM, None).await.ok()["url"].as_str().unwrap().to_owned();
    assert!(url.starts_with(&format!("{}{CHAT}/{BOT_NAME}?start=", rig.base)), "{url}");
    let browser = reqwest::Client::builder().no_proxy().redirect(redirect::Policy::none()).build().unwrap();
    let opened = browser.get(&url).send().await.unwrap();
    assert_eq!(
        (opened.status(), &opened.headers()["location"]),
        (StatusCode::SEE_OTHER, &"/settings/notifications".parse().unwrap())
    );
    let said = read(&rig, &visitor, CHAT).await;
    assert!(said[0]["text"].as_str().unwrap().starts_with("Linked."), "{said:?}");
    assert_eq!(visitor.get(&rig, MINE).await.ok()["telegram"]["isLinked"], true);
    assert_eq!(other.get(&rig, CHAT).await.ok()["data"], json!([]));
    rig.get(&format!("{CHAT}/another_bot?start=abc")).await.refused(404, "not_found");
    rig.get(&format!("{CHAT}/{BOT_NAME}?start=a%20b")).await.refused(422, "link_invalid");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_server_with_a_real_market_has_no_demo_mailbox() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    for path in [MAIL.to_owned(), CHAT.to_owned(), format!("{CHAT}/{BOT_NAME}?start=abc")] {
        lender.get(&rig, &path).await.refused(404, "not_found");
    }
    rig.server.stop().await;
}
