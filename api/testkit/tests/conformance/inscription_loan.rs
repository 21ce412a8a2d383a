//! Scenarios of a loan against an inscription: origination, repayment, claim, attacks.

use bitcoin::absolute::LockTime;
use bitcoin::transaction::Version;
use bitcoin::{OutPoint, Transaction, Txid};
use engine::chain::{Chain as _, ChainPosition};
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::{CustomTransaction, assembled, pay};
use crate::deal::{CLAIM_AFTER, PAYOUT_SATS, assert_inscription, fee_rate};
use crate::inscription_deal::{InscriptionDeal, OFFSET_SATS, POSTAGE_SATS};
use crate::test_wallet::{coin_of, funded};
use crate::world::{Fate, World, confirm, refusal, send};

const SCRIPT_FAILS: &str = "mempool-script-verify-flag-failed";

pub(crate) async fn the_borrower_alone_repays_it_in_either_version(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let deal = InscriptionDeal::begin(world).await;
        let coin = funded(world, deal.parties.borrower.nested(), 3_000_000).await;
        let ended = deal.repay(version, &coin, fee_rate());
        send(world, &ended).await;
        world.mine(1).await;
        deal.assert_inscription_in(world, OutPoint::new(ended.compute_txid(), 1)).await;
        assert_eq!(ended.output[1].script_pubkey, deal.parties.borrower.ordinals_script());
        let payout = world.node().unspent(OutPoint::new(ended.compute_txid(), 2)).await.unwrap().unwrap();
        assert_eq!(payout.output, pay(deal.parties.lender.payment_script(), PAYOUT_SATS));
    }
}

pub(crate) async fn the_lender_claims_once_the_median_time_is_past_and_not_before(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let claim = deal.claim(None);
    assert_eq!(refusal(world, &claim).await, "non-final");
    // The clock has passed, but the median of eleven blocks follows six blocks later.
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(5).await;
    assert!(world.node().tip().await.unwrap().median_time_seconds < CLAIM_AFTER);
    assert_eq!(refusal(world, &claim).await, "non-final");
    world.mine(1).await;
    assert_eq!(world.node().tip().await.unwrap().median_time_seconds, CLAIM_AFTER + 1);
    send(world, &claim).await;
    world.mine(1).await;
    deal.assert_inscription_in(world, OutPoint::new(claim.compute_txid(), 0)).await;
    assert_eq!(claim.output[0].script_pubkey, deal.parties.lender.ordinals_script());
}

pub(crate) async fn at_the_claim_time_itself_it_is_too_early(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let coin = funded(world, deal.parties.lender.payment(), 20_000).await;
    let claim = deal.claim(Some(&coin));
    world.set_time(CLAIM_AFTER).await;
    world.mine(6).await;
    assert_eq!(world.node().tip().await.unwrap().median_time_seconds, CLAIM_AFTER);
    assert_eq!(refusal(world, &claim).await, "non-final");
    // The timestamps of six more blocks are each a second after the median.
    world.mine(6).await;
    assert!(world.node().tip().await.unwrap().median_time_seconds > CLAIM_AFTER);
    confirm(world, &claim).await;
    assert_eq!(claim.output[0], pay(deal.parties.lender.ordinals_script(), POSTAGE_SATS));
    deal.assert_inscription_in(world, OutPoint::new(claim.compute_txid(), 0)).await;
}

pub(crate) async fn an_altered_or_unauthorized_spend_of_the_escrow_is_refused(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let (borrower, lender) = (&deal.parties.borrower, &deal.parties.lender);
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let payout = deal.presigned.only().unwrap().two.to_vec();
    let honest = deal.repayment(Version::TWO, &coin, fee_rate());
    let altered = |alter: &dyn Fn(&mut Transaction)| {
        let mut template = honest.clone();
        alter(&mut template.psbt.unsigned_tx);
        assembled(&template, &[borrower], Some((2, 0, &payout)))
    };
    let attacks = [
        ("a sat less for the lender", altered(&|attack| attack.output[2].value -= bitcoin::Amount::ONE_SAT)),
        ("the payout elsewhere", altered(&|attack| attack.output.swap(2, 3))),
        ("the payout to oneself", altered(&|attack| attack.output[2].script_pubkey = borrower.payment_script())),
        ("signed for another version", altered(&|attack| attack.version = TRUC)),
        ("another lock time", altered(&|attack| attack.lock_time = LockTime::from_consensus(1))),
    ];
    for (what, attack) in attacks {
        assert_eq!(refusal(world, &attack).await, SCRIPT_FAILS, "{what}");
    }
    // The claim without its lock time, by the lender; and with it, by the borrower.
    let leaf = deal.loan.escrow.claim_leaf();
    let spend = || vec![deal.loan.escrow.output().spend(deal.loan.outpoint, deal.loan.value, leaf)];
    let outputs = vec![pay(lender.ordinals_script(), POSTAGE_SATS - 1_000)];
    let early = CustomTransaction::new(spend(), outputs.clone()).signed(&[lender], None);
    assert_eq!(refusal(world, &early).await, SCRIPT_FAILS, "a claim without its time");
    let time = LockTime::from_time(CLAIM_AFTER).unwrap();
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    let foreign = CustomTransaction { lock_time: time, ..CustomTransaction::new(spend(), outputs) };
    let signature = lender.signatures(&foreign.template()).get(0, 0).unwrap().to_vec();
    assert_eq!(world.node().test_accept(&[foreign.signed(&[], Some((0, 0, &signature)))]).await, Ok(()));
    let mut other = foreign.template();
    other.psbt.unsigned_tx.output[0].script_pubkey = borrower.ordinals_script();
    let stolen = assembled(&other, &[], Some((0, 0, &signature)));
    assert_eq!(refusal(world, &stolen).await, SCRIPT_FAILS, "the lender's signature for another home");
    confirm(world, &altered(&|_| {})).await;
}

/// The node accepts it, and the lender's signature is valid: only the builder prevents this mistake of the borrower.
pub(crate) async fn a_repayment_at_index_0_would_give_the_inscription_to_the_lender(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let (borrower, lender) = (&deal.parties.borrower, &deal.parties.lender);
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let leaf = deal.loan.escrow.repay_leaf();
    let escrow = deal.loan.escrow.output().spend(deal.loan.outpoint, deal.loan.value, leaf);
    let outputs = vec![deal.loan.payout.clone(), pay(borrower.ordinals_script(), POSTAGE_SATS)];
    let careless = CustomTransaction::new(vec![escrow, Spend::Coin(&coin)], outputs);
    let careless = careless.signed(&[borrower], Some((0, 0, &deal.presigned.only().unwrap().two.to_vec())));
    confirm(world, &careless).await;
    assert_eq!(careless.output[0].script_pubkey, lender.payment_script());
    deal.assert_inscription_in(world, OutPoint::new(careless.compute_txid(), 0)).await;
}

pub(crate) async fn an_unconfirmed_repayment_can_be_replaced_by_itself_or_by_a_late_claim(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let (borrower, lender) = (&deal.parties.borrower, &deal.parties.lender);
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let fee_coin = funded(world, lender.payment(), 200_000).await;
    let slow = deal.repay(Version::TWO, &coin, fee_rate());
    send(world, &slow).await;
    let faster = deal.repay(Version::TWO, &coin, fee_rate().checked_mul(2).unwrap());
    send(world, &faster).await;
    assert_eq!(world.waiting().await, [faster.compute_txid()]);
    assert_eq!(refusal(world, &slow).await, "insufficient fee");
    // It was not mined in time: from now on the lender may claim the collateral instead.
    world.set_time(CLAIM_AFTER + 1).await;
    for _ in 0..6 {
        world.mine_these(&[]).await;
    }
    let leaf = deal.loan.escrow.claim_leaf();
    let spends =
        vec![deal.loan.escrow.output().spend(deal.loan.outpoint, deal.loan.value, leaf), Spend::Coin(&fee_coin)];
    let outputs = vec![pay(lender.ordinals_script(), POSTAGE_SATS), pay(lender.payment_script(), 100_000)];
    let claim = CustomTransaction {
        lock_time: LockTime::from_time(CLAIM_AFTER).unwrap(),
        ..CustomTransaction::new(spends, outputs)
    };
    let claim = claim.signed(&[lender], None);
    send(world, &claim).await;
    assert_eq!(world.waiting().await, [claim.compute_txid()]);
    assert_eq!(world.node().transaction(faster.compute_txid()).await, Ok(None));
    world.mine(1).await;
    deal.assert_inscription_in(world, OutPoint::new(claim.compute_txid(), 0)).await;
}

pub(crate) async fn version_3_keeps_the_lender_from_pinning_the_repayment(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let deal = InscriptionDeal::begin(world).await;
        let (borrower, lender) = (&deal.parties.borrower, &deal.parties.lender);
        let coin = funded(world, borrower.payment(), 3_000_000).await;
        let slow = deal.repay(version, &coin, fee_rate());
        send(world, &slow).await;
        // The lender spends the payout to so many outputs that the child exceeds 1,000 virtual bytes.
        let payout = coin_of(&slow, 2, lender.payment());
        let child = |outputs: u64| {
            let outputs = (0..outputs).map(|_| pay(lender.payment_script(), 60_000)).collect();
            let child = CustomTransaction { version, ..CustomTransaction::new(vec![Spend::Coin(&payout)], outputs) };
            child.signed(&[lender], None)
        };
        let (large, small) = (child(33), child(25));
        assert!(large.vsize() > 1_000 && small.vsize() <= 1_000);
        if version == TRUC {
            assert_eq!(refusal(world, &large).await, "TRUC-violation");
            send(world, &small).await;
        } else {
            send(world, &large).await;
        }
        // A child is evicted with it, if the replacement pays for both: a small child costs little.
        let little = fee_rate().checked_mul(3).unwrap();
        let replaced = deal.repay(version, &coin, little);
        let child_fee =
            |child: &Transaction| PAYOUT_SATS - child.output.iter().map(|out| out.value.to_sat()).sum::<u64>();
        let hung = if version == TRUC { &small } else { &large };
        assert!(child_fee(hung) > 5_000, "the extra cost of a replacement");
        assert_eq!(refusal(world, &replaced).await, "insufficient fee");
        world.mine(1).await;
        deal.assert_inscription_in(world, OutPoint::new(slow.compute_txid(), 1)).await;
    }
}

pub(crate) async fn a_double_spend_by_the_lender_is_detected(world: &impl World) {
    let deal = InscriptionDeal::prepare(world).await;
    let lender = &deal.parties.lender;
    let coin = &deal.funding[0];
    let elsewhere = CustomTransaction::new(vec![Spend::Coin(coin)], vec![pay(lender.payment_script(), 1_490_000)]);
    let elsewhere = elsewhere.signed(&[lender], None);
    assert!(world.node().unspent(coin.outpoint).await.unwrap().is_some());
    send(world, &elsewhere).await;
    assert_eq!(world.node().unspent(coin.outpoint).await, Ok(None), "unconfirmed transactions spend too");
    assert_eq!(refusal(world, &deal.origination).await, "insufficient fee");
    world.mine(1).await;
    assert_eq!(refusal(world, &deal.origination).await, "bad-txns-inputs-missingorspent");
    assert_inscription(world, deal.inscription, (deal.collateral.coin.outpoint, OFFSET_SATS)).await;
}

pub(crate) async fn a_reorg_unconfirms_the_origination(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let txid: Txid = deal.origination.compute_txid();
    let presence = async || world.node().transaction(txid).await.unwrap().map(|seen| seen.position);
    world.reorg(1, Fate::Wait).await;
    assert_eq!(presence().await, Some(ChainPosition::InMempool));
    assert_inscription(world, deal.inscription, (deal.collateral.coin.outpoint, OFFSET_SATS)).await;
    world.mine(1).await;
    assert!(matches!(presence().await, Some(ChainPosition::Confirmed { .. })));
    deal.assert_inscription_in(world, deal.loan.outpoint).await;
    world.reorg(1, Fate::Forgotten).await;
    assert_eq!(presence().await, None);
    assert_eq!(world.node().unspent(deal.loan.outpoint).await, Ok(None));
    assert!(world.node().unspent(deal.collateral.coin.outpoint).await.unwrap().is_some());
    assert_inscription(world, deal.inscription, (deal.collateral.coin.outpoint, OFFSET_SATS)).await;
    confirm(world, &deal.origination).await;
    assert_eq!(world.node().broadcast(std::slice::from_ref(&deal.origination)).await, Ok(()), "it is in a block");
    deal.assert_inscription_in(world, deal.loan.outpoint).await;
}
