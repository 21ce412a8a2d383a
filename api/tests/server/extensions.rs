//! Tests of loan extensions over HTTP: requested, awaited, agreed to or declined.

use bitcoin::Amount;
use domain::LoanStage;
use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::loans::{LoanFixture, sign};
use super::second_verifier;

pub fn asked(days: u16) -> Value {
    json!({"termDays": days, "feeRate": 3})
}

pub(crate) fn submission(user: &TestUser, prepared: &Value) -> Value {
    json!({"extensionRequestId": prepared["extensionRequestId"], "walletName": "test", "base64": sign(user, prepared)})
}

async fn waiting(fixture: &LoanFixture, user: &TestUser) -> Vec<Value> {
    user.get(&fixture.rig, "/api/v1/me/loans/waiting").await.ok()["data"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn a_borrower_asks_for_more_time_and_the_lender_agrees() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, loan) = (&fixture.rig, &fixture.borrower, fixture.begun().await);
    let (prepare, submit) =
        (format!("/api/v1/loans/{loan}/extension/prepare"), format!("/api/v1/loans/{loan}/extension"));
    let prepared = borrower.post(rig, &prepare, &asked(7)).await.ok();
    assert_eq!(borrower.post(rig, &prepare, &asked(7)).await.ok(), prepared, "the same again");
    let view = borrower.get(rig, &format!("/api/v1/me/loans/{loan}")).await.ok();
    assert_eq!(prepared["interestNowSats"], view["interestSats"]);
    assert_eq!(prepared["dueAt"].as_u64().unwrap(), view["dueAt"].as_u64().unwrap() + 7 * 86_400_000);
    let more = prepared["extensionRequestId"].as_str().unwrap();
    let interest_now = view["interestSats"].as_u64();
    second_verifier::check_borrower(rig, borrower, &prepared, interest_now).await;
    let body = submission(borrower, &prepared);
    let accepted = borrower.post(rig, &submit, &body).await.ok();
    assert_eq!(accepted["loan_transaction_id"], prepared["transactionId"]);
    assert_eq!(borrower.post(rig, &submit, &body).await.ok(), accepted, "the same again");
    let waits = waiting(&fixture, &fixture.lender).await;
    assert_eq!(waits.len(), 1);
    assert_eq!((&waits[0]["loanId"], &waits[0]["waitsFor"]), (&json!(more), &json!("counter_signature")));
    assert_eq!((&waits[0]["follows"], &waits[0]["extendedUntil"]), (&json!(loan), &prepared["dueAt"]));
    second_verifier::check_lender(rig, &fixture.lender, more, interest_now).await;
    let sent = fixture.countersign(more).await;
    assert_eq!(sent["transactionId"], prepared["transactionId"]);
    fixture.chain.mine(1).unwrap();
    fixture.until(&loan, LoanStage::Repaid).await;
    fixture.until(more, LoanStage::Active).await;
    let (old, new) = (format!("/api/v1/me/loans/{loan}"), format!("/api/v1/me/loans/{more}"));
    let (old, new) = (borrower.get(rig, &old).await.ok(), borrower.get(rig, &new).await.ok());
    assert_eq!((&old["ending"], &old["followedBy"]), (&json!("extension"), &json!(more)));
    assert_eq!((&new["dueAt"], &new["claimAfter"]), (&prepared["dueAt"], &prepared["claimAfter"]));
    let gone = borrower.get(rig, &format!("/api/v1/loans/{loan}/kit")).await;
    gone.refused(409, "loan_goes_on");
    assert_eq!(gone.body["values"]["loanId"], json!(more));
    let repayment = json!({"loanIds": [loan], "feeRate": 3});
    borrower.post(rig, "/api/v1/loans/repayment/prepare", &repayment).await.refused(409, "loan_goes_on");
    borrower.get(rig, &format!("/api/v1/loans/{more}/kit")).await.ok();
    let repayment = json!({"loanIds": [more], "feeRate": 3});
    let ending = borrower.post(rig, "/api/v1/loans/repayment/prepare", &repayment).await.ok();
    let body = json!({"loanIds": [more], "walletName": "test", "base64": sign(borrower, &ending)});
    borrower.post(rig, "/api/v1/loans/repayment", &body).await.ok();
    fixture.chain.mine(1).unwrap();
    fixture.until(more, LoanStage::Repaid).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn extensions_are_refused_with_codes_declined_and_private_to_both_sides() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, loan) = (&fixture.rig, &fixture.borrower, fixture.begun().await);
    let (prepare, submit) =
        (format!("/api/v1/loans/{loan}/extension/prepare"), format!("/api/v1/loans/{loan}/extension"));
    let other_user = TestUser::sign_in(rig, 9).await;
    let before = rig.events();
    for user in [&other_user, &fixture.lender] {
        user.post(rig, &prepare, &asked(7)).await.refused(404, "unknown_loan");
    }
    for (body, code) in [
        (asked(8), "not_extendable"),
        (json!({"termDays": 7, "feeRate": 1_001}), "fee_rate_out_of_range"),
        (json!({"termDays": "7", "feeRate": 3}), "invalid_body"),
    ] {
        borrower.post(rig, &prepare, &body).await.refused(422, code);
    }
    assert_eq!(rig.events(), before);
    let prepared = borrower.post(rig, &prepare, &asked(7)).await.ok();
    let body = submission(borrower, &prepared);
    other_user.post(rig, &submit, &body).await.refused(404, "unknown_reservation");
    let elsewhere = format!("/api/v1/loans/{}/extension", prepared["extensionRequestId"].as_str().unwrap());
    borrower.post(rig, &elsewhere, &body).await.refused(404, "unknown_loan");
    let mut unsigned = body.clone();
    unsigned["base64"] = prepared["transactionBase64"].clone();
    borrower.post(rig, &submit, &unsigned).await.refused(422, "psbt_signature_missing");
    borrower.post(rig, &submit, &body).await.ok();
    borrower.post(rig, &prepare, &asked(7)).await.refused(409, "collateral_pledged");
    let more = prepared["extensionRequestId"].as_str().unwrap();
    let countersignature = format!("/api/v1/loans/{more}/countersignature");
    let declined = fixture.lender.send(rig, Method::DELETE, &countersignature, None).await;
    assert_eq!(declined.status.as_u16(), 204);
    borrower.post(rig, &submit, &body).await.refused(409, "loan_stage");
    assert!(waiting(&fixture, &fixture.lender).await.is_empty());
    // The borrower repays after all while a second request is open.
    let prepared = borrower.post(rig, &prepare, &asked(7)).await.ok();
    borrower.post(rig, &submit, &submission(borrower, &prepared)).await.ok();
    let more = prepared["extensionRequestId"].as_str().unwrap();
    let payment_script = borrower.wallet.payment_address().script_pubkey();
    fixture.chain.fund(&payment_script, Amount::from_sat(1_000_000)).unwrap();
    let repayment = json!({"loanIds": [loan], "feeRate": 3});
    let ending = borrower.post(rig, "/api/v1/loans/repayment/prepare", &repayment).await.ok();
    let body = json!({"loanIds": [loan], "walletName": "test", "base64": sign(borrower, &ending)});
    borrower.post(rig, "/api/v1/loans/repayment", &body).await.ok();
    let countersignature = format!("/api/v1/loans/{more}/countersignature");
    fixture.lender.get(rig, &countersignature).await.refused(409, "extension_gone");
    fixture.rig.server.stop().await;
}
