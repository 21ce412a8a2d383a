//! Questions to the second verifier about what the server hands out, as the web app asks them.

use bitcoin::Amount;
use escrow::address::AddressKind;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{FLOOR_SATS, Rig};

const FEE_RATE: u64 = 3;
/// The same in sats per 1,000 weight units.
const FEE_RATE_SAT_PER_KWU: u64 = FEE_RATE * 250;

fn own(user: &TestUser) -> Value {
    json!({
        "payment": {"address": user.address(), "publicKey": user.wallet.public_key_hex(user.kind)},
        "ordinals": {
            "address": user.wallet.ordinals_address().to_string(),
            "publicKey": user.wallet.public_key_hex(AddressKind::P2tr),
        },
    })
}

fn transaction(prepared: &Value) -> Value {
    json!({"base64": prepared["transactionBase64"], "sides": prepared["sides"]})
}

fn question(user: &TestUser, transactions: &[Value], task: &Value) -> Value {
    json!({"network": "regtest", "own": own(user), "transactions": transactions, "task": task})
}

fn verdict(question: &Value) -> Value {
    serde_json::from_str(&verifier::check::check(question.to_string().as_bytes())).unwrap()
}

fn assert_agrees(question: &Value) {
    let verdict = verdict(question);
    assert_eq!(verdict["agrees"], true, "{verdict}");
}

/// The terms of a loan as its page shows them.
async fn agreed(rig: &Rig, user: &TestUser, loan: &str) -> Value {
    let view = user.get(rig, &format!("/api/v1/me/loans/{loan}")).await.ok();
    let collateral = match (view["follows"].as_str(), view["collateralType"].as_str().unwrap()) {
        (Some(follows), _) => json!({"kind": "running_loan", "loanId": follows}),
        (None, "rune") => json!({"kind": "runes", "amountRaw": view["fungibleAmount"]}),
        (None, "brc20") => json!({"kind": "brc20", "ticker": view["ticker"]}),
        (None, _) => json!({"kind": "inscriptions", "count": view["inscriptionIds"].as_array().unwrap().len()}),
    };
    let term = if view["extendedUntil"].is_null() { view["term"].clone() } else { Value::Null };
    json!({
        "loanId": view["loanId"], "principalSats": view["principal"], "payoutSats": view["payoutSats"],
        "claimAfterSeconds": view["claimAfter"].as_u64().unwrap() / 1_000, "termDays": term,
        "nowSeconds": rig.app().now().0 / 1_000, "platformFeeSats": view["platformFeeSats"], "collateral": collateral,
    })
}

/// Checks that the verifier agrees with what a borrower is about to sign; returns its question.
pub async fn check_borrower(rig: &Rig, user: &TestUser, prepared: &Value, interest_now: Option<u64>) -> Value {
    let loan = prepared["loanId"].as_str().or_else(|| prepared["extensionRequestId"].as_str()).unwrap();
    let mut agreed = agreed(rig, user, loan).await;
    agreed["feeRateSatPerKwu"] = FEE_RATE_SAT_PER_KWU.into();
    agreed["interestNowSats"] = interest_now.into();
    let reveal = json!({"base64": prepared["revealBase64"], "sides": prepared["revealSides"]});
    let both = [transaction(prepared), reveal];
    let transactions = if prepared["revealBase64"].is_null() { &both[..1] } else { &both[..] };
    let task = json!({"kind": "borrow", "agreed": agreed, "contract": prepared["contract"]});
    let question = question(user, transactions, &task);
    assert_agrees(&question);
    question
}

/// Checks that the verifier agrees with what a lender is about to sign; returns its question.
pub async fn check_lender(rig: &Rig, user: &TestUser, loan: &str, interest_now: Option<u64>) -> Value {
    let asked = user.get(rig, &format!("/api/v1/loans/{loan}/countersignature")).await.ok();
    let mut agreed = agreed(rig, user, loan).await;
    agreed["interestNowSats"] = interest_now.into();
    let payouts = asked["payouts"].as_array().unwrap().iter().map(transaction);
    let transactions: Vec<Value> = std::iter::once(transaction(&asked)).chain(payouts).collect();
    let question =
        question(user, &transactions, &json!({"kind": "lend", "agreed": agreed, "contract": asked["contract"]}));
    assert_agrees(&question);
    question
}

/// Checks that the verifier agrees with a repayment.
pub async fn check_repayment(rig: &Rig, user: &TestUser, loan: &str, prepared: &Value) {
    let kit = user.get(rig, &format!("/api/v1/loans/{loan}/kit")).await.ok().to_string();
    let agreed = agreed(rig, user, loan).await;
    let (payout, claim_after) = (&agreed["payoutSats"], &agreed["claimAfterSeconds"]);
    let loans = json!([{"loanId": loan, "kit": kit, "payoutSats": payout, "claimAfterSeconds": claim_after}]);
    let task = json!({
        "kind": "repay", "loans": loans, "feeSats": prepared["feeSats"], "feeRateSatPerKwu": FEE_RATE_SAT_PER_KWU,
    });
    assert_agrees(&question(user, &[transaction(prepared)], &task));
}

#[actix_web::test]
async fn the_second_verifier_agrees_with_a_manual_loan_from_its_start_to_its_end() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, lender) = (&fixture.rig, &fixture.borrower, &fixture.lender);
    let prepared = fixture.accepted().await;
    let loan = prepared["loanId"].as_str().unwrap();
    assert_eq!(prepared["contract"]["loanId"], loan);
    let question = check_borrower(rig, borrower, &prepared, None).await;
    let asked = check_lender(rig, lender, loan, None).await;
    // The server's description alone convinces no verifier of other terms.
    for (of, field, value) in [
        (&question, "principalSats", 1),
        (&question, "payoutSats", 9_000_000),
        (&asked, "principalSats", 9_000_000),
        (&asked, "claimAfterSeconds", 1_999_999_999),
    ] {
        let mut changed = of.clone();
        changed["task"]["contract"][field] = value.into();
        assert_eq!(verdict(&changed)["faults"][0]["code"], "other_term", "{field}");
    }
    fixture.begin(loan).await;
    let body = json!({"loanIds": [loan], "feeRate": FEE_RATE});
    let repayment = borrower.post(rig, "/api/v1/loans/repayment/prepare", &body).await.ok();
    check_repayment(rig, borrower, loan, &repayment).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn the_second_verifier_agrees_with_a_refinance_for_both_sides() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower, loan) = (&fixture.rig, &fixture.borrower, fixture.begun().await);
    let next = TestUser::sign_in(rig, 9).await;
    fixture.chain.fund(&next.wallet.payment_address().script_pubkey(), Amount::from_sat(1_000_000)).unwrap();
    let offers = next.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let mut body = fixture.loan_request(borrower, &offers[0]);
    body["refinancedLoanId"] = loan.into();
    let prepared = borrower.post(rig, PREPARE, &body).await.ok();
    let question = check_borrower(rig, borrower, &prepared, None).await;
    let mut other = question.clone();
    other["task"]["agreed"]["collateral"]["loanId"] = "ln_5".into();
    assert_eq!(verdict(&other)["faults"][0]["code"], "collateral");
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &sign(borrower, &prepared))).await.ok();
    check_lender(rig, &next, prepared["loanId"].as_str().unwrap(), None).await;
    fixture.rig.server.stop().await;
}
