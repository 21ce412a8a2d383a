//! Tests of extensions: a loan that follows another one of the same lender and borrower takes no offer, and each of its
//! steps is one batch, too.

use domain::{
    AssetRejection, CancelledBy, Ending, LoanDeal, LoanEvent, LoanId, LoanRejection, LoanStage, Mined, OfferId,
    Outpoint, ProcessType, ReservationId, Sats, Stream, UnixMs, UserId,
};
use engine::{Refusal, SignedLoan};

use crate::{
    actions::outpoint,
    fake_journal::streams_of,
    loans::{prepared, signed},
    stage::{FROGS, NOON, Stage},
};

const OLD: LoanId = LoanId(41);
const NEW: LoanId = LoanId(7);
const PRINCIPAL: Sats = Sats::new(600_000);
const MINED: Mined = Mined { height: 100, at: NOON };
const DUE: UnixMs = UnixMs(NOON.0 + 14 * 86_400_000);

/// A running manual loan.
async fn running(stage: &Stage) -> LoanDeal {
    let (lender, borrower) = (stage.user(1).await, stage.user(2).await);
    let offer: OfferId = stage.manual(lender, PRINCIPAL.get()).await;
    let event = prepared(outpoint(1), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
    stage.market.prepare_loan(OLD, event).await.unwrap();
    stage.market.await_lender(OLD, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    stage.market.begin_loan(OLD, signed(), None).await.unwrap();
    stage.market.step_loan(OLD, LoanEvent::Confirmed(MINED)).await.unwrap();
    let deal = stage.market.loan(OLD).await.unwrap().deal;
    LoanDeal { claim_after: deal.claim_after.plus_ms(7 * 86_400_000), follows: Some(OLD), ..deal }
}

fn extension(deal: LoanDeal) -> LoanEvent {
    let (deal, contract) = (Box::new(deal), "{}".to_owned());
    LoanEvent::ExtensionPrepared { deal, contract, expires_at: NOON.plus_ms(900_000), due_at: DUE }
}

fn agreed() -> SignedLoan {
    let ending = Ending::Extension(NEW);
    let ends = Some((OLD, LoanEvent::EndingSigned { ending, txid: [5; 32], transaction: String::new() }));
    SignedLoan { ends, ..signed() }
}

async fn stages(stage: &Stage) -> (LoanStage, LoanStage, Vec<LoanId>) {
    // A loan that its borrower never accepted is not kept.
    let of = async |id| stage.market.loan(id).await.map_or(LoanStage::Cancelled, |loan| loan.stage);
    let book = stage.market.book(FROGS).await.unwrap();
    (of(OLD).await, of(NEW).await, book.loans.iter().map(|loan| loan.id.0).collect())
}

async fn total(stage: &Stage) -> u64 {
    stage.market.book(FROGS).await.unwrap().row.total_loans
}

async fn asked(stage: &Stage, deal: LoanDeal) {
    let outpoints: Vec<Outpoint> = vec![outpoint(3), outpoint(2), outpoint(3)];
    stage.market.prepare_extension(NEW, extension(deal), outpoints).await.unwrap();
}

#[actix::test]
async fn a_fully_signed_extension_replaces_the_loan_in_the_book() {
    let stage = Stage::new().await;
    let deal = running(&stage).await;
    let batch = || streams_of(&stage.journal.last_batch());
    asked(&stage, deal).await;
    assert_eq!(batch(), [Stream::Assets, Stream::Loan(NEW)]);
    assert_eq!(stage.market.promised([outpoint(2), outpoint(3)]).len(), 2);
    stage.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    assert_eq!(batch(), [Stream::Loan(NEW)]);
    assert_eq!(stages(&stage).await, (LoanStage::Active, LoanStage::AwaitingLender, vec![OLD]));
    let total = total(&stage).await;
    stage.market.begin_loan(NEW, agreed(), None).await.unwrap();
    assert_eq!(batch(), [Stream::Book(FROGS), Stream::Assets, Stream::Loan(NEW), Stream::Loan(OLD)]);
    assert_eq!(stages(&stage).await, (LoanStage::Repaying, LoanStage::Broadcast, vec![NEW]));
    assert!(stage.market.promised([outpoint(2), outpoint(3)]).is_empty());
    assert_eq!(self::total(&stage).await, total, "no loan was added");
    let before = stage.market.loan(NEW).await;
    assert_eq!(stage.restarted().await.market.loan(NEW).await, before);
}

#[actix::test]
async fn a_failed_extension_puts_the_loan_back_into_the_book_unless_it_has_ended() {
    for is_over in [false, true] {
        let stage = Stage::new().await;
        let deal = running(&stage).await;
        asked(&stage, deal).await;
        stage.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
        stage.market.begin_loan(NEW, agreed(), None).await.unwrap();
        let total = total(&stage).await;
        if is_over {
            let ended = LoanEvent::Ended { ending: Ending::Repayment, txid: [6; 32], mined: MINED };
            stage.market.step_loan(OLD, ended).await.unwrap();
        } else {
            stage.market.step_loan(OLD, LoanEvent::EndingDropped).await.unwrap();
        }
        stage.market.fail_loan(NEW).await.unwrap();
        let (old, book) = if is_over { (LoanStage::Repaid, vec![]) } else { (LoanStage::Active, vec![OLD]) };
        assert_eq!(stages(&stage).await, (old, LoanStage::Failed, book));
        assert_eq!(self::total(&stage).await, total);
    }
}

#[actix::test]
async fn an_extension_begins_also_if_the_book_no_longer_has_the_loan() {
    let stage = Stage::new().await;
    let deal = running(&stage).await;
    stage.market.finish_loan(OLD, Ending::Repayment, [6; 32], MINED).await.unwrap();
    stage.market.step_loan(OLD, LoanEvent::EndUndone).await.unwrap();
    asked(&stage, deal).await;
    stage.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    stage.market.begin_loan(NEW, agreed(), None).await.unwrap();
    assert_eq!(stages(&stage).await, (LoanStage::Repaying, LoanStage::Broadcast, vec![]));
    assert!(stage.market.promised([outpoint(2), outpoint(3)]).is_empty());
}

#[actix::test]
async fn an_extension_not_signed_in_time_lapses() {
    for (is_signed, end) in [(false, LoanStage::Cancelled), (true, LoanStage::Lapsed)] {
        let stage = Stage::new().await;
        let deal = running(&stage).await;
        asked(&stage, deal).await;
        if is_signed {
            stage.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
        }
        let left = if is_signed { 43_200_000 } else { 900_000 };
        stage.clock.advance_ms(left - 1);
        stage.market.lapse_unbooked().await.unwrap();
        assert!(!stage.market.loan(NEW).await.unwrap().stage.is_over(), "not yet");
        stage.clock.advance_ms(1);
        let late = stage.market.begin_loan(NEW, agreed(), None).await.unwrap_err();
        assert!(matches!(late, Refusal::Loan(_)), "{late:?}");
        stage.market.lapse_unbooked().await.unwrap();
        assert_eq!(stages(&stage).await, (LoanStage::Active, end, vec![OLD]));
        assert_eq!(stage.market.loan(NEW).await.is_some(), is_signed);
        assert!(stage.market.promised([outpoint(2), outpoint(3)]).is_empty());
        let written = stage.journal.batches().len();
        stage.market.lapse_unbooked().await.unwrap();
        assert_eq!(stage.journal.batches().len(), written, "once");
    }
}

#[actix::test]
async fn an_extension_that_does_not_match_its_loan_is_refused() {
    let stage = Stage::new().await;
    let deal = running(&stage).await;
    let prepare = async |deal: LoanDeal| stage.market.prepare_extension(NEW, extension(deal), vec![outpoint(2)]).await;
    let others = [
        LoanDeal { follows: None, ..deal.clone() },
        LoanDeal { lender: UserId(99), ..deal.clone() },
        LoanDeal { borrower: UserId(99), ..deal.clone() },
        LoanDeal { principal: Sats::new(600_001), ..deal.clone() },
        LoanDeal { pledged_raw: 2, ..deal.clone() },
        LoanDeal { pledged_id: "j".to_owned(), ..deal.clone() },
        LoanDeal { process: ProcessType::Instant, ..deal.clone() },
        LoanDeal { claim_after: stage.market.loan(OLD).await.unwrap().deal.claim_after, ..deal.clone() },
    ];
    for (row, other) in others.into_iter().enumerate() {
        assert_eq!(prepare(other).await.unwrap_err(), Refusal::DealChanged, "{row}");
    }
    let event = prepared(outpoint(1), deal.offer, ProcessType::Manual, deal.lender, deal.borrower, PRINCIPAL);
    assert_eq!(stage.market.prepare_extension(NEW, event, vec![]).await.unwrap_err(), Refusal::DealChanged);
    let unknown = prepare(LoanDeal { follows: Some(LoanId(99)), ..deal.clone() }).await.unwrap_err();
    assert_eq!(unknown, LoanRejection::Unknown(LoanId(99)).into());
    asked(&stage, deal.clone()).await;
    let again =
        stage.market.prepare_extension(LoanId(8), extension(deal.clone()), vec![outpoint(2)]).await.unwrap_err();
    assert_eq!(again, AssetRejection::Pledged(ReservationId(NEW.0)).into());
    assert_eq!(prepare(deal.clone()).await.unwrap_err(), LoanRejection::Duplicate(NEW).into());
    stage.market.cancel_loan(NEW, CancelledBy::Borrower).await.unwrap();
    let ending = LoanEvent::EndingSigned { ending: Ending::Repayment, txid: [6; 32], transaction: String::new() };
    stage.market.step_loan(OLD, ending).await.unwrap();
    let late = stage.market.prepare_extension(LoanId(8), extension(deal), vec![outpoint(2)]).await.unwrap_err();
    assert_eq!(late, LoanRejection::WrongStage { stage: LoanStage::Repaying }.into());
}

#[actix::test]
async fn an_extension_signed_in_the_meantime_is_not_cancelled_for_an_earlier_stage() {
    let stage = Stage::new().await;
    let deal = running(&stage).await;
    asked(&stage, deal).await;
    let seen = stage.market.loan(NEW).await.unwrap();
    stage.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    let went_on = LoanRejection::WrongStage { stage: LoanStage::AwaitingLender };
    assert_eq!(stage.market.give_up_loan(&seen, CancelledBy::Borrower).await, Err(went_on.into()));
    assert_eq!(stage.market.promised([outpoint(2), outpoint(3)]).len(), 2, "all is still held");
}
