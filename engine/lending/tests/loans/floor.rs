//! Tests that low fee rates and used-up offers are refused before anything is signed.

use bitcoin::FeeRate;
use bitcoin::hashes::{Hash as _, sha256};
use domain::{LoanStage, OfferId};
use lending::instant_offers::reconcile::{ReconcilePass, Repair};
use lending::instant_offers::service::{InstantOfferState, InstantOffers};
use lending::lookups::ports::Ports as _;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;
use signer::request::{OfferHash, OfferStatus};
use signer::vault_signer::VaultSigner as _;

use crate::fixture::{Fixture, PRINCIPAL, rate};
use crate::kit::groups::FROGS;

impl Fixture {
    async fn standing(&self, offer: OfferId) -> Option<OfferStatus> {
        let name = self.world.service.market.offer_admission(offer).await.unwrap();
        let name = OfferHash(sha256::Hash::from_byte_array(name));
        let known = self.world.service.ports.signer().offer_status(vec![name]).await.unwrap();
        known.first().map(|(_, standing)| *standing)
    }

    async fn repaired(&self, state: &InstantOfferState, pass: ReconcilePass) -> Vec<(OfferId, Repair)> {
        let service = &self.world.service;
        let quotes = InstantOffers { market: &service.market, signer: service.ports.signer(), state };
        quotes.reconcile(pass).await.unwrap().into_iter().map(|one| (one.offer, one.repair)).collect()
    }
}

fn vb(sats: u32) -> FeeRate {
    FeeRate::from_sat_per_vb_u32(sats)
}

#[actix::test]
async fn a_rate_below_the_nodes_floor_is_refused_when_a_loan_is_prepared() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (manual, instant) = (fixture.offer(FROGS, 0).await, fixture.instant_offer(FROGS, PRINCIPAL, None).await);
    let frog = fixture.frog().await;
    let service = &fixture.world.service;
    fixture.world.faults.lock().floor = Some(vb(5));
    let written = fixture.world.journal.batches().len();
    for sats in [1, 4] {
        let request = |offer| LoanRequest { fee_rate: vb(sats), ..fixture.request(offer, Some(frog)) };
        for refused in [service.prepare(&request(manual)).await, service.prepare_instant(&request(instant)).await] {
            assert!(matches!(refused, Err(LoanServiceError::FeeRate { min, .. }) if min == vb(5)), "{refused:?}");
        }
    }
    assert_eq!(fixture.world.journal.batches().len(), written);
    assert_eq!(fixture.standing(instant).await, Some(OfferStatus::Open));
    service.prepare_instant(&fixture.request(instant, Some(frog))).await.unwrap();
}

/// The node accepts 1 sat per virtual byte, and the estimate for the next blocks is 40.
#[actix::test]
async fn a_loan_at_a_low_fee_rate_is_refused_with_the_lowest_allowed_one() {
    let fixture = Fixture::new().await;
    fixture.vault(&[4_000_000]).await;
    let (manual, instant) = (fixture.offer(FROGS, 0).await, fixture.instant_offer(FROGS, PRINCIPAL, None).await);
    let frog = fixture.frog().await;
    let service = &fixture.world.service;
    (fixture.world.faults.lock().floor, fixture.world.faults.lock().estimate) = (Some(vb(1)), Some(vb(40)));
    let request = |offer, sats| LoanRequest { fee_rate: vb(sats), ..fixture.request(offer, Some(frog)) };
    let written = fixture.world.journal.batches().len();
    for sats in [1, 31] {
        let refused = service.prepare_instant(&request(instant, sats)).await;
        assert!(matches!(refused, Err(LoanServiceError::FeeRate { min, .. }) if min == vb(32)), "{sats}: {refused:?}");
    }
    let refused = service.prepare(&request(manual, 19)).await;
    assert!(matches!(refused, Err(LoanServiceError::FeeRate { min, .. }) if min == vb(20)), "{refused:?}");
    assert_eq!(fixture.world.journal.batches().len(), written, "nothing was reserved");
    // A prepared loan's rate may fall behind while its borrower signs, but not by more than half.
    let handout = service.prepare_instant(&request(instant, 32)).await.unwrap();
    fixture.world.faults.lock().estimate = Some(vb(65));
    let refused = fixture.submit(&fixture.borrower, &handout).await;
    assert!(
        matches!(refused, Err(LoanServiceError::FeeRate { min, .. }) if min == FeeRate::from_sat_per_kwu(8_125)),
        "{refused:?}"
    );
    assert_eq!(fixture.standing(instant).await, Some(OfferStatus::Open), "nothing was signed");
    fixture.world.faults.lock().estimate = Some(vb(64));
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
}

#[actix::test]
async fn a_risen_minimum_rate_is_noticed_before_the_signer_counts_the_loan() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let handout = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    assert_eq!(rate(), vb(5));
    fixture.world.faults.lock().floor = Some(vb(6));
    let refused = fixture.submit(&fixture.borrower, &handout).await;
    assert!(matches!(refused, Err(LoanServiceError::FeeRate { min, .. }) if min == vb(6)), "{refused:?}");
    assert_eq!(fixture.standing(offer).await, Some(OfferStatus::Open), "nothing was signed");
    fixture.world.faults.lock().floor = None;
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Active);
}

#[actix::test]
async fn an_offer_signed_for_without_a_loan_leaves_the_book() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000, 3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let (service, memory) = (&fixture.world.service, InstantOfferState::default());
    let handout = service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    // The signer signs, and its answer is lost.
    fixture.world.faults.lock().signs = crate::kit::faults::FaultMode::LosesAnswer;
    fixture.submit(&fixture.borrower, &handout).await.unwrap_err();
    fixture.world.faults.lock().signs = crate::kit::faults::FaultMode::Healthy;
    assert_eq!(fixture.standing(offer).await, Some(OfferStatus::Used { sats: PRINCIPAL.get() }));
    // As long as the borrower may try again, the state is consistent.
    assert_eq!(fixture.repaired(&memory, ReconcilePass::Startup).await, []);
    service.withdraw(fixture.borrower.user, handout.loan).await.unwrap();
    assert!(fixture.is_live(offer).await);
    assert_eq!(fixture.repaired(&memory, ReconcilePass::Periodic).await, [], "it may be in progress");
    assert_eq!(fixture.repaired(&memory, ReconcilePass::Periodic).await, [(offer, Repair::UsedUp)]);
    assert!(service.market.offer(offer).await.unwrap().is_none(), "an offer that cannot be taken is not shown");
}

#[actix::test]
async fn a_partly_lent_offer_stays_in_the_book() {
    let (fixture, gold, coin) = crate::runes::gold_rune().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(crate::kit::groups::GOLD, PRINCIPAL, Some(20_000_000)).await;
    fixture.share(gold, coin, &[(&fixture.borrower, 20_000_000)]).await;
    let half = LoanRequest { amount_raw: Some(10_000_000), ..fixture.request(offer, None) };
    let handout = fixture.world.service.prepare_instant(&half).await.unwrap();
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    assert_eq!(fixture.standing(offer).await, Some(OfferStatus::Used { sats: PRINCIPAL.get() / 2 }));
    assert_eq!(fixture.repaired(&InstantOfferState::default(), ReconcilePass::Startup).await, []);
    fixture.until_live(offer).await;
}
