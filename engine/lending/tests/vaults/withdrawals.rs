//! Tests of withdrawals from a vault, with crashes at every step.

use bitcoin::{FeeRate, Txid};
use devchain::ReorgPolicy;
use domain::{Sats, SpendId, VaultRejection};
use engine::Refusal;
use engine::chain::Chain as _;
use escrow::action::Action;
use escrow::address::AddressKind;
use lending::lookups::confirmations::{EXPECTED_REORG_MAX, SETTLEMENT_CONFIRMATIONS};
use lending::vaults::lender_order::{OrderTransaction, SignedOrder};
use lending::vaults::vault::bitcoin_outpoint;
use lending::vaults::withdrawal::{WithdrawalError, WithdrawalRequest};
use signer::refusal::Refusal as SignerRefusal;
use signer::vault_signer::SignerError;

use crate::fixture::{Fixture, RATE};
use crate::kit::faults::{FaultMode, Faults};
use crate::kit::world::Signed;

#[actix::test]
async fn the_prepared_amount_arrives() {
    let fixture = Fixture::holding(&[400_000, 300_000]).await;
    let request = WithdrawalRequest { sats: Some(Sats::new(450_000)), fee_rate: RATE };
    let prepared = fixture.world.service.prepare_withdrawal(fixture.lender.user, request).await.unwrap();
    assert_eq!((prepared.outputs, prepared.change), (2, Sats::new(250_000)));
    assert_eq!(prepared.received.get() + prepared.fee.get(), 450_000);
    assert_eq!(prepared.to, fixture.lender.wallet.payment_address().to_string());
    assert_eq!(fixture.sums().await, (700_000, 700_000), "nothing is reserved");
    let withdrawal = fixture.withdraw(Some(450_000)).await;
    assert!(withdrawal.is_sent);
    assert_eq!(fixture.sums().await, (0, 0), "the change is unconfirmed");
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (250_000, 250_000));
    assert_eq!(fixture.payment_balance().await, prepared.received.get());
    assert_eq!(fixture.spends().await.len(), 1);
    fixture.world.chain.mine(EXPECTED_REORG_MAX).unwrap();
    fixture.round().await;
    assert_eq!(fixture.spends().await, []);
    fixture.assert_like_the_chain().await;
}

#[actix::test]
async fn all_of_a_vault_leaves_in_one_transaction_as_far_as_the_signer_signs_for_its_outputs() {
    let fixture = Fixture::holding(&[20_000; 66]).await;
    fixture.deposit(30_000);
    fixture.round().await;
    let request = WithdrawalRequest { sats: None, fee_rate: RATE };
    let prepared = fixture.world.service.prepare_withdrawal(fixture.lender.user, request).await.unwrap();
    assert_eq!((prepared.outputs, prepared.sats, prepared.change), (64, Sats::new(63 * 20_000 + 30_000), Sats::ZERO));
    fixture.withdraw(None).await;
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (60_000, 60_000));
    fixture.withdraw(None).await;
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    assert_eq!((fixture.sums().await, fixture.ledger().await.outputs().len()), ((0, 0), 0));
    assert!(fixture.payment_balance().await > 1_300_000);
}

/// Of 30 small outputs 16 may stay. One percent of what leaves pays for the inputs of the others, 134 sats each at 2 sats
/// a virtual byte.
#[actix::test]
async fn a_withdrawal_at_a_low_rate_merges_small_outputs_and_at_a_higher_one_leaves_them() {
    let mut amounts = vec![4_000_000];
    amounts.extend((0..30).map(|number| 90_000 + number * 1_000));
    let fixture = Fixture::holding(&amounts).await;
    let prepare = async |sats, fee_rate| {
        let request = WithdrawalRequest { sats: Some(Sats::new(sats)), fee_rate };
        fixture.world.service.prepare_withdrawal(fixture.lender.user, request).await.unwrap()
    };
    assert_eq!(prepare(3_500_000, RATE).await.outputs, 1 + 14);
    assert_eq!(prepare(3_500_000, FeeRate::from_sat_per_kwu(501)).await.outputs, 1, "above 2 sats a virtual byte");
    assert_eq!(prepare(90_000, RATE).await.outputs, 1 + 6, "900 sats pay for no more");

    let withdrawal = fixture.withdraw(Some(3_500_000)).await;
    assert!(withdrawal.is_sent);
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    let small = fixture.ledger().await.outputs().filter(|(_, output)| output.amount < Sats::new(500_000)).count();
    assert_eq!(small, 16);
    assert_eq!(fixture.sums().await.0, amounts.iter().sum::<u64>() - 3_500_000);
    fixture.assert_like_the_chain().await;
    assert_eq!(prepare(300_000, RATE).await.outputs, 1, "16 small outputs are not too many");
}

#[actix::test]
async fn the_same_message_gives_the_same_answer_while_its_nonce_is_known() {
    let fixture = Fixture::holding(&[400_000, 300_000]).await;
    let order = fixture.order(Some(100_000)).await;
    let first = fixture.submit(&order).await.unwrap();
    let mut fixture = fixture;
    for blocks in [0, 1, EXPECTED_REORG_MAX - 1, 1, 1] {
        fixture.world.chain.mine(blocks).unwrap();
        fixture.round().await;
        assert_eq!(fixture.submit(&order).await.unwrap(), first);
        fixture = fixture.restarted();
        assert_eq!(fixture.submit(&order).await.unwrap(), first);
    }
    assert_eq!(fixture.sums().await, (600_000, 600_000));
    // Concurrent duplicates: one transaction, two answers.
    let order = fixture.order(Some(50_000)).await;
    let (one, other) = tokio::join!(fixture.submit(&order), fixture.submit(&order));
    assert_eq!(one.unwrap(), other.unwrap());
    assert_eq!(fixture.spends().await, [SpendId::Withdrawal(order.nonce_use.nonce)]);
}

#[actix::test]
async fn concurrent_withdrawals_take_different_outputs_or_one_of_them_fails() {
    let fixture = Fixture::holding(&[400_000, 300_000]).await;
    let (one, other) = (fixture.order(Some(250_000)).await, fixture.order(Some(250_000)).await);
    let (one, other) = tokio::join!(fixture.submit(&one), fixture.submit(&other));
    assert_ne!(one.unwrap().txid, other.unwrap().txid);
    assert_eq!(fixture.spends().await.len(), 2);
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (200_000, 200_000));
    fixture.assert_like_the_chain().await;
    let (one, other) = (fixture.order(Some(150_000)).await, fixture.order(Some(150_000)).await);
    let (one, other) = tokio::join!(fixture.submit(&one), fixture.submit(&other));
    assert_eq!([one, other].iter().filter(|done| done.is_ok()).count(), 1);
}

/// The point at which the server crashes during a withdrawal.
#[derive(Clone, Copy, Debug)]
struct Gap {
    name: &'static str,
    /// The number of the withdrawal's two batches on disk.
    batches: usize,
    signs: FaultMode,
    broadcasts: FaultMode,
}

const GAPS: [Gap; 8] = [
    Gap { name: "before anything", batches: 0, signs: FaultMode::Healthy, broadcasts: FaultMode::HangsBefore },
    Gap { name: "the signer not asked", batches: 1, signs: FaultMode::HangsBefore, broadcasts: FaultMode::Healthy },
    Gap { name: "signed, no answer", batches: 1, signs: FaultMode::HangsAfter, broadcasts: FaultMode::Healthy },
    Gap { name: "answered, not journaled", batches: 1, signs: FaultMode::Healthy, broadcasts: FaultMode::HangsBefore },
    Gap { name: "journaled, not sent", batches: 2, signs: FaultMode::Healthy, broadcasts: FaultMode::HangsBefore },
    Gap { name: "sent, no answer", batches: 2, signs: FaultMode::Healthy, broadcasts: FaultMode::HangsAfter },
    Gap {
        name: "the answer of the node lost",
        batches: 2,
        signs: FaultMode::Healthy,
        broadcasts: FaultMode::LosesAnswer,
    },
    Gap {
        name: "the answer to the lender lost",
        batches: 2,
        signs: FaultMode::Healthy,
        broadcasts: FaultMode::Healthy,
    },
];

/// Crashes the server in a gap; returns the restarted fixture, and the lender's message.
async fn crash_in(gap: Gap) -> (Fixture, SignedOrder) {
    let fixture = Fixture::holding(&[400_000, 300_000]).await;
    let order = fixture.order(Some(350_000)).await;
    let before = fixture.world.journal.batches().len();
    *fixture.world.faults.lock() = Faults { signs: gap.signs, broadcasts: gap.broadcasts, ..Faults::default() };
    // The result is never seen.
    let _ = fixture.world.faults.until_hung(fixture.submit(&order)).await;
    assert!(fixture.world.journal.batches().len() >= before + gap.batches, "{}", gap.name);
    (fixture.after_crash(before + gap.batches), order)
}

#[actix::test]
async fn a_withdrawal_interrupted_at_any_step_is_finished_by_the_same_message() {
    for gap in GAPS {
        let (fixture, order) = crash_in(gap).await;
        let done = fixture.submit(&order).await.unwrap();
        assert!(done.is_sent, "{}", gap.name);
        assert_eq!(fixture.submit(&order).await.unwrap(), done, "{}", gap.name);
        fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
        fixture.round().await;
        assert_eq!(fixture.sums().await, (350_000, 350_000), "{}", gap.name);
        assert_eq!(fixture.spends().await, [], "{}", gap.name);
        assert_eq!(fixture.payment_balance().await, 350_000 - fee_of(&fixture, done.txid).await, "{}", gap.name);
        fixture.assert_like_the_chain().await;
    }
}

#[actix::test]
async fn a_withdrawal_interrupted_at_any_step_is_settled_without_its_lender() {
    for gap in GAPS {
        let (fixture, order) = crash_in(gap).await;
        fixture.round().await;
        fixture.world.chain.mine(1).unwrap();
        fixture.round().await;
        if gap.batches == 2 {
            // A journaled transaction is broadcast until it is confirmed.
            assert_eq!(fixture.sums().await, (350_000, 350_000), "{}", gap.name);
        } else if gap.batches == 1 {
            assert_eq!(fixture.sums().await, (300_000, 300_000), "{}: the message is still valid", gap.name);
            fixture.world.pass(659);
            fixture.round().await;
            assert_eq!(fixture.sums().await, (300_000, 300_000), "{}", gap.name);
            fixture.world.pass(1);
            fixture.round().await;
            assert_eq!(fixture.sums().await, (700_000, 700_000), "{}", gap.name);
            let late = fixture.submit(&order).await;
            assert!(matches!(late, Err(WithdrawalError::Market(Refusal::Account(_)))), "{}: {late:?}", gap.name);
        } else {
            assert_eq!(fixture.sums().await, (700_000, 700_000), "{}", gap.name);
        }
        fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
        fixture.round().await;
        assert_eq!(fixture.spends().await, [], "{}", gap.name);
        fixture.assert_like_the_chain().await;
    }
}

async fn fee_of(fixture: &Fixture, txid: Txid) -> u64 {
    let transaction = fixture.world.chain.transaction(txid).await.unwrap().unwrap().transaction;
    let mut fee = 0;
    for input in &transaction.input {
        let maker = fixture.world.chain.transaction(input.previous_output.txid).await.unwrap().unwrap().transaction;
        fee += maker.output[usize::try_from(input.previous_output.vout).unwrap()].value.to_sat();
    }
    fee - transaction.output.iter().map(|output| output.value.to_sat()).sum::<u64>()
}

#[actix::test]
async fn a_withdrawal_dropped_by_all_nodes_is_sent_again() {
    for depth in [1, EXPECTED_REORG_MAX] {
        let fixture = Fixture::holding(&[700_000]).await;
        let OrderTransaction { txid, .. } = fixture.withdraw(Some(100_000)).await;
        fixture.world.chain.mine(depth).unwrap();
        fixture.round().await;
        assert_eq!(fixture.sums().await, (600_000, 600_000));
        fixture.world.chain.reorg(depth, ReorgPolicy::Drop).unwrap();
        assert_eq!(fixture.world.chain.transaction(txid).await.unwrap(), None);
        fixture.round().await;
        assert_eq!(fixture.world.chain.mempool_txids(), [txid], "{depth}");
        assert_eq!(fixture.sums().await, (0, 0), "{depth}");
        fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
        fixture.round().await;
        assert_eq!(fixture.sums().await, (600_000, 600_000), "{depth}");
        assert_eq!(fixture.spends().await, [], "{depth}");
        fixture.assert_like_the_chain().await;
    }
}

#[actix::test]
async fn a_withdrawal_fails_only_when_a_conflicting_spend_is_confirmed() {
    let fixture = Fixture::holding(&[400_000, 300_000]).await;
    fixture.world.chain.mine(144).unwrap();
    let outputs: Vec<_> = fixture.ledger().await.outputs().map(|(outpoint, _)| bitcoin_outpoint(&outpoint)).collect();
    let withdrawal = fixture.withdraw(Some(650_000)).await;
    // The lender replaces it by the exit of one output.
    let exit = fixture.exit(&outputs[..1], RATE.checked_mul(40).unwrap()).await;
    fixture.world.chain.broadcast(std::slice::from_ref(&exit)).await.unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), [exit.compute_txid()]);
    fixture.round().await;
    assert_eq!((fixture.spends().await.len(), fixture.sums().await), (1, (0, 0)), "it may still be mined");
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.spends().await, []);
    let left = fixture.output(outputs[1]).await.unwrap();
    assert!(left.is_free());
    assert_eq!(fixture.sums().await.0, left.amount.get());
    assert_eq!(fixture.output(outputs[0]).await, None);
    assert_eq!(fixture.world.chain.transaction(withdrawal.txid).await.unwrap(), None);
    fixture.assert_like_the_chain().await;
}

#[actix::test]
async fn a_withdrawal_fails_a_day_after_its_deposit_was_dropped() {
    let fixture = Fixture::holding(&[300_000]).await;
    fixture.world.chain.mine(1).unwrap();
    let lost = fixture.deposit(400_000);
    fixture.round().await;
    let withdrawal = fixture.withdraw(Some(650_000)).await;
    // A reorg disconnects the block of the second deposit, which is not broadcast again.
    fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
    fixture.round().await;
    let since = fixture.world.chain.tip().await.unwrap().height;
    fixture.world.chain.mine(143).unwrap();
    fixture.round().await;
    assert_eq!((fixture.spends().await.len(), fixture.sums().await), (1, (0, 0)), "it may be sent again");
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.world.chain.tip().await.unwrap().height, since + 144);
    assert_eq!((fixture.spends().await, fixture.sums().await), (vec![], (300_000, 300_000)));
    assert_eq!(fixture.output(lost).await, None);
    assert_eq!(fixture.world.chain.transaction(withdrawal.txid).await.unwrap(), None);
    fixture.assert_like_the_chain().await;
}

#[actix::test]
async fn a_deposit_broadcast_again_in_time_is_still_withdrawn() {
    let fixture = Fixture::holding(&[300_000]).await;
    fixture.world.chain.mine(1).unwrap();
    let lost = fixture.deposit(400_000);
    let maker = fixture.world.chain.transaction(lost.txid).await.unwrap().unwrap().transaction;
    fixture.round().await;
    let withdrawal = fixture.withdraw(Some(650_000)).await;
    // Twice, each time for almost a day.
    for _ in 0..2 {
        fixture.world.chain.reorg(1, ReorgPolicy::Drop).unwrap();
        fixture.round().await;
        fixture.world.chain.mine(143).unwrap();
        fixture.round().await;
        assert_eq!(fixture.spends().await.len(), 1, "it may be sent again");
        fixture.world.chain.broadcast(std::slice::from_ref(&maker)).await.unwrap();
        fixture.round().await;
        assert!(fixture.world.chain.mempool_txids().contains(&withdrawal.txid), "it was sent again");
        fixture.world.chain.mine(1).unwrap();
        fixture.round().await;
    }
    assert_eq!(fixture.sums().await, (50_000, 50_000));
    fixture.assert_like_the_chain().await;
}

/// Returns the refusal of a message by the server or the signer, which must change nothing.
async fn refused(fixture: &Fixture, action: Action, rate: FeeRate) -> WithdrawalError {
    let Signed { text, nonce_use } = fixture.world.sign(&fixture.lender, AddressKind::P2wpkh, action);
    let (before, written) = (fixture.ledger().await, fixture.world.journal.batches().len());
    let refusal = fixture.submit(&SignedOrder { signed: text, nonce_use, fee_rate: rate }).await.unwrap_err();
    assert_eq!((fixture.ledger().await, fixture.world.journal.batches().len()), (before, written));
    refusal
}

#[actix::test]
async fn an_invalid_message_is_refused_by_name_and_takes_nothing() {
    let fixture = Fixture::holding(&[400_000]).await;
    let (policy, home) = (fixture.world.policy().await, fixture.lender.wallet.payment_address().to_string());
    let elsewhere = crate::kit::people::wallet(9).payment_address().to_string();
    let fee_max_sats = Some(10_000);
    let good = |sats| Action::Withdraw { sats, to: home.clone(), fee_max_sats, vault: policy.clone() };
    let thief = Action::Withdraw { sats: 1, to: elsewhere.clone(), fee_max_sats, vault: policy.clone() };
    assert!(matches!(refused(&fixture, thief, RATE).await,
        WithdrawalError::WrongAddress { registered, found } if registered == home && found == elsewhere));
    let other = Action::Withdraw { sats: 100_000, to: home.clone(), fee_max_sats, vault: "another".to_owned() };
    assert!(matches!(refused(&fixture, other, RATE).await,
        WithdrawalError::OtherSigner { expected, found } if expected == policy && found == "another"));
    let pause = Action::PauseOffer { offer_id: "of_1".to_owned() };
    assert!(matches!(refused(&fixture, pause, RATE).await, WithdrawalError::WrongAction));
    assert!(matches!(refused(&fixture, good(400_001), RATE).await,
        WithdrawalError::Vault(VaultRejection::Insufficient { needed, usable })
        if (needed.get(), usable.get()) == (400_001, 400_000)));
    assert!(matches!(refused(&fixture, good(300), RATE).await, WithdrawalError::Build(_)));
    let dear = refused(&fixture, good(100_000), FeeRate::from_sat_per_kwu(751)).await;
    assert!(matches!(dear, WithdrawalError::FeeRate(bounds) if bounds.max == FeeRate::from_sat_per_kwu(750)));
    let cheap = refused(&fixture, good(100_000), FeeRate::from_sat_per_kwu(24)).await;
    assert!(matches!(cheap, WithdrawalError::FeeRate(bounds) if bounds.min == FeeRate::from_sat_per_kwu(25)));
    let without_vault = fixture.world.borrower().await;
    let order = fixture.order(Some(100_000)).await;
    let refusal = fixture.world.service.submit_withdrawal(without_vault.user, &order).await.unwrap_err();
    assert!(matches!(refusal, WithdrawalError::NoVault(_)));
    let text = signer::signed_text::SignedText { message: "give me all".to_owned(), signature: String::new() };
    let refusal = fixture.submit(&SignedOrder { signed: text, ..order }).await.unwrap_err();
    assert!(matches!(refusal, WithdrawalError::Message(_)));
}

#[actix::test]
async fn outputs_of_a_refused_withdrawal_are_released_at_the_next_round() {
    let fixture = Fixture::holding(&[400_000]).await;
    let good = fixture.order(Some(100_000)).await;
    let mut forged = good.clone();
    forged.signed.signature = fixture.world.lender().await.wallet.sign_bip322(AddressKind::P2wpkh, "other").unwrap();
    let refusal = fixture.submit(&forged).await.unwrap_err();
    assert!(matches!(refusal, WithdrawalError::Signer(SignerError::Refused(SignerRefusal::BadSignature { .. }))));
    assert_eq!(fixture.spends().await, []);
    fixture.round().await;
    assert_eq!(fixture.sums().await, (400_000, 400_000));
}

#[actix::test]
async fn an_unreachable_signer_delays_a_withdrawal_and_another_rate_does_not_change_it() {
    let fixture = Fixture::holding(&[400_000]).await;
    let order = fixture.order(Some(100_000)).await;
    for signs in [FaultMode::LosesAnswer, FaultMode::LosesAnswer] {
        fixture.world.faults.lock().signs = signs;
        let refusal = fixture.submit(&order).await.unwrap_err();
        assert!(matches!(refusal, WithdrawalError::Signer(SignerError::Unanswered { .. })), "{refusal}");
        fixture.world.faults.lock().signs = FaultMode::Healthy;
    }
    let dearer = SignedOrder { fee_rate: FeeRate::from_sat_per_kwu(600), ..order.clone() };
    assert!(matches!(fixture.submit(&dearer).await, Err(WithdrawalError::OtherWithdrawal(_))));
    let done = fixture.submit(&order).await.unwrap();
    assert!(done.is_sent);
    assert_eq!(fixture.submit(&dearer).await.unwrap(), done, "it is in progress");
}
