//! Tests of the vault watch: deposits, unilateral exits, and untrustworthy nodes and indexers.

use bitcoin::{Amount, OutPoint};
use devchain::ReorgPolicy;
use domain::{OutputStatus, Sats};
use engine::chain::{Chain as _, ChainError};
use lending::vaults::vault::ledger_outpoint;
use lending::vaults::vault_watch::decision::{Contradiction, Exclusion};
use lending::vaults::vault_watch::observation::ObservationError;
use lending::vaults::vault_watch::{RoundError, VAULTS_PER_ROUND, VaultWatch};

use crate::fixture::{Fixture, RATE};
use crate::kit::faults::Faults;
use crate::kit::world::World;

#[actix::test]
async fn a_deposit_counts_while_it_is_confirmed() {
    let fixture = Fixture::new().await;
    let deposit = fixture.deposit(700_000);
    assert_eq!(fixture.sums().await, (0, 0), "no round has run");
    assert_eq!(fixture.round().await.changed, 1);
    assert_eq!(fixture.sums().await, (700_000, 700_000));
    assert_eq!(fixture.round().await.changed, 0, "there is nothing new");
    // A reorg disconnects its block, and the payment is unconfirmed again.
    fixture.world.chain.reorg(1, ReorgPolicy::Requeue).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (0, 0));
    assert_eq!(fixture.output(deposit).await.unwrap().status, OutputStatus::Unconfirmed);
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (700_000, 700_000));
    // Now all nodes have forgotten it.
    fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    fixture.round().await;
    assert_eq!(fixture.output(deposit).await, None);
    fixture.assert_like_the_chain().await;
}

#[actix::test]
async fn an_output_with_assets_is_never_counted_and_reported_with_the_reason() {
    let fixture = Fixture::new().await;
    let script = fixture.vault.output().script_pubkey();
    let plain = fixture.deposit(50_000);
    fixture.world.chain.inscribe(&script, Amount::from_sat(10_000), "text/plain", b"a frog").unwrap();
    let (_, runes) = fixture.world.chain.etch(&script, 2, 1_000).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (50_000, 50_000));
    let held_back = fixture.watch.excluded_outputs(fixture.lender.user);
    assert_eq!(held_back.len(), 2);
    assert!(held_back.contains(&(ledger_outpoint(&runes), Sats::new(330), Exclusion::Assets)), "{held_back:?}");
    assert!(held_back.iter().all(|(_, _, why)| *why == Exclusion::Assets));
    let withdrawal = fixture.withdraw(None).await;
    let spent = fixture.world.chain.transaction(withdrawal.txid).await.unwrap().unwrap().transaction.input;
    assert_eq!(spent.iter().map(|input| input.previous_output).collect::<Vec<_>>(), [plain]);
}

#[actix::test]
async fn the_lenders_own_exit_lowers_the_balance_and_its_replacement_restores_a_part() {
    let fixture = Fixture::holding(&[400_000, 300_000]).await;
    fixture.world.chain.mine(144).unwrap();
    let [first, second] = {
        let ledger = fixture.ledger().await;
        let mut outputs: Vec<_> = ledger.outputs().collect();
        outputs.sort_unstable_by_key(|(_, output)| std::cmp::Reverse(output.amount));
        [outputs[0].0, outputs[1].0].map(|outpoint| lending::vaults::vault::bitcoin_outpoint(&outpoint))
    };
    let both = fixture.exit(&[first, second], RATE).await;
    fixture.world.chain.broadcast(&[both]).await.unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (0, 0), "it may be mined at any time");
    // The lender takes only one of them out instead, at a higher fee.
    let one = fixture.exit(&[first], RATE.checked_mul(4).unwrap()).await;
    fixture.world.chain.broadcast(&[one]).await.unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (300_000, 300_000));
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (300_000, 300_000));
    fixture.assert_like_the_chain().await;
    assert_eq!(fixture.output(first).await, None);
}

/// Runs a round with faults, which must change nothing.
async fn nothing_changes(
    fixture: &Fixture,
    set: impl FnOnce(&mut Faults),
) -> Result<Vec<ObservationError>, RoundError> {
    let (before, written) = (fixture.ledger().await, fixture.world.journal.batches().len());
    set(&mut fixture.world.faults.lock());
    let round = fixture.watch.round().await;
    *fixture.world.faults.lock() = Faults::default();
    assert_eq!(fixture.ledger().await, before);
    assert_eq!(fixture.world.journal.batches().len(), written);
    round.map(|round| round.failed.into_iter().map(|(_, error)| error).collect())
}

#[actix::test]
async fn an_unreachable_lagging_or_contradictory_node_changes_nothing() {
    let fixture = Fixture::holding(&[700_000]).await;
    let known = fixture.ledger().await.outputs().next().unwrap().0;
    let outpoint = lending::vaults::vault::bitcoin_outpoint(&known);
    fixture.world.chain.mine(2).unwrap();
    fixture.round().await;
    let away = nothing_changes(&fixture, |faults| faults.is_node_unreachable = true).await;
    assert!(matches!(away, Err(RoundError::Chain(ChainError::Unreachable(_)))), "{away:?}");
    let tip = fixture.world.chain.tip().await.unwrap().height;
    for behind in [1, 50] {
        let late = nothing_changes(&fixture, |faults| faults.node_behind = behind).await;
        assert_eq!(late, Err(RoundError::Behind { tip: tip - behind, known: tip }));
    }
    // A restarted server has observed nothing yet; its knowledge is in the ledger.
    let fixture = fixture.restarted();
    let late = nothing_changes(&fixture, |faults| faults.node_behind = 3).await;
    assert_eq!(late, Ok(vec![ObservationError::Contradiction(Contradiction::Behind { tip: tip - 3, known: tip - 2 })]));
    let [reported, known] = [700_001, 700_000].map(Sats::new);
    let lie = |faults: &mut Faults| faults.reported_amounts = [(outpoint, Amount::from_sat(700_001))].into();
    let other = ObservationError::Contradiction(Contradiction::OtherAmount { known, reported });
    assert_eq!(nothing_changes(&fixture, lie).await, Ok(vec![other]));
    let moves = nothing_changes(&fixture, |faults| faults.mines_during_lookup = true).await;
    assert_eq!(moves, Ok(vec![ObservationError::TipChanged]));
    fixture.round().await;
    assert_eq!(fixture.sums().await, (700_000, 700_000));
}

#[actix::test]
async fn an_unreachable_lagging_or_faulty_indexer_adds_nothing() {
    let fixture = Fixture::holding(&[700_000]).await;
    let others = fixture.world.fund(&fixture.lender.payment_script(), 90_000);
    let lie =
        |faults: &mut Faults| faults.extra_outputs = vec![others, OutPoint::null(), OutPoint { vout: 9, ..others }];
    assert_eq!(nothing_changes(&fixture, lie).await, Ok(Vec::new()));
    let deposit = fixture.deposit(20_000);
    assert_eq!(nothing_changes(&fixture, |faults| faults.is_index_unreachable = true).await, Ok(Vec::new()));
    assert_eq!(nothing_changes(&fixture, |faults| faults.index_behind = 1).await, Ok(Vec::new()));
    let unread = vec![(ledger_outpoint(&deposit), Sats::new(20_000), Exclusion::Unindexed)];
    assert_eq!(fixture.watch.excluded_outputs(fixture.lender.user), unread);
    fixture.round().await;
    assert_eq!(fixture.sums().await, (720_000, 720_000));
    assert_eq!(fixture.watch.excluded_outputs(fixture.lender.user), []);
}

#[actix::test]
async fn spent_outputs_are_noticed_without_an_indexer() {
    let fixture = Fixture::holding(&[700_000]).await;
    fixture.world.chain.mine(144).unwrap();
    let outpoint = lending::vaults::vault::bitcoin_outpoint(&fixture.ledger().await.outputs().next().unwrap().0);
    let exit = fixture.exit(&[outpoint], RATE).await;
    fixture.world.chain.broadcast(&[exit]).await.unwrap();
    fixture.world.faults.lock().is_index_unreachable = true;
    fixture.round().await;
    assert_eq!(fixture.sums().await, (0, 0));
}

#[actix::test]
async fn the_watch_runs_at_each_block_and_periodically_and_ends_with_the_market() {
    let fixture = Fixture::new().await;
    let watch = std::sync::Arc::new(VaultWatch::new(fixture.world.service.clone()));
    let [poll_interval, retry_interval, check_interval] = [1, 5, 40].map(std::time::Duration::from_millis);
    let pace = lending::vaults::vault_watch::WatchIntervals { poll_interval, check_interval, retry_interval };
    let running = actix::spawn({
        let watch = watch.clone();
        async move { watch.run(pace).await }
    });
    until(&fixture, 0, "it is empty").await;
    fixture.deposit(50_000);
    until(&fixture, 50_000, "a block came").await;
    let withdrawal = fixture.withdraw(None).await;
    until(&fixture, 0, "the balance was withdrawn").await;
    // It is not in any block or mempool: it is broadcast again.
    fixture.world.chain.mine(1).unwrap();
    fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    for _ in 0..2_000 {
        if fixture.world.chain.mempool_txids() == [withdrawal.txid] {
            break;
        }
        tokio::time::sleep(poll_interval).await;
    }
    assert_eq!(fixture.world.chain.mempool_txids(), [withdrawal.txid]);
    fixture.world.faults.lock().is_node_unreachable = true;
    tokio::time::sleep(check_interval).await;
    *fixture.world.faults.lock() = Faults::default();
    fixture.deposit(60_000);
    until(&fixture, 60_000, "the node is back").await;
    fixture.world.service.market.stop().await;
    fixture.world.chain.mine(1).unwrap();
    fixture.deposit(1_000);
    tokio::time::timeout(std::time::Duration::from_secs(5), running).await.unwrap().unwrap();
}

/// Waits for a balance.
async fn until(fixture: &Fixture, sats: u64, what: &str) {
    for _ in 0..2_000 {
        if fixture.sums().await.0 == sats {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    panic!("timed out: {what}");
}

/// Opens vaults without deposits for these users.
async fn open_vaults(world: &World, users: impl Iterator<Item = u64>) {
    for user in users {
        let key = |byte| {
            let secret = bitcoin::secp256k1::SecretKey::from_slice(&[byte; 32]).unwrap();
            secret.x_only_public_key(&bitcoin::secp256k1::Secp256k1::new()).0.serialize()
        };
        let payment_address = crate::kit::people::wallet(7).payment_address().to_string();
        let keys = domain::VaultKeys { signers: key(1).into(), lender_key: key(2), payment_address };
        world.service.market.open_vault(domain::UserId(user), keys, world.nonce()).await.unwrap();
    }
}

#[actix::test]
async fn a_round_checks_a_limited_number_of_vaults_and_the_next_continues_behind_them() {
    let world = World::new().await;
    open_vaults(&world, 1..=u64::try_from(VAULTS_PER_ROUND + 3).unwrap()).await;
    let watch = VaultWatch::new(world.service.clone());
    let rounds = [watch.round().await.unwrap(), watch.round().await.unwrap(), watch.round().await.unwrap()];
    let counts = rounds.map(|round| (round.checked, round.is_continued, round.has_more));
    assert_eq!(counts, [(256, false, true), (3, true, false), (256, false, true)]);
}

#[actix::test]
async fn after_rounds_that_continue_an_earlier_one_all_vaults_are_checked_again_soon() {
    let fixture = Fixture::new().await;
    let last = u64::MAX - u64::try_from(VAULTS_PER_ROUND).unwrap();
    assert!(fixture.lender.user.0 < last, "its vault is in the first round");
    open_vaults(&fixture.world, last..u64::MAX).await;
    assert!(fixture.round().await.has_more);
    fixture.deposit(20_000);
    // Neither another block nor the time between two checks leads to the vault.
    let [poll_interval, retry_interval, check_interval] = [1, 5, 3_600_000].map(std::time::Duration::from_millis);
    let pace = lending::vaults::vault_watch::WatchIntervals { poll_interval, check_interval, retry_interval };
    tokio::select! {
        () = fixture.watch.run(pace) => panic!("the market closed"),
        () = until(&fixture, 20_000, "the deposit is counted") => {}
    }
}
