//! Server crashes, and restarts from the durable journal.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{LoanId, LoanStage};
use lending::depth::SEALED;
use rand::RngExt as _;

use crate::kit::ports::{Doing, Mood};
use crate::play::{Play, Server};
use crate::story::Story;

/// The blocks mined between two checks while all loans settle.
const BLOCKS_A_LOOK: u32 = 16;

impl Play {
    /// Crashes the server, with some of its last writes lost, and restarts it.
    pub(crate) async fn die(&mut self) {
        let old = self.stage.server();
        let last_words = self.dice.random_range(0..4_u8);
        if last_words > 0 {
            let hangs = |dice: &mut rand_chacha::ChaCha8Rng| {
                [Doing::HangsBefore, Doing::HangsAfter, Doing::Well][dice.random_range(0..3_usize)]
            };
            let (broadcasts, signs) = (hangs(&mut self.dice), hangs(&mut self.dice));
            *old.world.moods.now() = Mood { broadcasts, signs, ..Mood::default() };
            if last_words > 1 {
                // The disk hangs first.
                self.stop_disk();
            }
            tokio::time::sleep(Duration::from_millis(self.dice.random_range(1..25))).await;
        }
        self.drop_everybody().await;
        let (durable, count) = (old.world.journal.durable(), old.world.journal.batches_count());
        let kept = self.dice.random_range(durable..=count);
        self.stage.count("crash");
        if kept < count {
            self.stage.count("crash with lost batches");
        }
        if kept > durable {
            self.stage.count("crash with batches that nobody heard of");
        }
        let server = Server::of(old.world.after_crash(kept));
        drop(self.stage.replace_server(server));
        // The rest of the old server runs on in isolation.
        actix::spawn(async move {
            old.world.journal.close();
            old.world.desk.market.stop().await;
        });
        self.reconcile().await;
        let story = Story::read(&self.stage.server().world.journal);
        story.assert_knows(&self.stage.memory.borrow().facts);
    }
}

impl Play {
    /// Restores all dependencies, then mines and passes time until every loan is confirmed, lapsed or given up. A loan
    /// whose coins only existed in a disconnected block takes the longest.
    pub(crate) async fn settle(&mut self) {
        self.die().await;
        for _ in 0..=SEALED / BLOCKS_A_LOOK + 1 {
            self.look_at_everything().await;
            let world = &self.stage.server().world;
            world.pass(13 * 3_600);
            world.chain.mine(BLOCKS_A_LOOK).unwrap();
        }
        self.look_at_everything().await;
        self.check().await;
        let server = self.stage.server();
        assert_eq!(server.world.chain.waiting(), [], "the mempool is empty");
        let story = Story::read(&server.world.journal);
        assert!(story.reservations.is_empty(), "{:?}", story.reservations);
        let mut locked: BTreeSet<LoanId> = story.locks.values().map(|holder| LoanId(holder.0)).collect();
        for (id, told) in &story.loans {
            if told.is_gone() {
                assert!(!locked.contains(id), "{id} is gone, and something is still reserved for it");
                self.stage.count("in the end gone");
                continue;
            }
            let stage = server.world.desk.market.loan(*id).await.unwrap().stage;
            // A loan whose end was disconnected by a reorg reserves nothing any more.
            assert!(!locked.remove(id) || stage.is_running(), "{id} is {stage}");
            let has_begun = !matches!(stage, LoanStage::Prepared | LoanStage::AwaitingLender | LoanStage::Broadcast);
            assert!(has_begun, "{id} is {stage}");
            self.stage.count(format!("in the end {stage}"));
        }
    }

    /// Asserts that every kind of event happened often enough to count as tested.
    pub(crate) fn assert_eventful(&self) {
        let tally = self.tally();
        let least = [
            ("crash", 20),
            ("crash with lost batches", 5),
            ("crash with batches that nobody heard of", 5),
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
        ];
        for (what, wanted) in least {
            assert!(tally.of(what) >= wanted, "{what}: only {} and not {wanted}", tally.of(what));
        }
        let begun = tally.of("countersign: done") + tally.of("submit instant: done");
        assert!(begun >= 200, "only {begun} loans were originated");
    }
}
