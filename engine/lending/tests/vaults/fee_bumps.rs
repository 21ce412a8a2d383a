//! Tests of an unconfirmed withdrawal in a full mempool, and of the child that raises its fee.

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, Transaction, Txid};
use domain::{Event, Sats, SpendId, VaultEvent};
use engine::chain::{Chain as _, ChainPosition};
use lending::lookups::confirmations::{EXPECTED_REORG_MAX, SETTLEMENT_CONFIRMATIONS};
use lending::vaults::fee_bump::BumpError;
use lending::vaults::fee_bump::child_fee::{NoBump, WAITED_BLOCKS_MIN};
use lending::vaults::vault_history::{EntryKind, VaultHistory};

use crate::fixture::{Fixture, RATE};
use crate::kit::faults::{FaultMode, Faults};

/// Ten times the fee rate of a withdrawal here.
const CONGESTED: FeeRate = FeeRate::from_sat_per_kwu(5_000);
const HELD: u64 = 700_000;
const TAKEN: u64 = 100_000;

impl Fixture {
    /// Mines an empty block and runs a round; returns the number of children made.
    async fn full_block(&self) -> usize {
        self.world.chain.mine_transactions(Vec::new()).unwrap();
        self.round().await.bumped
    }

    /// Makes a withdrawal that has waited for so long that a child is due with the next block.
    async fn lingering(&self) -> Txid {
        let withdrawal = self.withdraw(Some(TAKEN)).await;
        self.world.faults.lock().estimate = Some(CONGESTED);
        self.round().await;
        for _ in 1..WAITED_BLOCKS_MIN {
            assert_eq!(self.full_block().await, 0, "it has not waited for long enough");
        }
        withdrawal.txid
    }

    async fn waiting_transaction(&self, txid: Txid) -> Transaction {
        let seen = self.world.chain.transaction(txid).await.unwrap().unwrap();
        assert_eq!(seen.position, ChainPosition::InMempool);
        seen.transaction
    }

    /// The child of a transaction in the ledger, and its fee.
    async fn child_of(&self, parent: Txid) -> Option<(Txid, u64)> {
        let ledger = self.ledger().await;
        let leaving = ledger.pending_spend(SpendId::FeeBump(parent.to_byte_array()))?;
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
    let fixture = Fixture::holding(&[HELD]).await;
    let parent = fixture.lingering().await;
    assert_eq!(fixture.full_block().await, 1);
    let (child, fee) = fixture.child_of(parent).await.unwrap();
    let (first, second) = (fixture.waiting_transaction(parent).await, fixture.waiting_transaction(child).await);
    let vault = fixture.vault.output().script_pubkey();
    assert_eq!((second.input.len(), second.output.len()), (1, 1));
    assert_eq!(second.input[0].previous_output.txid, parent);
    assert_eq!(second.output[0].script_pubkey, vault);
    let given = first.output.iter().map(|output| output.value).sum::<Amount>();
    let paid = HELD - given.to_sat() + fee;
    let weight = first.weight() + second.weight();
    assert!(paid >= CONGESTED.fee_wu(weight).unwrap().to_sat(), "{paid} for {weight}");
    assert!(paid <= CONGESTED.fee_wu(weight).unwrap().to_sat() + 20, "{paid} for {weight}");
    let back = HELD - TAKEN - fee;
    assert_eq!((fixture.sums().await, fixture.ledger().await.unconfirmed()), ((0, 0), Sats::new(back)));
    // There is one child, whatever happens in the mempool.
    fixture.world.faults.lock().estimate = Some(CONGESTED.checked_mul(2).unwrap());
    for _ in 0..3 {
        assert_eq!(fixture.full_block().await, 0);
    }
    let fixture = fixture.restarted();
    for _ in 0..3 {
        assert_eq!(fixture.full_block().await, 0);
    }
    assert_eq!(fixture.journaled_children(), 1);
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (back, back));
    fixture.assert_like_the_chain().await;
    fixture.world.chain.mine(EXPECTED_REORG_MAX).unwrap();
    fixture.round().await;
    assert_eq!((fixture.spends().await.len(), fixture.ledger().await.outputs().len()), (0, 1));
    fixture.assert_like_the_chain().await;
    // The lender sees its fee.
    let mut history = VaultHistory::default();
    let batches = fixture.world.journal.batches();
    let events = batches.iter().flat_map(|batch| &batch.appends).flat_map(|append| &append.events);
    let vault_events = events.filter_map(|event| match event {
        Event::Vault(event) => Some(event),
        _ => None,
    });
    let lines: Vec<_> = vault_events.filter_map(|event| history.apply(event)).collect();
    let bump = lines.iter().find(|line| line.kind == EntryKind::FeeBump).unwrap();
    assert_eq!((bump.sats, bump.transaction), (Some(Sats::new(fee)), Some((child.to_byte_array(), None))));
}

#[actix::test]
async fn a_fee_near_the_target_or_too_expensive_to_raise_gets_no_child() {
    let fixture = Fixture::holding(&[HELD]).await;
    let parent = fixture.lingering().await;
    let lender = fixture.lender.user;
    let spend = fixture.spends().await[0];
    fixture.world.faults.lock().estimate = Some(FeeRate::from_sat_per_kwu(RATE.to_sat_per_kwu() * 100 / 80));
    assert_eq!(fixture.full_block().await, 0);
    let error = fixture.world.service.bump_fee(lender, spend).await.unwrap_err();
    assert!(matches!(error, BumpError::NoBump(NoBump::PaysEnough { .. })), "{error}");
    fixture.world.faults.lock().estimate = Some(FeeRate::from_sat_per_kwu(60_000));
    assert_eq!(fixture.full_block().await, 0);
    let error = fixture.world.service.bump_fee(lender, spend).await.unwrap_err();
    assert!(matches!(error, BumpError::NoBump(NoBump::TooExpensive { max, .. }) if max.to_sat() == 60_000), "{error}");
    assert_eq!(fixture.child_of(parent).await, None);
    fixture.world.chain.mine(1).unwrap();
    let error = fixture.world.service.bump_fee(lender, spend).await.unwrap_err();
    assert!(matches!(error, BumpError::NoBump(NoBump::NoChange | NoBump::NotInMempool)), "{error}");
}

#[actix::test]
async fn a_withdrawal_without_change_gets_no_child() {
    let fixture = Fixture::holding(&[HELD]).await;
    fixture.withdraw(None).await;
    fixture.world.faults.lock().estimate = Some(CONGESTED);
    for _ in 0..4 {
        assert_eq!(fixture.full_block().await, 0);
    }
}

#[actix::test]
async fn a_child_is_dropped_with_its_parent() {
    let fixture = Fixture::holding(&[HELD]).await;
    fixture.world.chain.mine(144).unwrap();
    fixture.round().await;
    let deposit = lending::vaults::vault::bitcoin_outpoint(&fixture.ledger().await.outputs().next().unwrap().0);
    let parent = fixture.lingering().await;
    assert_eq!(fixture.full_block().await, 1);
    let (child, _) = fixture.child_of(parent).await.unwrap();
    // The lender exits unilaterally, at a higher fee than parent and child together.
    let exit = fixture.exit(&[deposit], RATE.checked_mul(80).unwrap()).await;
    fixture.world.chain.broadcast(std::slice::from_ref(&exit)).await.unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), [exit.compute_txid()]);
    fixture.round().await;
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!((fixture.spends().await, fixture.sums().await), (Vec::new(), (0, 0)));
    assert_eq!(fixture.ledger().await.outputs().len(), 0);
    assert_eq!(fixture.world.chain.transaction(child).await.unwrap(), None);
    fixture.assert_like_the_chain().await;
}

/// The point at which the server crashes while a child is made.
#[derive(Clone, Copy, Debug)]
struct Gap {
    name: &'static str,
    /// The number of children journaled then.
    children: usize,
    signs: FaultMode,
    broadcasts: FaultMode,
}

const GAPS: [Gap; 5] = [
    Gap { name: "the signer not asked", children: 0, signs: FaultMode::HangsBefore, broadcasts: FaultMode::Healthy },
    Gap { name: "signed, no answer", children: 0, signs: FaultMode::HangsAfter, broadcasts: FaultMode::Healthy },
    Gap { name: "signed, the answer lost", children: 0, signs: FaultMode::LosesAnswer, broadcasts: FaultMode::Healthy },
    Gap { name: "journaled, not sent", children: 1, signs: FaultMode::Healthy, broadcasts: FaultMode::HangsBefore },
    Gap { name: "sent, no answer", children: 1, signs: FaultMode::Healthy, broadcasts: FaultMode::HangsAfter },
];

#[actix::test]
async fn a_child_interrupted_by_a_crash_at_any_step_is_made_once() {
    for gap in GAPS {
        let fixture = Fixture::holding(&[HELD]).await;
        let parent = fixture.lingering().await;
        let faults =
            Faults { signs: gap.signs, broadcasts: gap.broadcasts, estimate: Some(CONGESTED), ..Faults::default() };
        *fixture.world.faults.lock() = faults;
        fixture.world.chain.mine_transactions(Vec::new()).unwrap();
        // The result is never seen.
        let _ = fixture.world.faults.until_hung(fixture.watch.round()).await;
        assert_eq!(fixture.journaled_children(), gap.children, "{}", gap.name);
        let fixture = fixture.restarted();
        // The mempool has changed meanwhile.
        let estimate = Some(CONGESTED.checked_mul(2).unwrap());
        *fixture.world.faults.lock() = Faults { estimate, ..Faults::default() };
        for _ in 0..=WAITED_BLOCKS_MIN {
            fixture.full_block().await;
        }
        assert_eq!(fixture.journaled_children(), 1, "{}", gap.name);
        let (child, fee) = fixture.child_of(parent).await.unwrap();
        fixture.waiting_transaction(child).await;
        fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
        fixture.round().await;
        let left = HELD - TAKEN - fee;
        assert_eq!(fixture.sums().await, (left, left), "{}", gap.name);
        assert_eq!(fixture.spends().await, [], "{}", gap.name);
        fixture.assert_like_the_chain().await;
    }
}

#[actix::test]
async fn a_child_whose_parent_was_dropped_is_sent_with_it() {
    let fixture = Fixture::holding(&[HELD]).await;
    let parent = fixture.lingering().await;
    assert_eq!(fixture.full_block().await, 1);
    let (child, _) = fixture.child_of(parent).await.unwrap();
    fixture.world.chain.mine(1).unwrap();
    fixture.world.chain.reorg(1, devchain::ReorgPolicy::Drop).unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), []);
    fixture.round().await;
    let mut waiting = fixture.world.chain.mempool_txids();
    waiting.sort_unstable();
    let mut expected = [parent, child];
    expected.sort_unstable();
    assert_eq!(waiting, expected);
}
