//! Tests of several nodes on one journal in a database: real processes, which are stopped, killed and frozen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bitcoin::Network;
use escrow::wallet_key::WalletKey;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::task::JoinSet;

use super::cluster_load::{Bases, Lender};
use super::cluster_rig::ClusterRig;
use super::crash::TestUser;

async fn lenders(rig: &ClusterRig, count: u8, seed: u64) -> Vec<Lender> {
    let mut lenders = Vec::new();
    let bases = rig.bases();
    for number in 0..count {
        let wallet = WalletKey::from_seed([number + 1; 32], Network::Regtest).unwrap();
        let user = TestUser::sign_in(&bases[usize::from(number) % bases.len()], wallet).await;
        lenders.push(Lender::new(user, StdRng::seed_from_u64(seed + u64::from(number))));
    }
    lenders
}

/// The limit of the wait for writes.
const WRITES_MAX: Duration = Duration::from_secs(90);
/// The writes before and after each event.
const WRITES_BETWEEN: u64 = 25;

/// Lenders who write until they are stopped.
struct Load {
    bases: Bases,
    /// The number of writes so far.
    writes: Arc<AtomicU64>,
    stop: tokio::sync::watch::Sender<bool>,
    running: JoinSet<Lender>,
}

impl Load {
    fn start(nodes: Vec<String>, lenders: Vec<Lender>) -> Self {
        let (bases, writes) = (Bases::default(), Arc::<AtomicU64>::default());
        bases.set(nodes);
        let stop = tokio::sync::watch::Sender::new(false);
        let mut running = JoinSet::new();
        for mut lender in lenders {
            let (bases, writes, stopped) = (bases.clone(), Arc::clone(&writes), stop.subscribe());
            running.spawn_local(async move {
                while !*stopped.borrow() {
                    lender.write(&bases).await;
                    writes.fetch_add(1, Ordering::Relaxed);
                }
                lender
            });
        }
        Self { bases, writes, stop, running }
    }

    /// Waits for that many more writes.
    async fn more(&self, count: u64) {
        let (until, began) = (self.writes.load(Ordering::Relaxed) + count, Instant::now());
        while self.writes.load(Ordering::Relaxed) < until {
            assert!(began.elapsed() < WRITES_MAX, "no {count} writes in {WRITES_MAX:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn stop(self) -> Vec<Lender> {
        self.stop.send_replace(true);
        self.running.join_all().await
    }
}

/// Checks that all nodes agree with the lenders, and with each other.
async fn check(rig: &ClusterRig, lenders: &[Lender]) {
    for base in rig.bases() {
        for lender in lenders {
            lender.check(&base).await;
        }
    }
    let bases = rig.bases();
    let first = rig.book(&bases[0]).await;
    let kept: usize = lenders.iter().map(|lender| lender.offers.len()).sum();
    assert_eq!(first["manualOffers"].as_array().map(Vec::len), Some(kept), "{first}");
    for base in &bases[1..] {
        // The lenders' reads have waited for their positions, so nothing is missing anywhere.
        assert_eq!(rig.book(base).await["manualOffers"], first["manualOffers"], "{base}");
    }
}

fn total(lenders: &[Lender]) -> (u64, u64, Duration) {
    let longest = lenders.iter().map(|lender| lender.longest).max().unwrap_or_default();
    (lenders.iter().map(|lender| lender.done).sum(), lenders.iter().map(|lender| lender.repeated).sum(), longest)
}

#[actix_web::test]
async fn a_write_on_any_node_is_read_on_every_node_at_once() {
    let rig = ClusterRig::start(3).await;
    let mut lenders = lenders(&rig, 3, 1).await;
    let bases = rig.bases();
    for round in 0..30_usize {
        let lender = &mut lenders[round % 3];
        let here = Bases::default();
        here.set(vec![bases[round % bases.len()].clone()]);
        lender.write(&here).await;
        // No wait: the position of the write travels with the session.
        lender.check(&bases[(round + 1) % bases.len()]).await;
        lender.check(&bases[(round + 2) % bases.len()]).await;
    }
    check(&rig, &lenders).await;
}

#[actix_web::test]
async fn another_node_takes_over_from_a_killed_writer_and_nothing_is_lost_or_doubled() {
    let mut rig = ClusterRig::start(3).await;
    let load = Load::start(rig.bases(), lenders(&rig, 4, 10).await);
    for _ in 0..3 {
        load.more(WRITES_BETWEEN).await;
        let writer = rig.writer().await;
        rig.kill_node(writer);
        load.bases.set(rig.bases());
        let killed_at = Instant::now();
        let successor = rig.writer().await;
        println!(
            "node {successor} has the lease {} ms after the kill of node {writer}",
            killed_at.elapsed().as_millis()
        );
        assert_ne!(successor, writer);
        rig.start_node(writer);
        load.bases.set(rig.bases());
    }
    load.more(WRITES_BETWEEN).await;
    let lenders = load.stop().await;
    let (done, repeated, longest) = total(&lenders);
    println!("{done} writes, {repeated} attempts repeated, the longest write took {} ms", longest.as_millis());
    assert!(done > 50, "{done} writes");
    check(&rig, &lenders).await;
}

#[actix_web::test]
async fn a_writer_that_is_stopped_hands_over_while_lenders_write_through_the_others() {
    let mut rig = ClusterRig::start(3).await;
    let mut lenders = lenders(&rig, 4, 20).await;
    for _ in 0..2 {
        let writer = rig.writer().await;
        let load = Load::start(rig.bases_without(writer), lenders);
        load.more(WRITES_BETWEEN).await;
        let stopped_at = Instant::now();
        rig.signal_node(writer, "-TERM");
        let successor = rig.writer_other_than(writer).await;
        println!("node {successor} has the lease {} ms after the stop", stopped_at.elapsed().as_millis());
        assert!(rig.has_left(writer).await, "the stopped node still runs");
        load.more(WRITES_BETWEEN).await;
        lenders = load.stop().await;
        rig.start_node(writer);
    }
    let (done, repeated, longest) = total(&lenders);
    println!("{done} writes, {repeated} attempts repeated, the longest took {} ms", longest.as_millis());
    // An answer can be lost with a connection that closes at that very moment, but writes are not refused.
    assert!(repeated <= 8 && done > 50, "{repeated} of {done} writes were repeated");
    check(&rig, &lenders).await;
}

#[actix_web::test]
async fn a_frozen_writer_is_deposed_and_ends_its_process() {
    let mut rig = ClusterRig::start(3).await;
    let lenders = lenders(&rig, 4, 30).await;
    let writer = rig.writer().await;
    let load = Load::start(rig.bases_without(writer), lenders);
    load.more(WRITES_BETWEEN).await;
    rig.signal_node(writer, "-STOP");
    let frozen_at = Instant::now();
    let successor = rig.writer_other_than(writer).await;
    println!("node {successor} has the lease {} ms after node {writer} froze", frozen_at.elapsed().as_millis());
    // Requests that were forwarded to the frozen node, whose connections stay open, do not wait for it.
    let lenders = load.stop().await;
    let (.., longest) = total(&lenders);
    println!("the longest write took {} ms", longest.as_millis());
    assert!(longest < TestUser::TIMEOUT, "{longest:?}");
    rig.signal_node(writer, "-CONT");
    assert!(rig.has_left(writer).await, "the deposed node still runs");
    rig.start_node(writer);
    let load = Load::start(rig.bases(), lenders);
    load.more(WRITES_BETWEEN).await;
    let lenders = load.stop().await;
    check(&rig, &lenders).await;
}
