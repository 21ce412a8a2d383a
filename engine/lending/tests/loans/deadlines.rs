//! Tests of deadlines: the claim time is fixed in the script, and delays of users and miners must not cut what it
//! guarantees.

use domain::{GRACE_MS, LoanId, LoanRejection, LoanStage, Role, UnixMs};
use engine::Refusal;
use engine::clock::Clock as _;
use escrow::kit::Kit;
use lending::desk_error::DeskError;

use crate::scene::Scene;

const HOUR_S: u32 = 3_600;

impl Scene {
    /// Spends all promised coins of the lender, funds the lender again, and asks for the loan to counter-sign.
    async fn lender_spends_and_looks(&self, id: LoanId) -> DeskError {
        self.lender.spend_all(&self.world).await;
        self.world.fund(&self.lender.payment_script(), 3_000_000);
        self.world.desk.prepare_countersign(self.lender.user, id).await.unwrap_err()
    }

    async fn accept_again(&self, id: LoanId) {
        let handout = self.world.desk.prepared(self.borrower.user, id).await.unwrap();
        self.accept(&handout).await;
    }
}

#[actix::test]
async fn a_lender_who_keeps_spending_the_coins_does_not_shorten_the_term() {
    let scene = Scene::new().await;
    let id = scene.accepted().await;
    let deal = scene.loan(id).await.deal;
    let (desk, last) = (&scene.world.desk, deal.sign_by());
    assert_eq!(last, desk.market.now().plus_ms(u64::from(12 * HOUR_S + 900) * 1_000));
    for hours in [6, 5] {
        scene.world.pass(hours * HOUR_S);
        let error = scene.lender_spends_and_looks(id).await;
        assert!(matches!(error, DeskError::Rebuilt), "{error}");
        assert_eq!(scene.loan(id).await.expires_at, last, "the borrower's time");
        scene.accept_again(id).await;
        assert_eq!(scene.loan(id).await.expires_at, last, "the lender's time");
    }
    assert_eq!(scene.loan(id).await.deal, deal, "nothing that was agreed on has moved");
    // One minute too little for another signing round.
    scene.world.pass(HOUR_S + 60);
    let error = scene.lender_spends_and_looks(id).await;
    assert!(matches!(&error, DeskError::Market(Refusal::Loan(LoanRejection::TooLate(at))) if *at == last), "{error}");
    assert_eq!(scene.stage(id).await, LoanStage::Cancelled);
    assert!(scene.is_live(deal.offer).await, "the offer is available");
    let frog = deal.pledged_id.parse().unwrap();
    let again = desk.prepare(&scene.wish(deal.offer, Some(frog))).await.unwrap();
    assert_ne!(again.loan, id, "and the collateral");
}

#[actix::test]
async fn signing_at_the_last_moment_still_gives_the_whole_term() {
    let scene = Scene::new().await;
    let id = scene.accepted().await;
    scene.world.pass(6 * HOUR_S);
    scene.lender_spends_and_looks(id).await;
    scene.world.pass(6 * HOUR_S);
    scene.accept_again(id).await;
    scene.world.pass(800);
    scene.countersign(id).await;
    // The block's own clock may be slightly behind that of the market.
    scene.block().await;
    let loan = scene.loan(id).await;
    let term = UnixMs(loan.due_at().unwrap().0 - loan.began.unwrap().at.0);
    assert_eq!(term, UnixMs(7 * 86_400_000));
    assert!(loan.due_at().unwrap().plus_ms(GRACE_MS) <= loan.deal.claim_after);
}

#[actix::test]
async fn a_confirmation_two_days_late_leaves_the_grace_period_unchanged() {
    let scene = Scene::new().await;
    let id = scene.accepted().await;
    scene.countersign(id).await;
    scene.world.pass(2 * 86_400);
    for _ in 0..11 {
        scene.world.chain.mine_these(Vec::new()).unwrap();
        scene.look().await;
    }
    assert_eq!(scene.stage(id).await, LoanStage::Broadcast);
    scene.block().await;
    let loan = scene.loan(id).await;
    let (begun, due) = (loan.began.unwrap().at, loan.due_at().unwrap());
    assert!(due < begun.plus_ms(7 * 86_400_000), "the term is shorter");
    assert_eq!(due.plus_ms(GRACE_MS), loan.deal.claim_after);
    assert_eq!(loan.summary().due_at(), Some(due));
    for (user, role) in [(scene.borrower.user, Role::Borrower), (scene.lender.user, Role::Lender)] {
        let kit = scene.world.desk.kit(user, id).await.unwrap();
        assert_eq!(kit.role, role);
        let record = match Kit::read(&kit.text).unwrap() {
            Kit::Borrower(kit) => kit.record().clone(),
            Kit::Lender(kit) => kit.record().clone(),
            Kit::Vault(_) => panic!("a loan's kit"),
        };
        assert_eq!(u64::from(record.due_seconds) * 1_000, due.0, "the same day in the kit");
    }
    scene.world.clock.advance_ms(due.0 - scene.world.clock.now().0);
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Expired);
}
