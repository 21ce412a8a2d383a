//! Tests of prepared loans: they reserve nothing, so the first signature wins, and a borrower who never signs blocks
//! nothing.

use domain::{
    AssetRejection, BorrowerRecord, CancelledBy, LoanEvent, LoanId, LoanRejection, LoanStage, NoticeKind, OfferId,
    PREPARED_MAX, PREPARED_OF_LENDER_MAX, ProcessType, Rejection, ReservationId, Sats, UnixMs, UserId,
};
use engine::{Refusal, clock::Clock as _};
use tokio::time::{Duration, timeout};

use crate::{
    actions::{frog_draft, outpoint},
    loans::{prepared, signed},
    stage::{FROGS, NOON, Stage, until},
};

const PRINCIPAL: Sats = Sats::new(600_000);
const LONG: UnixMs = UnixMs(NOON.0 + 43_200_000);

/// Prepares a manual loan that is to lock an output; its id contains the output's number.
async fn prepare(stage: &Stage, coin: u8, offer: OfferId, lender: UserId, borrower: UserId) -> Result<LoanId, Refusal> {
    let id = LoanId(1_000 * u128::from(borrower.0) + u128::from(coin));
    let mut event = prepared(outpoint(coin), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
    if let LoanEvent::SoftPrepared { expires_at, .. } = &mut event {
        *expires_at = stage.clock.now().plus_ms(300_000);
    }
    stage.market.prepare_loan(id, event).await.map(|()| id)
}

async fn sign(stage: &Stage, id: LoanId) -> Result<(), Refusal> {
    stage.market.await_lender(id, "answer".to_owned(), LONG).await
}

/// The kinds of a user's notices about loans.
async fn told(stage: &Stage, user: UserId) -> Vec<NoticeKind> {
    let notices = stage.market.my_notices(user).await.unwrap();
    notices.into_iter().filter(|notice| notice.loan_id.is_some()).map(|notice| notice.kind.into()).collect()
}

#[actix::test]
async fn the_borrower_who_signs_first_has_the_offer_and_the_others_loans_end() {
    let stage = Stage::new().await;
    let (lender, first, second) = (stage.user(1).await, stage.user(2).await, stage.user(3).await);
    let offer = stage.manual(lender, PRINCIPAL.get()).await;
    let slow = prepare(&stage, 1, offer, lender, first).await.unwrap();
    let fast = prepare(&stage, 2, offer, lender, second).await.unwrap();
    assert_eq!(stage.market.book(FROGS).await.unwrap().offers.len(), 1, "the offer is still there for others");
    sign(&stage, fast).await.unwrap();
    assert_eq!(stage.market.loan(slow).await, None);
    assert_eq!(stage.market.check_taken(slow), Err(LoanRejection::Taken(slow)));
    assert!(matches!(sign(&stage, slow).await, Err(Refusal::Loan(LoanRejection::Unknown(_)))));
    assert_eq!(stage.market.holder_of(&outpoint(1)), None);
    assert_eq!(stage.market.holder_of(&outpoint(2)), Some(ReservationId(fast.0)));
}

#[actix::test]
async fn an_offer_that_its_lender_cancels_or_edits_ends_the_loans_prepared_of_it_with_a_notice() {
    let stage = Stage::new().await;
    let (lender, borrower) = (stage.user(1).await, stage.user(2).await);
    let (one, two) = (stage.manual(lender, PRINCIPAL.get()).await, stage.manual(lender, PRINCIPAL.get()).await);
    let of_cancelled = prepare(&stage, 1, one, lender, borrower).await.unwrap();
    let of_edited = prepare(&stage, 2, two, lender, borrower).await.unwrap();
    stage.market.command(FROGS, domain::Command::Cancel { lender, offer: one }, None).await.unwrap();
    assert_eq!(stage.market.loan(of_cancelled).await, None);
    assert_eq!(stage.market.loan(of_edited).await.unwrap().stage, LoanStage::Prepared, "of another offer");
    let draft = frog_draft(ProcessType::Manual, 610_000);
    let edit = domain::Command::Edit { lender, offer: two, draft, usable: None };
    stage.market.command(FROGS, edit, None).await.unwrap();
    assert_eq!(stage.market.loan(of_edited).await, None);
    assert_eq!(stage.market.check_taken(of_edited), Err(LoanRejection::Taken(of_edited)));
    assert_eq!(told(&stage, borrower).await, [NoticeKind::OfferTaken; 2], "in the list, also without a feed");
    assert_eq!(told(&stage, lender).await, []);
    prepare(&stage, 3, stage.manual(lender, PRINCIPAL.get()).await, lender, borrower).await.unwrap();
    let stage = stage.restarted().await;
    assert_eq!(stage.market.loan(of_cancelled).await, None);
}

#[actix::test]
async fn a_part_of_an_offer_ends_only_loans_that_no_longer_fit() {
    let stage = Stage::new().await;
    let (lender, other, borrower) = (stage.user(1).await, stage.user(4).await, stage.user(2).await);
    let (offer, elsewhere) = (stage.manual(lender, PRINCIPAL.get()).await, stage.manual(other, PRINCIPAL.get()).await);
    let mine = prepare(&stage, 1, offer, lender, borrower).await.unwrap();
    let same_coin = prepare(&stage, 1, elsewhere, other, stage.user(3).await).await.unwrap();
    let unrelated = prepare(&stage, 2, elsewhere, other, borrower).await.unwrap();
    sign(&stage, mine).await.unwrap();
    assert_eq!(stage.market.loan(same_coin).await, None, "it would spend the same output");
    assert_eq!(stage.market.loan(unrelated).await.unwrap().stage, LoanStage::Prepared);
    sign(&stage, unrelated).await.unwrap();
}

#[actix::test]
async fn a_borrowers_own_loan_with_the_same_collateral_ends_without_a_notice() {
    let stage = Stage::new().await;
    let (lender, other, borrower) = (stage.user(1).await, stage.user(4).await, stage.user(2).await);
    let (one, two) = (stage.manual(lender, PRINCIPAL.get()).await, stage.manual(other, PRINCIPAL.get()).await);
    let mine = prepare(&stage, 1, one, lender, borrower).await.unwrap();
    let id = LoanId(9);
    let again = prepared(outpoint(1), two, ProcessType::Manual, other, borrower, PRINCIPAL);
    stage.market.prepare_loan(id, again).await.unwrap();
    sign(&stage, id).await.unwrap();
    assert_eq!(stage.market.loan(mine).await, None);
    assert_eq!(stage.market.check_taken(mine), Ok(()), "the borrower's own choice");
}

#[actix::test]
async fn locked_collateral_is_not_prepared_again_by_its_holder() {
    let stage = Stage::new().await;
    let (lender, borrower) = (stage.user(1).await, stage.user(2).await);
    let (one, two) = (stage.manual(lender, PRINCIPAL.get()).await, stage.manual(lender, PRINCIPAL.get()).await);
    let held = prepare(&stage, 1, one, lender, borrower).await.unwrap();
    sign(&stage, held).await.unwrap();
    let again = prepared(outpoint(1), two, ProcessType::Manual, lender, borrower, PRINCIPAL);
    let refused = stage.market.prepare_loan(LoanId(9), again).await;
    assert_eq!(refused, Err(AssetRejection::Pledged(ReservationId(held.0)).into()));
}

#[actix::test]
async fn the_owner_of_collateral_ends_other_borrowers_loans_with_it_until_the_lender_has_signed() {
    let stage = Stage::new().await;
    let (lender, holder, owner) = (stage.user(1).await, stage.user(2).await, stage.user(3).await);
    let (one, two) = (stage.manual(lender, PRINCIPAL.get()).await, stage.manual(lender, PRINCIPAL.get()).await);
    let holders_loan = prepare(&stage, 1, one, lender, holder).await.unwrap();
    sign(&stage, holders_loan).await.unwrap();
    let owners = prepare(&stage, 1, two, lender, owner).await.unwrap();
    assert_eq!(stage.market.evictable(owner, &[outpoint(1), outpoint(2)]), [holders_loan]);
    assert_eq!(stage.market.evictable(holder, &[outpoint(1)]), [], "one does not evict oneself");
    stage.market.cancel_loan(holders_loan, CancelledBy::Owner).await.unwrap();
    sign(&stage, owners).await.unwrap();
    assert_eq!(told(&stage, holder).await, [NoticeKind::CollateralReclaimed]);
    stage.market.begin_loan(owners, signed(), None).await.unwrap();
    assert_eq!(stage.market.evictable(holder, &[outpoint(1)]), [], "all have signed");
}

#[actix::test]
async fn prepared_loans_are_limited_per_borrower_and_per_lender() {
    let stage = Stage::new().await;
    let borrower = stage.user(9).await;
    let too_many = |max| Err(Refusal::Loan(LoanRejection::TooManyPrepared { max }));
    let mut coin = 0;
    for number in 1..=2 {
        let lender = stage.user(number).await;
        for _ in 0..PREPARED_OF_LENDER_MAX.min(PREPARED_MAX - usize::from(coin)) {
            coin += 1;
            let offer = stage.manual(lender, PRINCIPAL.get()).await;
            prepare(&stage, coin, offer, lender, borrower).await.unwrap();
        }
        if number == 1 {
            let offer = stage.manual(lender, PRINCIPAL.get()).await;
            assert_eq!(prepare(&stage, 99, offer, lender, borrower).await, too_many(PREPARED_OF_LENDER_MAX));
        }
    }
    assert_eq!(usize::from(coin), PREPARED_MAX);
    let lender = stage.user(3).await;
    let offer = stage.manual(lender, PRINCIPAL.get()).await;
    assert_eq!(prepare(&stage, 99, offer, lender, borrower).await, too_many(PREPARED_MAX));
    let hour_ms = 3_600_000;
    stage.clock.advance_ms(300_000);
    stage.market.lapse_unbooked().await.unwrap();
    let until = stage.clock.now().plus_ms(hour_ms);
    let postponed = Err(Refusal::Loan(LoanRejection::Postponed { until }));
    assert_eq!(prepare(&stage, 99, offer, lender, borrower).await, postponed, "ten of them lapsed");
    stage.clock.advance_ms(hour_ms);
    prepare(&stage, 99, offer, lender, borrower).await.unwrap();
}

#[actix::test]
async fn a_loan_whose_time_ends_while_another_ones_lapse_is_written_lapses_within_the_interval() {
    let stage = Stage::new().await;
    let (lender, borrower) = (stage.user(1).await, stage.user(2).await);
    let (one, two) = (stage.manual(lender, PRINCIPAL.get()).await, stage.manual(lender, PRINCIPAL.get()).await);
    let first = prepare(&stage, 1, one, lender, borrower).await.unwrap();
    stage.clock.advance_ms(500);
    let second = prepare(&stage, 2, two, lender, borrower).await.unwrap();
    stage.journal.hold();
    stage.clock.advance_ms(299_600);
    until("the first lapse is being written", || stage.journal.waiting() == 1).await;
    stage.clock.advance_ms(1_000);
    stage.journal.let_all_go();
    for id in [first, second] {
        let lapsed = timeout(Duration::from_secs(10), async {
            while stage.market.loan(id).await.is_some() {
                tokio::task::yield_now().await;
            }
        });
        assert!(lapsed.await.is_ok(), "{id} still waits for its borrower");
    }
}

#[actix::test]
async fn a_borrower_with_lapsed_loans_must_wait_also_after_a_restart() {
    let mut stage = Stage::new().await;
    let (lender, borrower) = (stage.user(1).await, stage.user(2).await);
    let offer = stage.manual(lender, PRINCIPAL.get()).await;
    for lapse in 1..=4 {
        prepare(&stage, lapse, offer, lender, borrower).await.unwrap();
        stage.clock.advance_ms(300_000);
        stage.market.lapse_unbooked().await.unwrap();
    }
    let until = stage.clock.now().plus_ms(60_000);
    let postponed = Err(Refusal::Loan(LoanRejection::Postponed { until }));
    assert_eq!(prepare(&stage, 5, offer, lender, borrower).await, postponed);
    let other = stage.user(3).await;
    stage = stage.restarted().await;
    assert_eq!(prepare(&stage, 5, offer, lender, borrower).await, postponed);
    prepare(&stage, 6, offer, lender, other).await.unwrap();
    stage.clock.advance_ms(60_000);
    prepare(&stage, 7, offer, lender, borrower).await.unwrap();
}

#[actix::test]
async fn prepared_loans_are_replayed_and_still_reserve_nothing() {
    let stage = Stage::new().await;
    let (lender, first, second) = (stage.user(1).await, stage.user(2).await, stage.user(3).await);
    let offer = stage.manual(lender, PRINCIPAL.get()).await;
    let slow = prepare(&stage, 1, offer, lender, first).await.unwrap();
    let fast = prepare(&stage, 2, offer, lender, second).await.unwrap();
    let stage = stage.restarted().await;
    assert!(stage.market.promised([outpoint(1), outpoint(2)]).is_empty());
    sign(&stage, fast).await.unwrap();
    assert_eq!(stage.market.loan(slow).await, None);
    let stage = stage.restarted().await;
    assert_eq!(stage.market.loan(fast).await.unwrap().stage, LoanStage::AwaitingLender);
}

#[actix::test]
async fn a_late_signature_does_not_reserve_a_taken_or_paused_offer() {
    let stage = Stage::new().await;
    let (lender, borrower) = (stage.user(1).await, stage.user(2).await);
    let offer = stage.manual(lender, PRINCIPAL.get()).await;
    let id = prepare(&stage, 1, offer, lender, borrower).await.unwrap();
    stage.market.command(FROGS, domain::Command::Pause { lender, offer }, None).await.unwrap();
    assert_eq!(sign(&stage, id).await, Err(Rejection::OfferPaused(offer).into()));
    stage.market.command(FROGS, domain::Command::Cancel { lender, offer }, None).await.unwrap();
    assert!(matches!(sign(&stage, id).await, Err(Refusal::Loan(LoanRejection::Unknown(_)))), "it ended with its offer");
}

#[actix::test]
async fn moving_the_collateral_away_is_recorded_for_the_borrower() {
    let stage = Stage::new().await;
    let (lender, borrower) = (stage.user(1).await, stage.user(2).await);
    let offer = stage.manual(lender, PRINCIPAL.get()).await;
    let id = prepare(&stage, 1, offer, lender, borrower).await.unwrap();
    sign(&stage, id).await.unwrap();
    stage.market.cancel_loan(id, CancelledBy::CollateralMoved).await.unwrap();
    let record = BorrowerRecord { collateral_moved: 1, ..BorrowerRecord::default() };
    assert_eq!(stage.market.borrower_record(borrower), record);
    assert!(told(&stage, lender).await.contains(&NoticeKind::CollateralMoved));
    assert_eq!(told(&stage, borrower).await, [NoticeKind::Cancelled]);
    let stage = stage.restarted().await;
    assert_eq!(stage.market.borrower_record(borrower), record);
    assert_eq!(stage.market.book(FROGS).await.unwrap().offers.len(), 1, "the offer is free again");
}
