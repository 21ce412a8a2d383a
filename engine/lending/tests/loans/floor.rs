//! Tests that low fee rates and used-up offers are refused before anything is signed.

use bitcoin::FeeRate;
use bitcoin::hashes::{Hash as _, sha256};
use domain::{LoanStage, OfferId};
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;
use lending::ports::Ports as _;
use lending::quotes::{QuoteMemory, Quotes};
use lending::reconcile::{Look, Repair};
use signer::request::{OfferName, Standing};
use signer::vault_signer::VaultSigner as _;

use crate::kit::groups::FROGS;
use crate::scene::{PRINCIPAL, Scene, rate};

impl Scene {
    async fn standing(&self, offer: OfferId) -> Option<Standing> {
        let name = self.world.desk.market.offer_admission(offer).await.unwrap();
        let name = OfferName(sha256::Hash::from_byte_array(name));
        let known = self.world.desk.ports.signer().standing(vec![name]).await.unwrap();
        known.first().map(|(_, standing)| *standing)
    }

    async fn repaired(&self, memory: &QuoteMemory, look: Look) -> Vec<(OfferId, Repair)> {
        let desk = &self.world.desk;
        let quotes = Quotes { market: &desk.market, signer: desk.ports.signer(), memory };
        quotes.reconcile(look).await.unwrap().into_iter().map(|one| (one.offer, one.repair)).collect()
    }
}

fn vb(sats: u32) -> FeeRate {
    FeeRate::from_sat_per_vb_u32(sats)
}

#[actix::test]
async fn a_rate_below_the_nodes_floor_is_refused_when_a_loan_is_prepared() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let (manual, instant) = (scene.offer(FROGS, 0).await, scene.instant_offer(FROGS, PRINCIPAL, None).await);
    let frog = scene.frog().await;
    let desk = &scene.world.desk;
    scene.world.moods.now().floor = Some(vb(5));
    let written = scene.world.journal.batches().len();
    for sats in [1, 4] {
        let wish = |offer| Borrowing { fee_rate: vb(sats), ..scene.wish(offer, Some(frog)) };
        for refused in [desk.prepare(&wish(manual)).await, desk.prepare_instant(&wish(instant)).await] {
            assert!(matches!(refused, Err(DeskError::FeeRate { min, .. }) if min == vb(5)), "{refused:?}");
        }
    }
    assert_eq!(scene.world.journal.batches().len(), written);
    assert_eq!(scene.standing(instant).await, Some(Standing::Open));
    desk.prepare_instant(&scene.wish(instant, Some(frog))).await.unwrap();
}

/// The node accepts 1 sat per virtual byte, and the estimate for the next blocks is 40.
#[actix::test]
async fn a_loan_at_a_low_fee_rate_is_refused_with_the_lowest_allowed_one() {
    let scene = Scene::new().await;
    scene.vault(&[4_000_000]).await;
    let (manual, instant) = (scene.offer(FROGS, 0).await, scene.instant_offer(FROGS, PRINCIPAL, None).await);
    let frog = scene.frog().await;
    let desk = &scene.world.desk;
    (scene.world.moods.now().floor, scene.world.moods.now().estimate) = (Some(vb(1)), Some(vb(40)));
    let wish = |offer, sats| Borrowing { fee_rate: vb(sats), ..scene.wish(offer, Some(frog)) };
    let written = scene.world.journal.batches().len();
    for sats in [1, 31] {
        let refused = desk.prepare_instant(&wish(instant, sats)).await;
        assert!(matches!(refused, Err(DeskError::FeeRate { min, .. }) if min == vb(32)), "{sats}: {refused:?}");
    }
    let refused = desk.prepare(&wish(manual, 19)).await;
    assert!(matches!(refused, Err(DeskError::FeeRate { min, .. }) if min == vb(20)), "{refused:?}");
    assert_eq!(scene.world.journal.batches().len(), written, "nothing was reserved");
    // A prepared loan's rate may fall behind while its borrower signs, but not by more than half.
    let handout = desk.prepare_instant(&wish(instant, 32)).await.unwrap();
    scene.world.moods.now().estimate = Some(vb(65));
    let refused = scene.submit(&scene.borrower, &handout).await;
    assert!(
        matches!(refused, Err(DeskError::FeeRate { min, .. }) if min == FeeRate::from_sat_per_kwu(8_125)),
        "{refused:?}"
    );
    assert_eq!(scene.standing(instant).await, Some(Standing::Open), "nothing was signed");
    scene.world.moods.now().estimate = Some(vb(64));
    scene.submit(&scene.borrower, &handout).await.unwrap();
}

#[actix::test]
async fn a_risen_minimum_rate_is_noticed_before_the_signer_counts_the_loan() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let handout = scene.world.desk.prepare_instant(&scene.wish(offer, Some(frog))).await.unwrap();
    assert_eq!(rate(), vb(5));
    scene.world.moods.now().floor = Some(vb(6));
    let refused = scene.submit(&scene.borrower, &handout).await;
    assert!(matches!(refused, Err(DeskError::FeeRate { min, .. }) if min == vb(6)), "{refused:?}");
    assert_eq!(scene.standing(offer).await, Some(Standing::Open), "nothing was signed");
    scene.world.moods.now().floor = None;
    scene.submit(&scene.borrower, &handout).await.unwrap();
    scene.block_for_all().await;
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Active);
}

#[actix::test]
async fn an_offer_signed_for_without_a_loan_leaves_the_book() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000, 3_000_000]).await;
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let (desk, memory) = (&scene.world.desk, QuoteMemory::default());
    let handout = desk.prepare_instant(&scene.wish(offer, Some(frog))).await.unwrap();
    // The signer signs, and its answer is lost.
    scene.world.moods.now().signs = crate::kit::ports::Doing::LosesAnswer;
    scene.submit(&scene.borrower, &handout).await.unwrap_err();
    scene.world.moods.now().signs = crate::kit::ports::Doing::Well;
    assert_eq!(scene.standing(offer).await, Some(Standing::Used { sats: PRINCIPAL.get() }));
    // As long as the borrower may try again, the state is consistent.
    assert_eq!(scene.repaired(&memory, Look::First).await, []);
    desk.withdraw(scene.borrower.user, handout.loan).await.unwrap();
    assert!(scene.is_live(offer).await);
    assert_eq!(scene.repaired(&memory, Look::Again).await, [], "it may be in progress");
    assert_eq!(scene.repaired(&memory, Look::Again).await, [(offer, Repair::UsedUp)]);
    assert!(desk.market.offer(offer).await.unwrap().is_none(), "an offer that cannot be taken is not shown");
}

#[actix::test]
async fn a_partly_lent_offer_stays_in_the_book() {
    let (scene, gold, coin) = crate::runes::golden().await;
    scene.vault(&[3_000_000]).await;
    let offer = scene.instant_offer(crate::kit::groups::GOLD, PRINCIPAL, Some(20_000_000)).await;
    scene.share(gold, coin, &[(&scene.borrower, 20_000_000)]).await;
    let half = Borrowing { amount_raw: Some(10_000_000), ..scene.wish(offer, None) };
    let handout = scene.world.desk.prepare_instant(&half).await.unwrap();
    scene.submit(&scene.borrower, &handout).await.unwrap();
    scene.block_for_all().await;
    assert_eq!(scene.standing(offer).await, Some(Standing::Used { sats: PRINCIPAL.get() / 2 }));
    assert_eq!(scene.repaired(&QuoteMemory::default(), Look::First).await, []);
    scene.until_live(offer).await;
}
