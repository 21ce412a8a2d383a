//! Tests of instant loans from vaults that three signers share, two of which sign: whichever of them is away or wrong, and
//! whenever the server is restarted.

use domain::{Ending, LoanStage};
use lending::lookups::ports::Ports as _;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;
use signer::vault_signer::SignerError;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::instant_fixture::request_of;
use crate::kit::faults::FaultMode;
use crate::kit::groups::FROGS;
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
        let (loan, frog) = fixture.lent().await;
        fixture.repay_to_the_sat(loan, frog).await;
    }
}

#[actix::test]
async fn one_signer_alone_lends_nothing_and_a_loan_is_signed_once_another_is_back() {
    let fixture = three_signers().await;
    fixture.vault(&[3_000_000]).await;
    let (handout, _) = fixture.prepared_instant().await;
    fixture.world.faults.lock().signs = FaultMode::Unreachable;
    fixture.world.faults.lock().odd_signer = Some((1, FaultMode::Healthy));
    let refused = fixture.submit(&fixture.borrower, &handout).await.unwrap_err();
    assert!(matches!(refused, LoanServiceError::Signer(SignerError::Unanswered { .. })), "{refused}");
    assert!(fixture.world.chain.mempool_txids().is_empty());
    fixture.world.faults.lock().signs = FaultMode::Healthy;
    fixture.start(&handout).await;
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
    fixture.start(&handout).await;
    fixture.claim_unpaid(handout.loan, frog).await;
}

#[actix::test]
async fn a_loan_of_several_repay_keys_is_repaid_out_of_another_shared_vault() {
    let fixture = three_signers().await;
    fixture.vault(&[3_000_000]).await;
    let (old, frog) = fixture.lent().await;
    let fixture = fixture.with_lender(2).await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let request = LoanRequest { refinances: Some(old), ..fixture.request(offer, None) };
    let new = fixture.world.service.prepare_instant(&request_of(&fixture.borrower, &request)).await.unwrap();
    fixture.start(&new).await;
    assert_eq!(fixture.stage(old).await, LoanStage::Repaid);
    assert_eq!(fixture.loan(old).await.end.unwrap().ending, Ending::Refinance(new.loan));
    fixture.repay_to_the_sat(new.loan, frog).await;
}

#[actix::test]
async fn the_change_of_a_shared_vault_pays_for_a_waiting_loan() {
    let fixture = three_signers().await;
    fixture.vault(&[3_000_000]).await;
    let (handout, _) = fixture.prepared_instant().await;
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    assert_eq!(fixture.bumps_in_a_full_mempool().await, [0, 1, 0]);
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
