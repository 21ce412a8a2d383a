//! Tests of the borrow requests that a market shows: ranked for lenders, the same after a restart, expired by themselves.

use std::sync::Arc;

use domain::{
    Allowance, BookEvent, BorrowRequest, Command, Inscription, InterestRate, NamedBorrower, Quantity, RequestId,
    RequestTerms, Sats, TermDays, UserId,
};
use engine::wire::RequestState;

use crate::{
    actions::frog_draft,
    fixture::{FROGS, Fixture, MANUAL, NOON, until},
};

async fn place(fixture: &Fixture, borrower: UserId, index: u32, (principal, interest): (u64, u32)) -> RequestId {
    let terms = RequestTerms {
        borrower: NamedBorrower { user: borrower, payment_address: "bc1qborrower".to_owned() },
        inscriptions: vec![Inscription { txid: [7; 32], index }],
        quantity: Quantity::inscriptions(1),
        principal: Sats::new(principal),
        interest_max: InterestRate::from_basis_points(interest),
        term_min: TermDays(1),
        term_max: TermDays(90),
        good_until: NOON.plus_ms(BorrowRequest::GOOD_FOR_MAX_MS),
    };
    let placed = fixture.submit(FROGS, Command::PlaceRequest { terms: Arc::new(terms), held_raw: None }).await.unwrap();
    let id = placed.events.iter().find_map(|event| match event {
        BookEvent::RequestPlaced { request, .. } => Some(*request),
        _ => None,
    });
    id.unwrap()
}

async fn ranked(fixture: &Fixture) -> Vec<RequestId> {
    let requests = fixture.market.ranked_borrow_requests(FROGS).await.unwrap();
    requests.iter().map(|request| request.request_id.0).collect()
}

#[actix::test]
async fn requests_are_ranked_for_lenders_and_filled_ones_come_last_also_after_a_restart() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let highest_ltv = place(&fixture, borrower, 1, (600_000, 900)).await;
    let low_interest = place(&fixture, borrower, 2, (400_000, 700)).await;
    let best = place(&fixture, borrower, 3, (400_000, 900)).await;
    let later = place(&fixture, borrower, 4, (400_000, 700)).await;
    assert_eq!(ranked(&fixture).await, [best, low_interest, later, highest_ltv]);

    let fill = Command::FillRequest {
        lender,
        request: best,
        draft: frog_draft(MANUAL, 400_000),
        usable: None,
        allowance: Allowance::default(),
    };
    fixture.submit(FROGS, fill).await.unwrap();
    let order = [low_interest, later, highest_ltv, best];
    assert_eq!(ranked(&fixture).await, order);

    let fixture = fixture.restarted().await;
    assert_eq!(ranked(&fixture).await, order);
    let last = fixture.market.ranked_borrow_requests(FROGS).await.unwrap().pop().unwrap();
    assert_eq!(last.state, RequestState::Filled);

    fixture.clock.advance_ms(BorrowRequest::GOOD_FOR_MAX_MS);
    until("their time is over", || fixture.market.borrow_requests().is_empty()).await;
    assert!(ranked(&fixture).await.is_empty());
}
