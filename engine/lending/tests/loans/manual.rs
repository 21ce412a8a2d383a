//! Tests of manual loans against an inscription.

use domain::{LoanStage, Rejection};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use escrow::contract::loan::claim::ClaimError;
use futures_util::future::join_all;
use lending::lookups::confirmations::SETTLEMENT_CONFIRMATIONS;
use lending::lookups::holdings::InscriptionError;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL, rate};
use crate::kit::groups::FROGS;

async fn refused(fixture: &Fixture, request: &LoanRequest) -> LoanServiceError {
    let before = fixture.world.journal.batches().len();
    let error = fixture.world.service.prepare(request).await.unwrap_err();
    assert_eq!(fixture.world.journal.batches().len(), before, "a refusal leaves nothing behind");
    error
}

#[actix::test]
async fn a_loan_is_taken_counter_signed_confirmed_and_repaid() {
    let fixture = Fixture::new().await;
    let (offer, frog) = (fixture.offer(FROGS, 0).await, fixture.frog().await);
    let handout = fixture.world.service.prepare(&fixture.request(offer, Some(frog))).await.unwrap();
    let id = handout.loan;
    assert_eq!(fixture.stage(id).await, LoanStage::Prepared);
    let txid = fixture.accept(&handout).await;
    assert_eq!((fixture.stage(id).await, txid), (LoanStage::AwaitingLender, handout.txid));
    assert_eq!(fixture.countersign(id).await, txid);
    assert_eq!((fixture.stage(id).await, fixture.world.chain.mempool_txids()), (LoanStage::Broadcast, vec![txid]));
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
    assert!(!fixture.owns(&fixture.borrower, frog).await);
    let end = fixture.repay(&[id]).await;
    assert_eq!((fixture.stage(id).await, fixture.world.chain.mempool_txids()), (LoanStage::Repaying, vec![end]));
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
    assert!(fixture.owns(&fixture.borrower, frog).await);
    for _ in 1..SETTLEMENT_CONFIRMATIONS {
        fixture.block().await;
    }
    assert_eq!(fixture.world.service.market.watched_loans().await, [], "it is settled");
}

#[actix::test]
async fn concurrent_duplicates_of_a_signed_request_get_the_same_answer() {
    let fixture = Fixture::new().await;
    let (service, handout) = (&fixture.world.service, fixture.prepared().await);
    let (borrower, lender, id) = (fixture.borrower.user, fixture.lender.user, handout.loan);
    let signed = fixture.borrower.sign(&handout.transactions);
    let accept = || Box::pin(service.accept(borrower, id, &signed));
    for answer in join_all([accept(), accept()]).await {
        assert_eq!(answer.unwrap(), handout.txid);
    }
    let signed = fixture.countersigned(id).await;
    let countersign = || Box::pin(service.countersign(lender, id, &signed));
    for answer in join_all([countersign(), countersign()]).await {
        assert_eq!(answer.unwrap(), handout.txid);
    }

    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let request = fixture.request(offer, Some(fixture.frog().await));
    let handout = service.prepare_instant(&request).await.unwrap();
    let submit = || Box::pin(fixture.submit(&fixture.borrower, &handout));
    for answer in join_all([submit(), submit()]).await {
        assert_eq!(answer.unwrap(), handout.txid);
    }
    fixture.block_for_all().await;
    assert_eq!((fixture.stage(id).await, fixture.stage(handout.loan).await), (LoanStage::Active, LoanStage::Active));
}

/// The order of an acceptance and a request. How long each takes is the machine's: those in sequence make both outcomes
/// occur on each machine, those at once find what lies between.
#[derive(Clone, Copy, Debug)]
enum Order {
    AcceptedFirst,
    RequestedFirst,
    /// The request starts after that many turns of the other tasks.
    AtOnce(u16),
}

#[actix::test]
async fn a_loan_accepted_while_another_rate_is_requested_stays_accepted() {
    let mut outcomes = [0, 0];
    // A message between tasks takes a turn and a write of the journal thousands.
    let at_once = (0..13).map(|power| Order::AtOnce((1 << power) - 1));
    for order in [Order::AcceptedFirst, Order::RequestedFirst].into_iter().chain(at_once) {
        let fixture = Fixture::new().await;
        let (service, offer, frog) = (&fixture.world.service, fixture.offer(FROGS, 0).await, fixture.frog().await);
        let request = fixture.request(offer, Some(frog));
        let handout = service.prepare(&request).await.unwrap();
        let signed = fixture.borrower.sign(&handout.transactions);
        let dearer = LoanRequest { fee_rate: request.fee_rate.checked_mul(2).unwrap(), ..request };
        let accept = Box::pin(service.accept(fixture.borrower.user, handout.loan, &signed));
        let prepare_anew = Box::pin(service.prepare(&dearer));
        let (accepted, anew) = match order {
            Order::AcceptedFirst => (accept.await, prepare_anew.await),
            Order::RequestedFirst => {
                let anew = prepare_anew.await;
                (accept.await, anew)
            }
            Order::AtOnce(turns) => {
                let later = async {
                    for _ in 0..turns {
                        tokio::task::yield_now().await;
                    }
                    prepare_anew.await
                };
                tokio::join!(accept, Box::pin(later))
            }
        };
        outcomes[usize::from(accepted.is_ok())] += 1;
        if let Ok(txid) = accepted {
            assert_eq!(
                (txid, fixture.stage(handout.loan).await),
                (handout.txid, LoanStage::AwaitingLender),
                "{order:?}"
            );
            assert!(anew.is_err(), "{order:?}: the offer is taken");
        } else {
            assert_ne!(anew.unwrap().loan, handout.loan, "{order:?}: one of them is prepared");
            assert!(fixture.is_gone(handout.loan).await, "{order:?}");
        }
    }
    assert!(outcomes.iter().all(|count| *count > 0), "each comes first sometimes: {outcomes:?}");
}

#[actix::test]
async fn an_unrepaid_loan_expires_and_is_claimed_after_the_grace_period() {
    let fixture = Fixture::new().await;
    let (offer, frog) = (fixture.offer(FROGS, 0).await, fixture.frog().await);
    let handout = fixture.world.service.prepare(&fixture.request(offer, Some(frog))).await.unwrap();
    fixture.accept(&handout).await;
    let id = handout.loan;
    fixture.countersign(id).await;
    fixture.block().await;
    let (service, lender) = (&fixture.world.service, fixture.lender.user);
    assert!(matches!(service.prepare_claim(lender, id, rate()).await, Err(LoanServiceError::WrongStage { .. })));
    fixture.world.pass(7 * 86_400 + 3_600);
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Expired);
    assert!(matches!(service.prepare_claim(lender, id, rate()).await, Err(LoanServiceError::NotClaimable(_))));
    fixture.world.pass(2 * 86_400);
    for _ in 0..7 {
        fixture.block().await;
    }
    let claim = service.prepare_claim(lender, id, rate()).await.unwrap();
    let signed = fixture.lender.sign_one(&claim.transaction);
    let txid = service.submit_claim(lender, id, &signed).await.unwrap();
    assert_eq!((txid, fixture.stage(id).await), (claim.txid, LoanStage::Claiming));
    assert_eq!(service.submit_claim(lender, id, &signed).await.unwrap(), txid, "the same again is the same");
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Claimed);
    assert_eq!(service.submit_claim(lender, id, &signed).await.unwrap(), txid, "also when it is confirmed");
    assert!(fixture.owns(&fixture.lender, frog).await);
}

#[actix::test]
async fn a_late_repayment_is_valid_until_the_claim() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    fixture.world.pass(30 * 86_400);
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Expired);
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
}

#[actix::test]
async fn the_same_request_gives_the_same_transaction_and_another_rate_another_one() {
    let fixture = Fixture::new().await;
    let (offer, frog) = (fixture.offer(FROGS, 0).await, fixture.frog().await);
    let (service, request) = (&fixture.world.service, fixture.request(offer, Some(frog)));
    let first = service.prepare(&request).await.unwrap();
    assert_eq!(service.prepare(&request).await.unwrap(), first);
    assert_eq!(service.prepared(fixture.borrower.user, first.loan).await.unwrap(), first);
    let dearer = LoanRequest { fee_rate: bitcoin::FeeRate::from_sat_per_vb_u32(9), ..request };
    let second = service.prepare(&dearer).await.unwrap();
    assert_ne!(second.txid, first.txid);
    assert!(fixture.is_gone(first.loan).await);
    let signed = fixture.borrower.sign(&second.transactions);
    for _ in 0..2 {
        assert_eq!(service.accept(fixture.borrower.user, second.loan, &signed).await.unwrap(), second.txid);
    }
    let countersigned = fixture.countersigned(second.loan).await;
    for _ in 0..2 {
        assert_eq!(service.countersign(fixture.lender.user, second.loan, &countersigned).await.unwrap(), second.txid);
    }
}

#[actix::test]
async fn a_lost_answer_is_repeated_also_after_confirmation() {
    let fixture = Fixture::new().await;
    let handout = fixture.prepared().await;
    let (service, user, id) = (&fixture.world.service, fixture.borrower.user, handout.loan);
    let signed = fixture.borrower.sign(&handout.transactions);
    service.accept(user, id, &signed).await.unwrap();
    let countersigned = fixture.countersigned(id).await;
    service.countersign(fixture.lender.user, id, &countersigned).await.unwrap();
    fixture.block().await;
    assert_eq!(service.accept(user, id, &signed).await.unwrap(), handout.txid);
    assert_eq!(service.countersign(fixture.lender.user, id, &countersigned).await.unwrap(), handout.txid);
    let repayment = service.prepare_repayment(user, &[id], rate()).await.unwrap();
    let signed = fixture.borrower.sign_one(&repayment.transaction);
    service.submit_repayment(user, &[id], &signed).await.unwrap();
    fixture.block().await;
    assert_eq!(service.submit_repayment(user, &[id], &signed).await.unwrap(), repayment.txid);
    let unrelated = fixture.originated().await;
    let other = service.prepare_repayment(user, &[unrelated], rate()).await.unwrap();
    let other = fixture.borrower.sign_one(&other.transaction);
    let error = service.submit_repayment(user, &[id], &other).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::WrongStage { stage: LoanStage::Repaid }), "{error}");
}

#[actix::test]
async fn the_lender_never_receives_the_borrowers_signature() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    let handout = fixture.world.service.prepare_countersign(fixture.lender.user, id).await.unwrap();
    let texts = [&handout.origination.transactions[0], &handout.payouts[0], &handout.payouts[1]];
    for text in texts {
        let psbt: bitcoin::Psbt = text.base64.parse().unwrap();
        for input in &psbt.inputs {
            assert!(input.partial_sigs.is_empty() && input.tap_key_sig.is_none() && input.tap_script_sigs.is_empty());
            assert!(input.final_script_witness.is_none() && input.final_script_sig.is_none());
        }
    }
}

#[actix::test]
async fn invalid_collateral_is_refused_by_name_and_changes_nothing() {
    let fixture = Fixture::new().await;
    let (offer, frog) = (fixture.offer(FROGS, 0).await, fixture.frog().await);
    let request = fixture.request(offer, Some(frog));
    assert!(matches!(
        refused(&fixture, &LoanRequest { inscriptions: Vec::new(), ..request.clone() }).await,
        LoanServiceError::NoInscription
    ));
    let hardware = LoanRequest { is_hardware_wallet: true, ..request.clone() };
    assert!(matches!(refused(&fixture, &hardware).await, LoanServiceError::HardwareWallet));
    let foreign = InscriptionId { index: 7, ..frog };
    let of_foreign = LoanRequest { inscriptions: vec![foreign], ..request.clone() };
    assert!(matches!(refused(&fixture, &of_foreign).await, LoanServiceError::NotOfCollection(id) if id == foreign));
    let own = LoanRequest { borrower: fixture.lender.user, ..request.clone() };
    let error = refused(&fixture, &own).await;
    assert!(matches!(error, LoanServiceError::Market(Refusal::Book(Rejection::OwnOffer(_)))), "{error}");
    let other = fixture.world.person(102).await;
    let foreign = LoanRequest { borrower: other.user, ..request.clone() };
    let error = refused(&fixture, &foreign).await;
    assert!(matches!(error, LoanServiceError::Inscription(InscriptionError::NotYours(_))), "{error}");
    let dear = LoanRequest { fee_rate: bitcoin::FeeRate::from_sat_per_vb_u32(501), ..request };
    assert!(matches!(refused(&fixture, &dear).await, LoanServiceError::FeeRate { .. }));
}

#[actix::test]
async fn a_lenders_coin_that_was_spent_is_replaced_and_the_borrower_signs_again() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    let before = fixture.loan(id).await.contract;
    // The lender's wallet spends all its coins, and is funded again.
    fixture.lender.spend_all(&fixture.world).await;
    fixture.world.fund(&fixture.lender.payment_script(), 3_000_000);
    let service = &fixture.world.service;
    let error = service.prepare_countersign(fixture.lender.user, id).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Rebuilt), "{error}");
    assert_eq!(fixture.stage(id).await, LoanStage::Prepared);
    assert_ne!(fixture.loan(id).await.contract, before);
    let handout = service.prepared(fixture.borrower.user, id).await.unwrap();
    fixture.accept(&handout).await;
    fixture.countersign(id).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
}

#[actix::test]
async fn collateral_that_was_moved_cancels_the_loan_and_frees_the_offer() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    fixture.borrower.spend_all(&fixture.world).await;
    let error = fixture.world.service.prepare_countersign(fixture.lender.user, id).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::CollateralSpent(_)), "{error}");
    assert_eq!(fixture.stage(id).await, LoanStage::Cancelled);
    let offer = fixture.loan(id).await.deal.offer;
    assert!(fixture.world.service.market.offer(offer).await.unwrap().unwrap().is_live());
}

#[actix::test]
async fn a_lender_who_signs_too_late_finds_the_loan_lapsed() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    let signed = fixture.countersigned(id).await;
    fixture.world.pass(12 * 3_600 + 1);
    let error = fixture.world.service.countersign(fixture.lender.user, id, &signed).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Market(_) | LoanServiceError::WrongStage { .. }), "{error}");
    assert_eq!(fixture.world.chain.mempool_txids(), []);
}

#[actix::test]
async fn requests_repeated_after_the_end_of_a_loan_get_their_first_answer() {
    let fixture = Fixture::new().await;
    let handout = fixture.prepared().await;
    let (service, id) = (&fixture.world.service, handout.loan);
    let borrowers = fixture.borrower.sign(&handout.transactions);
    let txid = service.accept(fixture.borrower.user, id, &borrowers).await.unwrap();
    let lenders = fixture.countersigned(id).await;
    service.countersign(fixture.lender.user, id, &lenders).await.unwrap();
    fixture.block().await;
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
    let written = fixture.world.journal.batches().len();
    assert_eq!(service.accept(fixture.borrower.user, id, &borrowers).await.unwrap(), txid);
    assert_eq!(service.countersign(fixture.lender.user, id, &lenders).await.unwrap(), txid);
    assert_eq!((fixture.world.journal.batches().len(), fixture.world.chain.mempool_txids()), (written, vec![]));
}

#[actix::test]
async fn a_claim_is_not_paid_with_a_coin_reserved_for_another_loan() {
    let fixture = Fixture::new().await;
    // Collateral with too few sats to pay for its own move.
    let home = fixture.borrower.ordinals().script_pubkey();
    let thin =
        fixture.world.chain.inscribe(&home, bitcoin::Amount::from_sat(546), "text/plain", b"a thin frog").unwrap();
    let service = &fixture.world.service;
    service.market.list_inscriptions(FROGS, &[thin.into()]).await.unwrap();
    let handout = service.prepare(&fixture.request(fixture.offer(FROGS, 0).await, Some(thin))).await.unwrap();
    fixture.accept(&handout).await;
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    fixture.pass_days(9).await;
    // All coins that the lender has left are reserved for a loan that the borrower has signed.
    fixture.lender.spend_all(&fixture.world).await;
    for sats in [900_000, 300_000] {
        fixture.world.fund(&fixture.lender.payment_script(), sats);
    }
    let offer = fixture.offer(FROGS, 1).await;
    let next = service.prepare(&fixture.request(offer, Some(fixture.frog().await))).await.unwrap();
    fixture.accept(&next).await;
    let error = service.prepare_claim(fixture.lender.user, handout.loan, rate()).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Claim(ClaimError::NeedsFeeCoin { .. })), "{error}");
    let free = fixture.world.fund(&fixture.lender.payment_script(), 60_000);
    let claim = service.prepare_claim(fixture.lender.user, handout.loan, rate()).await.unwrap();
    let claim: bitcoin::Psbt = claim.transaction.base64.parse().unwrap();
    assert_eq!(claim.unsigned_tx.input.len(), 2, "the escrow, and a coin that pays");
    assert!(claim.unsigned_tx.input.iter().any(|input| input.previous_output == free));
}

#[actix::test]
async fn either_party_can_cancel_before_the_counter_signature() {
    let fixture = Fixture::new().await;
    let service = &fixture.world.service;
    let first = fixture.accepted().await;
    service.refuse(fixture.lender.user, first).await.unwrap();
    let second = fixture.accepted().await;
    service.withdraw(fixture.borrower.user, second).await.unwrap();
    for id in [first, second] {
        assert_eq!(fixture.stage(id).await, LoanStage::Cancelled);
        assert!(matches!(service.refuse(fixture.lender.user, id).await, Err(LoanServiceError::WrongStage { .. })));
    }
    let third = fixture.accepted().await;
    assert!(
        matches!(service.refuse(fixture.borrower.user, third).await, Err(LoanServiceError::UnknownLoan(_))),
        "not the lender"
    );
    assert!(
        matches!(service.withdraw(fixture.lender.user, third).await, Err(LoanServiceError::UnknownLoan(_))),
        "not the borrower"
    );
}

#[actix::test]
async fn several_loans_are_repaid_in_one_transaction() {
    let fixture = Fixture::new().await;
    let ids = [fixture.originated().await, fixture.originated().await, fixture.originated().await];
    fixture.repay(&ids).await;
    fixture.block().await;
    for id in ids {
        assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
    }
}

#[actix::test]
async fn a_repayment_with_a_higher_fee_replaces_an_unconfirmed_one() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    let first = fixture.repay(&[id]).await;
    let service = &fixture.world.service;
    let dearer = bitcoin::FeeRate::from_sat_per_vb_u32(25);
    let handout = service.prepare_repayment(fixture.borrower.user, &[id], dearer).await.unwrap();
    let signed = fixture.borrower.sign_one(&handout.transaction);
    let second = service.submit_repayment(fixture.borrower.user, &[id], &signed).await.unwrap();
    assert_ne!(first, second);
    assert_eq!(fixture.world.chain.mempool_txids(), [second]);
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
}
