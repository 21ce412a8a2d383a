//! Tests of the vault watch: deposits, unilateral exits, and untrustworthy nodes and indexers.

use bitcoin::{Amount, OutPoint};
use devnet::chain::Disconnected;
use domain::{Sats, Standing};
use engine::chain::{Chain as _, ChainError};
use lending::vault::in_ledger;
use lending::vault_watch::decision::{Contradiction, HeldBack};
use lending::vault_watch::looking::LookError;
use lending::vault_watch::{RoundError, VaultWatch};

use crate::kit::ports::Mood;
use crate::kit::world::World;
use crate::scene::{RATE, Scene};

#[actix::test]
async fn a_deposit_counts_while_it_is_confirmed() {
    let scene = Scene::new().await;
    let deposit = scene.deposit(700_000);
    assert_eq!(scene.sums().await, (0, 0), "no round has run");
    assert_eq!(scene.round().await.changed, 1);
    assert_eq!(scene.sums().await, (700_000, 700_000));
    assert_eq!(scene.round().await.changed, 0, "there is nothing new");
    // A reorg disconnects its block, and the payment is unconfirmed again.
    scene.world.chain.reorg(1, Disconnected::Wait).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (0, 0));
    assert_eq!(scene.output(deposit).await.unwrap().standing, Standing::Waiting);
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (700_000, 700_000));
    // Now all nodes have forgotten it.
    scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
    scene.round().await;
    assert_eq!(scene.output(deposit).await, None);
    scene.assert_like_the_chain().await;
}

#[actix::test]
async fn an_output_with_assets_is_never_counted_and_reported_with_the_reason() {
    let scene = Scene::new().await;
    let script = scene.vault.output().script_pubkey();
    let plain = scene.deposit(50_000);
    scene.world.chain.inscribe(&script, Amount::from_sat(10_000), "text/plain", b"a frog").unwrap();
    let (_, runes) = scene.world.chain.etch(&script, 2, 1_000).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (50_000, 50_000));
    let held_back = scene.watch.held_back(scene.lender.user);
    assert_eq!(held_back.len(), 2);
    assert!(held_back.contains(&(in_ledger(&runes), Sats::new(330), HeldBack::Assets)), "{held_back:?}");
    assert!(held_back.iter().all(|(_, _, why)| *why == HeldBack::Assets));
    let withdrawal = scene.withdraw(None).await;
    let spent = scene.world.chain.transaction(withdrawal.txid).await.unwrap().unwrap().transaction.input;
    assert_eq!(spent.iter().map(|input| input.previous_output).collect::<Vec<_>>(), [plain]);
}

#[actix::test]
async fn the_lenders_own_exit_lowers_the_balance_and_its_replacement_restores_a_part() {
    let scene = Scene::holding(&[400_000, 300_000]).await;
    scene.world.chain.mine(144).unwrap();
    let [first, second] = {
        let ledger = scene.ledger().await;
        let mut outputs: Vec<_> = ledger.outputs().collect();
        outputs.sort_unstable_by_key(|(_, output)| std::cmp::Reverse(output.amount));
        [outputs[0].0, outputs[1].0].map(|outpoint| lending::vault::on_chain(&outpoint))
    };
    let both = scene.exit(&[first, second], RATE).await;
    scene.world.chain.broadcast(&[both]).await.unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (0, 0), "it may be mined at any time");
    // The lender takes only one of them out instead, at a higher fee.
    let one = scene.exit(&[first], RATE.checked_mul(4).unwrap()).await;
    scene.world.chain.broadcast(&[one]).await.unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (300_000, 300_000));
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (300_000, 300_000));
    scene.assert_like_the_chain().await;
    assert_eq!(scene.output(first).await, None);
}

/// Runs a round with faults, which must change nothing.
async fn nothing_changes(scene: &Scene, set: impl FnOnce(&mut Mood)) -> Result<Vec<LookError>, RoundError> {
    let (before, written) = (scene.ledger().await, scene.world.journal.batches().len());
    set(&mut scene.world.moods.now());
    let round = scene.watch.round().await;
    *scene.world.moods.now() = Mood::default();
    assert_eq!(scene.ledger().await, before);
    assert_eq!(scene.world.journal.batches().len(), written);
    round.map(|round| round.unclear.into_iter().map(|(_, error)| error).collect())
}

#[actix::test]
async fn an_unreachable_lagging_or_contradictory_node_changes_nothing() {
    let scene = Scene::holding(&[700_000]).await;
    let known = scene.ledger().await.outputs().next().unwrap().0;
    let outpoint = lending::vault::on_chain(&known);
    scene.world.chain.mine(2).unwrap();
    scene.round().await;
    let away = nothing_changes(&scene, |mood| mood.is_node_away = true).await;
    assert!(matches!(away, Err(RoundError::Chain(ChainError::Unreachable(_)))), "{away:?}");
    let tip = scene.world.chain.tip().await.unwrap().height;
    for behind in [1, 50] {
        let late = nothing_changes(&scene, |mood| mood.node_behind = behind).await;
        assert_eq!(late, Err(RoundError::Behind { tip: tip - behind, known: tip }));
    }
    // A restarted server has observed nothing yet; its knowledge is in the ledger.
    let scene = scene.restarted();
    let late = nothing_changes(&scene, |mood| mood.node_behind = 3).await;
    assert_eq!(late, Ok(vec![LookError::Contradiction(Contradiction::Behind { tip: tip - 3, known: tip - 2 })]));
    let [said, known] = [700_001, 700_000].map(Sats::new);
    let lie = |mood: &mut Mood| mood.said_amounts = [(outpoint, Amount::from_sat(700_001))].into();
    let other = LookError::Contradiction(Contradiction::OtherAmount { known, said });
    assert_eq!(nothing_changes(&scene, lie).await, Ok(vec![other]));
    let moves = nothing_changes(&scene, |mood| mood.mines_meanwhile = true).await;
    assert_eq!(moves, Ok(vec![LookError::Moved]));
    scene.round().await;
    assert_eq!(scene.sums().await, (700_000, 700_000));
}

#[actix::test]
async fn an_unreachable_lagging_or_lying_indexer_adds_nothing() {
    let scene = Scene::holding(&[700_000]).await;
    let others = scene.world.fund(&scene.lender.payment_script(), 90_000);
    let lie = |mood: &mut Mood| mood.listed_too = vec![others, OutPoint::null(), OutPoint { vout: 9, ..others }];
    assert_eq!(nothing_changes(&scene, lie).await, Ok(Vec::new()));
    let deposit = scene.deposit(20_000);
    assert_eq!(nothing_changes(&scene, |mood| mood.is_index_away = true).await, Ok(Vec::new()));
    assert_eq!(nothing_changes(&scene, |mood| mood.index_behind = 1).await, Ok(Vec::new()));
    let unread = vec![(in_ledger(&deposit), Sats::new(20_000), HeldBack::Unread)];
    assert_eq!(scene.watch.held_back(scene.lender.user), unread);
    scene.round().await;
    assert_eq!(scene.sums().await, (720_000, 720_000));
    assert_eq!(scene.watch.held_back(scene.lender.user), []);
}

#[actix::test]
async fn spent_outputs_are_noticed_without_an_indexer() {
    let scene = Scene::holding(&[700_000]).await;
    scene.world.chain.mine(144).unwrap();
    let outpoint = lending::vault::on_chain(&scene.ledger().await.outputs().next().unwrap().0);
    let exit = scene.exit(&[outpoint], RATE).await;
    scene.world.chain.broadcast(&[exit]).await.unwrap();
    scene.world.moods.now().is_index_away = true;
    scene.round().await;
    assert_eq!(scene.sums().await, (0, 0));
}

#[actix::test]
async fn the_watch_runs_at_each_block_and_periodically_and_ends_with_the_market() {
    let scene = Scene::new().await;
    let watch = std::sync::Arc::new(VaultWatch::new(scene.world.desk.clone()));
    let [ask_every, unclear_every, look_every] = [1, 5, 40].map(std::time::Duration::from_millis);
    let pace = lending::vault_watch::Pace { ask_every, look_every, unclear_every };
    let running = actix::spawn({
        let watch = watch.clone();
        async move { watch.run(pace).await }
    });
    until(&scene, 0, "it is empty").await;
    scene.deposit(50_000);
    until(&scene, 50_000, "a block came").await;
    let withdrawal = scene.withdraw(None).await;
    until(&scene, 0, "the balance was withdrawn").await;
    // It is not in any block or mempool: it is broadcast again.
    scene.world.chain.mine(1).unwrap();
    scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
    for _ in 0..2_000 {
        if scene.world.chain.waiting() == [withdrawal.txid] {
            break;
        }
        tokio::time::sleep(ask_every).await;
    }
    assert_eq!(scene.world.chain.waiting(), [withdrawal.txid]);
    scene.world.moods.now().is_node_away = true;
    tokio::time::sleep(look_every).await;
    *scene.world.moods.now() = Mood::default();
    scene.deposit(60_000);
    until(&scene, 60_000, "the node is back").await;
    scene.world.desk.market.stop().await;
    scene.world.chain.mine(1).unwrap();
    scene.deposit(1_000);
    tokio::time::timeout(std::time::Duration::from_secs(5), running).await.unwrap().unwrap();
}

/// Waits for a balance.
async fn until(scene: &Scene, sats: u64, what: &str) {
    for _ in 0..2_000 {
        if scene.sums().await.0 == sats {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    panic!("timed out: {what}");
}

#[actix::test]
async fn a_round_checks_a_limited_number_of_vaults_and_the_next_continues_behind_them() {
    let world = World::new().await;
    for number in 1..=u64::try_from(lending::vault_watch::VAULTS_A_ROUND + 3).unwrap() {
        let key = |byte| {
            let secret = bitcoin::secp256k1::SecretKey::from_slice(&[byte; 32]).unwrap();
            secret.x_only_public_key(&bitcoin::secp256k1::Secp256k1::new()).0.serialize()
        };
        let payment_address = crate::kit::people::wallet(7).payment_address().to_string();
        let keys = domain::VaultKeys { signer_key: key(1), lender_key: key(2), payment_address };
        world.desk.market.open_vault(domain::UserId(number), keys, world.burn()).await.unwrap();
    }
    let watch = VaultWatch::new(world.desk.clone());
    let rounds = [watch.round().await.unwrap(), watch.round().await.unwrap(), watch.round().await.unwrap()];
    let counts = rounds.map(|round| (round.looked, round.is_more));
    assert_eq!(counts, [(256, true), (3, false), (256, true)]);
}
