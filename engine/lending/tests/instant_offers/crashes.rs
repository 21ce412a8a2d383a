//! Crash tests of quotes: the server crashes between any two steps and restarts, while the signer keeps running.

use lending::instant_offers::reconcile::ReconcilePass;
use lending::instant_offers::service::InstantOfferState;
use lending::lookups::ports::Ports as _;

use crate::acts::{
    ACTS, Act, action, assert_paid_from, create, offers, open, opening, perform, prepare, quotes, signed_action, world,
};
use crate::faulty_signer::FaultySigner;
use crate::kit::faults::FaultMode;
use crate::kit::world::World;

/// Runs the startup reconciliation, and asserts that it is complete and idempotent.
async fn assert_repaired(world: &World, case: &str) {
    let memory = InstantOfferState::default();
    let quotes = quotes(world, world.service.ports.signer(), &memory);
    quotes.reconcile(ReconcilePass::Startup).await.unwrap();
    assert_paid_from(world, case).await;
    let repaired = offers(world).await;
    assert_eq!(quotes.reconcile(ReconcilePass::Startup).await.unwrap(), [], "{case}: nothing is repaired twice");
    assert_eq!(offers(world).await, repaired, "{case}");
}

#[actix::test]
async fn the_next_start_repairs_the_book_after_any_partly_written_act() {
    for act in ACTS {
        // The signer receives a quote after the book has it on disk, and everything else before.
        let first = usize::from(matches!(act, Act::Create | Act::Edit));
        let mut last = first;
        for more in first..4 {
            let (world, lender) = world().await;
            let offer = prepare(&world, &lender, act).await;
            let before = world.journal.batches().len();
            let memory = InstantOfferState::default();
            let signed_action = signed_action(&world, &lender, action(&world, act, offer).await);
            perform(&quotes(&world, world.service.ports.signer(), &memory), &lender, act, offer, signed_action)
                .await
                .unwrap();
            let after = world.journal.batches().len();
            assert!(after > before, "{act:?} is journaled");
            if before + more > after {
                break;
            }
            last = more;
            let world = world.after_crash(before + more);
            assert_repaired(&world, &format!("{act:?} with {more} of {} batches", after - before)).await;
            // The lender can go on.
            let lender = world.lender().await;
            create(&world, &lender).await;
        }
        assert!(last > 0, "{act:?} was run to its end");
    }
}

#[actix::test]
async fn a_crash_before_or_after_any_call_of_the_signer_is_repaired() {
    for act in ACTS {
        for plan in [
            vec![FaultMode::HangsBefore],
            vec![FaultMode::HangsAfter],
            vec![FaultMode::LosesAnswer, FaultMode::HangsBefore],
            vec![FaultMode::LosesAnswer, FaultMode::HangsAfter],
            vec![FaultMode::Unreachable, FaultMode::HangsBefore],
            vec![FaultMode::Unreachable, FaultMode::HangsAfter],
        ] {
            let case = format!("{act:?} {plan:?}");
            let (world, lender) = world().await;
            let offer = prepare(&world, &lender, act).await;
            let signed_action = signed_action(&world, &lender, action(&world, act, offer).await);
            let (signer, memory) = (FaultySigner::of(&world, plan), InstantOfferState::default());
            let quotes = quotes(&world, &signer, &memory);
            // The client gets no answer, or that the signer cannot be reached.
            let answer = world.faults.until_hung(perform(&quotes, &lender, act, offer, signed_action)).await;
            assert!(!matches!(answer, Some(Ok(()))), "{case}");
            let world = world.restarted();
            assert_repaired(&world, &case).await;
            if act == Act::Create {
                assert_eq!(offers(&world).await.len(), 1, "{case}: the offer from before is untouched");
            }
        }
    }
}

#[actix::test]
async fn a_vault_known_only_to_the_signer_is_opened_by_the_same_message() {
    for hang in [FaultMode::HangsBefore, FaultMode::HangsAfter] {
        let world = World::new().await;
        let lender = world.lender().await;
        let signed_action = opening(&world, &lender).await;
        let signer = FaultySigner::of(&world, vec![hang]);
        let opened = world.faults.until_hung(open(&world, &signer, &lender, signed_action.clone())).await;
        assert!(opened.is_none(), "{hang:?}: it hangs");
        let world = world.restarted();
        assert!(world.service.market.vault(lender.user).await.is_none());
        open(&world, world.service.ports.signer(), &lender, signed_action).await.unwrap();
        assert!(world.service.market.vault(lender.user).await.is_some());
    }
}
