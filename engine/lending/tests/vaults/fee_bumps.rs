//! Tests of an unconfirmed withdrawal in a full mempool, and of the child that raises its fee.

use std::time::Duration;

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, Transaction, Txid};
use domain::{Departure, Event, Sats, VaultEvent};
use engine::chain::{Chain as _, Presence};
use lending::fee_bump::BumpError;
use lending::fee_bump::choice::{NoBump, WAITED_BLOCKS_MIN};
use lending::vault_history::{Happened, History};
use tokio::time::timeout;

use crate::kit::ports::{Doing, Mood};
use crate::scene::{RATE, Scene};

/// Ten times the fee rate of a withdrawal here.
const CONGESTED: FeeRate = FeeRate::from_sat_per_kwu(5_000);
/// The timeout of a request that hangs.
const HANGS: Duration = Duration::from_millis(600);
const HELD: u64 = 700_000;
const TAKEN: u64 = 100_000;

impl Scene {
    /// Mines an empty block and runs a round; returns the number of children made.
    async fn full_block(&self) -> usize {
        self.world.chain.mine_these(Vec::new()).unwrap();
        self.round().await.bumped
    }

    /// Makes a withdrawal that has waited for so long that a child is due with the next block.
    async fn lingering(&self) -> Txid {
        let withdrawal = self.withdraw(Some(TAKEN)).await;
        self.world.moods.now().estimate = Some(CONGESTED);
        self.round().await;
        for _ in 1..WAITED_BLOCKS_MIN {
            assert_eq!(self.full_block().await, 0, "it has not waited for long enough");
        }
        withdrawal.txid
    }

    async fn waiting_transaction(&self, txid: Txid) -> Transaction {
        let seen = self.world.chain.transaction(txid).await.unwrap().unwrap();
        assert_eq!(seen.presence, Presence::Waiting);
        seen.transaction
    }

    /// The child of a transaction in the ledger, and its fee.
    async fn child_of(&self, parent: Txid) -> Option<(Txid, u64)> {
        let ledger = self.ledger().await;
        let leaving = ledger.departure(Departure::FeeBump(parent.to_byte_array()))?;
        Some((Txid::from_byte_array(leaving.txid), leaving.amount.get()))
    }

    /// The number of children journaled so far.
    fn journaled_children(&self) -> usize {
        let batches = self.world.journal.batches();
        let events = batches.iter().flat_map(|batch| &batch.appends).flat_map(|append| &append.events);
        events.filter(|event| matches!(event, Event::Vault(VaultEvent::FeeBumped { .. }))).count()
    }
}

#[actix::test]
async fn an_unconfirmed_withdrawal_gets_one_child_and_the_change_counts_without_its_fee() {
    let scene = Scene::holding(&[HELD]).await;
    let parent = scene.lingering().await;
    assert_eq!(scene.full_block().await, 1);
    let (child, fee) = scene.child_of(parent).await.unwrap();
    let (first, second) = (scene.waiting_transaction(parent).await, scene.waiting_transaction(child).await);
    let vault = scene.vault.output().script_pubkey();
    assert_eq!((second.input.len(), second.output.len()), (1, 1));
    assert_eq!(second.input[0].previous_output.txid, parent);
    assert_eq!(second.output[0].script_pubkey, vault);
    let given = first.output.iter().map(|output| output.value).sum::<Amount>();
    let paid = HELD - given.to_sat() + fee;
    let weight = first.weight() + second.weight();
    assert!(paid >= CONGESTED.fee_wu(weight).unwrap().to_sat(), "{paid} for {weight}");
    assert!(paid <= CONGESTED.fee_wu(weight).unwrap().to_sat() + 20, "{paid} for {weight}");
    let back = HELD - TAKEN - fee;
    assert_eq!((scene.sums().await, scene.ledger().await.waiting()), ((0, 0), Sats::new(back)));
    // There is one child, whatever happens in the mempool.
    scene.world.moods.now().estimate = Some(CONGESTED.checked_mul(2).unwrap());
    for _ in 0..3 {
        assert_eq!(scene.full_block().await, 0);
    }
    let scene = scene.restarted();
    for _ in 0..3 {
        assert_eq!(scene.full_block().await, 0);
    }
    assert_eq!(scene.journaled_children(), 1);
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (back, back));
    scene.assert_like_the_chain().await;
    scene.world.chain.mine(5).unwrap();
    scene.round().await;
    assert_eq!((scene.departures().await.len(), scene.ledger().await.outputs().len()), (0, 1));
    scene.assert_like_the_chain().await;
    // The lender sees its fee.
    let mut history = History::default();
    let batches = scene.world.journal.batches();
    let events = batches.iter().flat_map(|batch| &batch.appends).flat_map(|append| &append.events);
    let vault_events = events.filter_map(|event| match event {
        Event::Vault(event) => Some(event),
        _ => None,
    });
    let lines: Vec<_> = vault_events.filter_map(|event| history.take(event)).collect();
    let bump = lines.iter().find(|line| line.happened == Happened::FeeBump).unwrap();
    assert_eq!((bump.sats, bump.transaction), (Some(Sats::new(fee)), Some((child.to_byte_array(), None))));
}

#[actix::test]
async fn a_fee_near_the_target_or_too_expensive_to_raise_gets_no_child() {
    let scene = Scene::holding(&[HELD]).await;
    let parent = scene.lingering().await;
    let lender = scene.lender.user;
    let departure = scene.departures().await[0];
    scene.world.moods.now().estimate = Some(FeeRate::from_sat_per_kwu(RATE.to_sat_per_kwu() * 100 / 80));
    assert_eq!(scene.full_block().await, 0);
    let error = scene.world.desk.bump_fee(lender, departure).await.unwrap_err();
    assert!(matches!(error, BumpError::NoBump(NoBump::PaysEnough { .. })), "{error}");
    scene.world.moods.now().estimate = Some(FeeRate::from_sat_per_kwu(60_000));
    assert_eq!(scene.full_block().await, 0);
    let error = scene.world.desk.bump_fee(lender, departure).await.unwrap_err();
    assert!(matches!(error, BumpError::NoBump(NoBump::TooDear { max, .. }) if max.to_sat() == 60_000), "{error}");
    assert_eq!(scene.child_of(parent).await, None);
    scene.world.chain.mine(1).unwrap();
    let error = scene.world.desk.bump_fee(lender, departure).await.unwrap_err();
    assert!(matches!(error, BumpError::NoBump(NoBump::NoChange | NoBump::NotWaiting)), "{error}");
}

#[actix::test]
async fn a_withdrawal_without_change_gets_no_child() {
    let scene = Scene::holding(&[HELD]).await;
    scene.withdraw(None).await;
    scene.world.moods.now().estimate = Some(CONGESTED);
    for _ in 0..4 {
        assert_eq!(scene.full_block().await, 0);
    }
}

#[actix::test]
async fn a_child_is_dropped_with_its_parent() {
    let scene = Scene::holding(&[HELD]).await;
    scene.world.chain.mine(144).unwrap();
    scene.round().await;
    let deposit = lending::vault::on_chain(&scene.ledger().await.outputs().next().unwrap().0);
    let parent = scene.lingering().await;
    assert_eq!(scene.full_block().await, 1);
    let (child, _) = scene.child_of(parent).await.unwrap();
    // The lender exits unilaterally, at a higher fee than parent and child together.
    let exit = scene.exit(&[deposit], RATE.checked_mul(80).unwrap()).await;
    scene.world.chain.broadcast(std::slice::from_ref(&exit)).await.unwrap();
    assert_eq!(scene.world.chain.waiting(), [exit.compute_txid()]);
    scene.round().await;
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!((scene.departures().await, scene.sums().await), (Vec::new(), (0, 0)));
    assert_eq!(scene.ledger().await.outputs().len(), 0);
    assert_eq!(scene.world.chain.transaction(child).await.unwrap(), None);
    scene.assert_like_the_chain().await;
}

/// The point at which the server crashes while a child is made.
#[derive(Clone, Copy, Debug)]
struct Gap {
    name: &'static str,
    /// The number of children journaled then.
    children: usize,
    signs: Doing,
    broadcasts: Doing,
}

const GAPS: [Gap; 5] = [
    Gap { name: "the signer not asked", children: 0, signs: Doing::HangsBefore, broadcasts: Doing::Well },
    Gap { name: "signed, no answer", children: 0, signs: Doing::HangsAfter, broadcasts: Doing::Well },
    Gap { name: "signed, the answer lost", children: 0, signs: Doing::LosesAnswer, broadcasts: Doing::Well },
    Gap { name: "journaled, not sent", children: 1, signs: Doing::Well, broadcasts: Doing::HangsBefore },
    Gap { name: "sent, no answer", children: 1, signs: Doing::Well, broadcasts: Doing::HangsAfter },
];

#[actix::test]
async fn a_child_interrupted_by_a_crash_at_any_step_is_made_once() {
    for gap in GAPS {
        let scene = Scene::holding(&[HELD]).await;
        let parent = scene.lingering().await;
        let mood = Mood { signs: gap.signs, broadcasts: gap.broadcasts, estimate: Some(CONGESTED), ..Mood::default() };
        *scene.world.moods.now() = mood;
        scene.world.chain.mine_these(Vec::new()).unwrap();
        // The result is never seen.
        let _ = timeout(HANGS, scene.watch.round()).await;
        assert_eq!(scene.journaled_children(), gap.children, "{}", gap.name);
        let scene = scene.restarted();
        // The mempool has changed meanwhile.
        let estimate = Some(CONGESTED.checked_mul(2).unwrap());
        *scene.world.moods.now() = Mood { estimate, ..Mood::default() };
        for _ in 0..=WAITED_BLOCKS_MIN {
            scene.full_block().await;
        }
        assert_eq!(scene.journaled_children(), 1, "{}", gap.name);
        let (child, fee) = scene.child_of(parent).await.unwrap();
        scene.waiting_transaction(child).await;
        scene.world.chain.mine(6).unwrap();
        scene.round().await;
        let left = HELD - TAKEN - fee;
        assert_eq!(scene.sums().await, (left, left), "{}", gap.name);
        assert_eq!(scene.departures().await, [], "{}", gap.name);
        scene.assert_like_the_chain().await;
    }
}

#[actix::test]
async fn a_child_whose_parent_was_dropped_is_sent_with_it() {
    let scene = Scene::holding(&[HELD]).await;
    let parent = scene.lingering().await;
    assert_eq!(scene.full_block().await, 1);
    let (child, _) = scene.child_of(parent).await.unwrap();
    scene.world.chain.mine(1).unwrap();
    scene.world.chain.reorg(1, devnet::chain::Disconnected::Forgotten).unwrap();
    assert_eq!(scene.world.chain.waiting(), []);
    scene.round().await;
    let mut waiting = scene.world.chain.waiting();
    waiting.sort_unstable();
    let mut expected = [parent, child];
    expected.sort_unstable();
    assert_eq!(waiting, expected);
}
