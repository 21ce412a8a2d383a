//! Tests of the cost of a loan as it is stated before the signature: against the chain, and against the repayment.

use domain::{LoanCost, LoanId, LoanStage, Role, Sats};
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;
use lending::service::unsigned_transactions::UnsignedLoan;

use crate::fixture::{Fixture, PRINCIPAL, rate};
use crate::kit::groups::{FROGS, GOLD};
use crate::runes::gold_rune;

impl Fixture {
    /// The fee of a repayment of this loan at the fee rate of its beginning.
    async fn repayment_fee(&self, id: LoanId) -> Sats {
        let service = &self.world.service;
        let handout = service.prepare_repayment(self.borrower.user, &[id], rate()).await.unwrap();
        Sats::new(handout.fee.to_sat())
    }

    /// The cost that the information for the borrower states.
    async fn stated_cost(&self, id: LoanId) -> LoanCost {
        self.world.service.information(self.borrower.user, id).await.unwrap().cost
    }
}

/// The sum that a borrower receives is the principal less the fee, less the pads that stay theirs.
#[actix::test]
async fn the_stated_fee_is_what_the_borrower_loses_when_the_loan_begins() {
    let fixture = Fixture::new().await;
    let before = fixture.borrower.payment_balance(&fixture.world).await;
    let handout = fixture.prepared().await;
    fixture.accept(&handout).await;
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    let received = fixture.borrower.payment_balance(&fixture.world).await - before;
    assert_eq!(Sats::new(received), handout.cost.received(), "pads are the borrower's own");
    assert_eq!(handout.cost.charges().repayment_fee, fixture.repayment_fee(handout.loan).await);
    assert_eq!(handout.cost.interest(), Sats::new(12_000));
}

#[actix::test]
async fn a_whole_loan_costs_its_borrower_exactly_the_stated_sum() {
    let fixture = Fixture::new().await;
    let before = fixture.borrower.payment_balance(&fixture.world).await;
    let id = fixture.originated().await;
    let cost = fixture.stated_cost(id).await;
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
    let lost = before - fixture.borrower.payment_balance(&fixture.world).await;
    assert_eq!(Sats::new(lost), cost.total());
}

#[actix::test]
async fn a_vault_pays_for_its_own_outputs_and_the_borrower_for_the_rest() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let before = fixture.borrower.payment_balance(&fixture.world).await;
    let (handout, _) = fixture.prepared_instant().await;
    fixture.start(&handout).await;
    let received = fixture.borrower.payment_balance(&fixture.world).await - before;
    assert_eq!(Sats::new(received), handout.cost.received());
    assert_eq!(handout.cost.charges().repayment_fee, fixture.repayment_fee(handout.loan).await);
}

#[actix::test]
async fn the_stated_repayment_fee_of_runes_includes_their_runestone() {
    let (fixture, _, _) = gold_rune().await;
    let offer = fixture.offer_of(GOLD, 1, Sats::new(500_000)).await;
    let handout = fixture.world.service.prepare(&fixture.request(offer, None)).await.unwrap();
    fixture.accept(&handout).await;
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    assert_eq!(handout.cost.charges().repayment_fee, fixture.repayment_fee(handout.loan).await);
}

#[actix::test]
async fn a_spent_transfer_inscription_is_part_of_the_cost() {
    let (fixture, id) = Fixture::lent_against_a_note().await;
    let cost = fixture.stated_cost(id).await;
    // The least value of an output of a taproot script; the rest of the inscription's 546 sats is the borrower's.
    assert_eq!(cost.charges().postage, Sats::new(330));
    assert_eq!(cost.charges().repayment_fee, fixture.repayment_fee(id).await);
}

#[actix::test]
async fn a_refinance_and_an_extension_state_their_own_fee_and_interest_alone() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let extended = fixture.requested_extension(old, 30).await;
    let before = fixture.borrower.payment_balance(&fixture.world).await;
    let cost = extended.unsigned.cost;
    assert_eq!((cost.principal(), cost.interest()), (PRINCIPAL, Sats::new(18_000)));
    fixture.countersign(extended.unsigned.loan).await;
    fixture.block().await;
    let paid = before - fixture.borrower.payment_balance(&fixture.world).await;
    assert_eq!(Sats::new(paid - extended.interest_now.get()), cost.charges().origination_fee);
    let stated = fixture.world.service.information(fixture.lender.user, extended.unsigned.loan).await.unwrap();
    assert_eq!((stated.role, stated.interest_now), (Role::Lender, Some(extended.interest_now)));

    let fixture = fixture.with_lender(2).await;
    let offer = fixture.offer(FROGS, 1).await;
    let id = extended.unsigned.loan;
    let request = LoanRequest { refinances: Some(id), ..fixture.request(offer, None) };
    let handout = fixture.world.service.prepare(&request).await.unwrap();
    let (cost, owed) = (handout.cost, fixture.loan(id).await.deal.payout());
    let before = fixture.borrower.payment_balance(&fixture.world).await;
    fixture.accept(&handout).await;
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    let paid = before - fixture.borrower.payment_balance(&fixture.world).await;
    assert_eq!(paid, owed.get() - cost.received().get(), "the old loan is repaid out of what is received");
}

/// Everything in the information follows from the journal, so no later step changes it.
#[actix::test]
async fn the_information_is_the_same_before_the_signature_and_after_the_end() {
    let fixture = Fixture::new().await;
    let UnsignedLoan { loan: id, cost, .. } = fixture.prepared().await;
    let service = &fixture.world.service;
    let unknown = service.information(fixture.lender.user, id).await.unwrap_err();
    assert!(matches!(unknown, LoanServiceError::UnknownLoan(_)), "not signed by its borrower: {unknown}");
    let stated = service.information(fixture.borrower.user, id).await.unwrap();
    assert_eq!(stated.cost, cost);
    let handout = service.prepared(fixture.borrower.user, id).await.unwrap();
    fixture.accept(&handout).await;
    for (stage, step) in [(LoanStage::Active, 0), (LoanStage::Repaid, 1)] {
        if step == 0 {
            fixture.countersign(id).await
        } else {
            fixture.repay(&[id]).await
        };
        fixture.block().await;
        assert_eq!(fixture.stage(id).await, stage);
        assert_eq!(service.information(fixture.borrower.user, id).await.unwrap(), stated);
    }
    let lenders = service.information(fixture.lender.user, id).await.unwrap();
    assert_eq!((lenders.role, lenders.cost), (Role::Lender, cost));
}

#[actix::test]
async fn a_loan_that_was_given_up_or_is_of_others_has_no_information() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    let service = &fixture.world.service;
    let other = fixture.world.person(103).await;
    let error = service.information(other.user, id).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::UnknownLoan(_)), "{error}");
    service.refuse(fixture.lender.user, id).await.unwrap();
    let error = service.information(fixture.borrower.user, id).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::WrongStage { stage: LoanStage::Cancelled }), "{error}");
}
