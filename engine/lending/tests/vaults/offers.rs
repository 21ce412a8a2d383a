//! Tests that a vault's balance backs its lender's offers and is shown on the lender's screen.

use std::task::{Context, Poll, Waker};

use devchain::ReorgPolicy;
use domain::{Command, Ltv, OfferDraft, ProcessType, Sats, SubCollectionId};
use engine::feed::{Channel, Outgoing, SocketQueue, SocketQueueLimits};

use crate::fixture::Fixture;
use crate::kit::groups::FROGS;

impl Fixture {
    async fn is_paused(&self) -> bool {
        self.world.service.market.my_offers(self.lender.user).await.unwrap()[0].is_paused_from_insufficient_balance
    }

    /// Waits until the offer's pause has this state: books learn of vaults asynchronously.
    async fn until_paused(&self, is_paused: bool, why: &str) {
        for _ in 0..2_000 {
            if self.is_paused().await == is_paused {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        panic!("timed out: {why}");
    }
}

/// The usable balances that were sent to the lender's screen.
fn shown(outbox: &SocketQueue) -> Vec<u64> {
    let mut balances = Vec::new();
    while let Poll::Ready(Some(Outgoing::Frame(frame))) = outbox.poll_action(&mut Context::from_waker(Waker::noop())) {
        let frame: serde_json::Value = serde_json::from_str(&frame).unwrap();
        let vaults = frame["ops"].as_array().into_iter().flatten().filter(|op| op["op"] == "vault");
        balances.extend(vaults.map(|op| op["vault"]["usableBalanceSats"].as_u64().unwrap()));
    }
    balances
}

#[actix::test]
async fn offers_pause_and_resume_with_the_vaults_balance_and_the_lender_sees_each_change() {
    let fixture = Fixture::holding(&[600_000]).await;
    let market = &fixture.world.service.market;
    let draft = OfferDraft {
        max_ltv: Some(Ltv::from_basis_points(9_000)),
        ..OfferDraft::plain(SubCollectionId(0), ProcessType::Instant, Sats::new(500_000))
    };
    let create = Command::Create { lender: fixture.lender.user, draft, count: 1, usable: None };
    market.command(FROGS, create, None).await.unwrap();
    let outbox = SocketQueue::new(SocketQueueLimits::default());
    let _subscription = market.subscribe(Channel::Me(fixture.lender.user), &outbox).await.unwrap();
    shown(&outbox);
    assert!(!fixture.is_paused().await);
    fixture.withdraw(Some(200_000)).await;
    fixture.until_paused(true, "a withdrawal leaves too little").await;
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert!(fixture.is_paused().await, "400,000 is too little");
    let deposit = fixture.deposit(100_000);
    fixture.round().await;
    fixture.until_paused(false, "a deposit makes it enough").await;
    fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    fixture.round().await;
    fixture.until_paused(true, "the deposit's block was disconnected").await;
    assert_eq!(fixture.output(deposit).await, None);
    // The withdrawal is first journaled, then signed.
    assert_eq!(shown(&outbox), [0, 0, 400_000, 500_000, 400_000]);
}
