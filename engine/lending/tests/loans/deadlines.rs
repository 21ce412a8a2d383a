//! Tests of deadlines: the claim time is fixed in the script, and delays of users and miners must not cut what it
//! guarantees.

use domain::{GRACE_MS, LoanId, LoanRejection, LoanStage, Role, UnixMs};
use engine::Refusal;
use engine::clock::Clock as _;
use escrow::kit::Kit;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::Fixture;

const HOUR_S: u32 = 3_600;

impl Fixture {
    /// Spends all promised coins of the lender, funds the lender again, and asks for the loan to counter-sign.
    async fn lender_spends_and_looks(&self, id: LoanId) -> LoanServiceError {
        self.lender.spend_all(&self.world).await;
        self.world.fund(&self.lender.payment_script(), 3_000_000);
        self.world.service.prepare_countersign(self.lender.user, id).await.unwrap_err()
    }

    async fn accept_again(&self, id: LoanId) {
        let handout = self.world.service.prepared(self.borrower.user, id).await.unwrap();
        self.accept(&handout).await;
    }
}

#[actix::test]
async fn a_lender_who_keeps_spending_the_coins_does_not_shorten_the_term() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    let deal = fixture.loan(id).await.deal;
    let (service, last) = (&fixture.world.service, deal.sign_by());
    assert_eq!(last, service.market.now().plus_ms(u64::from(12 * HOUR_S + 900) * 1_000));
    for hours in [6, 5] {
        fixture.world.pass(hours * HOUR_S);
        let error = fixture.lender_spends_and_looks(id).await;
        assert!(matches!(error, LoanServiceError::Rebuilt), "{error}");
        assert_eq!(fixture.loan(id).await.expires_at, last, "the borrower's time");
        fixture.accept_again(id).await;
        assert_eq!(fixture.loan(id).await.expires_at, last, "the lender's time");
    }
    assert_eq!(fixture.loan(id).await.deal, deal, "nothing that was agreed on has moved");
    // One minute too little for another signing round.
    fixture.world.pass(HOUR_S + 60);
    let error = fixture.lender_spends_and_looks(id).await;
    assert!(
        matches!(&error, LoanServiceError::Market(Refusal::Loan(LoanRejection::TooLate(at))) if *at == last),
        "{error}"
    );
    assert_eq!(fixture.stage(id).await, LoanStage::Cancelled);
    assert!(fixture.is_live(deal.offer).await, "the offer is available");
    let frog = deal.pledged_ids.first().unwrap().parse().unwrap();
    let again = service.prepare(&fixture.request(deal.offer, Some(frog))).await.unwrap();
    assert_ne!(again.loan, id, "and the collateral");
}

#[actix::test]
async fn signing_at_the_last_moment_still_gives_the_whole_term() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    fixture.world.pass(6 * HOUR_S);
    fixture.lender_spends_and_looks(id).await;
    fixture.world.pass(6 * HOUR_S);
    fixture.accept_again(id).await;
    fixture.world.pass(800);
    fixture.countersign(id).await;
    // The block's own clock may be slightly behind that of the market.
    fixture.block().await;
    let loan = fixture.loan(id).await;
    let term = UnixMs(loan.due_at().unwrap().0 - loan.began.unwrap().at.0);
    assert_eq!(term, UnixMs(7 * 86_400_000));
    assert!(loan.due_at().unwrap().plus_ms(GRACE_MS) <= loan.deal.claim_after);
}

#[actix::test]
async fn a_confirmation_two_days_late_leaves_the_grace_period_unchanged() {
    let fixture = Fixture::new().await;
    let id = fixture.accepted().await;
    fixture.countersign(id).await;
    fixture.world.pass(2 * 86_400);
    for _ in 0..11 {
        fixture.world.chain.mine_transactions(Vec::new()).unwrap();
        fixture.run_watch().await;
    }
    assert_eq!(fixture.stage(id).await, LoanStage::Broadcast);
    fixture.block().await;
    let loan = fixture.loan(id).await;
    let (originated, due) = (loan.began.unwrap().at, loan.due_at().unwrap());
    assert!(due < originated.plus_ms(7 * 86_400_000), "the term is shorter");
    assert_eq!(due.plus_ms(GRACE_MS), loan.deal.claim_after);
    assert_eq!(loan.summary().due_at(), Some(due));
    for (user, role) in [(fixture.borrower.user, Role::Borrower), (fixture.lender.user, Role::Lender)] {
        let kit = fixture.world.service.kit(user, id).await.unwrap();
        assert_eq!(kit.role, role);
        let record = match Kit::read(&kit.text).unwrap() {
            Kit::Borrower(kit) => kit.record().clone(),
            Kit::Lender(kit) => kit.record().clone(),
            Kit::Vault(_) => panic!("a loan's kit"),
        };
        assert_eq!(u64::from(record.due_seconds) * 1_000, due.0, "the same day in the kit");
    }
    fixture.world.clock.advance_ms(due.0 - fixture.world.clock.now().0);
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Expired);
}
