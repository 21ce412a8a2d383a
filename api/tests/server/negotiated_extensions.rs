//! Tests of extensions on negotiated terms over HTTP: proposals from both sides of a running loan, and what is refused.

use domain::LoanStage;
use serde_json::{Value, json};

use super::extensions::submission;
use super::lender::TestUser;
use super::loans::LoanFixture;
use super::negotiations::{NEGOTIATIONS, accept, listed, proposal, propose};
use super::rig::Answer;

impl LoanFixture {
    async fn ask_extension(&self, user: &TestUser, loan: &str, extra: &Value) -> Answer {
        let mut body = proposal(&json!({"loanId": loan}));
        body["principalAmountSats"] = self.view(loan).await["principal"].clone();
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        user.post(&self.rig, NEGOTIATIONS, &body).await
    }

    async fn view(&self, loan: &str) -> Value {
        self.borrower.get(&self.rig, &format!("/api/v1/me/loans/{loan}")).await.ok()
    }
}

#[actix_web::test]
async fn both_sides_of_a_loan_agree_on_the_terms_of_its_extension() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower, loan) = (&fixture.rig, &fixture.lender, &fixture.borrower, fixture.begun().await);
    let principal = fixture.view(&loan).await["principal"].clone();
    let opened = fixture.ask_extension(borrower, &loan, &json!({"interest": 120, "termDays": 19})).await.ok();
    assert_eq!(
        (&opened["loanId"], &opened["offerId"], &opened["requestId"]),
        (&json!(loan), &json!(null), &json!(null))
    );
    assert_eq!((&opened["role"], &opened["isYourTurn"]), (&json!("borrower"), &json!(false)));
    let id = opened["negotiationId"].as_str().unwrap();
    assert_eq!(listed(rig, lender).await[0]["isYourTurn"], json!(true));
    let terms = json!({"interest": 180, "termDays": 19, "principalAmountSats": principal});
    propose(rig, lender, id, 1, &terms).await.ok();
    let agreed = accept(rig, borrower, id, 2).await.ok();
    assert_eq!((&agreed["state"], &agreed["agreedOfferId"]), (&json!("accepted"), &json!(null)));
    let notices = lender.get(rig, "/api/v1/me/notices").await.ok();
    let accepted = notices["data"].as_array().unwrap().iter().find(|one| one["kind"] == "counter_offer_accepted");
    assert_eq!(accepted.unwrap()["loanId"], json!(loan));

    let prepare = format!("/api/v1/loans/{loan}/extension/prepare");
    let body = json!({"termDays": 19, "feeRate": 3, "negotiationId": id});
    let prepared = borrower.post(rig, &prepare, &body).await.ok();
    assert_eq!(borrower.post(rig, &prepare, &body).await.ok(), prepared, "the same again");
    assert_eq!(prepared["interestSats"].as_u64().unwrap(), (principal.as_u64().unwrap() * 180).div_ceil(10_000));
    borrower.post(rig, &format!("/api/v1/loans/{loan}/extension"), &submission(borrower, &prepared)).await.ok();
    let more = prepared["extensionRequestId"].as_str().unwrap();
    fixture.countersign(more).await;
    fixture.chain.mine(1).unwrap();
    fixture.until(more, LoanStage::Active).await;
    let extended = fixture.view(more).await;
    assert_eq!((&extended["dueAt"], &extended["term"]), (&prepared["dueAt"], &json!(19)));
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn proposals_about_a_loan_are_refused_with_codes() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower, loan) = (&fixture.rig, &fixture.lender, &fixture.borrower, fixture.begun().await);
    let other_user = TestUser::sign_in(rig, 9).await;
    let before = rig.events();
    fixture.ask_extension(&other_user, &loan, &json!({})).await.refused(404, "unknown_loan");
    for (extra, code) in [
        (json!({"principalAmountSats": 1}), "principal_fixed"),
        (json!({"interest": 0}), "terms_out_of_range"),
        (json!({"termDays": 0}), "terms_out_of_range"),
        (json!({"goodUntil": 5}), "good_until_out_of_range"),
        (json!({"inscriptionId": fixture.inscription().to_string()}), "wrong_quantity"),
        (json!({"offerId": "of_1"}), "negotiation_subject"),
    ] {
        fixture.ask_extension(borrower, &loan, &extra).await.refused(422, code);
    }
    assert_eq!(rig.events(), before);
    let opened = fixture.ask_extension(lender, &loan, &json!({})).await.ok();
    let id = opened["negotiationId"].as_str().unwrap();
    let open = fixture.ask_extension(borrower, &loan, &json!({})).await;
    open.refused(409, "already_negotiating");
    assert_eq!(open.body["values"]["negotiationId"], json!(id));
    accept(rig, &other_user, id, 1).await.refused(404, "unknown_negotiation");
    accept(rig, lender, id, 1).await.refused(409, "not_your_turn");

    let prepare = format!("/api/v1/loans/{loan}/extension/prepare");
    for (status, code, negotiation) in [
        (404, "unknown_negotiation", id),
        (404, "unknown_negotiation", "ng_x"),
        (404, "unknown_negotiation", "ng_10000000099"),
    ] {
        let body = json!({"termDays": 11, "feeRate": 3, "negotiationId": negotiation});
        borrower.post(rig, &prepare, &body).await.refused(status, code);
    }
    fixture.rig.server.stop().await;
}
