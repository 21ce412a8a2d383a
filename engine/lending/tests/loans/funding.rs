//! Tests of offers whose lender lacks the coins: they are not ranked, and are resumed automatically.

use std::time::Duration;

use bitcoin::Amount;
use domain::{OfferId, PauseReasons, Sats};
use lending::funding_watch::{FundingError, FundingPace, FundingRound, FundingWatch};

use crate::kit::groups::{FROGS, NEWTS};
use crate::kit::ports::WorldPorts;
use crate::scene::Scene;

/// Far more than the sum of a lender's three coins.
const TOO_MUCH: Sats = Sats::new(1_900_000);
/// The payment of a lender of 500,000 sats against newts: the principal, and a fifth of 1.2 percent for the platform.
const EXACTLY: u64 = 501_200;

fn watch(scene: &Scene) -> FundingWatch<WorldPorts> {
    FundingWatch::new(
        scene.world.desk.clone(),
        FundingPace { look_every: Duration::from_mins(10), ..FundingPace::default() },
    )
}

impl Scene {
    async fn is_unfunded(&self, offer: OfferId) -> bool {
        let offer = self.world.desk.market.offer(offer).await.unwrap().unwrap();
        assert_eq!(offer.is_live(), offer.paused.is_empty() && offer.held == Sats::ZERO);
        offer.paused.contains(PauseReasons::FUNDING)
    }
}

#[actix::test]
async fn an_offer_is_paused_while_its_lender_lacks_the_coins_and_resumed_with_them() {
    let scene = Scene::new().await;
    let watch = watch(&scene);
    let offers = [scene.offer(FROGS, 0).await, scene.offer_of(FROGS, 1, TOO_MUCH).await];
    let lender = scene.lender.user;
    assert_eq!(watch.round().await.unwrap().paused, 0, "both can be funded by all coins together");
    scene.lender.spend_all(&scene.world).await;
    scene.world.chain.mine(1).unwrap();
    let round = watch.round().await.unwrap();
    assert_eq!(round, FundingRound { looked: 1, paused: 2, ..FundingRound::default() });
    for offer in offers {
        assert!(scene.is_unfunded(offer).await && !scene.is_live(offer).await);
    }
    assert_eq!(scene.world.desk.market.my_notices(lender).await.unwrap(), [], "it changes too often for a notice");
    let journaled = scene.world.journal.batches().len();
    assert_eq!(watch.round().await.unwrap(), FundingRound::default(), "nothing has changed");
    assert_eq!(scene.world.journal.batches().len(), journaled);

    scene.world.fund(&scene.lender.payment_script(), 1_500_000);
    assert_eq!(watch.round().await.unwrap().resumed, 1);
    assert!(scene.is_live(offers[0]).await && !scene.is_live(offers[1]).await);
    let restarted = scene.world.restarted();
    let offer = restarted.desk.market.offer(offers[1]).await.unwrap().unwrap();
    assert!(offer.paused.contains(PauseReasons::FUNDING), "the journal keeps it");
}

#[actix::test]
async fn a_coin_reserved_for_a_loan_funds_no_other_offer() {
    let scene = Scene::new().await;
    scene.lender.spend_all(&scene.world).await;
    scene.world.fund(&scene.lender.payment_script(), 1_500_000);
    let watch = watch(&scene);
    let other = scene.offer(FROGS, 1).await;
    assert_eq!(watch.round().await.unwrap().paused, 0);
    let id = scene.accepted().await;
    let held = scene.loan(id).await.deal.offer;
    assert_eq!(watch.round().await.unwrap().paused, 1, "without a new block or another lookup");
    assert!(scene.is_unfunded(other).await);
    assert!(!scene.is_unfunded(held).await, "an offer that is being signed for holds its coins");
    let loan = scene.loan(id).await;
    scene.world.desk.market.give_up_loan(&loan, domain::CancelledBy::Borrower).await.unwrap();
    assert_eq!(watch.round().await.unwrap().resumed, 1);
    assert!(scene.is_live(other).await && scene.is_live(held).await);
}

#[actix::test]
async fn an_offer_against_brc20_is_live_while_its_lender_has_the_exact_coin() {
    let scene = Scene::new().await;
    let watch = watch(&scene);
    let offer = scene.offer_of(NEWTS, 0, Sats::new(500_000)).await;
    assert_eq!(watch.round().await.unwrap().paused, 1, "other coins do not fund it");
    scene.world.fund(&scene.lender.payment_script(), EXACTLY + 1);
    assert_eq!(watch.round().await.unwrap().resumed, 0);
    scene.world.chain.fund(&scene.lender.payment_script(), Amount::from_sat(EXACTLY)).unwrap();
    assert_eq!(watch.round().await.unwrap().resumed, 1);
    assert!(scene.is_live(offer).await);
}

#[actix::test]
async fn an_outage_pauses_and_resumes_nothing() {
    let scene = Scene::new().await;
    let watch = watch(&scene);
    let funded = scene.offer(FROGS, 0).await;
    let unfunded = scene.offer_of(NEWTS, 0, Sats::new(500_000)).await;
    watch.round().await.unwrap();
    assert!(scene.is_live(funded).await && scene.is_unfunded(unfunded).await);
    let journaled = scene.world.journal.batches().len();
    scene.lender.spend_all(&scene.world).await;
    scene.world.chain.mine(1).unwrap();
    scene.world.moods.now().is_index_away = true;
    assert_eq!(watch.round().await.unwrap(), FundingRound { unclear: 1, ..FundingRound::default() });
    scene.world.moods.now().is_index_away = false;
    scene.world.moods.now().index_behind = 1;
    assert_eq!(watch.round().await.unwrap(), FundingRound { unclear: 1, ..FundingRound::default() });
    scene.world.moods.now().index_behind = 0;
    scene.world.moods.now().is_node_away = true;
    assert!(matches!(watch.round().await, Err(FundingError::Chain(_))));
    assert_eq!(scene.world.journal.batches().len(), journaled, "an unknown state changes nothing");
    scene.world.moods.now().is_node_away = false;
    assert_eq!(watch.round().await.unwrap().paused, 1);
}
