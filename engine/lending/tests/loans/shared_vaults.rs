//! Tests of instant loans from vaults that three signers share, two of which sign: whichever of them is away or wrong, and
//! whenever the server is restarted.

use bitcoin::FeeRate;
use domain::{Ending, LoanStage};
use lending::lookups::ports::Ports as _;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;
use lending::vaults::vault_watch::VaultWatch;
use signer::vault_signer::SignerError;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::instant_fixture::request_of;
use crate::kit::groups::FROGS;
use crate::kit::ports::FaultMode;
use crate::kit::world::World;

async fn three_signers() -> Fixture {
    Fixture::of(World::of_three_signers().await).await
}

#[actix::test]
async fn two_signers_lend_whichever_third_is_away_or_loses_its_answers() {
    for (number, mode) in
        (0..3).flat_map(|number| [FaultMode::Unreachable, FaultMode::LosesAnswer].map(|it| (number, it)))
    {
        let fixture = three_signers().await;
        let vault = fixture.vault(&[3_000_000]).await;
        assert_eq!((vault.terms().signers.required(), vault.terms().signers.keys().len()), (2, 3));
        fixture.world.faults.lock().odd_signer = Some((number, mode));
        let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
        let handout = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
        fixture.submit(&fixture.borrower, &handout).await.unwrap();
        fixture.block_for_all().await;
        assert_eq!(fixture.stage(handout.loan).await, LoanStage::Active);
        let before = fixture.lender.payment_balance(&fixture.world).await;
        fixture.repay(&[handout.loan]).await;
        fixture.block_for_all().await;
        assert_eq!(fixture.stage(handout.loan).await, LoanStage::Repaid);
        assert!(fixture.owns(&fixture.borrower, frog).await);
        assert_eq!(fixture.lender.payment_balance(&fixture.world).await - before, PRINCIPAL.get() + 12_000);
    }
}

#[actix::test]
async fn one_signer_alone_lends_nothing_and_a_loan_is_signed_once_another_is_back() {
    let fixture = three_signers().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let handout = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    fixture.world.faults.lock().signs = FaultMode::Unreachable;
    fixture.world.faults.lock().odd_signer = Some((1, FaultMode::Healthy));
    let refused = fixture.submit(&fixture.borrower, &handout).await.unwrap_err();
    assert!(matches!(refused, LoanServiceError::Signer(SignerError::Unanswered { .. })), "{refused}");
    assert!(fixture.world.chain.mempool_txids().is_empty());
    fixture.world.faults.lock().signs = FaultMode::Healthy;
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Active);
}

#[actix::test]
async fn a_prepared_loan_is_signed_after_a_restart_of_the_server_and_claimed_when_it_is_not_repaid() {
    let fixture = three_signers().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let request = fixture.request(offer, Some(frog));
    let handout = fixture.world.service.prepare_instant(&request).await.unwrap();
    let Fixture { world, lender, borrower, watch_state } = fixture;
    let fixture = Fixture { world: world.restarted(), lender, borrower, watch_state };
    assert_eq!(fixture.world.service.prepare_instant(&request).await.unwrap(), handout);
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    fixture.pass_days(9).await;
    fixture.claim(handout.loan).await;
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Claimed);
    assert!(fixture.owns(&fixture.lender, frog).await);
}

#[actix::test]
async fn a_loan_of_several_repay_keys_is_repaid_out_of_another_shared_vault() {
    let fixture = three_signers().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let old = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    fixture.submit(&fixture.borrower, &old).await.unwrap();
    fixture.block_for_all().await;
    let fixture = fixture.with_lender(2).await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let request = LoanRequest { refinances: Some(old.loan), ..fixture.request(offer, None) };
    let new = fixture.world.service.prepare_instant(&request_of(&fixture.borrower, &request)).await.unwrap();
    fixture.submit(&fixture.borrower, &new).await.unwrap();
    fixture.block_for_all().await;
    assert_eq!((fixture.stage(new.loan).await, fixture.stage(old.loan).await), (LoanStage::Active, LoanStage::Repaid));
    assert_eq!(fixture.loan(old.loan).await.end.unwrap().ending, Ending::Refinance(new.loan));
    fixture.repay(&[new.loan]).await;
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(new.loan).await, LoanStage::Repaid);
    assert!(fixture.owns(&fixture.borrower, frog).await);
}

#[actix::test]
async fn the_change_of_a_shared_vault_pays_for_a_waiting_loan() {
    let fixture = three_signers().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let handout = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    let watch = VaultWatch::new(fixture.world.service.clone());
    watch.round().await.unwrap();
    fixture.world.faults.lock().estimate = Some(FeeRate::from_sat_per_kwu(5_000));
    let mut bumped = Vec::new();
    for _ in 0..3 {
        fixture.world.chain.mine_transactions(Vec::new()).unwrap();
        bumped.push(watch.round().await.unwrap().bumped);
    }
    assert_eq!(bumped, [0, 1, 0]);
    assert_eq!(fixture.world.chain.mempool_txids().len(), 2);
}

#[actix::test]
async fn a_vault_is_not_opened_while_a_signer_is_away() {
    let fixture = three_signers().await;
    let policy = fixture.world.policy().await;
    fixture.world.faults.lock().odd_signer = Some((2, FaultMode::Unreachable));
    let signers = fixture.world.service.ports.signer();
    let refused = signer::vault_signer::VaultSigner::vault_signers(signers, fixture.lender.user.0).await;
    assert!(matches!(refused, Err(SignerError::Unreachable { .. })), "{refused:?}");
    fixture.world.faults.lock().odd_signer = None;
    fixture.vault(&[3_000_000]).await;
    assert_eq!(fixture.world.policy().await, policy);
}
