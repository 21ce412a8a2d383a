//! Tests of the settings of notifications outside of the app, and of the links in mails.

use domain::UserId;
use lienbook::delivery::mail_tokens::MailTask;
use reqwest::{Method, StatusCode, redirect};
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::Rig;

const MINE: &str = "/api/v1/me/notifications";
const EMAIL: &str = "/api/v1/me/notifications/email";
const TELEGRAM: &str = "/api/v1/me/notifications/telegram";
const VERIFICATION: &str = "/api/v1/notifications/verification";
const UNSUBSCRIPTION: &str = "/api/v1/notifications/unsubscription";

/// A server whose mail server does not listen.
async fn rig() -> Rig {
    Rig::start_with(|settings| {
        settings.smtp_url = Some("smtp://127.0.0.1:9".to_owned());
        settings.mail_from = Some("Lienbook <notices@example.org>".to_owned());
    })
    .await
}

async fn user_id(rig: &Rig, user: &TestUser) -> UserId {
    user.get(rig, "/api/v1/session").await.ok()["userId"].as_str().unwrap().parse().unwrap()
}

/// The token of the mail that was sent last.
async fn token(rig: &Rig, user: &TestUser, task: MailTask) -> Value {
    let id = user_id(rig, user).await;
    let serial = rig.app().market.contact(id).await.unwrap().email.unwrap().serial;
    json!({"token": rig.app().delivery.mail_tokens.token(task, id, serial)})
}

#[actix_web::test]
async fn a_server_without_mail_and_bot_reports_it() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let mine = lender.get(&rig, MINE).await.ok();
    assert_eq!((&mine["email"]["isAvailable"], &mine["telegram"]["isAvailable"]), (&json!(false), &json!(false)));
    assert_eq!(mine["choices"].as_array().unwrap().len(), domain::NoticeKind::ALL.len() - 1);
    lender.post(&rig, EMAIL, &json!({"email": "lender@example.org"})).await.refused(404, "email_unset");
    lender.send(&rig, Method::POST, TELEGRAM, None).await.refused(404, "telegram_unset");
    rig.get(MINE).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}

#[actix_web::test]
async fn preferences_are_private_and_survive_a_restart() {
    let rig = rig().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let put = async |rig: &Rig, body: Value| lender.send(rig, Method::PUT, MINE, Some(&body)).await;
    let chosen = |mine: &Value| -> Vec<String> {
        let choices = mine["choices"].as_array().unwrap().iter().filter(|choice| choice["isChosen"] == true);
        choices.map(|choice| choice["kind"].as_str().unwrap().to_owned()).collect()
    };
    let before = lender.get(&rig, MINE).await.ok();
    let critical = before["choices"].as_array().unwrap().iter().filter(|choice| choice["isCritical"] == true).count();
    assert_eq!((chosen(&before).len(), critical, &before["criticalAlerts"]), (10, 10, &json!(true)));
    let body = json!({"criticalAlerts": false, "kinds": ["repaid", "due_in_24h", "repaid"]});
    assert_eq!(chosen(&put(&rig, body.clone()).await.ok()), ["due_in_24h", "repaid"]);
    let events = rig.events();
    put(&rig, body).await.ok();
    assert_eq!(rig.events(), events, "an unchanged preference is not written again");
    put(&rig, json!({"criticalAlerts": false, "kinds": ["wedding"]})).await.refused(422, "invalid_body");
    put(&rig, json!({"criticalAlerts": false, "kinds": vec!["repaid"; 65]})).await.refused(422, "invalid_field");
    assert_eq!(chosen(&other.get(&rig, MINE).await.ok()).len(), 10);
    let session = lender.get(&rig, "/api/v1/session").await.ok();
    let preferences = json!({"criticalAlerts": false, "email": null, "isEmailVerified": false, "telegramChatId": null, "isBrowserNotified": false});
    assert_eq!(session["notificationPreferences"], preferences);

    let rig = rig.restart().await;
    let kept = lender.get(&rig, MINE).await.ok();
    assert_eq!((chosen(&kept), &kept["criticalAlerts"]), (vec!["due_in_24h".into(), "repaid".into()], &json!(false)));
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_address_is_verified_only_by_the_mail_that_was_sent_to_it() {
    let rig = rig().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    for wrong in ["", "lender", "lender@localhost", "lender@example.org, other@example.org", "a@b.c\r\nBcc: d@e.f"] {
        lender.post(&rig, EMAIL, &json!({"email": wrong})).await.refused(422, "email_malformed");
    }
    let mine = lender.post(&rig, EMAIL, &json!({"email": "lender@Example.org"})).await.ok();
    assert_eq!(
        (&mine["email"]["address"], &mine["email"]["isVerified"]),
        (&json!("lender@example.org"), &json!(false))
    );
    assert!(mine["email"]["verifyUntil"].as_u64().unwrap() > rig.app().now().0);
    let again = lender.post(&rig, EMAIL, &json!({"email": "another@example.org"})).await;
    again.refused(429, "email_limit");
    assert_eq!(again.headers["retry-after"], "60");

    let right = token(&rig, &lender, MailTask::Verify).await;
    let other = user_id(&rig, &lender).await;
    let wrong = |serial| json!({"token": rig.app().delivery.mail_tokens.token(MailTask::Verify, other, serial)});
    for body in
        [json!({"token": ""}), json!({"token": "AAAA"}), wrong(99), token(&rig, &lender, MailTask::Unsubscribe).await]
    {
        rig.post(VERIFICATION, &body).await.refused(422, "link_invalid");
    }
    // From a machine without a session.
    assert_eq!(rig.post(VERIFICATION, &right).await.status, StatusCode::NO_CONTENT);
    rig.post(VERIFICATION, &right).await.refused(409, "link_used");
    let mine = lender.get(&rig, MINE).await.ok();
    assert_eq!((&mine["email"]["isVerified"], &mine["email"]["verifyUntil"]), (&json!(true), &json!(null)));
    let session = lender.get(&rig, "/api/v1/session").await.ok();
    assert_eq!(session["notificationPreferences"]["isEmailVerified"], true);

    let rig = rig.restart().await;
    assert_eq!(lender.get(&rig, MINE).await.ok()["email"]["isVerified"], true);
    assert_eq!(lender.send(&rig, Method::DELETE, EMAIL, None).await.ok()["email"]["address"], Value::Null);
    rig.post(VERIFICATION, &right).await.refused(422, "link_invalid");
    rig.server.stop().await;
}

#[actix_web::test]
async fn one_click_ends_the_mails_and_opening_the_link_does_not() {
    let rig = rig().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.post(&rig, EMAIL, &json!({"email": "lender@example.org"})).await.ok();
    let verify = token(&rig, &lender, MailTask::Verify).await;
    rig.post(VERIFICATION, &verify).await.ok();
    let right = token(&rig, &lender, MailTask::Unsubscribe).await;
    let text = right["token"].as_str().unwrap();
    let is_verified = async || lender.get(&rig, MINE).await.ok()["email"]["isVerified"] == true;

    let browser = reqwest::Client::builder().no_proxy().redirect(redirect::Policy::none()).build().unwrap();
    let opened = browser.get(format!("{}{UNSUBSCRIPTION}/{text}", rig.base)).send().await.unwrap();
    assert_eq!(opened.status(), StatusCode::SEE_OTHER);
    assert_eq!(opened.headers()["location"], format!("/settings/notifications#unsubscribe={text}"));
    assert_eq!(opened.headers()["referrer-policy"], "no-referrer");
    let verify = verify["token"].as_str().unwrap();
    rig.get(&format!("{UNSUBSCRIPTION}/{verify}")).await.refused(422, "link_invalid");
    let click = |token: &str| {
        let request = rig.request(Method::POST, &format!("{UNSUBSCRIPTION}/{token}"));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        rig.send(request.body("List-Unsubscribe=One-Click"))
    };
    click(verify).await.refused(422, "link_invalid");
    rig.post(UNSUBSCRIPTION, &json!({"token": verify})).await.refused(422, "link_invalid");
    assert!(is_verified().await);
    assert_eq!(click(text).await.status, StatusCode::NO_CONTENT);
    assert!(!is_verified().await);
    assert_eq!(click(text).await.status, StatusCode::NO_CONTENT, "again changes nothing");
    assert_eq!(rig.post(UNSUBSCRIPTION, &right).await.status, StatusCode::NO_CONTENT);
    rig.server.stop().await;
}
