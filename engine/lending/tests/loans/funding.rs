//! Tests of offers whose lender lacks the coins: they are not ranked, and are resumed automatically.

use std::time::Duration;

use bitcoin::Amount;
use domain::{OfferId, PauseReasons, Sats};
use lending::chain_watch::funding_watch::{FundingError, FundingRound, FundingWatch, FundingWatchIntervals};

use crate::fixture::Fixture;
use crate::kit::groups::{FROGS, NEWTS};
use crate::kit::ports::WorldPorts;

/// Far more than the sum of a lender's three coins.
const TOO_MUCH: Sats = Sats::new(1_900_000);
/// The payment of a lender of 500,000 sats against newts: the principal, and a fifth of 1.2 percent for the platform.
const EXACTLY: u64 = 501_200;

fn watch(fixture: &Fixture) -> FundingWatch<WorldPorts> {
    FundingWatch::new(
        fixture.world.service.clone(),
        FundingWatchIntervals { observation_max_age: Duration::from_mins(10), ..FundingWatchIntervals::default() },
    )
}

impl Fixture {
    async fn is_unfunded(&self, offer: OfferId) -> bool {
        let offer = self.world.service.market.offer(offer).await.unwrap().unwrap();
        assert_eq!(offer.is_live(), offer.paused.is_empty() && offer.held == Sats::ZERO);
        offer.paused.contains(PauseReasons::FUNDING)
    }
}

#[actix::test]
async fn an_offer_is_paused_while_its_lender_lacks_the_coins_and_resumed_with_them() {
    let fixture = Fixture::new().await;
    let watch = watch(&fixture);
    let offers = [fixture.offer(FROGS, 0).await, fixture.offer_of(FROGS, 1, TOO_MUCH).await];
    let lender = fixture.lender.user;
    assert_eq!(watch.round().await.unwrap().paused, 0, "both can be funded by all coins together");
    fixture.lender.spend_all(&fixture.world).await;
    fixture.world.chain.mine(1).unwrap();
    let round = watch.round().await.unwrap();
    assert_eq!(round, FundingRound { checked: 1, paused: 2, ..FundingRound::default() });
    for offer in offers {
        assert!(fixture.is_unfunded(offer).await && !fixture.is_live(offer).await);
    }
    assert_eq!(fixture.world.service.market.my_notices(lender).await.unwrap(), [], "it changes too often for a notice");
    let journaled = fixture.world.journal.batches().len();
    assert_eq!(watch.round().await.unwrap(), FundingRound::default(), "nothing has changed");
    assert_eq!(fixture.world.journal.batches().len(), journaled);

    fixture.world.fund(&fixture.lender.payment_script(), 1_500_000);
    assert_eq!(watch.round().await.unwrap().resumed, 1);
    assert!(fixture.is_live(offers[0]).await && !fixture.is_live(offers[1]).await);
    let restarted = fixture.world.restarted();
    let offer = restarted.service.market.offer(offers[1]).await.unwrap().unwrap();
    assert!(offer.paused.contains(PauseReasons::FUNDING), "the journal keeps it");
}

#[actix::test]
async fn a_coin_reserved_for_a_loan_funds_no_other_offer() {
    let fixture = Fixture::new().await;
    fixture.lender.spend_all(&fixture.world).await;
    fixture.world.fund(&fixture.lender.payment_script(), 1_500_000);
    let watch = watch(&fixture);
    let other = fixture.offer(FROGS, 1).await;
    assert_eq!(watch.round().await.unwrap().paused, 0);
    let id = fixture.accepted().await;
    let held = fixture.loan(id).await.deal.offer;
    assert_eq!(watch.round().await.unwrap().paused, 1, "without a new block or another lookup");
    assert!(fixture.is_unfunded(other).await);
    assert!(!fixture.is_unfunded(held).await, "an offer that is being signed for holds its coins");
    let loan = fixture.loan(id).await;
    fixture.world.service.market.cancel_loan_at_stage(&loan, domain::CancelledBy::Borrower).await.unwrap();
    assert_eq!(watch.round().await.unwrap().resumed, 1);
    assert!(fixture.is_live(other).await && fixture.is_live(held).await);
}

#[actix::test]
async fn an_offer_against_brc20_is_live_while_its_lender_has_the_exact_coin() {
    let fixture = Fixture::new().await;
    let watch = watch(&fixture);
    let offer = fixture.offer_of(NEWTS, 0, Sats::new(500_000)).await;
    assert_eq!(watch.round().await.unwrap().paused, 1, "other coins do not fund it");
    fixture.world.fund(&fixture.lender.payment_script(), EXACTLY + 1);
    assert_eq!(watch.round().await.unwrap().resumed, 0);
    fixture.world.chain.fund(&fixture.lender.payment_script(), Amount::from_sat(EXACTLY)).unwrap();
    assert_eq!(watch.round().await.unwrap().resumed, 1);
    assert!(fixture.is_live(offer).await);
}

#[actix::test]
async fn an_outage_pauses_and_resumes_nothing() {
    let fixture = Fixture::new().await;
    let watch = watch(&fixture);
    let funded = fixture.offer(FROGS, 0).await;
    let unfunded = fixture.offer_of(NEWTS, 0, Sats::new(500_000)).await;
    watch.round().await.unwrap();
    assert!(fixture.is_live(funded).await && fixture.is_unfunded(unfunded).await);
    let journaled = fixture.world.journal.batches().len();
    fixture.lender.spend_all(&fixture.world).await;
    fixture.world.chain.mine(1).unwrap();
    fixture.world.faults.lock().is_index_unreachable = true;
    assert_eq!(watch.round().await.unwrap(), FundingRound { failed: 1, ..FundingRound::default() });
    fixture.world.faults.lock().is_index_unreachable = false;
    fixture.world.faults.lock().index_behind = 1;
    assert_eq!(watch.round().await.unwrap(), FundingRound { failed: 1, ..FundingRound::default() });
    fixture.world.faults.lock().index_behind = 0;
    fixture.world.faults.lock().is_node_unreachable = true;
    assert!(matches!(watch.round().await, Err(FundingError::Chain(_))));
    assert_eq!(fixture.world.journal.batches().len(), journaled, "an unknown state changes nothing");
    fixture.world.faults.lock().is_node_unreachable = false;
    assert_eq!(watch.round().await.unwrap().paused, 1);
}
