//! Tests of loans: each step is one batch with its consequences for book, vault and pledges.

use domain::{
    BlockTime, CancelledBy, Ending, Event, GroupId, Inscription, InterestRate, LoanCoins, LoanDeal, LoanEvent, LoanId,
    LoanRejection, LoanStage, OfferId, Outpoint, ProcessType, ReservationId, Sats, SpendId, Stream, SubCollectionId,
    TermDays, UnixMs, UserId, VaultRejection, VaultSpend,
};
use engine::{ListingRejection, Refusal, ReserveRequest, SignedLoan, clock::Clock};

use crate::{
    actions::outpoint,
    fake_journal::{events_of, streams_of},
    fixture::{FROGS, Fixture, GOLD, NOON, until},
    vaults::{keys, mined},
};

const ID: LoanId = LoanId(41);
const PRINCIPAL: Sats = Sats::new(600_000);
const MINED: BlockTime = BlockTime { height: 100, at: NOON };
pub(crate) const UNTIL: UnixMs = UnixMs(NOON.0 + 900_000);

/// A prepared loan that is to lock an output.
pub(crate) fn prepared(
    coin: Outpoint,
    offer: OfferId,
    process: ProcessType,
    lender: UserId,
    borrower: UserId,
    principal: Sats,
) -> LoanEvent {
    let deal = LoanDeal {
        offer,
        sub_collection: SubCollectionId(0),
        process,
        lender,
        borrower,
        principal,
        rate: InterestRate::from_basis_points(100),
        interest: Sats::new(6_000),
        platform_fee: Sats::new(1_200),
        pledged_raw: 1,
        pledged_ids: ["i"].into_iter().collect(),
        term: TermDays(7),
        claim_after: UnixMs(NOON.0 + 9 * 86_400_000),
        follows: None,
    };
    let coins = LoanCoins { collateral: vec![coin], money: Vec::new() };
    LoanEvent::SoftPrepared { deal: Box::new(deal), contract: "{}".to_owned(), expires_at: UNTIL, coins }
}

fn request(offer: OfferId, borrower: UserId) -> ReserveRequest {
    ReserveRequest {
        reservation: ReservationId(ID.0),
        offer,
        borrower,
        pledged_raw: None,
        inscriptions: Vec::new(),
        outpoints: vec![outpoint(1)],
        expires_at: NOON.plus_ms(900_000),
    }
}

pub(crate) fn signed() -> SignedLoan {
    SignedLoan { txid: [5; 32], running: "{}".to_owned(), vault: None, ends: None }
}

async fn manual(fixture: &Fixture) -> (UserId, UserId) {
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    let event = prepared(outpoint(1), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
    fixture.market.prepare_loan(ID, event).await.unwrap();
    (lender, borrower)
}

async fn stage_of(fixture: &Fixture) -> LoanStage {
    fixture.market.loan(ID).await.unwrap().stage
}

#[actix::test]
async fn a_manual_loan_goes_from_prepared_to_repaid_and_each_step_is_one_batch() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = manual(&fixture).await;
    let batch = || streams_of(&fixture.journal.last_batch());
    assert_eq!(batch(), [Stream::Loan(ID)], "nothing is held before the borrower has signed");
    fixture.market.await_lender(ID, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    assert_eq!(batch(), [Stream::Book(FROGS), Stream::Assets, Stream::Loan(ID)]);
    fixture.market.begin_loan(ID, signed(), None).await.unwrap();
    assert_eq!(batch(), [Stream::Book(FROGS), Stream::Loan(ID)], "its outputs stay locked until it has ended");
    let book = fixture.market.book(FROGS).await.unwrap();
    assert_eq!((book.offers.len(), book.loans.len()), (0, 1));
    fixture.market.step_loan(ID, LoanEvent::Confirmed(MINED)).await.unwrap();
    assert_eq!(batch(), [Stream::Loan(ID)]);
    assert_eq!(fixture.market.watched_loans().await.len(), 1);
    let ending = LoanEvent::EndingSigned { ending: Ending::Repayment, txid: [6; 32], transaction: String::new() };
    fixture.market.step_loan(ID, ending).await.unwrap();
    fixture.market.finish_loan(ID, Ending::Repayment, [6; 32], MINED).await.unwrap();
    assert_eq!(batch(), [Stream::Book(FROGS), Stream::Assets, Stream::Loan(ID)]);
    assert!(fixture.market.book(FROGS).await.unwrap().loans.is_empty());
    for user in [lender, borrower] {
        let stages: Vec<_> = fixture.market.loans_of(user).await.iter().map(|loan| loan.stage).collect();
        assert_eq!(stages, [LoanStage::Repaid]);
    }
    assert_eq!(fixture.market.watched_loans().await.len(), 1, "a reorg may still reverse the end");
    fixture.market.forget_watched_loan(ID);
    assert!(fixture.market.watched_loans().await.is_empty());
}

#[actix::test]
async fn a_loan_lapses_when_its_lender_does_not_sign_in_time_and_everything_is_released() {
    let fixture = Fixture::new().await;
    let (_, borrower) = manual(&fixture).await;
    fixture.market.await_lender(ID, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    fixture.clock.advance_ms(900_001);
    assert_eq!(stage_of(&fixture).await, LoanStage::AwaitingLender, "the borrower's time does not count any more");
    fixture.clock.advance_ms(42_300_000);
    let lapsed = || events_of(&fixture.journal.last_batch(), Stream::Loan(ID)) == [Event::Loan(LoanEvent::Lapsed)];
    until("the reservation ends", lapsed).await;
    assert_eq!(stage_of(&fixture).await, LoanStage::Lapsed);
    let late = fixture.market.begin_loan(ID, signed(), None).await.unwrap_err();
    assert!(matches!(late, Refusal::Book(_) | Refusal::Loan(_)), "{late:?}");
    let book = fixture.market.book(FROGS).await.unwrap();
    let offer = book.offers[0].offer_id.0;
    let again = ReserveRequest {
        reservation: ReservationId(5),
        expires_at: Clock::now(&*fixture.clock).plus_ms(9),
        ..request(offer, borrower)
    };
    assert!(fixture.market.reserve(again, None).await.is_ok(), "offer and collateral are free");
}

#[actix::test]
async fn a_returned_prepared_loan_leaves_nothing() {
    let fixture = Fixture::new().await;
    manual(&fixture).await;
    fixture.market.cancel_loan(ID, CancelledBy::Borrower).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), [Stream::Loan(ID)]);
    assert_eq!(fixture.market.loan(ID).await, None, "it is not needed again");
    let unknown = Refusal::Loan(LoanRejection::Unknown(ID));
    assert_eq!(fixture.market.cancel_loan(ID, CancelledBy::Borrower).await, Err(unknown.clone()));
    assert_eq!(fixture.market.await_lender(ID, "answer".to_owned(), NOON.plus_ms(9)).await, Err(unknown));
}

#[actix::test]
async fn a_loan_signed_in_the_meantime_is_not_cancelled_for_an_earlier_stage() {
    let fixture = Fixture::new().await;
    manual(&fixture).await;
    let seen = fixture.market.loan(ID).await.unwrap();
    fixture.market.await_lender(ID, "answer".to_owned(), NOON.plus_ms(900_000)).await.unwrap();
    let batches = fixture.journal.batches_count();
    let went_on = LoanRejection::WrongStage { stage: LoanStage::AwaitingLender };
    assert_eq!(fixture.market.cancel_loan_at_stage(&seen, CancelledBy::Borrower).await, Err(went_on.into()));
    assert_eq!((stage_of(&fixture).await, fixture.journal.batches_count()), (LoanStage::AwaitingLender, batches));

    let seen = fixture.market.loan(ID).await.unwrap();
    fixture.market.cancel_loan_at_stage(&seen, CancelledBy::Market).await.unwrap();
    assert_eq!(stage_of(&fixture).await, LoanStage::Cancelled);
    fixture.market.cancel_loan_at_stage(&seen, CancelledBy::Market).await.unwrap();
}

#[actix::test]
async fn a_cancelled_loan_is_not_cancelled_again_and_one_that_began_never_is() {
    let fixture = Fixture::new().await;
    manual(&fixture).await;
    let prepared = fixture.market.loan(ID).await.unwrap();
    fixture.market.await_lender(ID, "answer".to_owned(), NOON.plus_ms(900_000)).await.unwrap();
    let signed = SignedLoan { txid: [4; 32], running: "kept".to_owned(), vault: None, ends: None };
    fixture.market.begin_loan(ID, signed, None).await.unwrap();
    let went_on = LoanRejection::WrongStage { stage: LoanStage::Broadcast };
    assert_eq!(fixture.market.cancel_loan_at_stage(&prepared, CancelledBy::Borrower).await, Err(went_on.into()));

    let fixture = Fixture::new().await;
    manual(&fixture).await;
    let prepared = fixture.market.loan(ID).await.unwrap();
    fixture.market.cancel_loan(ID, CancelledBy::Time).await.unwrap();
    assert_eq!(fixture.market.loan(ID).await, None);
    assert_eq!(
        fixture.market.cancel_loan_at_stage(&prepared, CancelledBy::Borrower).await,
        Ok(()),
        "it is over already"
    );
}

#[actix::test]
async fn a_rebuilt_loan_locks_its_new_outputs_and_no_others() {
    let fixture = Fixture::new().await;
    manual(&fixture).await;
    let output = |vout| Outpoint { txid: [9; 32], vout };
    let later = NOON.plus_ms(900_000);
    let held = |vout| fixture.market.reservation_of_output(&output(vout));
    for outputs in [[1, 2], [2, 3]] {
        fixture.market.await_lender(ID, "answer".to_owned(), later).await.unwrap();
        let outpoints = outputs.map(output).to_vec();
        fixture.market.rebuild_loan(ID, "anew".to_owned(), outpoints.clone(), later).await.unwrap();
        let again = fixture.market.rebuild_loan(ID, "once more".to_owned(), outpoints, later).await;
        let stage = LoanStage::Prepared;
        assert_eq!(again.map(drop), Err(Refusal::Loan(LoanRejection::WrongStage { stage })), "the borrower is signing");
    }
    assert_eq!([1, 2, 3].map(held), [None, Some(ReservationId(ID.0)), Some(ReservationId(ID.0))]);
    assert_eq!(stage_of(&fixture).await, LoanStage::Prepared, "the borrower signs again");
    fixture.market.cancel_loan(ID, CancelledBy::Borrower).await.unwrap();
    assert_eq!([1, 2, 3].map(held), [None; 3]);
}

#[actix::test]
async fn a_loan_that_differs_from_the_offer_changes_nothing() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, PRINCIPAL.get()).await;
    let other = prepared(outpoint(1), offer, ProcessType::Manual, lender, borrower, Sats::new(600_001));
    fixture.market.prepare_loan(ID, other).await.unwrap();
    let batches = fixture.journal.batches().len();
    let refused = fixture.market.await_lender(ID, "answer".to_owned(), UNTIL).await;
    assert_eq!(refused, Err(Refusal::DealChanged));
    assert_eq!((fixture.journal.batches().len(), stage_of(&fixture).await), (batches, LoanStage::Prepared));
    let unknown = LoanId(ID.0 + 1);
    let refused = fixture.market.step_loan(unknown, LoanEvent::Expired).await;
    assert_eq!(refused, Err(Refusal::Loan(LoanRejection::Unknown(unknown))));
}

#[actix::test]
async fn an_instant_loan_spends_the_sats_reserved_in_the_vault() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 900_000).await, fixture.user(2).await);
    let offer = fixture.instant(lender, PRINCIPAL.get()).await;
    let event = prepared(outpoint(1), offer, ProcessType::Instant, lender, borrower, PRINCIPAL);
    fixture.market.prepare_loan(ID, event).await.unwrap();
    assert_eq!(
        fixture.market.vault(lender).await.unwrap().usable_balance_sats,
        Sats::new(900_000),
        "nothing is held yet"
    );
    fixture.market.hold_loan(ID, UNTIL).await.unwrap();
    let all = [Stream::Book(FROGS), Stream::Vault(lender), Stream::Assets, Stream::Loan(ID)];
    assert_eq!(streams_of(&fixture.journal.last_batch()), all);
    // The principal and the platform fee are reserved.
    let usable = Sats::new(298_800);
    let short = fixture.market.debit_vault(lender, Sats::new(298_801)).await.unwrap_err();
    assert_eq!(short, Refusal::Vault(VaultRejection::Insufficient { needed: Sats::new(298_801), usable }));
    fixture.market.begin_loan(ID, signed(), None).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), [all[0], all[1], all[3]]);
    assert_eq!(fixture.market.vault(lender).await.unwrap().balance_sats, usable);
    fixture.market.fail_loan(ID).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), [all[0], all[2], all[3]]);
    assert_eq!(stage_of(&fixture).await, LoanStage::Failed);
    assert!(fixture.market.book(FROGS).await.unwrap().loans.is_empty());
}

#[actix::test]
async fn a_vault_that_covers_the_principal_but_not_the_platform_fee_lends_nothing() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 601_199).await, fixture.user(2).await);
    let offer = fixture.instant(lender, PRINCIPAL.get()).await;
    let event = prepared(outpoint(1), offer, ProcessType::Instant, lender, borrower, PRINCIPAL);
    fixture.market.prepare_loan(ID, event).await.unwrap();
    let written = fixture.journal.batches().len();
    let refused = fixture.market.hold_loan(ID, UNTIL).await.unwrap_err();
    let (needed, usable) = (Sats::new(601_200), Sats::new(601_199));
    assert_eq!(refused, Refusal::Vault(VaultRejection::Insufficient { needed, usable }));
    assert_eq!(fixture.journal.batches().len(), written);
    fixture.market.credit_vault(lender, Sats::new(1)).await.unwrap();
    fixture.market.hold_loan(ID, UNTIL).await.unwrap();
    assert_eq!(fixture.market.vault(lender).await.unwrap().usable_balance_sats, Sats::ZERO);
    // Nothing is left for a second offer, so it cannot be taken either.
    fixture.market.begin_loan(ID, signed(), None).await.unwrap();
    assert_eq!(fixture.market.vault(lender).await.unwrap().balance_sats, Sats::ZERO);
}

#[actix::test]
async fn a_loan_from_an_on_chain_vault_spends_its_outputs_and_returns_them_when_it_fails() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    fixture.market.open_vault(lender, keys(), fixture.nonce()).await.unwrap();
    fixture.market.sync_vault(lender, &[mined(3, 900_000)]).await.unwrap();
    let offer = fixture.instant(lender, PRINCIPAL.get()).await;
    let event = prepared(outpoint(1), offer, ProcessType::Instant, lender, borrower, PRINCIPAL);
    fixture.market.prepare_loan(ID, event).await.unwrap();
    fixture.market.hold_loan(ID, UNTIL).await.unwrap();
    assert!(fixture.market.begin_loan(ID, signed(), None).await.is_err(), "a loan names the outputs that pay it");
    let change = Some((outpoint(5), Sats::new(298_800)));
    let vault = Some(VaultSpend { outputs: vec![outpoint(3)], change: change.into() });
    fixture.market.begin_loan(ID, SignedLoan { vault, ..signed() }, None).await.unwrap();
    let ledger = fixture.market.vault_ledger(lender).await.unwrap();
    assert_eq!(ledger.usable(), Sats::ZERO, "the change counts once confirmed");
    assert_eq!(ledger.pending_spend(SpendId::Loan(ReservationId(ID.0))).unwrap().txid, [5; 32]);
    fixture.market.fail_loan(ID).await.unwrap();
    let back = fixture.market.sync_vault(lender, &[mined(3, 900_000)]).await.unwrap();
    assert_eq!(back.usable_balance_sats, Sats::new(900_000));
}

#[actix::test]
async fn loans_are_replayed_unchanged() {
    let fixture = Fixture::new().await;
    let (lender, _) = manual(&fixture).await;
    fixture.market.await_lender(ID, "answer".to_owned(), NOON.plus_ms(43_200_000)).await.unwrap();
    fixture.market.begin_loan(ID, signed(), None).await.unwrap();
    fixture.market.step_loan(ID, LoanEvent::Confirmed(MINED)).await.unwrap();
    let before = fixture.market.loans_of(lender).await;
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.loans_of(lender).await, before);
    assert_eq!(fixture.market.watched_loans().await, [ID]);
    assert_eq!(stage_of(&fixture).await, LoanStage::Active);
}

#[actix::test]
async fn an_inscription_belongs_to_one_collection_also_after_a_restart() {
    let fixture = Fixture::new().await;
    let inscription = |index| Inscription { txid: [1; 32], index };
    let listed = fixture.market.list_inscriptions(FROGS, &[inscription(0), inscription(1), inscription(0)]).await;
    assert_eq!(listed, Ok(2));
    assert_eq!(fixture.market.list_inscriptions(FROGS, &[inscription(1)]).await, Ok(0));
    let taken = fixture.market.list_inscriptions(GOLD, &[inscription(2), inscription(1)]).await;
    assert_eq!(taken, Err(Refusal::Listing(ListingRejection::InscriptionTaken(inscription(1)))));
    assert_eq!(fixture.market.list_inscriptions(GroupId(9), &[inscription(3)]).await, Err(Refusal::UnknownGroup));
    let fixture = fixture.restarted().await;
    let groups = [0, 1, 2].map(|index| fixture.market.group_of_inscription(inscription(index)));
    assert_eq!(groups, [Some(FROGS), Some(FROGS), None]);
}
