//! Tests of a halt of new loans over HTTP: nothing new begins, and whatever ends a loan or takes money out works.

use std::collections::BTreeSet;

use devchain::EmbeddedChain;
use domain::LoanStage;
use escrow::address::AddressKind;
use lienbook::extract::halt_effect::{HaltEffect, TABLE};
use lienbook::openapi::Description;
use lienbook::operator::request::{Reply, Request, answer};
use reqwest::Method;
use serde_json::{Value, json};
use utoipa::OpenApi as _;

use super::extensions::{asked, submission};
use super::feed::Socket;
use super::lender::TestUser;
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{FLOOR_SATS, Rig};
use super::vault_money::VaultFixture;

const REASON: &str = "Two indexers disagree";

async fn halt(rig: &Rig) {
    let reply = answer(&rig.app().market, Request::HaltNewLoans { reason: REASON.to_owned() }).await;
    assert!(matches!(reply, Reply::NewLoansHalted { .. }), "{reply:?}");
}

async fn resume(rig: &Rig) {
    let reply = answer(&rig.app().market, Request::ResumeNewLoans).await;
    let Reply::NewLoansResumed { reason, .. } = reply else { panic!("{reply:?}") };
    assert_eq!(reason, REASON);
}

#[test]
fn every_route_that_changes_something_is_in_the_table_of_halts() {
    let description = serde_json::to_value(Description::openapi()).unwrap();
    let mut described = BTreeSet::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let has_session = operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty());
            if has_session && method != "get" {
                described.insert((method.to_uppercase(), path.clone()));
            }
        }
    }
    // What the lender signs is handed out by a read.
    described.insert(("GET".to_owned(), "/api/v1/loans/{loan_id}/countersignature".to_owned()));
    let listed: BTreeSet<_> =
        TABLE.iter().map(|(method, path, _)| (String::from(*method), String::from(*path))).collect();
    assert_eq!(listed.len(), TABLE.len(), "a route is listed twice");
    let unlisted: Vec<_> = described.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the table: {unlisted:?}");
    let unknown: Vec<_> = listed.difference(&described).collect();
    assert!(unknown.is_empty(), "in the table, but no such route: {unknown:?}");
}

#[actix_web::test]
async fn a_route_is_refused_at_once_if_the_table_says_so_and_no_other() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    halt(&rig).await;
    for (method, route, effect) in TABLE.iter().filter(|(_, route, _)| !route.contains("/devnet/")) {
        // Each ends the session of the test.
        if *route == "/api/v1/session" || route.starts_with("/api/v1/sessions/") {
            continue;
        }
        let path: Vec<_> = route.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect();
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        // Not through the check of the description, which would find these paths and bodies wrong.
        let request = rig.request(method.clone(), &path.join("/")).bearer_auth(&user.token).json(&json!({}));
        let body: Value = request.send().await.unwrap().json().await.unwrap_or_default();
        let is_halted = body["code"] == "new_loans_halted";
        assert_eq!(is_halted, *effect == HaltEffect::Refused, "{method} {route}: {body}");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn no_step_of_a_new_loan_is_taken_until_it_is_resumed() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, lender) = (&fixture.rig, &fixture.borrower, &fixture.lender);
    let prepared = fixture.prepared().await;
    let request = fixture.loan_request(borrower, &lender.quote(rig, "paper-frogs-30d", FLOOR_SATS / 2, 1).await[0]);
    let body = acceptance(&prepared, &sign(borrower, &prepared));
    halt(rig).await;
    let refused = borrower.post(rig, PREPARE, &request).await;
    refused.refused(409, "new_loans_halted");
    assert_eq!(refused.body["values"]["reason"], REASON);
    assert_eq!(refused.body["values"]["since"], rig.get("/api/v1/halts").await.ok()["halts"][0]["since"]);
    borrower.post(rig, ACCEPT, &body).await.refused(409, "new_loans_halted");
    resume(rig).await;
    borrower.post(rig, ACCEPT, &body).await.ok();
    halt(rig).await;
    borrower.post(rig, ACCEPT, &body).await.ok();
    let loan = prepared["loanId"].as_str().unwrap();
    let countersignature = format!("/api/v1/loans/{loan}/countersignature");
    lender.get(rig, &countersignature).await.refused(409, "new_loans_halted");
    let signed = json!({"walletName": "test", "base64": "", "payouts": ["", ""]});
    lender.post(rig, &countersignature, &signed).await.refused(409, "new_loans_halted");
    resume(rig).await;
    fixture.begin(loan).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn loans_are_extended_cancelled_and_repaid_and_kits_downloaded_during_a_halt() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, lender) = (&fixture.rig, &fixture.borrower, &fixture.lender);
    let loan = fixture.begun().await;
    halt(rig).await;
    for user in [borrower, lender] {
        user.get(rig, &format!("/api/v1/loans/{loan}/kit")).await.ok();
    }
    let (prepare, submit) =
        (format!("/api/v1/loans/{loan}/extension/prepare"), format!("/api/v1/loans/{loan}/extension"));
    let prepared = borrower.post(rig, &prepare, &asked(7)).await.ok();
    borrower.post(rig, &submit, &submission(borrower, &prepared)).await.ok();
    let next = prepared["extensionRequestId"].as_str().unwrap();
    fixture.begin(next).await;
    fixture.until(&loan, LoanStage::Repaid).await;
    let offers = lender.quote(rig, "paper-frogs-30d", FLOOR_SATS / 2, 1).await;
    lender.post(rig, "/api/v1/offers/manual/cancel", &json!({"offerIds": offers})).await.ok();
    let ending = borrower.post(rig, "/api/v1/loans/repayment/prepare", &json!({"loanIds": [next], "feeRate": 3})).await;
    let body = json!({"loanIds": [next], "walletName": "test", "base64": sign(borrower, &ending.ok())});
    borrower.post(rig, "/api/v1/loans/repayment", &body).await.ok();
    fixture.chain.mine(1).unwrap();
    fixture.until(next, LoanStage::Repaid).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn an_accepted_loan_is_declined_or_withdrawn_during_a_halt() {
    let fixture = LoanFixture::new().await;
    for (user, part) in [(&fixture.lender, "countersignature"), (&fixture.borrower, "acceptance")] {
        let loan = fixture.accepted().await["loanId"].as_str().unwrap().to_owned();
        halt(&fixture.rig).await;
        let path = format!("/api/v1/loans/{loan}/{part}");
        assert_eq!(user.send(&fixture.rig, Method::DELETE, &path, None).await.status.as_u16(), 204);
        resume(&fixture.rig).await;
    }
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn money_enters_and_leaves_a_vault_during_a_halt() {
    let fixture = VaultFixture::new(AddressKind::P2wpkh, 1_000_000).await;
    halt(&fixture.rig).await;
    fixture.deposit(600_000).await;
    fixture.mine(1).await;
    let prepared = fixture.post("withdrawals/prepare", &json!({"sats": 600_000, "fee_rate": 1.5})).await.ok();
    let done = fixture.post("withdrawals", &fixture.order(&prepared)).await;
    assert_eq!((done.status.as_u16(), &done.body["isSent"]), (201, &json!(true)), "{}", done.body);
    fixture.lender.get(&fixture.rig, "/api/v1/vaults/me/kit").await.ok();
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn clients_learn_of_a_halt_at_once_and_it_survives_a_restart() {
    let rig = Rig::start_on(EmbeddedChain::new(1_800_000_000).unwrap()).await;
    let mut socket = Socket::open(&rig).await;
    assert_eq!(socket.subscribe("halts").await["data"], json!({"halts": []}));
    assert_eq!(rig.get("/api/v1/halts").await.ok(), json!({"halts": []}));
    halt(&rig).await;
    let delta = socket.next_frame().await;
    let shown = delta["ops"][0]["halt"].clone();
    assert_eq!((&shown["scope"], &shown["reason"]), (&json!("new_loans"), &json!(REASON)));
    assert_eq!(rig.get("/api/v1/halts").await.ok(), json!({"halts": [shown]}));
    let metrics = rig.get_metrics("/metrics").await.text().await.unwrap();
    assert!(metrics.contains("\nlienbook_new_loans_halted 1\n"), "{metrics}");
    assert!(rig.get_metrics("/operator").await.text().await.unwrap().contains(REASON));
    drop(socket);
    let rig = rig.restart().await;
    assert_eq!(rig.get("/api/v1/halts").await.ok(), json!({"halts": [shown]}));
    resume(&rig).await;
    assert_eq!(rig.get("/api/v1/halts").await.ok(), json!({"halts": []}));
    let reply = answer(&rig.app().market, Request::ResumeNewLoans).await;
    assert_eq!(reply, Reply::Refused { reason: "new_loans is not halted".to_owned() });
    let reply = answer(&rig.app().market, Request::HaltNewLoans { reason: "two\nlines".to_owned() }).await;
    assert!(matches!(reply, Reply::Refused { reason } if reason.contains("1 to 200 characters")));
    rig.server.stop().await;
}
