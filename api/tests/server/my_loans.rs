//! Tests of a user's own loans.

use domain::{LoanEvent, LoanId};
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::Rig;
use super::test_loans::{DAY_MS, INTEREST, PRINCIPAL, SECRETS, TestLoan};

const PATHS: [&str; 8] = [
    "/api/v1/me/loans",
    "/api/v1/me/loans/waiting",
    "/api/v1/me/history",
    "/api/v1/me/loans.csv",
    "/api/v1/me/due-dates.ics",
    "/api/v1/me/portfolio",
    "/api/v1/me/points",
    "/api/v1/me/notices",
];

fn ids(page: &Value) -> Vec<LoanId> {
    page["data"].as_array().unwrap().iter().map(|loan| loan["loanId"].as_str().unwrap().parse().unwrap()).collect()
}

async fn text(rig: &Rig, user: &TestUser, path: &str) -> String {
    let request = rig.request(reqwest::Method::GET, path).bearer_auth(&user.token);
    request.send().await.unwrap().text().await.unwrap()
}

#[actix_web::test]
async fn each_side_sees_its_own_view_of_a_loan_and_other_users_see_nothing() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let other_user = TestUser::sign_in(&rig, 3).await;
    let deal = TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await;
    let path = format!("/api/v1/me/loans/{}", deal.id);
    let seen = borrower.get(&rig, &path).await.ok();
    assert_eq!(seen["offerAcceptRequestId"].as_str().unwrap(), deal.id.to_string().replace("ln_", "rv_"));
    let shown = [&seen["role"], &seen["stage"], &seen["state"], &seen["waitsFor"], &seen["platformFeeSats"]];
    assert_eq!(shown, [&json!("borrower"), &json!("awaiting_lender"), &json!("ACCEPTED"), &json!(null), &json!(null)]);
    assert_eq!((&seen["payoutSats"], &seen["collectionSlug"]), (&json!(404_800), &json!("paper-frogs-7d")));
    let seen = lender.get(&rig, &path).await.ok();
    assert_eq!((&seen["role"], &seen["waitsFor"]), (&json!("lender"), &json!("counter_signature")));
    assert_eq!(seen["platformFeeSats"], INTEREST / 5);
    for unknown in [path.as_str(), "/api/v1/me/loans/ln_7", "/api/v1/me/loans/nonsense"] {
        other_user.get(&rig, unknown).await.refused(404, "unknown_loan");
    }
    rig.get(&path).await.refused(401, "unauthenticated");

    let deal = deal.begin(&rig).await.confirm(&rig, 0).await;
    for path in PATHS.into_iter().chain([path.as_str()]) {
        for user in [&lender, &borrower] {
            let text = text(&rig, user, path).await;
            assert!(!SECRETS.iter().any(|secret| text.contains(secret)), "{path} tells {text}");
        }
        let other = text(&rig, &other_user, path).await;
        assert!(!other.contains(&deal.id.to_string()), "{path} tells {other}");
        rig.get(path).await.refused(401, "unauthenticated");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_lender_sees_a_loan_once_its_borrower_has_accepted() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let deal = TestLoan::prepared(&rig, &lender, &borrower).await;
    let path = format!("/api/v1/me/loans/{}", deal.id);
    lender.get(&rig, &path).await.refused(404, "unknown_loan");
    assert!(ids(&lender.get(&rig, "/api/v1/me/loans").await.ok()).is_empty());
    let waiting = borrower.get(&rig, "/api/v1/me/loans/waiting").await.ok();
    assert_eq!((ids(&waiting), &waiting["data"][0]["waitsFor"]), (vec![deal.id], &json!("signature")));
    deal.accept(&rig).await;
    assert!(ids(&borrower.get(&rig, "/api/v1/me/loans/waiting").await.ok()).is_empty());
    assert_eq!(ids(&lender.get(&rig, "/api/v1/me/loans/waiting").await.ok()), [deal.id]);
    rig.server.stop().await;
}

#[actix_web::test]
async fn loans_are_filtered_and_paged_and_a_cursor_is_valid_for_one_list() {
    let rig = Rig::start().await;
    let (one, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let mut lent = Vec::new();
    for _ in 0..7 {
        lent.push(TestLoan::running(&rig, &one, &other).await.id);
    }
    let repaid = TestLoan::running(&rig, &one, &other).await.repay(&rig).await.id;
    let borrowed = TestLoan::prepared(&rig, &other, &one).await.id;
    let newest_first: Vec<LoanId> = lent.iter().copied().chain([repaid, borrowed]).rev().collect();
    for limit in [1, 2, 4, 8, 9, 200] {
        let (mut seen, mut path) = (Vec::new(), format!("/api/v1/me/loans?limit={limit}"));
        loop {
            let page = one.get(&rig, &path).await.ok();
            assert!(page["data"].as_array().unwrap().len() <= limit);
            seen.extend(ids(&page));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            path = format!("/api/v1/me/loans?limit={limit}&cursor={cursor}");
        }
        assert_eq!(seen, newest_first, "{limit} a page");
    }
    let list = async |query: &str| ids(&one.get(&rig, &format!("/api/v1/me/loans?{query}")).await.ok());
    assert_eq!(list("role=borrower").await, [borrowed]);
    assert_eq!(list("role=lender&stage=repaid").await, [repaid]);
    assert_eq!(list("stage=repaid,prepared").await, [borrowed, repaid]);
    assert_eq!(list("collection=paper-frogs&role=lender").await.len(), 8);
    assert_eq!(list("collection=newt").await, []);
    let now = rig.app().now().0;
    assert_eq!(list(&format!("from={}", now + DAY_MS)).await, []);
    assert_eq!(list(&format!("from={}&to={}", now - DAY_MS, now + DAY_MS)).await.len(), 9);
    assert_eq!(list(&format!("to={}", now - DAY_MS)).await, []);
    for nothing in ["from=2&to=2", "from=3&to=2", "to=0"] {
        assert_eq!(list(nothing).await, [], "{nothing}");
    }
    assert_eq!(ids(&one.get(&rig, "/api/v1/me/history").await.ok()), [repaid]);

    let page = one.get(&rig, "/api/v1/me/loans?limit=2").await.ok();
    let cursor = page["nextCursor"].as_str().unwrap();
    one.get(&rig, &format!("/api/v1/me/loans?limit=3&cursor={cursor}")).await.ok();
    other.get(&rig, &format!("/api/v1/me/loans?cursor={cursor}")).await.refused(400, "invalid_cursor");
    for path in ["loans?role=lender&", "loans/waiting?", "history?"] {
        one.get(&rig, &format!("/api/v1/me/{path}cursor={cursor}")).await.refused(400, "invalid_cursor");
    }
    for query in ["limit=0", "limit=201", "stage=nothing", "stage=", "role=both", "more=1"] {
        one.get(&rig, &format!("/api/v1/me/loans?{query}")).await.refused(400, "invalid_query");
    }
    one.get(&rig, "/api/v1/me/loans?collection=nothing").await.refused(404, "unknown_collection");
    rig.server.stop().await;
}

#[actix_web::test]
async fn sums_and_points_follow_the_loans_and_a_reorg_reverts_them() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let points = async |user: &TestUser| user.get(&rig, "/api/v1/me/points").await.ok()["total"].as_u64().unwrap();
    let deal = TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await.begin(&rig).await;
    assert_eq!((points(&lender).await, points(&borrower).await), (0, 0));
    deal.confirm(&rig, 0).await;
    // 0.004 BTC in a collection that adds a tenth.
    assert_eq!((points(&lender).await, points(&borrower).await), (440, 220));
    deal.repay(&rig).await;
    assert_eq!((points(&lender).await, points(&borrower).await), (440, 440));
    let late = TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await.begin(&rig).await;
    late.confirm(&rig, 8).await.apply(&rig, LoanEvent::Expired).await;

    let totals = lender.get(&rig, "/api/v1/me/portfolio").await.ok();
    let sums = &totals["asLender"];
    assert_eq!((&sums["lentSats"], &sums["everLentSats"]), (&json!(PRINCIPAL), &json!(2 * PRINCIPAL)));
    assert_eq!((&sums["interestEarnedSats"], &sums["interestOwedSats"]), (&json!(INTEREST), &json!(INTEREST)));
    assert_eq!((&sums["atRiskSats"], &sums["overdueLoans"]), (&json!(PRINCIPAL), &json!(1)));
    assert_eq!(totals["asBorrower"]["borrowedSats"], 0);
    let totals = borrower.get(&rig, "/api/v1/me/portfolio").await.ok();
    let sums = &totals["asBorrower"];
    assert_eq!((&sums["borrowedSats"], &sums["interestPaidSats"]), (&json!(PRINCIPAL), &json!(INTEREST)));
    assert_eq!(totals["waiting"]["repayments"], 1);

    let by_loan = borrower.get(&rig, "/api/v1/me/points").await.ok();
    assert_eq!((&by_loan["asBorrower"], &by_loan["data"][0]["points"]), (&json!(660), &json!(220)));
    assert_eq!(by_loan["data"][1]["loanId"], deal.id.to_string());
    deal.apply(&rig, LoanEvent::EndUnconfirmed).await;
    assert_eq!(points(&borrower).await, 440);
    deal.apply(&rig, LoanEvent::Unconfirmed).await;
    assert_eq!((points(&lender).await, points(&borrower).await), (440, 220));
    rig.server.stop().await;
}

#[actix_web::test]
async fn exported_files_hold_the_loans_and_escape_formulas() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let hostile = TestLoan::against(&rig, &lender, &borrower, "=HYPERLINK(\"http://a\")").await.accept(&rig).await;
    hostile.begin(&rig).await.confirm(&rig, 0).await;
    let repaid = TestLoan::running(&rig, &lender, &borrower).await.repay(&rig).await;
    let table = text(&rig, &lender, "/api/v1/me/loans.csv").await;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].starts_with("loan,role,state,"));
    assert!(lines[1].starts_with(&format!("{},lender,REPAID,paper frogs,", repaid.id)));
    assert!(lines[2].contains(",\"'=HYPERLINK(\"\"http://a\"\")\",400000,4800,"), "{}", lines[2]);
    let fee = |row: &str| row.split(',').rev().nth(3).map(str::to_owned);
    assert!(fee(lines[1]).is_some_and(|fee| fee.parse::<u64>().is_ok()), "what the lender paid: {}", lines[1]);
    let theirs = text(&rig, &borrower, "/api/v1/me/loans.csv").await;
    assert_eq!(theirs.lines().nth(1).and_then(fee), Some(String::new()), "the borrower paid none: {theirs}");
    assert_eq!(text(&rig, &lender, "/api/v1/me/loans.csv?role=borrower").await.lines().count(), 1);

    let request = rig.request(reqwest::Method::GET, "/api/v1/me/due-dates.ics").bearer_auth(&borrower.token);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/calendar; charset=utf-8");
    let calendar = answer.text().await.unwrap();
    assert_eq!(calendar.matches("BEGIN:VEVENT").count(), 1);
    assert!(calendar.contains(&format!("UID:{}-borrower@", hostile.id)));
    rig.server.stop().await;
}
