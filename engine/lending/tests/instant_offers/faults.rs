//! Tests of quotes with a signer that fails while the server keeps running.

use domain::PauseReasons;
use escrow::action::Action;
use lending::instant_offers::reconcile::{ReconcilePass, Repair};
use lending::instant_offers::service::{InstantOfferError, InstantOfferState};
use lending::lookups::ports::Ports as _;
use signer::request::{OfferHash, OfferStatus};
use signer::vault_signer::{SignerError, VaultSigner as _};

use crate::acts::{
    ACTS, Act, action, assert_paid_from, create, offers, open, opening, perform, prepare, quotes, signed_action,
    standing, world,
};
use crate::faulty_signer::FaultySigner;
use crate::kit::faults::FaultMode;
use crate::kit::world::World;

#[actix::test]
async fn every_act_is_done_in_the_book_and_at_the_signer() {
    for act in ACTS {
        let (world, lender) = world().await;
        let offer = prepare(&world, &lender, act).await;
        let (signer, memory) = (FaultySigner::of(&world, vec![]), InstantOfferState::default());
        let signed_action = signed_action(&world, &lender, action(&world, act, offer).await);
        perform(&quotes(&world, &signer, &memory), &lender, act, offer, signed_action).await.unwrap();
        assert_paid_from(&world, &format!("{act:?}")).await;
        let kept = standing(&world, offer).await;
        match act {
            Act::Create => assert_eq!(offers(&world).await.len(), 2),
            Act::Edit => assert_eq!((offers(&world).await.len(), kept), (1, None)),
            Act::Cancel => assert_eq!((offers(&world).await.len(), kept), (0, None)),
            Act::Pause => assert_eq!(kept, Some(OfferStatus::Paused)),
            Act::Resume => assert_eq!(kept, Some(OfferStatus::Open)),
            Act::AcceptTerm => assert_eq!(offers(&world).await[0].accepted_change, Some(crate::acts::CHANGE)),
        }
        // Reconciliation finds no difference.
        let found = quotes(&world, &signer, &memory).reconcile(ReconcilePass::Startup).await.unwrap();
        assert_eq!(found, [], "{act:?}");
    }
}

#[actix::test]
async fn a_request_with_a_lost_answer_is_repeated_and_carried_out_once() {
    for act in ACTS {
        let (world, lender) = world().await;
        let offer = prepare(&world, &lender, act).await;
        let (signer, memory) = (FaultySigner::of(&world, vec![FaultMode::LosesAnswer]), InstantOfferState::default());
        let signed_action = signed_action(&world, &lender, action(&world, act, offer).await);
        perform(&quotes(&world, &signer, &memory), &lender, act, offer, signed_action).await.unwrap();
        assert_paid_from(&world, &format!("{act:?}")).await;
    }
}

#[actix::test]
async fn while_the_signer_is_unreachable_no_offer_is_created_or_changed() {
    for act in ACTS {
        let (world, lender) = world().await;
        let offer = prepare(&world, &lender, act).await;
        let (before, events) = (offers(&world).await, world.journal.batches().len());
        let memory = InstantOfferState::default();
        let signed_action = signed_action(&world, &lender, action(&world, act, offer).await);
        world.faults.lock().signs = FaultMode::Unreachable;
        let refused =
            perform(&quotes(&world, world.service.ports.signer(), &memory), &lender, act, offer, signed_action).await;
        assert!(
            matches!(refused, Err(InstantOfferError::Signer(SignerError::Unreachable { .. }))),
            "{act:?} {refused:?}"
        );
        assert_eq!((offers(&world).await, world.journal.batches().len()), (before, events), "{act:?}");
        // An unsigned pause works all the same.
        let quotes = quotes(&world, world.service.ports.signer(), &memory);
        if act == Act::Create {
            quotes.pause(lender.user, offer, None).await.unwrap();
            assert!(quotes.resume(lender.user, offer, None).await.is_err());
        }
        world.faults.lock().signs = FaultMode::Healthy;
        assert_paid_from(&world, &format!("{act:?}")).await;
    }
}

/// Counts the offers that the signer backs: the one in the book before, and the one that the message would create.
async fn at_signer(world: &World, names: &[OfferHash]) -> usize {
    world.service.ports.signer().offer_status(names.to_vec()).await.unwrap().len()
}

#[actix::test]
async fn a_quote_that_is_not_admitted_leaves_nothing_in_the_book_or_at_the_signer() {
    for act in [Act::Create, Act::Edit] {
        for plan in [
            vec![FaultMode::Unreachable],
            vec![FaultMode::LosesAnswer, FaultMode::Unreachable],
            // The signer does not receive the revocation either, until it can be reached again.
            vec![FaultMode::Unreachable, FaultMode::Unreachable],
            vec![FaultMode::LosesAnswer, FaultMode::Unreachable, FaultMode::Unreachable],
        ] {
            let case = format!("{act:?} {plan:?}");
            let (world, lender) = world().await;
            let offer = create(&world, &lender).await;
            let old = world.service.market.offer_admission(offer).await.unwrap();
            let signed_action = signed_action(&world, &lender, action(&world, act, offer).await);
            let new = OfferHash(signed_action.text.id());
            let old = OfferHash(bitcoin::hashes::Hash::from_byte_array(old));
            let (signer, memory) = (FaultySigner::of(&world, plan), InstantOfferState::default());
            let quotes = quotes(&world, &signer, &memory);
            let refused = perform(&quotes, &lender, act, offer, signed_action).await;
            assert!(matches!(refused, Err(InstantOfferError::Signer(_))), "{case}: {refused:?}");
            assert_paid_from(&world, &case).await;
            let left = usize::from(act == Act::Create);
            assert_eq!(offers(&world).await.len(), left, "{case}");
            assert_eq!(quotes.reconcile(ReconcilePass::Periodic).await.unwrap(), [], "{case}");
            assert_eq!(at_signer(&world, &[old, new]).await, left, "{case}: the signer lends by nothing else");
        }
    }
}

#[actix::test]
async fn a_quote_that_the_signer_refuses_is_revoked_and_the_reason_is_returned() {
    let (world, lender) = world().await;
    let offer = create(&world, &lender).await;
    let before = offers(&world).await;
    let memory = InstantOfferState::default();
    let quotes = quotes(&world, world.service.ports.signer(), &memory);
    // Signed for another policy, which the signer refuses.
    let foreign = signed_action(&world, &lender, Action::CreateOffer(crate::acts::new_offer(&"0".repeat(64))));
    let refused = perform(&quotes, &lender, Act::Create, offer, foreign).await;
    let Err(InstantOfferError::Signer(SignerError::Refused(reason))) = refused else { panic!("{refused:?}") };
    assert!(reason.to_string().contains("this signer keeps to"), "{reason}");
    assert_eq!(offers(&world).await, before);
    // A lender whose vault the signer does not know.
    let other_lender = world.person(5).await;
    let signed_action = signed_action(&world, &other_lender, action(&world, Act::Create, offer).await);
    let refused = perform(&quotes, &other_lender, Act::Create, offer, signed_action).await;
    assert!(matches!(refused, Err(InstantOfferError::Market(_))), "{refused:?}");
    assert_eq!(offers(&world).await, before);
}

#[actix::test]
async fn a_signed_pause_ends_only_by_a_signature() {
    let (world, lender) = world().await;
    let offer = prepare(&world, &lender, Act::Resume).await;
    let memory = InstantOfferState::default();
    let quotes = quotes(&world, world.service.ports.signer(), &memory);
    assert_eq!(quotes.resume(lender.user, offer, None).await, Err(InstantOfferError::SignatureNeeded(offer)));
    assert!(offers(&world).await[0].paused.contains(PauseReasons::LENDER));
    let signed_action = signed_action(&world, &lender, Action::ResumeOffer { offer_id: offer.to_string() });
    quotes.resume(lender.user, offer, Some(signed_action)).await.unwrap();
    quotes.pause(lender.user, offer, None).await.unwrap();
    quotes.resume(lender.user, offer, None).await.unwrap();
    assert_paid_from(&world, "resumed").await;
}

#[actix::test]
async fn a_difference_that_may_be_in_progress_is_repaired_when_found_again() {
    let (world, lender) = world().await;
    let offer = create(&world, &lender).await;
    let signed_action = signed_action(&world, &lender, action(&world, Act::Cancel, offer).await);
    world.service.ports.signer().revise_offers(lender.user.0, signed_action.text).await.unwrap();
    let memory = InstantOfferState::default();
    let quotes = quotes(&world, world.service.ports.signer(), &memory);
    assert_eq!(quotes.reconcile(ReconcilePass::Periodic).await.unwrap(), []);
    assert_eq!(offers(&world).await.len(), 1);
    let repaired = quotes.reconcile(ReconcilePass::Periodic).await.unwrap();
    assert_eq!(repaired.iter().map(|one| (one.offer, one.repair)).collect::<Vec<_>>(), [(offer, Repair::Gone)]);
    assert_eq!(offers(&world).await, []);
    assert_eq!(quotes.reconcile(ReconcilePass::Periodic).await.unwrap(), []);
}

#[actix::test]
async fn a_vault_is_opened_although_the_first_answer_was_lost() {
    for plan in [vec![FaultMode::Unreachable], vec![FaultMode::LosesAnswer]] {
        let world = World::new().await;
        let lender = world.lender().await;
        let signed_action = opening(&world, &lender).await;
        let signer = FaultySigner::of(&world, plan);
        assert!(open(&world, &signer, &lender, signed_action.clone()).await.is_err());
        assert!(world.service.market.vault(lender.user).await.is_none());
        // The same message opens it, once.
        open(&world, &signer, &lender, signed_action.clone()).await.unwrap();
        let opened = world.service.market.vault_ledger(lender.user).await;
        let events = world.journal.batches().len();
        open(&world, &signer, &lender, signed_action).await.unwrap();
        assert_eq!(world.service.market.vault_ledger(lender.user).await, opened);
        assert_eq!(world.journal.batches().len(), events);
    }
}
