//! Tests of prepared loans: they reserve nothing, so the first signature wins, and a borrower who never signs blocks
//! nothing.

use domain::{
    AssetRejection, BorrowerRecord, CancelledBy, LoanEvent, LoanId, LoanRejection, LoanStage, NoticeKind, OfferId,
    PREPARED_MAX, PREPARED_PER_LENDER_MAX, ProcessType, Rejection, ReservationId, Sats, UnixMs, UserId,
};
use engine::{Refusal, clock::Clock as _};
use tokio::time::{Duration, timeout};

use crate::{
    actions::{frog_draft, outpoint},
    fixture::{FROGS, Fixture, NOON, until},
    loans::{prepared, signed},
};

const PRINCIPAL: Sats = Sats::new(600_000);
const LONG: UnixMs = UnixMs(NOON.0 + 43_200_000);

/// Prepares a manual loan that is to lock an output; its id contains the output's number.
async fn prepare(
    fixture: &Fixture,
    coin: u8,
    offer: OfferId,
    lender: UserId,
    borrower: UserId,
) -> Result<LoanId, Refusal> {
    let id = LoanId(1_000 * u128::from(borrower.0) + u128::from(coin));
    let mut event = prepared(outpoint(coin), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
    if let LoanEvent::SoftPrepared { expires_at, .. } = &mut event {
        *expires_at = fixture.clock.now().plus_ms(300_000);
    }
    fixture.market.prepare_loan(id, event).await.map(|()| id)
}

async fn sign(fixture: &Fixture, id: LoanId) -> Result<(), Refusal> {
    fixture.market.await_lender(id, "answer".to_owned(), LONG).await
}

/// The kinds of a user's notices about loans.
async fn notice_kinds(fixture: &Fixture, user: UserId) -> Vec<NoticeKind> {
    let notices = fixture.market.my_notices(user).await.unwrap();
    notices.into_iter().filter(|notice| notice.loan_id.is_some()).map(|notice| notice.kind.into()).collect()
}

#[actix::test]
async fn the_borrower_who_signs_first_has_the_offer_and_the_others_loans_end() {
    let fixture = Fixture::new().await;
    let (lender, first, second) = (fixture.user(1).await, fixture.user(2).await, fixture.user(3).await);
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    let slow = prepare(&fixture, 1, offer, lender, first).await.unwrap();
    let fast = prepare(&fixture, 2, offer, lender, second).await.unwrap();
    assert_eq!(fixture.market.book(FROGS).await.unwrap().offers.len(), 1, "the offer is still there for others");
    sign(&fixture, fast).await.unwrap();
    assert_eq!(fixture.market.loan(slow).await, None);
    assert_eq!(fixture.market.check_taken(slow), Err(LoanRejection::Taken(slow)));
    assert!(matches!(sign(&fixture, slow).await, Err(Refusal::Loan(LoanRejection::Unknown(_)))));
    assert_eq!(fixture.market.reservation_of_output(&outpoint(1)), None);
    assert_eq!(fixture.market.reservation_of_output(&outpoint(2)), Some(ReservationId(fast.0)));
}

#[actix::test]
async fn an_offer_that_its_lender_cancels_or_edits_ends_the_loans_prepared_of_it_with_a_notice() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let (one, two) = (fixture.manual(lender, PRINCIPAL.get()).await, fixture.manual(lender, PRINCIPAL.get()).await);
    let of_cancelled = prepare(&fixture, 1, one, lender, borrower).await.unwrap();
    let of_edited = prepare(&fixture, 2, two, lender, borrower).await.unwrap();
    fixture.market.command(FROGS, domain::Command::Cancel { lender, offer: one }, None).await.unwrap();
    assert_eq!(fixture.market.loan(of_cancelled).await, None);
    assert_eq!(fixture.market.loan(of_edited).await.unwrap().stage, LoanStage::Prepared, "of another offer");
    let draft = frog_draft(ProcessType::Manual, 610_000);
    let edit = domain::Command::Edit { lender, offer: two, draft, usable: None };
    fixture.market.command(FROGS, edit, None).await.unwrap();
    assert_eq!(fixture.market.loan(of_edited).await, None);
    assert_eq!(fixture.market.check_taken(of_edited), Err(LoanRejection::Taken(of_edited)));
    assert_eq!(notice_kinds(&fixture, borrower).await, [NoticeKind::OfferTaken; 2], "in the list, also without a feed");
    assert_eq!(notice_kinds(&fixture, lender).await, []);
    prepare(&fixture, 3, fixture.manual(lender, PRINCIPAL.get()).await, lender, borrower).await.unwrap();
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.loan(of_cancelled).await, None);
}

#[actix::test]
async fn a_part_of_an_offer_ends_only_loans_that_no_longer_fit() {
    let fixture = Fixture::new().await;
    let (lender, other, borrower) = (fixture.user(1).await, fixture.user(4).await, fixture.user(2).await);
    let (offer, elsewhere) =
        (fixture.manual(lender, PRINCIPAL.get()).await, fixture.manual(other, PRINCIPAL.get()).await);
    let mine = prepare(&fixture, 1, offer, lender, borrower).await.unwrap();
    let same_coin = prepare(&fixture, 1, elsewhere, other, fixture.user(3).await).await.unwrap();
    let unrelated = prepare(&fixture, 2, elsewhere, other, borrower).await.unwrap();
    sign(&fixture, mine).await.unwrap();
    assert_eq!(fixture.market.loan(same_coin).await, None, "it would spend the same output");
    assert_eq!(fixture.market.loan(unrelated).await.unwrap().stage, LoanStage::Prepared);
    sign(&fixture, unrelated).await.unwrap();
}

#[actix::test]
async fn a_borrowers_own_loan_with_the_same_collateral_ends_without_a_notice() {
    let fixture = Fixture::new().await;
    let (lender, other, borrower) = (fixture.user(1).await, fixture.user(4).await, fixture.user(2).await);
    let (one, two) = (fixture.manual(lender, PRINCIPAL.get()).await, fixture.manual(other, PRINCIPAL.get()).await);
    let mine = prepare(&fixture, 1, one, lender, borrower).await.unwrap();
    let id = LoanId(9);
    let again = prepared(outpoint(1), two, ProcessType::Manual, other, borrower, PRINCIPAL);
    fixture.market.prepare_loan(id, again).await.unwrap();
    sign(&fixture, id).await.unwrap();
    assert_eq!(fixture.market.loan(mine).await, None);
    assert_eq!(fixture.market.check_taken(mine), Ok(()), "the borrower's own choice");
}

#[actix::test]
async fn locked_collateral_is_not_prepared_again_by_its_holder() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let (one, two) = (fixture.manual(lender, PRINCIPAL.get()).await, fixture.manual(lender, PRINCIPAL.get()).await);
    let held = prepare(&fixture, 1, one, lender, borrower).await.unwrap();
    sign(&fixture, held).await.unwrap();
    let again = prepared(outpoint(1), two, ProcessType::Manual, lender, borrower, PRINCIPAL);
    let refused = fixture.market.prepare_loan(LoanId(9), again).await;
    assert_eq!(refused, Err(AssetRejection::Pledged(ReservationId(held.0)).into()));
}

#[actix::test]
async fn the_owner_of_collateral_ends_other_borrowers_loans_with_it_until_the_lender_has_signed() {
    let fixture = Fixture::new().await;
    let (lender, holder, owner) = (fixture.user(1).await, fixture.user(2).await, fixture.user(3).await);
    let (one, two) = (fixture.manual(lender, PRINCIPAL.get()).await, fixture.manual(lender, PRINCIPAL.get()).await);
    let holders_loan = prepare(&fixture, 1, one, lender, holder).await.unwrap();
    sign(&fixture, holders_loan).await.unwrap();
    let owners = prepare(&fixture, 1, two, lender, owner).await.unwrap();
    assert_eq!(fixture.market.evictable(owner, &[outpoint(1), outpoint(2)]), [holders_loan]);
    assert_eq!(fixture.market.evictable(holder, &[outpoint(1)]), [], "one does not evict oneself");
    fixture.market.cancel_loan(holders_loan, CancelledBy::Owner).await.unwrap();
    sign(&fixture, owners).await.unwrap();
    assert_eq!(notice_kinds(&fixture, holder).await, [NoticeKind::CollateralReclaimed]);
    fixture.market.begin_loan(owners, signed(), None).await.unwrap();
    assert_eq!(fixture.market.evictable(holder, &[outpoint(1)]), [], "all have signed");
}

#[actix::test]
async fn prepared_loans_are_limited_per_borrower_and_per_lender() {
    let fixture = Fixture::new().await;
    let borrower = fixture.user(9).await;
    let too_many = |max| Err(Refusal::Loan(LoanRejection::TooManyPrepared { max }));
    let mut coin = 0;
    for number in 1..=2 {
        let lender = fixture.user(number).await;
        for _ in 0..PREPARED_PER_LENDER_MAX.min(PREPARED_MAX - usize::from(coin)) {
            coin += 1;
            let offer = fixture.manual(lender, PRINCIPAL.get()).await;
            prepare(&fixture, coin, offer, lender, borrower).await.unwrap();
        }
        if number == 1 {
            let offer = fixture.manual(lender, PRINCIPAL.get()).await;
            assert_eq!(prepare(&fixture, 99, offer, lender, borrower).await, too_many(PREPARED_PER_LENDER_MAX));
        }
    }
    assert_eq!(usize::from(coin), PREPARED_MAX);
    let lender = fixture.user(3).await;
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    assert_eq!(prepare(&fixture, 99, offer, lender, borrower).await, too_many(PREPARED_MAX));
    let hour_ms = 3_600_000;
    fixture.clock.advance_ms(300_000);
    fixture.market.lapse_outside_book().await.unwrap();
    let until = fixture.clock.now().plus_ms(hour_ms);
    let postponed = Err(Refusal::Loan(LoanRejection::Postponed { until }));
    assert_eq!(prepare(&fixture, 99, offer, lender, borrower).await, postponed, "ten of them lapsed");
    fixture.clock.advance_ms(hour_ms);
    prepare(&fixture, 99, offer, lender, borrower).await.unwrap();
}

#[actix::test]
async fn a_loan_whose_time_ends_while_another_ones_lapse_is_written_lapses_within_the_interval() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let (one, two) = (fixture.manual(lender, PRINCIPAL.get()).await, fixture.manual(lender, PRINCIPAL.get()).await);
    let first = prepare(&fixture, 1, one, lender, borrower).await.unwrap();
    fixture.clock.advance_ms(500);
    let second = prepare(&fixture, 2, two, lender, borrower).await.unwrap();
    fixture.journal.hold();
    fixture.clock.advance_ms(299_600);
    until("the first lapse is being written", || fixture.journal.waiting() == 1).await;
    fixture.clock.advance_ms(1_000);
    fixture.journal.let_all_go();
    for id in [first, second] {
        let lapsed = timeout(Duration::from_secs(10), async {
            while fixture.market.loan(id).await.is_some() {
                tokio::task::yield_now().await;
            }
        });
        assert!(lapsed.await.is_ok(), "{id} still waits for its borrower");
    }
}

#[actix::test]
async fn a_borrower_with_lapsed_loans_must_wait_also_after_a_restart() {
    let mut fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    for lapse in 1..=4 {
        prepare(&fixture, lapse, offer, lender, borrower).await.unwrap();
        fixture.clock.advance_ms(300_000);
        fixture.market.lapse_outside_book().await.unwrap();
    }
    let until = fixture.clock.now().plus_ms(60_000);
    let postponed = Err(Refusal::Loan(LoanRejection::Postponed { until }));
    assert_eq!(prepare(&fixture, 5, offer, lender, borrower).await, postponed);
    let other = fixture.user(3).await;
    fixture = fixture.restarted().await;
    assert_eq!(prepare(&fixture, 5, offer, lender, borrower).await, postponed);
    prepare(&fixture, 6, offer, lender, other).await.unwrap();
    fixture.clock.advance_ms(60_000);
    prepare(&fixture, 7, offer, lender, borrower).await.unwrap();
}

#[actix::test]
async fn prepared_loans_are_replayed_and_still_reserve_nothing() {
    let fixture = Fixture::new().await;
    let (lender, first, second) = (fixture.user(1).await, fixture.user(2).await, fixture.user(3).await);
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    let slow = prepare(&fixture, 1, offer, lender, first).await.unwrap();
    let fast = prepare(&fixture, 2, offer, lender, second).await.unwrap();
    let fixture = fixture.restarted().await;
    assert!(fixture.market.locked_outputs([outpoint(1), outpoint(2)]).is_empty());
    sign(&fixture, fast).await.unwrap();
    assert_eq!(fixture.market.loan(slow).await, None);
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.loan(fast).await.unwrap().stage, LoanStage::AwaitingLender);
}

#[actix::test]
async fn a_late_signature_does_not_reserve_a_taken_or_paused_offer() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    let id = prepare(&fixture, 1, offer, lender, borrower).await.unwrap();
    fixture.market.command(FROGS, domain::Command::Pause { lender, offer }, None).await.unwrap();
    assert_eq!(sign(&fixture, id).await, Err(Rejection::OfferPaused(offer).into()));
    fixture.market.command(FROGS, domain::Command::Cancel { lender, offer }, None).await.unwrap();
    assert!(
        matches!(sign(&fixture, id).await, Err(Refusal::Loan(LoanRejection::Unknown(_)))),
        "it ended with its offer"
    );
}

#[actix::test]
async fn moving_the_collateral_away_is_recorded_for_the_borrower() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    let id = prepare(&fixture, 1, offer, lender, borrower).await.unwrap();
    sign(&fixture, id).await.unwrap();
    fixture.market.cancel_loan(id, CancelledBy::CollateralMoved).await.unwrap();
    let record = BorrowerRecord { collateral_moved: 1, ..BorrowerRecord::default() };
    assert_eq!(fixture.market.borrower_record(borrower), record);
    assert!(notice_kinds(&fixture, lender).await.contains(&NoticeKind::CollateralMoved));
    assert_eq!(notice_kinds(&fixture, borrower).await, [NoticeKind::Cancelled]);
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.borrower_record(borrower), record);
    assert_eq!(fixture.market.book(FROGS).await.unwrap().offers.len(), 1, "the offer is free again");
}
