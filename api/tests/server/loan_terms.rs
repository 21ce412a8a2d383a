//! Tests of the terms and the cost of a loan, which both sides read before they sign.

use domain::LoanId;
use lienbook::exports::loan_terms::LoanTermsDocument;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::extensions::{asked, submission};
use super::lender::TestUser;
use super::loans::LoanFixture;
use super::rig::Rig;

/// The document of a loan, with its status and its file's name.
async fn document(rig: &Rig, user: &TestUser, loan: &str) -> (StatusCode, String, String) {
    let path = format!("/api/v1/loans/{loan}/information");
    let answer = rig.request(Method::GET, &path).bearer_auth(&user.token).send().await.unwrap();
    let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
    let (status, name, kind) = (answer.status(), header("content-disposition"), header("content-type"));
    if status.is_success() {
        assert_eq!(kind, "text/html; charset=utf-8");
        assert_eq!(header("cache-control"), "no-store");
    }
    (status, name, answer.text().await.unwrap())
}

/// An amount of sats as the document writes it.
fn btc(sats: &Value) -> String {
    lienbook::share::figures::btc(domain::Sats::new(sats.as_u64().unwrap()))
}

#[actix_web::test]
async fn the_cost_is_the_same_in_the_answer_the_document_and_after_the_loan_has_ended() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, lender) = (&fixture.rig, &fixture.borrower, &fixture.lender);
    let prepared = fixture.accepted().await;
    let (loan, cost) = (prepared["loanId"].as_str().unwrap(), &prepared["cost"]);
    let sats = |name: &str| cost[name].as_u64().unwrap();
    let view = borrower.get(rig, &format!("/api/v1/me/loans/{loan}")).await.ok();
    assert_eq!(cost["interestSats"], view["interestSats"]);
    assert!(sats("originationFeeSats") > 0 && sats("repaymentFeeEstimateSats") > 0);
    let parts = sats("interestSats") + sats("originationFeeSats") + sats("repaymentFeeEstimateSats");
    assert_eq!((sats("totalCostSats"), sats("postageSats")), (parts, 0));
    assert_eq!(sats("totalPayableSats"), parts + view["principal"].as_u64().unwrap());
    assert!(cost["apr"].as_f64().unwrap() > view["apy"].as_f64().unwrap(), "fees are part of it");

    let (status, name, text) = document(rig, borrower, loan).await;
    assert_eq!((status, name), (StatusCode::OK, format!("attachment; filename=\"lienbook-loan-{loan}-terms.html\"")));
    for amount in
        ["interestSats", "originationFeeSats", "repaymentFeeEstimateSats", "totalCostSats", "totalPayableSats"]
    {
        assert!(text.contains(&btc(&cost[amount])), "{amount} is missing");
    }
    assert!(text.contains(&format!("<dt>APR</dt><dd>{} %</dd>", cost["apr"])), "{text}");
    assert!(text.contains(&fixture.inscription().to_string()));
    assert!(!text.contains("<script"), "it runs nothing");

    let countersignature = lender.get(rig, &format!("/api/v1/loans/{loan}/countersignature")).await.ok();
    let result = &countersignature["lenderReturn"];
    let (_, _, lenders) = document(rig, lender, loan).await;
    assert!(lenders.contains(&format!("<dt>Yearly return</dt><dd>{} %</dd>", result["yearlyReturn"])), "{lenders}");
    assert!(lenders.contains(&btc(&result["gainSats"])));
    assert!(!lenders.contains("APR"), "the cost is the borrower's");

    fixture.begin(loan).await;
    assert_eq!(document(rig, borrower, loan).await.2, text, "once it has begun");
    assert_eq!(document(rig, lender, loan).await.2, lenders);
    let asked = json!({"loanIds": [loan], "feeRate": 3});
    let ending = borrower.post(rig, "/api/v1/loans/repayment/prepare", &asked).await.ok();
    assert_eq!(ending["feeSats"], cost["repaymentFeeEstimateSats"], "the estimate holds at the same fee rate");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn an_extension_states_its_own_cost_and_the_interest_that_is_paid_now() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, loan) = (&fixture.rig, &fixture.borrower, fixture.begun().await);
    let prepared = borrower.post(rig, &format!("/api/v1/loans/{loan}/extension/prepare"), &asked(7)).await.ok();
    let more = prepared["extensionRequestId"].as_str().unwrap();
    assert_eq!(prepared["cost"]["interestSats"], prepared["interestSats"]);
    let (_, _, text) = document(rig, borrower, more).await;
    assert!(text.contains(&format!("It extends loan {loan}")));
    assert!(text.contains(&format!("is paid as well: {}", btc(&prepared["interestNowSats"]))));
    let submit = format!("/api/v1/loans/{loan}/extension");
    borrower.post(rig, &submit, &submission(borrower, &prepared)).await.ok();
    let asked = fixture.lender.get(rig, &format!("/api/v1/loans/{more}/countersignature")).await.ok();
    assert_eq!(asked["lenderReturn"]["platformFeeSats"], 0);
    assert_eq!(asked["lenderReturn"]["gainSats"], prepared["interestSats"]);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn the_document_is_for_the_two_sides_alone_and_for_the_lender_once_the_borrower_has_signed() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let prepared = fixture.prepared().await;
    let loan = prepared["loanId"].as_str().unwrap();
    let path = format!("/api/v1/loans/{loan}/information");
    let other_user = TestUser::sign_in(rig, 9).await;
    rig.get(&path).await.refused(401, "unauthenticated");
    for user in [&other_user, &fixture.lender] {
        user.get(rig, &path).await.refused(404, "unknown_loan");
    }
    borrower.get(rig, "/api/v1/loans/ln_zz/information").await.refused(404, "unknown_loan");
    assert_eq!(document(rig, borrower, loan).await.0, StatusCode::OK);
    let cancelled = borrower.send(rig, Method::DELETE, &format!("/api/v1/loans/{loan}/acceptance"), None).await;
    assert_eq!(cancelled.status, StatusCode::NO_CONTENT);
    // A loan that its borrower never signed is forgotten.
    borrower.get(rig, &path).await.refused(404, "unknown_loan");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_loan_that_its_lender_refused_has_no_terms_any_more() {
    let fixture = LoanFixture::new().await;
    let (rig, lender) = (&fixture.rig, &fixture.lender);
    let loan = fixture.accepted().await["loanId"].as_str().unwrap().to_owned();
    let refused = lender.send(rig, Method::DELETE, &format!("/api/v1/loans/{loan}/countersignature"), None).await;
    assert_eq!(refused.status, StatusCode::NO_CONTENT);
    for user in [&fixture.borrower, lender] {
        user.get(rig, &format!("/api/v1/loans/{loan}/information")).await.refused(409, "loan_stage");
    }
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn hostile_names_are_text_in_the_document() {
    let fixture = LoanFixture::new().await;
    let id: LoanId = fixture.prepared().await["loanId"].as_str().unwrap().parse().unwrap();
    let borrower = fixture.rig.app().market.loan(id).await.unwrap().deal.borrower;
    let hostile = "</title><script>alert('1')</script><img src=x onerror=\"alert(1)\">";
    let document = LoanTermsDocument {
        loan: id,
        information: fixture.rig.app().loan_service().unwrap().information(borrower, id).await.unwrap(),
        collection: hostile.to_owned(),
        collateral: vec![format!("1 {hostile}")],
    };
    let text = document.html();
    assert_eq!(text.matches("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;").count(), 2, "{text}");
    assert!(!text.contains("<script") && !text.contains("<img"), "{text}");
    fixture.rig.server.stop().await;
}
