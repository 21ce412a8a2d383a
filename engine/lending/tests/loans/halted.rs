//! Tests of loans while new loans are halted: none begins, and those that run go on.

use domain::{Event, HaltEvent, HaltReason, HaltRejection, HaltScope, LoanEvent, LoanId, LoanStage};
use engine::{Market, Refusal};
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::kit::groups::FROGS;

async fn halt(market: &Market) {
    market.halt(HaltScope::NewLoans, HaltReason::parse("indexers disagree").unwrap()).await.unwrap();
}

#[track_caller]
fn is_halted<T>(outcome: Result<T, LoanServiceError>) -> bool {
    match outcome {
        Err(LoanServiceError::Market(Refusal::Halt(HaltRejection::NewLoans { halt }))) => {
            assert_eq!(halt.reason.as_str(), "indexers disagree");
            true
        }
        Err(other) => panic!("{other}"),
        Ok(_) => false,
    }
}

impl Fixture {
    async fn halt(&self) {
        halt(&self.world.service.market).await;
    }

    async fn resume(&self) {
        self.world.service.market.resume_halted(HaltScope::NewLoans).await.unwrap();
    }
}

#[actix::test]
async fn no_loan_is_prepared_accepted_or_counter_signed_until_they_are_resumed() {
    let fixture = Fixture::new().await;
    let service = &fixture.world.service;
    let (prepared, accepted) = (fixture.prepared().await, fixture.accepted().await);
    let (signed, countersigned) =
        (fixture.borrower.sign(&prepared.transactions), fixture.countersigned(accepted).await);
    let request = fixture.request(fixture.offer(FROGS, 1).await, Some(fixture.frog().await));
    fixture.halt().await;
    let before = fixture.world.journal.batches().len();
    assert!(is_halted(service.prepare(&request).await));
    assert!(is_halted(service.accept(fixture.borrower.user, prepared.loan, &signed).await));
    assert!(is_halted(service.prepare_countersign(fixture.lender.user, accepted).await));
    assert!(is_halted(service.countersign(fixture.lender.user, accepted, &countersigned).await));
    assert_eq!(fixture.world.journal.batches().len(), before, "a refusal leaves nothing behind");
    assert_eq!(fixture.world.chain.mempool_txids(), []);

    fixture.resume().await;
    assert_eq!(
        service.accept(fixture.borrower.user, prepared.loan, &signed).await.unwrap(),
        prepared.txid,
        "what was prepared before the halt is signed after it"
    );
    service.countersign(fixture.lender.user, accepted, &countersigned).await.unwrap();
    service.prepare(&request).await.unwrap();
    assert_eq!(fixture.stage(accepted).await, LoanStage::Broadcast);
}

#[actix::test]
async fn no_vault_lends_and_no_loan_is_refinanced_while_new_loans_are_halted() {
    let fixture = Fixture::new().await;
    let service = &fixture.world.service;
    let old = fixture.originated().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let request = fixture.request(offer, Some(frog));
    let handout = service.prepare_instant(&request).await.unwrap();
    let manual = fixture.offer(FROGS, 1).await;
    fixture.halt().await;
    let before = fixture.world.journal.batches().len();
    assert!(is_halted(service.prepare_instant(&request).await), "also for a loan that was prepared before");
    assert!(is_halted(fixture.submit(&fixture.borrower, &handout).await));
    for (offer, is_instant) in [(manual, false), (offer, true)] {
        let refinance = LoanRequest { refinances: Some(old), ..fixture.request(offer, None) };
        let refused =
            if is_instant { service.prepare_instant(&refinance).await } else { service.prepare(&refinance).await };
        assert!(is_halted(refused));
    }
    assert_eq!(fixture.world.journal.batches().len(), before, "the signer is not asked, and nothing is reserved");
    fixture.resume().await;
    assert_eq!(fixture.submit(&fixture.borrower, &handout).await.unwrap(), handout.txid);
}

#[actix::test]
async fn loans_end_and_are_extended_and_cancelled_while_new_loans_are_halted() {
    let fixture = Fixture::new().await;
    for _ in 0..3 {
        fixture.world.fund(&fixture.lender.payment_script(), 1_500_000);
    }
    let service = &fixture.world.service;
    let (repaid, claimed, extended) =
        (fixture.originated().await, fixture.originated().await, fixture.originated().await);
    let broadcast = fixture.accepted().await;
    fixture.countersign(broadcast).await;
    let (withdrawn, refused) = (fixture.accepted().await, fixture.accepted().await);
    fixture.halt().await;

    fixture.block().await;
    assert_eq!(fixture.stage(broadcast).await, LoanStage::Active, "it had begun");
    let countersigned = service.prepare_countersign(fixture.lender.user, broadcast).await;
    assert!(matches!(countersigned, Err(LoanServiceError::WrongStage { .. })));
    service.withdraw(fixture.borrower.user, withdrawn).await.unwrap();
    service.refuse(fixture.lender.user, refused).await.unwrap();
    for id in [withdrawn, refused] {
        assert_eq!(fixture.stage(id).await, LoanStage::Cancelled);
    }
    let next = fixture.extended(extended, 7).await;
    for user in [fixture.borrower.user, fixture.lender.user] {
        service.kit(user, next).await.unwrap();
    }
    fixture.repay(&[repaid]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(repaid).await, LoanStage::Repaid);
    fixture.pass_days(10).await;
    fixture.claim(claimed).await;
    fixture.block().await;
    assert_eq!(fixture.stage(claimed).await, LoanStage::Claimed);
    fixture.repay(&[next]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(next).await, LoanStage::Repaid);
}

#[actix::test]
async fn the_repetition_of_a_request_whose_loan_has_begun_gets_its_answer_while_new_loans_are_halted() {
    let fixture = Fixture::new().await;
    let service = &fixture.world.service;
    let handout = fixture.prepared().await;
    let signed = fixture.borrower.sign(&handout.transactions);
    let (borrower, lender) = (fixture.borrower.user, fixture.lender.user);
    service.accept(borrower, handout.loan, &signed).await.unwrap();
    let countersigned = fixture.countersigned(handout.loan).await;
    fixture.halt().await;
    assert_eq!(service.accept(borrower, handout.loan, &signed).await.unwrap(), handout.txid);
    fixture.resume().await;
    service.countersign(lender, handout.loan, &countersigned).await.unwrap();
    fixture.halt().await;
    assert_eq!(service.countersign(lender, handout.loan, &countersigned).await.unwrap(), handout.txid);
}

#[actix::test]
async fn a_halt_survives_a_restart_and_prepared_loans_lapse_meanwhile() {
    let fixture = Fixture::new().await;
    let request = fixture.request(fixture.offer(FROGS, 0).await, Some(fixture.frog().await));
    let handout = fixture.world.service.prepare(&request).await.unwrap();
    let signed = fixture.borrower.sign(&handout.transactions);
    fixture.halt().await;
    let world = fixture.world.restarted();
    let service = &world.service;
    assert_eq!(service.market.halts().len(), 1);
    assert!(is_halted(service.accept(fixture.borrower.user, handout.loan, &signed).await));
    world.pass(86_400);
    service.market.lapse_outside_book().await.unwrap();
    assert!(service.market.loan(handout.loan).await.is_none(), "its borrower is free to take another offer");
    assert!(is_halted(service.prepare(&request).await));
}

/// Whether a loan began after the first halt in a journal.
fn begins_after_halt(fixture: &Fixture, id: LoanId) -> bool {
    let batches = fixture.world.journal.batches();
    let events = batches.iter().flat_map(|batch| &batch.appends).flat_map(|append| {
        let is_loan = append.stream == domain::Stream::Loan(id);
        append.events.iter().map(move |event| (is_loan, event))
    });
    let after = events.skip_while(|(_, event)| !matches!(event, Event::Halt(HaltEvent::Halted { .. })));
    let mut after = after.filter(|(is_loan, _)| *is_loan);
    after.any(|(_, event)| {
        matches!(
            event,
            Event::Loan(LoanEvent::Held { .. } | LoanEvent::BorrowerSigned { .. } | LoanEvent::Signed { .. })
        )
    })
}

/// Runs a request that begins a loan while new loans are halted some turns later; returns whether it was refused.
async fn race<T>(
    fixture: &Fixture,
    id: LoanId,
    turns: usize,
    request: impl Future<Output = Result<T, LoanServiceError>>,
) -> bool {
    let halting = async {
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
        fixture.halt().await;
    };
    let (outcome, ()) = tokio::join!(Box::pin(request), halting);
    assert!(!begins_after_halt(fixture, id), "after {turns} turns");
    is_halted(outcome)
}

#[actix::test]
async fn a_halt_comes_before_or_after_a_signature_and_never_between() {
    let mut outcomes = [[0; 2]; 3];
    for turns in (0..60).step_by(3) {
        let fixture = Fixture::new().await;
        let handout = fixture.prepared().await;
        let signed = fixture.borrower.sign(&handout.transactions);
        let accept = fixture.world.service.accept(fixture.borrower.user, handout.loan, &signed);
        let refused = race(&fixture, handout.loan, turns, accept).await;
        let expected = if refused { LoanStage::Prepared } else { LoanStage::AwaitingLender };
        assert_eq!(fixture.stage(handout.loan).await, expected, "{turns}");
        outcomes[0][usize::from(refused)] += 1;

        let fixture = Fixture::new().await;
        let id = fixture.accepted().await;
        let signed = fixture.countersigned(id).await;
        let countersign = fixture.world.service.countersign(fixture.lender.user, id, &signed);
        let refused = race(&fixture, id, turns, countersign).await;
        let expected = if refused { LoanStage::AwaitingLender } else { LoanStage::Broadcast };
        assert_eq!(fixture.stage(id).await, expected, "{turns}");
        assert_eq!(fixture.world.chain.mempool_txids().is_empty(), refused, "{turns}");
        outcomes[1][usize::from(refused)] += 1;

        let fixture = Fixture::new().await;
        fixture.vault(&[3_000_000]).await;
        let request = fixture.request(fixture.instant_offer(FROGS, PRINCIPAL, None).await, Some(fixture.frog().await));
        let handout = fixture.world.service.prepare_instant(&request).await.unwrap();
        let refused = race(&fixture, handout.loan, turns, fixture.submit(&fixture.borrower, &handout)).await;
        assert_eq!(fixture.world.chain.mempool_txids().is_empty(), refused, "{turns}");
        if refused {
            fixture.resume().await;
            // Also where the signer had signed: it gives the same signatures again.
            assert_eq!(fixture.submit(&fixture.borrower, &handout).await.unwrap(), handout.txid, "{turns}");
        }
        outcomes[2][usize::from(refused)] += 1;
    }
    println!("{outcomes:?}");
    assert!(outcomes.iter().all(|counts| counts[1] > 0), "the halt comes first sometimes: {outcomes:?}");
}
