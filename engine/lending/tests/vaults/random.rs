//! Randomized tests of several vaults: after any sequence of steps the ledger agrees with the chain, to the sat, and no
//! output was ever taken twice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bitcoin::hashes::Hash as _;
use bitcoin::{FeeRate, OutPoint, Txid};
use devchain::ReorgPolicy;
use domain::{Event, Outpoint, Sats, SpendId, Stream, UserId, VaultEvent};
use engine::chain::{Chain as _, ChainPosition};
use engine::coin_index::CoinIndex as _;
use escrow::action::Action;
use escrow::address::AddressKind;
use lending::lookups::confirmations::{EXPECTED_REORG_MAX, REORG_DEPTH_MAX, SETTLEMENT_CONFIRMATIONS};
use lending::vaults::lender_order::SignedOrder;
use lending::vaults::vault_watch::VaultWatch;
use proptest::prelude::*;

use crate::fixture::{Fixture, RATE, assert_like_the_chain, exit_of};
use crate::kit::faults::{FaultMode, Faults};
use crate::kit::world::World;

const LENDERS: u8 = 3;

#[derive(Clone, Debug)]
enum Step {
    Deposit {
        who: usize,
        sats: u64,
    },
    /// A deposit with an inscription on it.
    Picture {
        who: usize,
    },
    /// A withdrawal of this number of sixteenths of the usable balance; 17 is too much.
    Withdraw {
        who: usize,
        parts: u64,
    },
    /// A repeated withdrawal request, whatever its state.
    Again {
        which: usize,
    },
    /// A crash of the server in the middle of a withdrawal.
    Die {
        who: usize,
        parts: u64,
        signs: FaultMode,
        broadcasts: FaultMode,
    },
    Exit {
        who: usize,
        outputs: usize,
        rate: u64,
    },
    Mine {
        blocks: u32,
    },
    /// An empty block.
    MineEmpty,
    /// Empty blocks with rounds in between, while the mempool is full.
    Congestion {
        rate: u64,
    },
    Reorg {
        depth: u32,
        fate: ReorgPolicy,
    },
    Round,
    /// A round with an injected fault.
    BadRound {
        faults: usize,
    },
    Crash,
    Pass {
        seconds: u32,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let who = || 0..usize::from(LENDERS);
    let mode = || {
        prop_oneof![
            Just(FaultMode::Healthy),
            Just(FaultMode::LosesAnswer),
            Just(FaultMode::Unreachable),
            Just(FaultMode::HangsBefore),
            Just(FaultMode::HangsAfter)
        ]
    };
    let fate = prop_oneof![Just(ReorgPolicy::Requeue), Just(ReorgPolicy::Drop)];
    prop_oneof![
        4 => (who(), 1_000_u64..900_000).prop_map(|(who, sats)| Step::Deposit { who, sats }),
        1 => who().prop_map(|who| Step::Picture { who }),
        5 => (who(), 1_u64..18).prop_map(|(who, parts)| Step::Withdraw { who, parts }),
        2 => any::<usize>().prop_map(|which| Step::Again { which }),
        2 => (who(), 1_u64..17, mode(), mode())
            .prop_map(|(who, parts, signs, broadcasts)| Step::Die { who, parts, signs, broadcasts }),
        2 => (who(), 1_usize..4, 500_u64..40_000).prop_map(|(who, outputs, rate)| Step::Exit { who, outputs, rate }),
        3 => prop_oneof![4 => 1_u32..4, 1 => Just(145_u32)].prop_map(|blocks| Step::Mine { blocks }),
        1 => Just(Step::MineEmpty),
        3 => (500_u64..20_000).prop_map(|rate| Step::Congestion { rate }),
        2 => (1..=EXPECTED_REORG_MAX, fate).prop_map(|(depth, fate)| Step::Reorg { depth, fate }),
        4 => Just(Step::Round),
        1 => (0_usize..5).prop_map(|faults| Step::BadRound { faults }),
        1 => Just(Step::Crash),
        1 => (1_u32..700).prop_map(|seconds| Step::Pass { seconds }),
    ]
}

/// Vaults, and the requests made.
struct Simulation {
    fixtures: Vec<Fixture>,
    orders: Vec<(usize, SignedOrder)>,
    /// The txids that lenders were given.
    acknowledged: BTreeSet<Txid>,
}

impl Simulation {
    async fn new() -> Self {
        let world = World::new().await;
        let mut fixtures = Vec::new();
        for number in 1..=LENDERS {
            let lender = world.person(number).await;
            let vault = world.open_vault(&lender).await;
            let watch = VaultWatch::new(world.service.clone());
            fixtures.push(Fixture { world: world.clone(), lender, vault, watch });
        }
        Self { fixtures, orders: Vec::new(), acknowledged: BTreeSet::new() }
    }

    fn world(&self) -> &World {
        &self.fixtures[0].world
    }

    /// Restarts the server after a crash with everything written.
    fn crash(&mut self) {
        let world = self.world().restarted();
        for fixture in &mut self.fixtures {
            fixture.watch = VaultWatch::new(world.service.clone());
            fixture.world = world.clone();
        }
    }

    async fn round(&self) {
        self.fixtures[0].watch.round().await.unwrap();
    }

    /// Signs a withdrawal message without preparing it; its amount may be too large.
    async fn order(&mut self, who: usize, parts: u64) -> Option<SignedOrder> {
        let fixture = &self.fixtures[who];
        let sats = fixture.sums().await.1 * parts / 16;
        let to = fixture.lender.wallet.payment_address().to_string();
        let action = Action::Withdraw { sats, to, fee_max_sats: Some(1_000_000), vault: fixture.world.policy().await };
        let signed = fixture.world.sign(&fixture.lender, AddressKind::P2wpkh, action);
        let order = SignedOrder { signed: signed.text, nonce_use: signed.nonce_use, fee_rate: RATE };
        self.orders.push((who, order.clone()));
        (sats > 0).then_some(order)
    }

    async fn submit(&mut self, who: usize, order: &SignedOrder) {
        if let Ok(done) = self.fixtures[who].submit(order).await {
            self.acknowledged.insert(done.txid);
        }
    }

    async fn exit(&self, who: usize, outputs: usize, rate: u64) {
        let (fixture, chain) = (&self.fixtures[who], &self.world().chain);
        let mut ripe = Vec::new();
        for outpoint in chain.outputs_of(&fixture.vault.output().script_pubkey()).await.unwrap() {
            let unspent = chain.confirmed_unspent(outpoint).await.unwrap().unwrap();
            if unspent.confirmations >= 144 && unspent.output.value.to_sat() > 100_000 {
                ripe.push(outpoint);
            }
        }
        ripe.truncate(outputs);
        if !ripe.is_empty() {
            let exit = exit_of(fixture, &ripe, FeeRate::from_sat_per_kwu(rate)).await;
            // It may pay too little to replace what waits.
            let _ = chain.broadcast(&[exit]).await;
        }
    }

    async fn take(&mut self, step: Step) {
        let chain = self.world().chain.clone();
        match step {
            Step::Deposit { who, sats } => drop(self.fixtures[who].deposit(sats)),
            Step::Picture { who } => {
                let script = self.fixtures[who].vault.output().script_pubkey();
                chain.inscribe(&script, bitcoin::Amount::from_sat(10_000), "text/plain", b"a frog").unwrap();
            }
            Step::Withdraw { who, parts } => {
                if let Some(order) = self.order(who, parts).await {
                    self.submit(who, &order).await;
                }
            }
            Step::Again { which } => {
                if let Some((who, order)) = self.orders.get(which % self.orders.len().max(1)).cloned() {
                    self.submit(who, &order).await;
                }
            }
            Step::Die { who, parts, signs, broadcasts } => {
                if let Some(order) = self.order(who, parts).await {
                    *self.world().faults.lock() = Faults { broadcasts, signs, ..Faults::default() };
                    let _ = tokio::time::timeout(Duration::from_millis(20), self.submit(who, &order)).await;
                    self.crash();
                }
            }
            Step::Exit { who, outputs, rate } => self.exit(who, outputs, rate).await,
            Step::Mine { blocks } => chain.mine(blocks).unwrap(),
            Step::MineEmpty => chain.mine_transactions(Vec::new()).unwrap(),
            Step::Congestion { rate } => {
                self.world().faults.lock().estimate = Some(FeeRate::from_sat_per_kwu(rate));
                for _ in 0..4 {
                    self.world().chain.mine_transactions(Vec::new()).unwrap();
                    self.round().await;
                }
                *self.world().faults.lock() = Faults::default();
            }
            Step::Reorg { depth, fate } => chain.reorg(depth, fate).unwrap(),
            Step::Round => self.round().await,
            Step::BadRound { faults: kind } => {
                let faults = &self.world().faults;
                match kind {
                    0 => faults.lock().is_node_unreachable = true,
                    1 => faults.lock().node_behind = 2,
                    2 => faults.lock().is_index_unreachable = true,
                    3 => faults.lock().index_behind = 1,
                    _ => faults.lock().mines_during_lookup = true,
                }
                let _ = self.fixtures[0].watch.round().await;
                *faults.lock() = Faults::default();
            }
            Step::Crash => self.crash(),
            Step::Pass { seconds } => self.world().pass(seconds),
        }
    }

    /// Removes all faults, then mines and passes time until all withdrawals are confirmed or given up. One with
    /// forgotten inputs is given up after a day.
    async fn settle(&mut self) {
        self.crash();
        for blocks in [SETTLEMENT_CONFIRMATIONS, SETTLEMENT_CONFIRMATIONS, REORG_DEPTH_MAX, SETTLEMENT_CONFIRMATIONS] {
            self.round().await;
            self.world().pass(700);
            self.world().chain.mine(blocks).unwrap();
            self.round().await;
        }
    }

    async fn check(&self) {
        for fixture in &self.fixtures {
            assert_like_the_chain(fixture).await;
            let ledger = fixture.ledger().await;
            assert_eq!(ledger.shortfall(), Sats::ZERO);
            assert_eq!(fixture.spends().await, [], "all are settled or failed");
        }
        self.check_journal().await;
    }

    /// Asserts that no output is taken twice, and that settled spends are confirmed.
    async fn check_journal(&self) {
        let mut taken: BTreeMap<(UserId, Outpoint), SpendId> = BTreeMap::new();
        let mut txids: BTreeMap<(UserId, SpendId), [u8; 32]> = BTreeMap::new();
        let mut settled = BTreeSet::new();
        for batch in self.world().journal.batches() {
            for append in batch.appends {
                let Stream::Vault(user) = append.stream else { continue };
                for event in append.events {
                    match event {
                        Event::Vault(VaultEvent::Withdrawing { id, txid, outpoints, .. }) => {
                            let spend = SpendId::Withdrawal(id);
                            assert_eq!(txids.insert((user, spend), txid), None, "one message, one withdrawal");
                            for outpoint in outpoints {
                                let other = taken.insert((user, outpoint), spend);
                                assert_eq!(other, None, "{outpoint:?} is taken twice");
                            }
                        }
                        Event::Vault(VaultEvent::FeeBumped { parent, outpoint, change, .. }) => {
                            let spend = SpendId::FeeBump(parent);
                            assert_eq!(txids.insert((user, spend), change.0.txid), None, "one parent, one child");
                            let other = taken.insert((user, outpoint), spend);
                            assert_eq!(other, None, "{outpoint:?} is taken twice");
                        }
                        Event::Vault(VaultEvent::SpendFailed { spend }) => {
                            taken.retain(|(lender, _), taker| (*lender, *taker) != (user, spend));
                        }
                        Event::Vault(VaultEvent::SpendSettled { spend }) => {
                            settled.insert(Txid::from_byte_array(txids[&(user, spend)]));
                        }
                        _ => {}
                    }
                }
            }
        }
        for txid in &settled {
            let seen = self.world().chain.transaction(*txid).await.unwrap();
            assert!(matches!(seen.map(|seen| seen.position), Some(ChainPosition::Confirmed { .. })), "{txid}");
        }
        // An unsettled transaction does not exist: its inputs were spent by the lender's own exit, or were lost in a
        // reorg.
        for txid in self.acknowledged.difference(&settled) {
            assert_eq!(self.world().chain.transaction(*txid).await.unwrap(), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_agrees_with_the_chain_after_any_steps(steps in prop::collection::vec(step(), 1..45)) {
        actix::System::new().block_on(async {
            let mut simulation = Simulation::new().await;
            for step in steps {
                simulation.take(step).await;
            }
            simulation.settle().await;
            simulation.check().await;
        });
    }
}

/// The oracle notices a missing output.
#[actix::test]
async fn a_ledger_that_differs_from_the_chain_is_detected() {
    let fixture = Fixture::holding(&[100_000]).await;
    assert_like_the_chain(&fixture).await;
    let unseen: OutPoint = fixture.deposit(1_000);
    let check = futures_util::FutureExt::catch_unwind(std::panic::AssertUnwindSafe(assert_like_the_chain(&fixture)));
    assert!(check.await.is_err(), "{unseen} is not in the ledger");
}
