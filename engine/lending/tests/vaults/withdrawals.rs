//! Tests of withdrawals from a vault, with crashes at every step.

use std::time::Duration;

use bitcoin::{FeeRate, Txid};
use devnet::chain::Disconnected;
use domain::{Departure, Sats, VaultRejection};
use engine::Refusal;
use engine::chain::Chain as _;
use escrow::action::Action;
use escrow::address::AddressKind;
use lending::vault::on_chain;
use lending::withdrawal::{Withdrawal, WithdrawalError, WithdrawalOrder, WithdrawalWish};
use signer::refusal::Refusal as SignerRefusal;
use signer::vault_signer::SignerError;
use tokio::time::timeout;

use crate::kit::ports::{Doing, Mood};
use crate::kit::world::Signed;
use crate::scene::{RATE, Scene};

/// The timeout of a request that hangs; requests that do not hang end long before, however busy the machine.
const HANGS: Duration = Duration::from_millis(600);

#[actix::test]
async fn the_prepared_amount_arrives() {
    let scene = Scene::holding(&[400_000, 300_000]).await;
    let wish = WithdrawalWish { sats: Some(Sats::new(450_000)), fee_rate: RATE };
    let prepared = scene.world.desk.prepare_withdrawal(scene.lender.user, wish).await.unwrap();
    assert_eq!((prepared.outputs, prepared.back), (2, Sats::new(250_000)));
    assert_eq!(prepared.arrives.get() + prepared.fee.get(), 450_000);
    assert_eq!(prepared.to, scene.lender.wallet.payment_address().to_string());
    assert_eq!(scene.sums().await, (700_000, 700_000), "nothing is reserved");
    let withdrawal = scene.withdraw(Some(450_000)).await;
    assert!(withdrawal.is_sent);
    assert_eq!(scene.sums().await, (0, 0), "the change is unconfirmed");
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (250_000, 250_000));
    assert_eq!(scene.purse().await, prepared.arrives.get());
    assert_eq!(scene.departures().await.len(), 1);
    scene.world.chain.mine(5).unwrap();
    scene.round().await;
    assert_eq!(scene.departures().await, []);
    scene.assert_like_the_chain().await;
}

#[actix::test]
async fn all_of_a_vault_leaves_in_one_transaction_as_far_as_the_signer_signs_for_its_outputs() {
    let scene = Scene::holding(&[20_000; 66]).await;
    scene.deposit(30_000);
    scene.round().await;
    let wish = WithdrawalWish { sats: None, fee_rate: RATE };
    let prepared = scene.world.desk.prepare_withdrawal(scene.lender.user, wish).await.unwrap();
    assert_eq!((prepared.outputs, prepared.sats, prepared.back), (64, Sats::new(63 * 20_000 + 30_000), Sats::ZERO));
    scene.withdraw(None).await;
    scene.world.chain.mine(6).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (60_000, 60_000));
    scene.withdraw(None).await;
    scene.world.chain.mine(6).unwrap();
    scene.round().await;
    assert_eq!((scene.sums().await, scene.ledger().await.outputs().len()), ((0, 0), 0));
    assert!(scene.purse().await > 1_300_000);
}

/// Of 30 small outputs 16 may stay. One percent of what leaves pays for the inputs of the others, 134 sats each at 2 sats
/// a virtual byte.
#[actix::test]
async fn a_withdrawal_at_a_low_rate_merges_small_outputs_and_at_a_higher_one_leaves_them() {
    let mut amounts = vec![4_000_000];
    amounts.extend((0..30).map(|number| 90_000 + number * 1_000));
    let scene = Scene::holding(&amounts).await;
    let prepare = async |sats, fee_rate| {
        let wish = WithdrawalWish { sats: Some(Sats::new(sats)), fee_rate };
        scene.world.desk.prepare_withdrawal(scene.lender.user, wish).await.unwrap()
    };
    assert_eq!(prepare(3_500_000, RATE).await.outputs, 1 + 14);
    assert_eq!(prepare(3_500_000, FeeRate::from_sat_per_kwu(501)).await.outputs, 1, "above 2 sats a virtual byte");
    assert_eq!(prepare(90_000, RATE).await.outputs, 1 + 6, "900 sats pay for no more");

    let withdrawal = scene.withdraw(Some(3_500_000)).await;
    assert!(withdrawal.is_sent);
    scene.world.chain.mine(6).unwrap();
    scene.round().await;
    let small = scene.ledger().await.outputs().filter(|(_, output)| output.amount < Sats::new(500_000)).count();
    assert_eq!(small, 16);
    assert_eq!(scene.sums().await.0, amounts.iter().sum::<u64>() - 3_500_000);
    scene.assert_like_the_chain().await;
    assert_eq!(prepare(300_000, RATE).await.outputs, 1, "16 small outputs are not too many");
}

#[actix::test]
async fn the_same_message_gives_the_same_answer_while_its_nonce_is_known() {
    let scene = Scene::holding(&[400_000, 300_000]).await;
    let order = scene.order(Some(100_000)).await;
    let first = scene.submit(&order).await.unwrap();
    let mut scene = scene;
    for blocks in [0, 1, 5, 1] {
        scene.world.chain.mine(blocks).unwrap();
        scene.round().await;
        assert_eq!(scene.submit(&order).await.unwrap(), first);
        scene = scene.restarted();
        assert_eq!(scene.submit(&order).await.unwrap(), first);
    }
    assert_eq!(scene.sums().await, (600_000, 600_000));
    // Concurrent duplicates: one transaction, two answers.
    let order = scene.order(Some(50_000)).await;
    let (one, other) = tokio::join!(scene.submit(&order), scene.submit(&order));
    assert_eq!(one.unwrap(), other.unwrap());
    assert_eq!(scene.departures().await, [Departure::Withdrawal(order.burn.nonce)]);
}

#[actix::test]
async fn concurrent_withdrawals_take_different_outputs_or_one_of_them_fails() {
    let scene = Scene::holding(&[400_000, 300_000]).await;
    let (one, other) = (scene.order(Some(250_000)).await, scene.order(Some(250_000)).await);
    let (one, other) = tokio::join!(scene.submit(&one), scene.submit(&other));
    assert_ne!(one.unwrap().txid, other.unwrap().txid);
    assert_eq!(scene.departures().await.len(), 2);
    scene.world.chain.mine(6).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (200_000, 200_000));
    scene.assert_like_the_chain().await;
    let (one, other) = (scene.order(Some(150_000)).await, scene.order(Some(150_000)).await);
    let (one, other) = tokio::join!(scene.submit(&one), scene.submit(&other));
    assert_eq!([one, other].iter().filter(|done| done.is_ok()).count(), 1);
}

/// The point at which the server crashes during a withdrawal.
#[derive(Clone, Copy, Debug)]
struct Gap {
    name: &'static str,
    /// The number of the withdrawal's two batches on disk.
    batches: usize,
    signs: Doing,
    broadcasts: Doing,
}

const GAPS: [Gap; 8] = [
    Gap { name: "before anything", batches: 0, signs: Doing::Well, broadcasts: Doing::HangsBefore },
    Gap { name: "begun, the signer not asked", batches: 1, signs: Doing::HangsBefore, broadcasts: Doing::Well },
    Gap { name: "signed, no answer", batches: 1, signs: Doing::HangsAfter, broadcasts: Doing::Well },
    Gap { name: "answered, not journaled", batches: 1, signs: Doing::Well, broadcasts: Doing::HangsBefore },
    Gap { name: "journaled, not sent", batches: 2, signs: Doing::Well, broadcasts: Doing::HangsBefore },
    Gap { name: "sent, no answer", batches: 2, signs: Doing::Well, broadcasts: Doing::HangsAfter },
    Gap { name: "the answer of the node lost", batches: 2, signs: Doing::Well, broadcasts: Doing::LosesAnswer },
    Gap { name: "the answer to the lender lost", batches: 2, signs: Doing::Well, broadcasts: Doing::Well },
];

/// Crashes the server in a gap; returns the restarted scene, and the lender's message.
async fn die_in(gap: Gap) -> (Scene, WithdrawalOrder) {
    let scene = Scene::holding(&[400_000, 300_000]).await;
    let order = scene.order(Some(350_000)).await;
    let before = scene.world.journal.batches().len();
    *scene.world.moods.now() = Mood { signs: gap.signs, broadcasts: gap.broadcasts, ..Mood::default() };
    // The result is never seen.
    let _ = timeout(HANGS, scene.submit(&order)).await;
    assert!(scene.world.journal.batches().len() >= before + gap.batches, "{}", gap.name);
    (scene.after_crash(before + gap.batches), order)
}

#[actix::test]
async fn a_withdrawal_interrupted_at_any_step_is_finished_by_the_same_message() {
    for gap in GAPS {
        let (scene, order) = die_in(gap).await;
        let done = scene.submit(&order).await.unwrap();
        assert!(done.is_sent, "{}", gap.name);
        assert_eq!(scene.submit(&order).await.unwrap(), done, "{}", gap.name);
        scene.world.chain.mine(6).unwrap();
        scene.round().await;
        assert_eq!(scene.sums().await, (350_000, 350_000), "{}", gap.name);
        assert_eq!(scene.departures().await, [], "{}", gap.name);
        assert_eq!(scene.purse().await, 350_000 - fee_of(&scene, done.txid).await, "{}", gap.name);
        scene.assert_like_the_chain().await;
    }
}

#[actix::test]
async fn a_withdrawal_interrupted_at_any_step_is_settled_without_its_lender() {
    for gap in GAPS {
        let (scene, order) = die_in(gap).await;
        scene.round().await;
        scene.world.chain.mine(1).unwrap();
        scene.round().await;
        if gap.batches == 2 {
            // A journaled transaction is broadcast until it is confirmed.
            assert_eq!(scene.sums().await, (350_000, 350_000), "{}", gap.name);
        } else if gap.batches == 1 {
            assert_eq!(scene.sums().await, (300_000, 300_000), "{}: the message is still valid", gap.name);
            scene.world.pass(659);
            scene.round().await;
            assert_eq!(scene.sums().await, (300_000, 300_000), "{}", gap.name);
            scene.world.pass(1);
            scene.round().await;
            assert_eq!(scene.sums().await, (700_000, 700_000), "{}", gap.name);
            let late = scene.submit(&order).await;
            assert!(matches!(late, Err(WithdrawalError::Market(Refusal::Account(_)))), "{}: {late:?}", gap.name);
        } else {
            assert_eq!(scene.sums().await, (700_000, 700_000), "{}", gap.name);
        }
        scene.world.chain.mine(6).unwrap();
        scene.round().await;
        assert_eq!(scene.departures().await, [], "{}", gap.name);
        scene.assert_like_the_chain().await;
    }
}

async fn fee_of(scene: &Scene, txid: Txid) -> u64 {
    let transaction = scene.world.chain.transaction(txid).await.unwrap().unwrap().transaction;
    let mut fee = 0;
    for input in &transaction.input {
        let maker = scene.world.chain.transaction(input.previous_output.txid).await.unwrap().unwrap().transaction;
        fee += maker.output[usize::try_from(input.previous_output.vout).unwrap()].value.to_sat();
    }
    fee - transaction.output.iter().map(|output| output.value.to_sat()).sum::<u64>()
}

#[actix::test]
async fn a_withdrawal_dropped_by_all_nodes_is_sent_again() {
    let scene = Scene::holding(&[700_000]).await;
    let Withdrawal { txid, .. } = scene.withdraw(Some(100_000)).await;
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (600_000, 600_000));
    scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
    assert_eq!(scene.world.chain.transaction(txid).await.unwrap(), None);
    scene.round().await;
    assert_eq!(scene.world.chain.waiting(), [txid]);
    assert_eq!(scene.sums().await, (0, 0));
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (600_000, 600_000));
    scene.assert_like_the_chain().await;
}

#[actix::test]
async fn a_withdrawal_fails_only_when_a_conflicting_spend_is_confirmed() {
    let scene = Scene::holding(&[400_000, 300_000]).await;
    scene.world.chain.mine(144).unwrap();
    let outputs: Vec<_> = scene.ledger().await.outputs().map(|(outpoint, _)| on_chain(&outpoint)).collect();
    let withdrawal = scene.withdraw(Some(650_000)).await;
    // The lender replaces it by the exit of one output.
    let exit = scene.exit(&outputs[..1], RATE.checked_mul(40).unwrap()).await;
    scene.world.chain.broadcast(std::slice::from_ref(&exit)).await.unwrap();
    assert_eq!(scene.world.chain.waiting(), [exit.compute_txid()]);
    scene.round().await;
    assert_eq!((scene.departures().await.len(), scene.sums().await), (1, (0, 0)), "it may still be mined");
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.departures().await, []);
    let left = scene.output(outputs[1]).await.unwrap();
    assert!(left.is_free());
    assert_eq!(scene.sums().await.0, left.amount.get());
    assert_eq!(scene.output(outputs[0]).await, None);
    assert_eq!(scene.world.chain.transaction(withdrawal.txid).await.unwrap(), None);
    scene.assert_like_the_chain().await;
}

#[actix::test]
async fn a_withdrawal_is_given_up_a_day_after_its_deposit_was_forgotten() {
    let scene = Scene::holding(&[300_000]).await;
    scene.world.chain.mine(1).unwrap();
    let lost = scene.deposit(400_000);
    scene.round().await;
    let withdrawal = scene.withdraw(Some(650_000)).await;
    // A reorg disconnects the block of the second deposit, which is not broadcast again.
    scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
    scene.round().await;
    let since = scene.world.chain.tip().await.unwrap().height;
    scene.world.chain.mine(143).unwrap();
    scene.round().await;
    assert_eq!((scene.departures().await.len(), scene.sums().await), (1, (0, 0)), "it may be sent again");
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.world.chain.tip().await.unwrap().height, since + 144);
    assert_eq!((scene.departures().await, scene.sums().await), (vec![], (300_000, 300_000)));
    assert_eq!(scene.output(lost).await, None);
    assert_eq!(scene.world.chain.transaction(withdrawal.txid).await.unwrap(), None);
    scene.assert_like_the_chain().await;
}

#[actix::test]
async fn a_deposit_that_comes_back_in_time_is_withdrawn_after_all() {
    let scene = Scene::holding(&[300_000]).await;
    scene.world.chain.mine(1).unwrap();
    let lost = scene.deposit(400_000);
    let maker = scene.world.chain.transaction(lost.txid).await.unwrap().unwrap().transaction;
    scene.round().await;
    let withdrawal = scene.withdraw(Some(650_000)).await;
    // Twice, each time for almost a day.
    for _ in 0..2 {
        scene.world.chain.reorg(1, Disconnected::Forgotten).unwrap();
        scene.round().await;
        scene.world.chain.mine(143).unwrap();
        scene.round().await;
        assert_eq!(scene.departures().await.len(), 1, "it may be sent again");
        scene.world.chain.broadcast(std::slice::from_ref(&maker)).await.unwrap();
        scene.round().await;
        assert!(scene.world.chain.waiting().contains(&withdrawal.txid), "it was sent again");
        scene.world.chain.mine(1).unwrap();
        scene.round().await;
    }
    assert_eq!(scene.sums().await, (50_000, 50_000));
    scene.assert_like_the_chain().await;
}

/// Returns the refusal of a message by the server or the signer, which must change nothing.
async fn refused(scene: &Scene, action: Action, rate: FeeRate) -> WithdrawalError {
    let Signed { text, burn } = scene.world.sign(&scene.lender, AddressKind::P2wpkh, action);
    let (before, written) = (scene.ledger().await, scene.world.journal.batches().len());
    let refusal = scene.submit(&WithdrawalOrder { signed: text, burn, fee_rate: rate }).await.unwrap_err();
    assert_eq!((scene.ledger().await, scene.world.journal.batches().len()), (before, written));
    refusal
}

#[actix::test]
async fn an_invalid_message_is_refused_by_name_and_takes_nothing() {
    let scene = Scene::holding(&[400_000]).await;
    let (policy, home) = (scene.world.policy().await, scene.lender.wallet.payment_address().to_string());
    let elsewhere = crate::kit::people::wallet(9).payment_address().to_string();
    let fee_max_sats = Some(10_000);
    let good = |sats| Action::Withdraw { sats, to: home.clone(), fee_max_sats, vault: policy.clone() };
    let thief = Action::Withdraw { sats: 1, to: elsewhere.clone(), fee_max_sats, vault: policy.clone() };
    assert!(matches!(refused(&scene, thief, RATE).await,
        WithdrawalError::WrongAddress { registered, found } if registered == home && found == elsewhere));
    let other = Action::Withdraw { sats: 100_000, to: home.clone(), fee_max_sats, vault: "another".to_owned() };
    assert!(matches!(refused(&scene, other, RATE).await,
        WithdrawalError::OtherSigner { expected, found } if expected == policy && found == "another"));
    let pause = Action::PauseOffer { offer_id: "of_1".to_owned() };
    assert!(matches!(refused(&scene, pause, RATE).await, WithdrawalError::WrongAction));
    assert!(matches!(refused(&scene, good(400_001), RATE).await,
        WithdrawalError::Vault(VaultRejection::Insufficient { needed, usable })
        if (needed.get(), usable.get()) == (400_001, 400_000)));
    assert!(matches!(refused(&scene, good(300), RATE).await, WithdrawalError::Build(_)));
    let dear = refused(&scene, good(100_000), FeeRate::from_sat_per_kwu(751)).await;
    assert!(matches!(dear, WithdrawalError::FeeRate(bounds) if bounds.max == FeeRate::from_sat_per_kwu(750)));
    let cheap = refused(&scene, good(100_000), FeeRate::from_sat_per_kwu(24)).await;
    assert!(matches!(cheap, WithdrawalError::FeeRate(bounds) if bounds.min == FeeRate::from_sat_per_kwu(25)));
    let nobody = scene.world.borrower().await;
    let order = scene.order(Some(100_000)).await;
    let refusal = scene.world.desk.submit_withdrawal(nobody.user, &order).await.unwrap_err();
    assert!(matches!(refusal, WithdrawalError::NoVault(_)));
    let text = signer::signed_text::SignedText { message: "give me all".to_owned(), signature: String::new() };
    let refusal = scene.submit(&WithdrawalOrder { signed: text, ..order }).await.unwrap_err();
    assert!(matches!(refusal, WithdrawalError::Message(_)));
}

#[actix::test]
async fn outputs_of_a_refused_withdrawal_are_released_at_the_next_round() {
    let scene = Scene::holding(&[400_000]).await;
    let good = scene.order(Some(100_000)).await;
    let mut forged = good.clone();
    forged.signed.signature = scene.world.lender().await.wallet.sign_bip322(AddressKind::P2wpkh, "other").unwrap();
    let refusal = scene.submit(&forged).await.unwrap_err();
    assert!(matches!(refusal, WithdrawalError::Signer(SignerError::Refused(SignerRefusal::BadSignature { .. }))));
    assert_eq!(scene.departures().await, []);
    scene.round().await;
    assert_eq!(scene.sums().await, (400_000, 400_000));
}

#[actix::test]
async fn an_unreachable_signer_delays_a_withdrawal_and_another_rate_does_not_change_it() {
    let scene = Scene::holding(&[400_000]).await;
    let order = scene.order(Some(100_000)).await;
    for signs in [Doing::LosesAnswer, Doing::LosesAnswer] {
        scene.world.moods.now().signs = signs;
        let refusal = scene.submit(&order).await.unwrap_err();
        assert!(matches!(refusal, WithdrawalError::Signer(SignerError::Unanswered { .. })), "{refusal}");
        scene.world.moods.now().signs = Doing::Well;
    }
    let dearer = WithdrawalOrder { fee_rate: FeeRate::from_sat_per_kwu(600), ..order.clone() };
    assert!(matches!(scene.submit(&dearer).await, Err(WithdrawalError::OtherWithdrawal(_))));
    let done = scene.submit(&order).await.unwrap();
    assert!(done.is_sent);
    assert_eq!(scene.submit(&dearer).await.unwrap(), done, "it is in progress");
}
