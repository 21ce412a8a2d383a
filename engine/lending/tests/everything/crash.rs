//! Server crashes, and restarts from the durable journal.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{LoanId, LoanStage};
use lending::lookups::confirmations::REORG_DEPTH_MAX;
use rand::RngExt as _;

use crate::journal_history::JournalHistory;
use crate::kit::faults::{FaultMode, Faults};
use crate::simulation::{Server, Simulation};

/// The blocks mined between two checks while all loans settle.
const BLOCKS_PER_CHECK: u32 = 16;

impl Simulation {
    /// Crashes the server, with some of its last writes lost, and restarts it.
    pub(crate) async fn crash(&mut self) {
        let old = self.shared.server();
        let fault_kind = self.rng.random_range(0..5_u8);
        if fault_kind > 0 {
            let hangs = |rng: &mut rand_chacha::ChaCha8Rng| {
                [FaultMode::HangsBefore, FaultMode::HangsAfter, FaultMode::Healthy][rng.random_range(0..3_usize)]
            };
            let (broadcasts, signs) = (hangs(&mut self.rng), hangs(&mut self.rng));
            *old.world.faults.lock() = Faults { broadcasts, signs, ..Faults::default() };
            match fault_kind {
                // The disk hangs first, or fails.
                2 | 3 => self.stop_disk(),
                4 => {
                    self.shared.count("the disk fails");
                    old.world.journal.close();
                }
                _ => {}
            }
            tokio::time::sleep(Duration::from_millis(self.rng.random_range(1..25))).await;
        }
        self.abort_clients().await;
        let (durable, count) = (old.world.journal.durable(), old.world.journal.batches_count());
        let kept = self.rng.random_range(durable..=count);
        self.shared.count("crash");
        if kept < count {
            self.shared.count("crash with lost batches");
        }
        if kept > durable {
            self.shared.count("crash with unacknowledged batches");
        }
        let server = Server::of(old.world.after_crash(kept));
        drop(self.shared.replace_server(server));
        // The rest of the old server runs on in isolation.
        actix::spawn(async move {
            old.world.journal.close();
            old.world.service.market.stop().await;
        });
        self.reconcile().await;
        let history = JournalHistory::read(&self.shared.server().world.journal);
        history.assert_knows(&self.shared.memory.borrow().facts);
    }
}

impl Simulation {
    /// Restores all dependencies, then mines and passes time until every loan is confirmed, lapsed or given up. A loan
    /// whose coins only existed in a disconnected block takes the longest.
    pub(crate) async fn settle(&mut self) {
        self.crash().await;
        for _ in 0..=REORG_DEPTH_MAX / BLOCKS_PER_CHECK + 1 {
            self.run_watches().await;
            let world = &self.shared.server().world;
            world.pass(13 * 3_600);
            world.chain.mine(BLOCKS_PER_CHECK).unwrap();
        }
        self.run_watches().await;
        self.check().await;
        let server = self.shared.server();
        assert_eq!(server.world.chain.mempool_txids(), [], "the mempool is empty");
        let history = JournalHistory::read(&server.world.journal);
        assert!(history.reservations.is_empty(), "{:?}", history.reservations);
        let mut locked: BTreeSet<LoanId> = history.locks.values().map(|holder| LoanId(holder.0)).collect();
        for (id, recorded) in &history.loans {
            if recorded.is_gone() {
                assert!(!locked.contains(id), "{id} is gone, and something is still reserved for it");
                self.shared.count("in the end gone");
                continue;
            }
            let stage = server.world.service.market.loan(*id).await.unwrap().stage;
            // A loan whose end was disconnected by a reorg reserves nothing any more.
            assert!(!locked.remove(id) || stage.is_running(), "{id} is {stage}");
            let is_originated =
                !matches!(stage, LoanStage::Prepared | LoanStage::AwaitingLender | LoanStage::Broadcast);
            assert!(is_originated, "{id} is {stage}");
            self.shared.count(format!("in the end {stage}"));
        }
    }

    /// Asserts that every kind of event happened often enough to count as tested.
    pub(crate) fn assert_all_events_occurred(&self) {
        let event_counts = self.event_counts();
        let least = [
            ("crash", 20),
            ("crash with lost batches", 5),
            ("crash with unacknowledged batches", 5),
            ("asked again after a crash", 20),
            ("check", 8),
            ("quote manual: done", 100),
            ("quote instant: done", 100),
            ("edit: done", 20),
            ("cancel: done", 50),
            ("prepare manual: done", 200),
            ("prepare instant: done", 100),
            ("accept: done", 100),
            ("countersign: done", 50),
            ("submit instant: done", 40),
            ("give up: done", 20),
            ("repay: done", 100),
            ("claim: done", 20),
            ("deposit: done", 30),
            ("withdraw: done", 50),
            ("end: repaid", 2),
            ("end: claimed", 2),
        ];
        for (what, wanted) in least {
            assert!(event_counts.of(what) >= wanted, "{what}: only {} and not {wanted}", event_counts.of(what));
        }
        let originated = event_counts.of("countersign: done") + event_counts.of("submit instant: done");
        assert!(originated >= 200, "only {originated} loans were originated");
    }
}
