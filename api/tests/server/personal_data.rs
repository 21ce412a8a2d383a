//! Tests of the export of everything that is stored about a user, and of the removal of contacts and favourites.

use domain::{NoticeKind, NoticeKinds, PushTarget};
use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{FLOOR_SATS, Rig};
use super::test_loans::{SECRETS, TestLoan};

const EXPORT: &str = "/api/v1/me/export";
const DATA: &str = "/api/v1/me/personal-data";

/// Gives a user contacts and favourites.
async fn reachable(rig: &Rig, user: &TestUser, number: u8) {
    let market = &rig.app().market;
    let kinds = NoticeKinds::from_iter([NoticeKind::LoanStarted]);
    market.set_email(user.id, &format!("user{number}@example.org")).await.unwrap();
    market.link_telegram(user.id, 40 + i64::from(number)).await.unwrap();
    market.add_webhook(user.id, &format!("https://example.org/{number}"), kinds).await.unwrap();
    let endpoint = format!("https://push.example.org/{number}");
    let target = PushTarget { endpoint, public_key: "BAAA".to_owned(), auth: "a-secret-of-the-browser".to_owned() };
    market.add_push(user.id, target, "Firefox", kinds).await.unwrap();
    user.send(rig, Method::PUT, "/api/v1/me/favourites/paper-frogs", None).await.ok();
}

#[actix_web::test]
async fn an_export_has_everything_about_its_user_no_secret_and_nothing_of_others() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    reachable(&rig, &lender, 1).await;
    reachable(&rig, &borrower, 2).await;
    let offers = lender.quote(&rig, "paper-frogs-30d", FLOOR_SATS / 2, 1).await;
    let mut loans = Vec::new();
    for number in 0..3 {
        let loan = TestLoan::against(&rig, &lender, &borrower, &format!("{number}a").repeat(32)).await;
        loans.push(json!(loan.accept(&rig).await.begin(&rig).await.id.to_string()));
    }
    let answer = lender.get(&rig, EXPORT).await;
    let name = answer.headers["content-disposition"].to_str().unwrap().to_owned();
    assert!(name.contains("lienbook-my-data.json"), "{name}");
    let export = answer.ok();
    let account = &export["account"];
    assert_eq!(account["profile"]["userId"], lender.id.to_string());
    assert_eq!(account["profile"]["paymentAddress"], lender.address());
    assert_eq!(account["contacts"]["email"]["address"], "user1@example.org");
    assert_eq!(account["telegramChatId"], 41);
    assert_eq!(account["webhooks"][0]["url"], "https://example.org/1");
    assert_eq!(account["pushSubscriptions"][0]["endpoint"], "https://push.example.org/1");
    assert_eq!(account["favourites"], json!(["g_1"]));
    assert_eq!(account["sessions"].as_array().unwrap().len(), 1);
    let open: Vec<&Value> = account["offers"].as_array().unwrap().iter().map(|offer| &offer["offerId"]).collect();
    assert!(open.contains(&&json!(offers[0])), "{open:?}");
    let mut exported: Vec<Value> =
        export["loans"].as_array().unwrap().iter().map(|loan| loan["loanId"].clone()).collect();
    exported.sort_by_key(Value::to_string);
    assert_eq!((exported, &export["hasAllLoans"]), (loans, &json!(true)));
    let text = export.to_string();
    for secret in SECRETS.into_iter().chain(["a-secret-of-the-browser", "user2@example.org", "whsec_"]) {
        assert!(!text.contains(secret), "{secret}");
    }
    let fresh = TestUser::sign_in(&rig, 3).await.get(&rig, EXPORT).await.ok();
    assert_eq!((&fresh["loans"], &fresh["account"]["vault"]), (&json!([]), &Value::Null));
    rig.get(EXPORT).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}

#[actix_web::test]
async fn exports_are_few() {
    let rig = Rig::start_with(|settings| settings.quotas.reads_per_minute = 25).await;
    let user = TestUser::sign_in(&rig, 1).await;
    for _ in 0..2 {
        user.get(&rig, EXPORT).await.ok();
    }
    user.get(&rig, EXPORT).await.refused(429, "rate_limited");
    rig.server.stop().await;
}

#[actix_web::test]
async fn contacts_and_favourites_are_removed_in_one_action_and_offers_and_loans_stay() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    reachable(&rig, &lender, 1).await;
    reachable(&rig, &borrower, 2).await;
    TestLoan::running(&rig, &lender, &borrower).await;
    let before = lender.get(&rig, EXPORT).await.ok();
    let removed = lender.send(&rig, Method::DELETE, DATA, None).await.ok();
    let one = json!({"email": true, "telegram": true, "webhooks": 1, "pushSubscriptions": 1, "favourites": 1});
    assert_eq!(removed, one);
    let after = lender.get(&rig, EXPORT).await.ok();
    let account = &after["account"];
    assert_eq!((&account["contacts"]["email"]["address"], &account["telegramChatId"]), (&Value::Null, &Value::Null));
    for list in ["webhooks", "pushSubscriptions", "favourites"] {
        assert_eq!(account[list], json!([]), "{list}");
    }
    assert_eq!((&after["loans"], &account["profile"]), (&before["loans"], &before["account"]["profile"]));
    let again = lender.send(&rig, Method::DELETE, DATA, None).await.ok();
    let none = json!({"email": false, "telegram": false, "webhooks": 0, "pushSubscriptions": 0, "favourites": 0});
    assert_eq!(again, none);
    let other = borrower.get(&rig, EXPORT).await.ok();
    assert_eq!(other["account"]["contacts"]["email"]["address"], "user2@example.org");
    rig.server.stop().await;
}
