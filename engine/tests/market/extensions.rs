//! Tests of extensions: a loan that follows another one of the same lender and borrower takes no offer, and each of its
//! steps is one batch, too.

use domain::{
    AssetRejection, BlockTime, CancelledBy, Ending, LoanDeal, LoanEvent, LoanId, LoanRejection, LoanStage, OfferId,
    Outpoint, ProcessType, ReservationId, Sats, Stream, UnixMs, UserId,
};
use engine::{Refusal, SignedLoan};

use crate::{
    actions::outpoint,
    fake_journal::streams_of,
    fixture::{FROGS, Fixture, NOON},
    loans::{prepared, signed},
};

const OLD: LoanId = LoanId(41);
const NEW: LoanId = LoanId(7);
const PRINCIPAL: Sats = Sats::new(600_000);
const MINED: BlockTime = BlockTime { height: 100, at: NOON };
const DUE: UnixMs = UnixMs(NOON.0 + 14 * 86_400_000);

/// A running manual loan.
async fn running(fixture: &Fixture) -> LoanDeal {
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer: OfferId = fixture.manual(lender, PRINCIPAL.get()).await;
    let event = prepared(outpoint(1), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
    fixture.market.prepare_loan(OLD, event).await.unwrap();
    fixture.market.await_lender(OLD, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    fixture.market.begin_loan(OLD, signed(), None).await.unwrap();
    fixture.market.step_loan(OLD, LoanEvent::Confirmed(MINED)).await.unwrap();
    let deal = fixture.market.loan(OLD).await.unwrap().deal;
    LoanDeal { claim_after: deal.claim_after.plus_ms(7 * 86_400_000), follows: Some(OLD), ..deal }
}

fn extension(deal: LoanDeal) -> LoanEvent {
    let (deal, contract) = (Box::new(deal), "{}".to_owned());
    LoanEvent::ExtensionPrepared { deal, contract, expires_at: NOON.plus_ms(900_000), due_at: DUE }
}

fn signed_extension() -> SignedLoan {
    let ending = Ending::Extension(NEW);
    let ends = Some((OLD, LoanEvent::EndingSigned { ending, txid: [5; 32], transaction: String::new() }));
    SignedLoan { ends, ..signed() }
}

async fn stages(fixture: &Fixture) -> (LoanStage, LoanStage, Vec<LoanId>) {
    // A loan that its borrower never accepted is not kept.
    let of = async |id| fixture.market.loan(id).await.map_or(LoanStage::Cancelled, |loan| loan.stage);
    let book = fixture.market.book(FROGS).await.unwrap();
    (of(OLD).await, of(NEW).await, book.loans.iter().map(|loan| loan.id.0).collect())
}

async fn total(fixture: &Fixture) -> u64 {
    fixture.market.book(FROGS).await.unwrap().row.total_loans
}

async fn prepare_extension(fixture: &Fixture, deal: LoanDeal) {
    let outpoints: Vec<Outpoint> = vec![outpoint(3), outpoint(2), outpoint(3)];
    fixture.market.prepare_extension(NEW, extension(deal), outpoints).await.unwrap();
}

#[actix::test]
async fn a_fully_signed_extension_replaces_the_loan_in_the_book() {
    let fixture = Fixture::new().await;
    let deal = running(&fixture).await;
    let batch = || streams_of(&fixture.journal.last_batch());
    prepare_extension(&fixture, deal).await;
    assert_eq!(batch(), [Stream::Assets, Stream::Loan(NEW)]);
    assert_eq!(fixture.market.locked_outputs([outpoint(2), outpoint(3)]).len(), 2);
    fixture.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    assert_eq!(batch(), [Stream::Loan(NEW)]);
    assert_eq!(stages(&fixture).await, (LoanStage::Active, LoanStage::AwaitingLender, vec![OLD]));
    let total = total(&fixture).await;
    fixture.market.begin_loan(NEW, signed_extension(), None).await.unwrap();
    assert_eq!(batch(), [Stream::Book(FROGS), Stream::Assets, Stream::Loan(NEW), Stream::Loan(OLD)]);
    assert_eq!(stages(&fixture).await, (LoanStage::Repaying, LoanStage::Broadcast, vec![NEW]));
    assert!(fixture.market.locked_outputs([outpoint(2), outpoint(3)]).is_empty());
    assert_eq!(self::total(&fixture).await, total, "no loan was added");
    let before = fixture.market.loan(NEW).await;
    assert_eq!(fixture.restarted().await.market.loan(NEW).await, before);
}

#[actix::test]
async fn a_failed_extension_puts_the_loan_back_into_the_book_unless_it_has_ended() {
    for is_over in [false, true] {
        let fixture = Fixture::new().await;
        let deal = running(&fixture).await;
        prepare_extension(&fixture, deal).await;
        fixture.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
        fixture.market.begin_loan(NEW, signed_extension(), None).await.unwrap();
        let total = total(&fixture).await;
        if is_over {
            let ended = LoanEvent::Ended { ending: Ending::Repayment, txid: [6; 32], mined: MINED };
            fixture.market.step_loan(OLD, ended).await.unwrap();
        } else {
            fixture.market.step_loan(OLD, LoanEvent::EndingDropped).await.unwrap();
        }
        fixture.market.fail_loan(NEW).await.unwrap();
        let (old, book) = if is_over { (LoanStage::Repaid, vec![]) } else { (LoanStage::Active, vec![OLD]) };
        assert_eq!(stages(&fixture).await, (old, LoanStage::Failed, book));
        assert_eq!(self::total(&fixture).await, total);
    }
}

#[actix::test]
async fn an_extension_begins_also_if_the_book_no_longer_has_the_loan() {
    let fixture = Fixture::new().await;
    let deal = running(&fixture).await;
    fixture.market.finish_loan(OLD, Ending::Repayment, [6; 32], MINED).await.unwrap();
    fixture.market.step_loan(OLD, LoanEvent::EndUnconfirmed).await.unwrap();
    prepare_extension(&fixture, deal).await;
    fixture.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    fixture.market.begin_loan(NEW, signed_extension(), None).await.unwrap();
    assert_eq!(stages(&fixture).await, (LoanStage::Repaying, LoanStage::Broadcast, vec![]));
    assert!(fixture.market.locked_outputs([outpoint(2), outpoint(3)]).is_empty());
}

#[actix::test]
async fn an_extension_not_signed_in_time_lapses() {
    for (is_signed, end) in [(false, LoanStage::Cancelled), (true, LoanStage::Lapsed)] {
        let fixture = Fixture::new().await;
        let deal = running(&fixture).await;
        prepare_extension(&fixture, deal).await;
        if is_signed {
            fixture.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
        }
        let left = if is_signed { 43_200_000 } else { 900_000 };
        fixture.clock.advance_ms(left - 1);
        fixture.market.lapse_outside_book().await.unwrap();
        assert!(!fixture.market.loan(NEW).await.unwrap().stage.is_over(), "not yet");
        fixture.clock.advance_ms(1);
        let late = fixture.market.begin_loan(NEW, signed_extension(), None).await.unwrap_err();
        assert!(matches!(late, Refusal::Loan(_)), "{late:?}");
        fixture.market.lapse_outside_book().await.unwrap();
        assert_eq!(stages(&fixture).await, (LoanStage::Active, end, vec![OLD]));
        assert_eq!(fixture.market.loan(NEW).await.is_some(), is_signed);
        assert!(fixture.market.locked_outputs([outpoint(2), outpoint(3)]).is_empty());
        let written = fixture.journal.batches().len();
        fixture.market.lapse_outside_book().await.unwrap();
        assert_eq!(fixture.journal.batches().len(), written, "once");
    }
}

#[actix::test]
async fn an_extension_that_does_not_match_its_loan_is_refused() {
    let fixture = Fixture::new().await;
    let deal = running(&fixture).await;
    let prepare =
        async |deal: LoanDeal| fixture.market.prepare_extension(NEW, extension(deal), vec![outpoint(2)]).await;
    let others = [
        LoanDeal { follows: None, ..deal.clone() },
        LoanDeal { lender: UserId(99), ..deal.clone() },
        LoanDeal { borrower: UserId(99), ..deal.clone() },
        LoanDeal { principal: Sats::new(600_001), ..deal.clone() },
        LoanDeal { pledged_raw: 2, ..deal.clone() },
        LoanDeal { pledged_ids: ["j"].into_iter().collect(), ..deal.clone() },
        LoanDeal { process: ProcessType::Instant, ..deal.clone() },
        LoanDeal { claim_after: fixture.market.loan(OLD).await.unwrap().deal.claim_after, ..deal.clone() },
    ];
    for (row, other) in others.into_iter().enumerate() {
        assert_eq!(prepare(other).await.unwrap_err(), Refusal::DealChanged, "{row}");
    }
    let event = prepared(outpoint(1), deal.offer, ProcessType::Manual, deal.lender, deal.borrower, PRINCIPAL);
    assert_eq!(fixture.market.prepare_extension(NEW, event, vec![]).await.unwrap_err(), Refusal::DealChanged);
    let unknown = prepare(LoanDeal { follows: Some(LoanId(99)), ..deal.clone() }).await.unwrap_err();
    assert_eq!(unknown, LoanRejection::Unknown(LoanId(99)).into());
    prepare_extension(&fixture, deal.clone()).await;
    let again =
        fixture.market.prepare_extension(LoanId(8), extension(deal.clone()), vec![outpoint(2)]).await.unwrap_err();
    assert_eq!(again, AssetRejection::Pledged(ReservationId(NEW.0)).into());
    assert_eq!(prepare(deal.clone()).await.unwrap_err(), LoanRejection::Duplicate(NEW).into());
    fixture.market.cancel_loan(NEW, CancelledBy::Borrower).await.unwrap();
    let ending = LoanEvent::EndingSigned { ending: Ending::Repayment, txid: [6; 32], transaction: String::new() };
    fixture.market.step_loan(OLD, ending).await.unwrap();
    let late = fixture.market.prepare_extension(LoanId(8), extension(deal), vec![outpoint(2)]).await.unwrap_err();
    assert_eq!(late, LoanRejection::WrongStage { stage: LoanStage::Repaying }.into());
}

#[actix::test]
async fn an_extension_signed_in_the_meantime_is_not_cancelled_for_an_earlier_stage() {
    let fixture = Fixture::new().await;
    let deal = running(&fixture).await;
    prepare_extension(&fixture, deal).await;
    let seen = fixture.market.loan(NEW).await.unwrap();
    fixture.market.await_lender(NEW, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    let went_on = LoanRejection::WrongStage { stage: LoanStage::AwaitingLender };
    assert_eq!(fixture.market.cancel_loan_at_stage(&seen, CancelledBy::Borrower).await, Err(went_on.into()));
    assert_eq!(fixture.market.locked_outputs([outpoint(2), outpoint(3)]).len(), 2, "all is still held");
}
