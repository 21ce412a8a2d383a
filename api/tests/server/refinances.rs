//! Tests of standing orders to refinance loans, and of the list of offers that loans could move to, over HTTP.

use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::loans::LoanFixture;
use super::rig::FLOOR_SATS;

const LIST: &str = "/api/v1/me/refinances";

fn order(principal_min: u64) -> Value {
    json!({"principalMinSats": principal_min, "interestMax": 10_000, "termMinDays": 1, "termMaxDays": 365, "daysBefore": 14})
}

async fn found(fixture: &LoanFixture, user: &TestUser) -> Vec<Value> {
    user.get(&fixture.rig, LIST).await.ok()["refinances"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn a_standing_order_finds_an_offer_and_is_withdrawn() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, loan) = (&fixture.rig, &fixture.borrower, fixture.begun().await);
    let path = format!("/api/v1/loans/{loan}/refinance-order");
    assert!(found(&fixture, borrower).await.is_empty());
    let offers = fixture.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let set = borrower.send(rig, Method::PUT, &path, Some(&order(FLOOR_SATS / 2))).await.ok();
    assert_eq!(set["interestMaxPercentage"], 100.0);
    assert_eq!(borrower.get(rig, &format!("/api/v1/me/loans/{loan}")).await.ok()["refinanceOrder"], set);
    assert_eq!(fixture.lender.get(rig, &format!("/api/v1/me/loans/{loan}")).await.ok()["refinanceOrder"], Value::Null);
    let list = found(&fixture, borrower).await;
    assert_eq!((&list[0]["offerId"], &list[0]["isOrdered"]), (&json!(offers[0]), &json!(true)));
    assert_eq!((list.len(), &list[0]["loanId"], &list[0]["savedPercentage"]), (1, &json!(loan), &json!(0)));
    assert!(found(&fixture, &fixture.lender).await.is_empty());

    borrower.send(rig, Method::PUT, &path, Some(&order(FLOOR_SATS / 2 + 1))).await.ok();
    assert!(found(&fixture, borrower).await.is_empty(), "no offer lends so much");
    for _ in 0..2 {
        assert_eq!(borrower.send(rig, Method::DELETE, &path, None).await.status, 204, "the same again");
    }
    assert_eq!(borrower.get(rig, &format!("/api/v1/me/loans/{loan}")).await.ok()["refinanceOrder"], Value::Null);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn standing_orders_are_refused_with_codes_and_private_to_the_borrower() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let loan = fixture.accepted().await["loanId"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/loans/{loan}/refinance-order");
    borrower.send(rig, Method::PUT, &path, Some(&order(1))).await.refused(409, "loan_stage");
    fixture.begin(&loan).await;
    let other_user = TestUser::sign_in(rig, 9).await;
    let before = rig.events();
    for user in [&other_user, &fixture.lender] {
        user.send(rig, Method::PUT, &path, Some(&order(1))).await.refused(404, "unknown_loan");
        user.send(rig, Method::DELETE, &path, None).await.refused(404, "unknown_loan");
    }
    let mut late = order(1);
    late["daysBefore"] = json!(15);
    let mut reversed = order(1);
    (reversed["termMinDays"], reversed["termMaxDays"]) = (json!(30), json!(7));
    for body in [late, reversed] {
        borrower.send(rig, Method::PUT, &path, Some(&body)).await.refused(422, "invalid_field");
    }
    let unknown = "/api/v1/loans/ln_1/refinance-order";
    borrower.send(rig, Method::PUT, unknown, Some(&order(1))).await.refused(404, "unknown_loan");
    borrower.send(rig, Method::PUT, &path, Some(&json!({"daysBefore": 3}))).await.refused(422, "invalid_body");
    assert_eq!(rig.events(), before, "nothing was recorded");
    fixture.rig.server.stop().await;
}
