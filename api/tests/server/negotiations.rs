//! Tests of negotiations over HTTP: proposals from both sides, their acceptance, the loan, and what is refused.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use domain::{LoanId, LoanStage};
use reqwest::Method;
use serde_json::{Value, json};

use super::feed::{Socket, ticket};
use super::lender::TestUser;
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{Answer, FLOOR_SATS, Rig};

pub(crate) const NEGOTIATIONS: &str = "/api/v1/negotiations";
const HOUR_MS: u64 = 3_600_000;

pub(crate) fn in_hours(hours: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    u64::try_from(now).unwrap() + hours * HOUR_MS
}

/// A proposal of a third of the floor at 2.5 % for 11 days, terms that no sub-collection has.
pub(crate) fn proposal(extra: &Value) -> Value {
    let mut body = json!({
        "principalAmountSats": FLOOR_SATS / 3, "interest": 250, "termDays": 11, "goodUntil": in_hours(12),
    });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    body
}

impl LoanFixture {
    /// Opens a negotiation of the borrower about an offer; returns its id.
    async fn opened(&self, offer: &str) -> String {
        let opened = self.open_about(offer, &json!({})).await.ok();
        opened["negotiationId"].as_str().unwrap().to_owned()
    }

    async fn open_about(&self, offer: &str, extra: &Value) -> Answer {
        let mut body = proposal(&json!({"offerId": offer, "inscriptionId": self.inscription().to_string()}));
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        self.borrower.post(&self.rig, NEGOTIATIONS, &body).await
    }

    async fn quoted(&self) -> String {
        self.lender.quote(&self.rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await.remove(0)
    }
}

pub(crate) async fn propose(rig: &Rig, user: &TestUser, id: &str, round: usize, extra: &Value) -> Answer {
    let mut body = proposal(&json!({"round": round}));
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    user.post(rig, &format!("{NEGOTIATIONS}/{id}/proposals"), &body).await
}

pub(crate) async fn accept(rig: &Rig, user: &TestUser, id: &str, round: usize) -> Answer {
    user.post(rig, &format!("{NEGOTIATIONS}/{id}/accept"), &json!({"round": round})).await
}

async fn end(rig: &Rig, user: &TestUser, id: &str) -> Answer {
    user.send(rig, Method::DELETE, &format!("{NEGOTIATIONS}/{id}?round=1"), None).await
}

pub(crate) async fn listed(rig: &Rig, user: &TestUser) -> Value {
    user.get(rig, NEGOTIATIONS).await.ok()["negotiations"].clone()
}

async fn subscribed(rig: &Rig, user: &TestUser) -> (Socket, u64) {
    let mut socket = Socket::open(rig).await;
    socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": ticket(rig, user).await})).await;
    let snapshot = socket.next_frame().await;
    assert_eq!(snapshot["data"]["negotiations"], json!([]));
    (socket, snapshot["seq"].as_u64().unwrap())
}

#[actix_web::test]
async fn two_sides_agree_on_terms_of_their_own_and_the_loan_has_them() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower) = (&fixture.rig, &fixture.lender, &fixture.borrower);
    let offer = fixture.quoted().await;
    let (mut of_lender, mut lender_seq) = subscribed(rig, lender).await;
    let (mut of_borrower, mut borrower_seq) = subscribed(rig, borrower).await;

    let id = fixture.opened(&offer).await;
    let seen = of_lender.next_op(&mut lender_seq, "negotiation").await["negotiation"].clone();
    assert_eq!(
        (&seen["negotiationId"], &seen["offerId"], &seen["role"]),
        (&json!(id), &json!(offer), &json!("lender"))
    );
    assert_eq!((&seen["isYourTurn"], &seen["state"]), (&json!(true), &json!("open")));
    let first = &seen["proposals"][0];
    let terms = (&first["by"], &first["interestRatePercentage"], &first["loanTermDays"]);
    assert_eq!(terms, (&json!("borrower"), &json!(2.5), &json!(11)));
    assert_eq!(listed(rig, lender).await, json!([seen]));

    // Others neither see it nor learn that it exists.
    let other = TestUser::sign_in(rig, 9).await;
    assert_eq!(listed(rig, &other).await, json!([]));
    accept(rig, &other, &id, 1).await.refused(404, "unknown_negotiation");
    propose(rig, &other, &id, 1, &json!({})).await.refused(404, "unknown_negotiation");
    end(rig, &other, &id).await.refused(404, "unknown_negotiation");

    let counter = json!({"interest": 300});
    propose(rig, borrower, &id, 1, &counter).await.refused(409, "not_your_turn");
    let countered = propose(rig, lender, &id, 1, &counter).await.ok();
    assert_eq!((&countered["isYourTurn"], countered["proposals"].as_array().unwrap().len()), (&json!(false), 2));
    let kinds: Vec<Value> = borrower.get(rig, "/api/v1/me/notices").await.ok()["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| notice["kind"].clone())
        .collect();
    assert!(kinds.contains(&json!("counter_offer")), "{kinds:?}");

    // The borrower must name the proposal that was seen.
    accept(rig, borrower, &id, 1).await.refused(409, "proposal_replaced");
    let accepted = accept(rig, borrower, &id, 2).await.ok();
    assert_eq!(accepted["state"], "accepted");
    let agreed = accepted["agreedOfferId"].as_str().unwrap().to_owned();
    assert_ne!(agreed, offer);
    loop {
        if of_borrower.next_op(&mut borrower_seq, "negotiation").await["negotiation"]["state"] == "accepted" {
            break;
        }
    }
    let for_me = borrower.get(rig, "/api/v1/offers/for-me").await.ok()["data"][0]["offer"].clone();
    let shown = (&for_me["offerId"], &for_me["interest_rate_percentage"], &for_me["loan_term_days"]);
    assert_eq!(shown, (&json!(agreed), &json!(3), &json!(11)), "{for_me}");
    let mine = lender.get(rig, "/api/v1/offers").await.ok()["data"].clone();
    assert_eq!(mine.as_array().unwrap().len(), 2, "the offer that it began with stays");
    let own = mine.as_array().unwrap().iter().find(|own| own["offerId"] == agreed.as_str()).unwrap();
    assert_eq!((&own["interest"], &own["term"], &own["principal"]), (&json!(3), &json!(11), &json!(FLOOR_SATS / 3)));

    assert_eq!((&for_me["isAgreed"], &own["isAgreed"]), (&json!(true), &json!(true)));
    // To others the agreed offer does not exist, whatever collateral they name.
    for about in [json!({"offerId": agreed}), json!({"offerId": agreed, "inscriptionId": "x"})] {
        let refused = other.post(rig, NEGOTIATIONS, &proposal(&about)).await;
        assert!(["unknown_offer", "unknown_inscription"].contains(&refused.code()), "{}", refused.code());
    }
    let edit = json!({"principal_amount": FLOOR_SATS / 4});
    let path = format!("/api/v1/offers/manual/{agreed}");
    lender.send(rig, Method::PATCH, &path, Some(&edit)).await.refused(409, "terms_agreed");

    let prepared = borrower.post(rig, PREPARE, &fixture.loan_request(borrower, &agreed)).await.ok();
    let signed = sign(borrower, &prepared);
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
    let loan = prepared["loanId"].as_str().unwrap();
    fixture.countersign(loan).await;
    fixture.chain.mine(1).unwrap();
    fixture.until(loan, LoanStage::Active).await;
    let deal = rig.app().market.loan(loan.parse::<LoanId>().unwrap()).await.unwrap().deal;
    assert_eq!((deal.rate.basis_points(), deal.term.0), (300, 11));
    assert_eq!((deal.principal.get(), deal.interest.get()), (FLOOR_SATS / 3, (FLOOR_SATS / 3 * 3).div_ceil(100)));
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn an_accepted_answer_to_a_request_fills_it() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower) = (&fixture.rig, &fixture.lender, &fixture.borrower);
    let request = fixture.placed().await;
    let body = proposal(&json!({"requestId": request}));
    borrower.post(rig, NEGOTIATIONS, &body).await.refused(403, "own_offer");
    let opened = lender.post(rig, NEGOTIATIONS, &body).await.ok();
    let id = opened["negotiationId"].as_str().unwrap();
    lender.post(rig, NEGOTIATIONS, &body).await.refused(409, "already_negotiating");
    lender.send(rig, Method::PUT, "/api/v1/me/lending-limits", Some(&json!({"budgetSats": 1}))).await.ok();
    accept(rig, borrower, id, 1).await.refused(409, "lender_limited");
    lender.send(rig, Method::PUT, "/api/v1/me/lending-limits", Some(&json!({}))).await.ok();
    let agreed = accept(rig, borrower, id, 1).await.ok()["agreedOfferId"].clone();
    assert_eq!(fixture.listed().await[0]["state"], "filled");

    let for_me = borrower.get(rig, "/api/v1/offers/for-me").await.ok()["data"][0].clone();
    assert_eq!((&for_me["requestId"], &for_me["offer"]["offerId"]), (&json!(request), &agreed));

    // The lender withdraws the offer before the borrower has signed: the request is open again.
    lender.post(rig, "/api/v1/offers/manual/cancel", &json!({"offerIds": [agreed]})).await.ok();
    let until_open = async || {
        while fixture.listed().await[0]["state"] != "open" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), until_open()).await.expect("it is open again");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_negotiation_ends_by_either_side_and_with_its_offer() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower) = (&fixture.rig, &fixture.lender, &fixture.borrower);
    let offer = fixture.quoted().await;
    let declined = fixture.opened(&offer).await;
    end(rig, lender, &declined).await.ok();
    end(rig, lender, &declined).await.refused(409, "negotiation_over");
    accept(rig, lender, &declined, 1).await.refused(409, "negotiation_over");
    let notices = borrower.get(rig, "/api/v1/me/notices").await.ok()["data"].clone();
    assert_eq!(notices[0]["kind"], "counter_offer_declined");

    let withdrawn = fixture.opened(&offer).await;
    end(rig, borrower, &withdrawn).await.ok();
    let closed = fixture.opened(&offer).await;
    lender.post(rig, "/api/v1/offers/manual/cancel", &json!({"offerIds": [offer]})).await.ok();
    let states = async |user: &TestUser| -> Vec<(String, String)> {
        let shown = listed(rig, user).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        shown.as_array().unwrap().iter().map(|it| (text(&it["negotiationId"]), text(&it["state"]))).collect()
    };
    let expected = [(declined, "declined"), (withdrawn, "withdrawn"), (closed, "closed")];
    let expected: Vec<_> = expected.into_iter().map(|(id, state)| (id, state.to_owned())).collect();
    assert_eq!(states(borrower).await, expected);
    assert_eq!(states(lender).await, expected);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn bad_proposals_are_refused_by_name() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower) = (&fixture.rig, &fixture.lender, &fixture.borrower);
    let offer = fixture.quoted().await;
    for (status, code, extra) in [
        (422, "terms_out_of_range", json!({"interest": 0})),
        (422, "terms_out_of_range", json!({"interest": 10_001})),
        (422, "terms_out_of_range", json!({"termDays": 366})),
        (422, "below_min_offer", json!({"principalAmountSats": 29_999})),
        (422, "ltv_above_ceiling", json!({"principalAmountSats": FLOOR_SATS})),
        (422, "good_until_out_of_range", json!({"goodUntil": in_hours(73)})),
        (422, "good_until_out_of_range", json!({"goodUntil": in_hours(0)})),
        (422, "wrong_quantity", json!({"fungibleAmount": "5"})),
        (404, "unknown_inscription", json!({"inscriptionId": "x"})),
    ] {
        let answer = fixture.open_about(&offer, &extra).await;
        println!("{extra}");
        answer.refused(status, code);
    }
    for body in [proposal(&json!({})), proposal(&json!({"offerId": offer, "requestId": "rq_1"}))] {
        borrower.post(rig, NEGOTIATIONS, &body).await.refused(422, "negotiation_subject");
    }
    let own = proposal(&json!({"offerId": offer, "inscriptionId": fixture.inscription().to_string()}));
    lender.post(rig, NEGOTIATIONS, &own).await.refused(403, "own_offer");
    for unknown in ["of_1", "of_10000000099", "x"] {
        let body = proposal(&json!({"offerId": unknown, "inscriptionId": fixture.inscription().to_string()}));
        borrower.post(rig, NEGOTIATIONS, &body).await.refused(404, "unknown_offer");
    }
    for unknown in ["ng_1", "ng_10000000099", "x"] {
        accept(rig, borrower, unknown, 1).await.refused(404, "unknown_negotiation");
    }
    let id = fixture.opened(&offer).await;
    let mut turn = [lender, borrower].into_iter().cycle();
    for round in 1..10 {
        propose(rig, turn.next().unwrap(), &id, round, &json!({"interest": 200 + round})).await.ok();
    }
    let next = turn.next().unwrap();
    propose(rig, next, &id, 10, &json!({})).await.refused(409, "too_many_rounds");
    accept(rig, next, &id, 10).await.ok();
    fixture.rig.server.stop().await;
}
