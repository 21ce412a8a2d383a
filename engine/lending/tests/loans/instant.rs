//! Tests of instant loans against inscriptions: the vault pays as soon as the borrower has signed.

use bitcoin::hashes::Hash as _;
use bitcoin::{Network, OutPoint};
use domain::{
    Command, LoanRejection, LoanStage, Ltv, OfferDraft, OfferId, ProcessType, Rejection, Sats, SubCollectionId,
};
use engine::Refusal;
use escrow::action::{Action, CancelOffers};
use escrow::address::AddressKind;
use escrow::contract::signing::spent_output::SpentOutputError;
use escrow::wallet_key::WalletKey;
use futures_util::future::join_all;
use lending::lookups::lookup::LookupError;
use lending::lookups::ports::Ports as _;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;
use lending::vaults::vault::{bitcoin_outpoint, ledger_outpoint};
use signer::refusal::Refusal as SignerRefusal;
use signer::vault_signer::{SignerError, VaultSigner as _};

use crate::fixture::{Fixture, PRINCIPAL, split_cost};
use crate::instant_fixture::request_of;
use crate::kit::faults::FaultMode;
use crate::kit::groups::FROGS;
use crate::kit::people::{Person, addresses};

#[actix::test]
async fn a_loan_is_funded_by_a_vault_without_its_lender_and_repaid_to_their_wallet() {
    let fixture = Fixture::new().await;
    let vault = fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let request = fixture.request(offer, Some(frog));
    let handout = fixture.world.service.prepare_instant(&request).await.unwrap();
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Prepared);
    assert!(fixture.is_live(offer).await, "nothing is reserved before the borrower has signed");
    let payment_balance = fixture.borrower.payment_balance(&fixture.world).await;
    let txid = fixture.submit(&fixture.borrower, &handout).await.unwrap();
    assert_eq!((txid, fixture.world.chain.mempool_txids()), (handout.txid, vec![txid]));
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Broadcast);
    fixture.block_for_all().await;
    let loan = fixture.loan(handout.loan).await;
    assert_eq!(loan.stage, LoanStage::Active);
    let deal = &loan.deal;
    let paid = deal.principal.get() + deal.platform_fee.get();
    assert_eq!(deal.platform_fee.get(), 2_400, "a fifth of 1.2 percent");
    let held = fixture.vault_holds(&vault).await;
    assert_eq!(held, 3_000_000 - paid - split_cost(3), "the borrower pays the rest of the fee");
    let received = fixture.borrower.payment_balance(&fixture.world).await - payment_balance;
    assert!((995_000..PRINCIPAL.get()).contains(&received), "{received}");
    fixture.repay_to_the_sat(loan.id, frog).await;
}

#[actix::test]
async fn an_unconfirmed_loan_in_a_full_mempool_gets_a_child_of_the_vaults_change() {
    let fixture = Fixture::new().await;
    let vault = fixture.vault(&[3_000_000]).await;
    let (handout, _) = fixture.prepared_instant().await;
    let txid = fixture.submit(&fixture.borrower, &handout).await.unwrap();
    assert_eq!(fixture.bumps_in_a_full_mempool().await, [0, 1, 0]);
    let ledger = fixture.world.service.market.vault_ledger(fixture.lender.user).await.unwrap();
    let child = ledger.pending_spend(domain::SpendId::FeeBump(txid.to_byte_array())).unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), [txid, bitcoin::Txid::from_byte_array(child.txid)]);
    fixture.block_for_all().await;
    let loan = fixture.loan(handout.loan).await;
    assert_eq!(loan.stage, LoanStage::Active);
    let paid = loan.deal.principal.get() + loan.deal.platform_fee.get() + child.amount.get();
    assert_eq!(fixture.vault_holds(&vault).await, 3_000_000 - paid - split_cost(3));
}

#[actix::test]
async fn a_loan_from_a_vault_that_is_not_repaid_is_claimed_by_its_lender() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (id, _) = fixture.lent().await;
    fixture.world.pass(9 * 86_400);
    for _ in 0..7 {
        fixture.block_for_all().await;
    }
    assert_eq!(fixture.stage(id).await, LoanStage::Expired);
    let txid = fixture.claim(id).await;
    assert_eq!((fixture.stage(id).await, fixture.world.chain.mempool_txids()), (LoanStage::Claiming, vec![txid]));
    fixture.block_for_all().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Claimed);
    let frog = fixture.loan(id).await.deal.pledged_ids.first().unwrap().parse().unwrap();
    assert!(fixture.owns(&fixture.lender, frog).await);
}

#[actix::test]
async fn the_same_request_again_gives_the_same_answer_and_changes_nothing() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let (service, request) = (&fixture.world.service, fixture.request(offer, Some(frog)));
    let first = service.prepare_instant(&request).await.unwrap();
    let written = fixture.world.journal.batches().len();
    assert_eq!(service.prepare_instant(&request).await.unwrap(), first);
    assert_eq!(service.prepared(fixture.borrower.user, first.loan).await.unwrap(), first);
    assert_eq!(fixture.world.journal.batches().len(), written);
    let restarted = fixture.world.restarted();
    assert_eq!(restarted.service.prepare_instant(&request).await.unwrap(), first, "also after a restart");
    let dearer = LoanRequest { fee_rate: bitcoin::FeeRate::from_sat_per_vb_u32(9), ..request };
    let second = service.prepare_instant(&dearer).await.unwrap();
    assert_ne!(second.txid, first.txid);
    assert!(fixture.is_gone(first.loan).await);
    for _ in 0..2 {
        assert_eq!(fixture.submit(&fixture.borrower, &second).await.unwrap(), second.txid);
    }
    assert_eq!(fixture.world.chain.mempool_txids(), [second.txid]);
    fixture.block_for_all().await;
    assert_eq!(fixture.submit(&fixture.borrower, &second).await.unwrap(), second.txid, "the term runs");
    let error = fixture.submit(&fixture.borrower, &first).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::NoReservation(id) if id.0 == first.loan.0), "{error}");
}

#[actix::test]
async fn offers_that_a_borrower_cannot_take_are_refused_by_name() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let (service, request) = (&fixture.world.service, fixture.request(offer, Some(frog)));
    let written = fixture.world.journal.batches().len();
    assert!(matches!(service.prepare(&request).await, Err(LoanServiceError::WrongProcess)));
    let own = service.prepare_instant(&request_of(&fixture.lender, &request)).await.unwrap_err();
    assert!(matches!(own, LoanServiceError::Market(Refusal::Book(Rejection::OwnOffer(_)))), "{own}");
    let nowhere = OfferId::new(FROGS, 4_711).unwrap();
    let error = service.prepare_instant(&LoanRequest { offer: nowhere, ..request.clone() }).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::UnknownOffer(id) if id == nowhere), "{error}");
    assert_eq!(fixture.world.journal.batches().len(), written);
    let manual = fixture.offer(FROGS, 0).await;
    let manual = LoanRequest { offer: manual, ..request.clone() };
    assert!(matches!(service.prepare_instant(&manual).await, Err(LoanServiceError::WrongProcess)));
    // Another user's loan is inaccessible, and of two who prepare one the first to sign gets it.
    let handout = service.prepare_instant(&request).await.unwrap();
    let other = fixture.world.person(102).await;
    let theirs = LoanRequest { inscriptions: vec![fixture.frog_of(&other).await], ..request_of(&other, &request) };
    let slower = service.prepare_instant(&theirs).await.unwrap();
    let signed = fixture.borrower.sign(&handout.transactions);
    let foreign = service.submit_instant(other.user, handout.loan, &signed).await.unwrap_err();
    assert!(matches!(foreign, LoanServiceError::NoReservation(id) if id.0 == handout.loan.0), "{foreign}");
    let unsigned: Vec<String> = handout.transactions.iter().map(|made| made.base64.clone()).collect();
    let error = service.submit_instant(fixture.borrower.user, handout.loan, &unsigned).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Returned(_)), "{error}");
    assert_eq!(fixture.world.chain.mempool_txids(), []);
    assert!(fixture.is_live(offer).await, "without a valid signature nothing is reserved");
    assert!(matches!(
        service.accept(fixture.borrower.user, handout.loan, &signed).await,
        Err(LoanServiceError::WrongProcess)
    ));
    let txid = fixture.submit(&fixture.borrower, &handout).await.unwrap();
    let late = fixture.submit(&other, &slower).await.unwrap_err();
    let taken = |id| LoanServiceError::Market(Refusal::Loan(LoanRejection::Taken(id))).to_string();
    assert_eq!(late.to_string(), taken(slower.loan));
    assert_eq!(fixture.world.chain.mempool_txids(), [txid]);
}

#[actix::test]
async fn an_offer_that_the_signer_never_admitted_lends_nothing() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let draft = OfferDraft {
        max_ltv: Some(Ltv::from_basis_points(9_500)),
        ..OfferDraft::plain(SubCollectionId(0), ProcessType::Instant, PRINCIPAL)
    };
    let create = Command::Create { lender: fixture.lender.user, draft, count: 1, usable: None };
    let offer = fixture.world.service.market.command(FROGS, create, None).await.unwrap().offers[0].offer_id.0;
    fixture.until_live(offer).await;
    let frog = fixture.frog().await;
    let error = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::NotAdmitted(id) if id == offer), "{error}");
}

#[actix::test]
async fn of_two_borrowers_on_one_vault_output_the_first_wins_and_the_other_is_refused() {
    // It makes no difference whether the chain knows of the first loan or only the ledger.
    for mode in [FaultMode::Healthy, FaultMode::Unreachable] {
        let fixture = Fixture::new().await;
        let vault = fixture.vault(&[5_000_000]).await;
        let offers = [
            fixture.instant_offer(FROGS, PRINCIPAL, None).await,
            fixture.instant_offer(FROGS, Sats::new(1_100_000), None).await,
        ];
        let other = fixture.world.person(102).await;
        let (frog, theirs) = (fixture.frog().await, fixture.frog_of(&other).await);
        let service = &fixture.world.service;
        let request = fixture.request(offers[0], Some(frog));
        let their_wish = request_of(&other, &fixture.request(offers[1], Some(theirs)));
        let first = service.prepare_instant(&request).await.unwrap();
        let second = service.prepare_instant(&their_wish).await.unwrap();
        fixture.world.faults.lock().broadcasts = mode;
        fixture.submit(&fixture.borrower, &first).await.unwrap();
        let error = fixture.submit(&other, &second).await.unwrap_err();
        let gone = matches!(error, LoanServiceError::Lookup(LookupError::Spent(SpentOutputError::MissingOrSpent(_))));
        assert!(gone, "{mode:?}: {error}");
        assert!(fixture.is_gone(second.loan).await, "{mode:?}");
        fixture.world.faults.lock().broadcasts = FaultMode::Healthy;
        fixture.run_watch().await;
        fixture.block_for_all().await;
        assert_eq!(fixture.stage(first.loan).await, LoanStage::Active, "{mode:?}");
        // The change is confirmed, and funds the other one.
        fixture.until_live(offers[1]).await;
        let again = service.prepare_instant(&their_wish).await.unwrap();
        assert_ne!(again.loan, second.loan);
        fixture.submit(&other, &again).await.unwrap();
        fixture.block_for_all().await;
        assert_eq!(fixture.stage(again.loan).await, LoanStage::Active, "{mode:?}");
        let fees = [first.loan, again.loan].map(|id| fixture.loan(id));
        let fees: u64 = join_all(fees).await.iter().map(|loan| loan.deal.platform_fee.get()).sum();
        let spent = 2_100_000 + fees + split_cost(7);
        assert_eq!(fixture.vault_holds(&vault).await, 5_000_000 - spent, "{mode:?}");
    }
}

#[actix::test]
async fn borrowers_get_different_outputs_as_long_as_there_are_enough() {
    let fixture = Fixture::new().await;
    fixture.vault(&[2_000_000, 2_000_000, 2_000_000]).await;
    let mut people = Vec::new();
    for number in [102, 103, 104] {
        let (person, offer) = (fixture.world.person(number).await, fixture.instant_offer(FROGS, PRINCIPAL, None).await);
        let request = request_of(&person, &fixture.request(offer, Some(fixture.frog_of(&person).await)));
        let handout = fixture.world.service.prepare_instant(&request).await.unwrap();
        people.push((person, handout));
    }
    for (person, handout) in &people {
        assert_eq!(fixture.submit(person, handout).await.unwrap(), handout.txid);
    }
    assert_eq!(fixture.world.chain.mempool_txids().len(), 3);
}

#[actix::test]
async fn a_thousand_borrowers_race_for_one_offer_and_one_gets_a_loan() {
    const RACERS: u16 = 1_000;
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let mut racers = Vec::new();
    for number in 0..RACERS {
        let mut seed = [7; 32];
        seed[..2].copy_from_slice(&number.to_be_bytes());
        let wallet = WalletKey::from_seed(seed, Network::Regtest).unwrap();
        let market = &fixture.world.service.market;
        let user = market.sign_in(&addresses(&wallet), fixture.world.nonce()).await.unwrap().user;
        let person = Person { wallet, user };
        let frog = fixture.frog_of(&person).await;
        racers.push((request_of(&person, &fixture.request(offer, Some(frog))), person));
    }
    let run = racers.iter().map(|(request, person)| {
        let fixture = &fixture;
        async move {
            let handout = fixture.world.service.prepare_instant(request).await?;
            fixture.submit(person, &handout).await
        }
    });
    let (mut originated, mut used) = (Vec::new(), 0);
    for answer in join_all(run).await {
        match answer {
            Ok(txid) => originated.push(txid),
            // Reserved for another borrower, or lent and out of the book.
            Err(
                LoanServiceError::Market(Refusal::Book(Rejection::OfferUsed(id))) | LoanServiceError::UnknownOffer(id),
            ) => {
                assert_eq!(id, offer);
                used += 1;
            }
            Err(LoanServiceError::Market(Refusal::Loan(LoanRejection::Taken(_)))) => used += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!((originated.len(), used), (1, RACERS - 1));
    assert_eq!(fixture.world.chain.mempool_txids(), originated);
    fixture.block_for_all().await;
    let [watched] = fixture.world.service.market.watched_loans().await[..] else { panic!("one loan runs") };
    assert_eq!(fixture.world.service.market.loan(watched).await.unwrap().stage, LoanStage::Active);
}

/// Runs a request while the signer behaves like this, and asserts its outcome.
async fn with_signer<T>(
    fixture: &Fixture,
    mode: FaultMode,
    request: impl Future<Output = Result<T, LoanServiceError>>,
) {
    fixture.world.faults.lock().signs = mode;
    let answer = fixture.world.faults.until_hung(request).await.map(Result::err);
    fixture.world.faults.lock().signs = FaultMode::Healthy;
    match (mode, answer) {
        (FaultMode::Unreachable, Some(Some(LoanServiceError::Signer(SignerError::Unreachable { .. }))))
        | (FaultMode::LosesAnswer, Some(Some(LoanServiceError::Signer(SignerError::Unanswered { .. }))))
        | (FaultMode::HangsBefore | FaultMode::HangsAfter, None) => {}
        (mode, answer) => panic!("{mode:?}: {answer:?}"),
    }
}

#[actix::test]
async fn exactly_one_loan_results_from_any_signer_fault_at_any_call() {
    for mode in [FaultMode::Unreachable, FaultMode::LosesAnswer, FaultMode::HangsBefore, FaultMode::HangsAfter] {
        let fixture = Fixture::new().await;
        let vault = fixture.vault(&[3_000_000]).await;
        let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
        let (service, request) = (&fixture.world.service, fixture.request(offer, Some(frog)));
        let written = fixture.world.journal.batches().len();
        Box::pin(with_signer(&fixture, mode, service.prepare_instant(&request))).await;
        assert_eq!(fixture.world.journal.batches().len(), written, "{mode:?}: nothing is reserved");
        assert!(fixture.is_live(offer).await);
        let handout = service.prepare_instant(&request).await.unwrap();
        let written = fixture.world.journal.batches().len();
        with_signer(&fixture, mode, fixture.submit(&fixture.borrower, &handout)).await;
        assert_eq!(fixture.world.journal.batches().len(), written + 1, "{mode:?}: reserved, and nothing else");
        assert_eq!(
            (fixture.stage(handout.loan).await, fixture.world.chain.mempool_txids()),
            (LoanStage::Prepared, vec![])
        );
        let txid = fixture.submit(&fixture.borrower, &handout).await.unwrap();
        assert_eq!((txid, fixture.world.chain.mempool_txids()), (handout.txid, vec![txid]), "{mode:?}");
        fixture.block_for_all().await;
        assert_eq!(fixture.stage(handout.loan).await, LoanStage::Active, "{mode:?}");
        assert_eq!(fixture.vault_holds(&vault).await, 3_000_000 - 1_002_400 - split_cost(3));
    }
}

#[actix::test]
async fn an_offer_withdrawn_at_the_signer_lends_nothing_at_either_call() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000, 3_000_000]).await;
    let offers =
        [fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.instant_offer(FROGS, PRINCIPAL, None).await];
    let (service, request) = (&fixture.world.service, fixture.request(offers[0], Some(fixture.frog().await)));
    let handout = service.prepare_instant(&request).await.unwrap();
    let action = Action::CancelOffers(CancelOffers {
        ordinal_offer_ids: offers.iter().map(ToString::to_string).collect(),
        rune_offer_ids: Vec::new(),
        vault: Some(fixture.world.policy().await),
    });
    let signed = fixture.world.sign(&fixture.lender, AddressKind::P2wpkh, action);
    service.ports.signer().revise_offers(fixture.lender.user.0, signed.text).await.unwrap();
    let theirs = LoanRequest { offer: offers[1], inscriptions: vec![fixture.frog().await], ..request };
    let written = fixture.world.journal.batches().len();
    let submitted = fixture.submit(&fixture.borrower, &handout).await.unwrap_err();
    let prepared = service.prepare_instant(&theirs).await.unwrap_err();
    for error in [submitted, prepared] {
        let is_refused = matches!(error, LoanServiceError::Signer(SignerError::Refused(SignerRefusal::NoOffer)));
        assert!(is_refused, "{error:?}");
    }
    assert_eq!(fixture.world.journal.batches().len(), written + 1, "the first one is reserved");
    assert_eq!(fixture.world.chain.mempool_txids(), []);
    // A reservation that cannot be used any more ends after a quarter of an hour.
    fixture.world.pass(15 * 60 + 1);
    fixture.until_live(offers[0]).await;
    assert!(fixture.is_gone(handout.loan).await);
}

#[actix::test]
async fn the_ledger_of_a_vault_agrees_with_the_chain_while_a_loan_is_unconfirmed() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let before: Vec<OutPoint> = {
        let ledger = fixture.world.service.market.vault_ledger(fixture.lender.user).await.unwrap();
        ledger.outputs().map(|(outpoint, _)| bitcoin_outpoint(&outpoint)).collect()
    };
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let handout = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.run_vault_watch().await;
    let ledger = fixture.world.service.market.vault_ledger(fixture.lender.user).await.unwrap();
    assert_eq!(ledger.usable(), Sats::ZERO, "the change counts after confirmation");
    let spends: Vec<_> = ledger.pending_spends().map(|(_, leaving)| leaving.outpoints.clone()).collect();
    assert_eq!(spends.concat(), before.iter().map(ledger_outpoint).collect::<Vec<_>>());
}
