//! Tests of loans that are repaid out of another lender's loan.

use domain::{Ending, LoanStage, ProcessType, Sats};
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::kit::groups::{FROGS, GOLD};
use crate::runes::gold_rune;

#[actix::test]
async fn another_lender_repays_the_first_and_takes_over_the_collateral_in_one_transaction() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let first = fixture.loan(old).await.deal.lender;
    let fixture = fixture.with_lender(2).await;
    let offer = fixture.offer(FROGS, 1).await;
    let (service, request) =
        (&fixture.world.service, LoanRequest { refinances: Some(old), ..fixture.request(offer, None) });
    let handout = service.prepare(&request).await.unwrap();
    assert_eq!(service.prepare(&request).await.unwrap(), handout, "the same request gives the same answer");
    let new = handout.loan;
    fixture.accept(&handout).await;
    assert_eq!(fixture.stage(old).await, LoanStage::Active, "nothing has happened to the old loan yet");
    let txid = fixture.countersign(new).await;
    assert_eq!((fixture.stage(new).await, fixture.stage(old).await), (LoanStage::Broadcast, LoanStage::Repaying));
    assert_eq!(fixture.world.chain.mempool_txids(), [txid]);
    fixture.block().await;
    assert_eq!((fixture.stage(new).await, fixture.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
    let ended = fixture.loan(old).await;
    assert_eq!(ended.end.unwrap().ending, Ending::Refinance(new));
    assert_ne!(fixture.loan(new).await.deal.lender, first);
    assert_eq!(fixture.loan(new).await.deal.follows, Some(old));
    fixture.repay(&[new]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(new).await, LoanStage::Repaid);
}

#[actix::test]
async fn a_loan_repaid_meanwhile_is_not_refinanced_and_the_new_lenders_offer_is_released() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let fixture = fixture.with_lender(2).await;
    let offer = fixture.offer(FROGS, 1).await;
    let service = &fixture.world.service;
    let handout =
        service.prepare(&LoanRequest { refinances: Some(old), ..fixture.request(offer, None) }).await.unwrap();
    fixture.accept(&handout).await;
    // The borrower repays the first lender after all.
    fixture.repay(&[old]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(old).await, LoanStage::Repaid);
    // Either the watch has seen it, or the new lender's request does.
    let error = service.prepare_countersign(fixture.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::CollateralSpent(_) | LoanServiceError::WrongStage { .. }), "{error}");
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Cancelled);
    assert!(fixture.is_live(offer).await);
    let frog = fixture.loan(old).await.deal.pledged_ids.first().unwrap().parse().unwrap();
    service.prepare(&fixture.request(offer, Some(frog))).await.unwrap();
}

#[actix::test]
async fn a_repayment_mined_in_place_of_a_refinance_is_recorded_as_a_repayment() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let fixture = fixture.with_lender(2).await;
    let offer = fixture.offer(FROGS, 1).await;
    let service = &fixture.world.service;
    let handout =
        service.prepare(&LoanRequest { refinances: Some(old), ..fixture.request(offer, None) }).await.unwrap();
    fixture.accept(&handout).await;
    let plain = fixture.repayment_from_the_kit(old).await;
    fixture.countersign(handout.loan).await;
    let known = fixture.loan(old).await.end.unwrap().ending;
    assert_eq!((fixture.stage(old).await, known), (LoanStage::Repaying, Ending::Refinance(handout.loan)));
    let txid = plain.compute_txid();
    fixture.world.chain.mine_transactions(vec![plain]).unwrap();
    fixture.run_watch().await;
    let ended = fixture.loan(old).await.end.unwrap();
    assert_eq!((fixture.stage(old).await, ended.ending), (LoanStage::Repaid, Ending::Repayment));
    assert_eq!(lending::records::outpoint::to_bitcoin(domain::Outpoint { txid: ended.txid, vout: 0 }).txid, txid);
    for _ in 0..6 {
        fixture.block().await;
    }
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Failed, "its collateral was returned");
}

#[actix::test]
async fn spending_the_coins_of_a_refinance_cancels_it() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let fixture = fixture.with_lender(2).await;
    // Less than the payout of the old loan: the borrower adds coins.
    let offer = fixture.offer_of(FROGS, 1, Sats::new(800_000)).await;
    let service = &fixture.world.service;
    let handout =
        service.prepare(&LoanRequest { refinances: Some(old), ..fixture.request(offer, None) }).await.unwrap();
    fixture.accept(&handout).await;
    fixture.borrower.spend_all(&fixture.world).await;
    let error = service.prepare_countersign(fixture.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::CollateralSpent(_)), "{error}");
    assert_eq!(
        (fixture.stage(handout.loan).await, fixture.stage(old).await),
        (LoanStage::Cancelled, LoanStage::Active)
    );
    assert!(fixture.is_live(offer).await);
}

#[actix::test]
async fn a_loan_is_refinanced_once_and_only_by_its_borrower() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let fixture = fixture.with_lender(2).await;
    let (one, other) = (fixture.offer(FROGS, 1).await, fixture.offer(FROGS, 1).await);
    let service = &fixture.world.service;
    let request = |offer| LoanRequest { refinances: Some(old), ..fixture.request(offer, None) };
    let by_other_user = LoanRequest { borrower: fixture.world.person(103).await.user, ..request(one) };
    let error = service.prepare(&by_other_user).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::UnknownLoan(_)), "{error}");
    let hardware = LoanRequest { is_hardware_wallet: true, ..request(one) };
    assert!(
        matches!(service.prepare(&hardware).await, Err(LoanServiceError::HardwareWallet)),
        "it could not sign the old escrow"
    );
    let frog = fixture.frog().await;
    let error = service.prepare(&LoanRequest { inscriptions: vec![frog], ..request(one) }).await.unwrap_err();
    assert!(
        matches!(error, LoanServiceError::NotReplaceable(id) if id == old),
        "what the loan has is pledged: {error}"
    );
    let first = service.prepare(&request(one)).await.unwrap();
    let second = service.prepare(&request(other)).await.unwrap();
    fixture.accept(&first).await;
    let signed = fixture.borrower.sign(&second.transactions);
    let error = service.accept(fixture.borrower.user, second.loan, &signed).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::NoReservation(_)), "{error}");
    let error = service.prepare(&request(other)).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Market(engine::Refusal::Asset(_))), "{error}");
}

#[actix::test]
async fn a_vault_repays_the_first_lender_and_takes_over_the_collateral_at_once() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let frog = fixture.loan(old).await.deal.pledged_ids.clone();
    let fixture = fixture.with_lender(2).await;
    let vault = fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let (service, request) =
        (&fixture.world.service, LoanRequest { refinances: Some(old), ..fixture.request(offer, None) });
    let handout = service.prepare_instant(&request).await.unwrap();
    assert_eq!(service.prepare_instant(&request).await.unwrap(), handout, "the same request gives the same answer");
    let new = handout.loan;
    let txid = fixture.submit(&fixture.borrower, &handout).await.unwrap();
    assert_eq!(fixture.submit(&fixture.borrower, &handout).await.unwrap(), txid, "the same again");
    assert_eq!((fixture.stage(new).await, fixture.stage(old).await), (LoanStage::Broadcast, LoanStage::Repaying));
    fixture.block_for_all().await;
    assert_eq!((fixture.stage(new).await, fixture.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
    assert_eq!(fixture.loan(old).await.end.unwrap().ending, Ending::Refinance(new));
    let deal = fixture.loan(new).await.deal;
    assert_eq!((deal.follows, deal.process, &deal.pledged_ids), (Some(old), ProcessType::Instant, &frog));
    assert_eq!(fixture.vault_holds(&vault).await, 3_000_000 - PRINCIPAL.get() - deal.platform_fee.get());
    fixture.repay(&[new]).await;
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(new).await, LoanStage::Repaid);
    assert!(fixture.owns(&fixture.borrower, frog.first().unwrap().parse().unwrap()).await);
}

#[actix::test]
async fn an_instant_loan_against_runes_moves_to_a_part_of_another_vaults_offer() {
    let (fixture, _, _) = gold_rune().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(GOLD, PRINCIPAL, Some(20_000_000)).await;
    let part = LoanRequest { amount_raw: Some(12_000_000), ..fixture.request(offer, None) };
    let handout = fixture.world.service.prepare_instant(&part).await.unwrap();
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    let old = handout.loan;
    assert_eq!(fixture.stage(old).await, LoanStage::Active);
    let fixture = fixture.with_lender(2).await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(GOLD, PRINCIPAL, Some(16_000_000)).await;
    let request = LoanRequest { refinances: Some(old), ..fixture.request(offer, None) };
    let handout = fixture.world.service.prepare_instant(&request).await.unwrap();
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    let new = handout.loan;
    assert_eq!((fixture.stage(new).await, fixture.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
    let deal = fixture.loan(new).await.deal;
    assert_eq!((deal.pledged_raw, deal.principal), (12_000_000, Sats::new(PRINCIPAL.get() * 12 / 16)));
}

#[actix::test]
async fn the_borrower_adds_coins_where_a_vaults_principal_does_not_repay_the_first_lender() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let fixture = fixture.with_lender(2).await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, Sats::new(800_000), None).await;
    let request = LoanRequest { refinances: Some(old), ..fixture.request(offer, None) };
    let handout = fixture.world.service.prepare_instant(&request).await.unwrap();
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    assert_eq!((fixture.stage(handout.loan).await, fixture.stage(old).await), (LoanStage::Active, LoanStage::Repaid));
}
