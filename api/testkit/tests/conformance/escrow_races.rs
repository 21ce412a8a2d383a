//! Races over an escrow: signatures in the wrong order, coins that vanish, children that pin a repayment.

use std::collections::BTreeMap;

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Transaction};
use engine::chain::{Chain as _, Unspent};
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::origination_outputs::{PADS, PRINCIPAL};
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::signing::spent_output::{CarriedAssets, InputPolicy, SpentOutput, SpentOutputError};
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::{
    Candidate, Contents, ExcludedBalance, SelectionError, SelectionTarget,
};
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::{CustomTransaction, assembled, pay};
use crate::deal::{CLAIM_AFTER, Deal, LENT_SATS, PAYOUT_SATS, Parties, fee_rate, future_coin, repay_together};
use crate::inscription_deal::{InscriptionDeal, POSTAGE_SATS};
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::world::{World, confirm, refusal, send};

const SCRIPT_FAILS: &str = "mempool-script-verify-flag-failed";
/// The maximum size of a cluster in the mempool, in transactions.
const CLUSTER_MAX: usize = 64;
/// The fee of each small child.
const CHILD_FEE_SATS: u64 = 200;
/// The index of the lender's payout in the repayment of one loan, and of the escrow in its inputs.
const PAYOUT: usize = 2;
/// The index of the borrower's change there.
const CHANGE: u32 = 3;

/// Passes the origination of a deal to `look`, built once more.
fn with_origination<T>(deal: &InscriptionDeal, look: impl FnOnce(&Origination<'_>) -> T) -> T {
    let change = deal.parties.lender.payment_script();
    let funding = Funding::Coins { coins: &deal.funding, change: &change };
    deal.parties.with_origination(Collateral::Inscription(&deal.collateral), funding, look)
}

/// Spends a coin to its owner, minus the fee.
fn spend_to_self(version: Version, person: &TestWallet, coin: &Coin, fee_sats: u64) -> Transaction {
    let left = coin.output.value.to_sat() - fee_sats;
    let child = CustomTransaction {
        version,
        ..CustomTransaction::new(vec![Spend::Coin(coin)], vec![pay(person.payment_script(), left)])
    };
    child.signed(&[person], None)
}

/// The escrow, spent as in a repayment.
fn escrow_of(deal: &Deal) -> Spend<'_> {
    let RunningLoan { escrow, outpoint, value, .. } = &deal.loan;
    escrow.output().spend(*outpoint, *value, escrow.repay_leaf())
}

/// A repayment that the borrower has signed and the lender has not.
fn unsigned_by_the_lender(deal: &Deal, repayment: &Template) -> [Transaction; 2] {
    let borrower = &deal.parties.borrower;
    let own = borrower.signatures(repayment).get(PAYOUT, 1).unwrap().to_vec();
    [None, Some((PAYOUT, 0, own.as_slice()))].map(|instead| assembled(repayment, &[borrower], instead))
}

pub(crate) async fn a_lender_with_a_leaked_signature_starts_the_loan_without_a_signed_repayment(world: &impl World) {
    let deal = InscriptionDeal::prepare(world).await;
    let (borrower, lender) = (&deal.parties.borrower, &deal.parties.lender);
    let template = with_origination(&deal, |origination| origination.build().unwrap());
    // The lender has everything that starts the loan, and has signed no repayment yet.
    let leaked = borrower.signatures(&template);
    let all = leaked.merge(lender.signatures(&template)).unwrap();
    let begun = template.finish(&all, template.final_txid()).unwrap();
    confirm(world, &begun).await;
    deal.assert_inscription_in(world, deal.loan.outpoint).await;
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    for version in [Version::TWO, TRUC] {
        for alone in unsigned_by_the_lender(&deal, &deal.repayment(version, &coin, fee_rate())) {
            assert_eq!(refusal(world, &alone).await, SCRIPT_FAILS);
        }
        // The lender's pre-signature is all that is missing.
        assert_eq!(world.node().test_accept(&[deal.repay(version, &coin, fee_rate())]).await, Ok(()));
    }
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    let claim = deal.claim(None);
    confirm(world, &claim).await;
    deal.assert_inscription_in(world, OutPoint::new(claim.compute_txid(), 0)).await;
}

pub(crate) async fn the_unsigned_psbt_of_the_lender_cannot_start_the_loan(world: &impl World) {
    let deal = InscriptionDeal::prepare(world).await;
    let lender = &deal.parties.lender;
    let template = with_origination(&deal, |origination| origination.build().unwrap());
    assert_eq!(template.final_txid(), deal.origination.compute_txid());
    let handed = parse_psbt(&template.psbt.to_string()).unwrap();
    for input in &handed.inputs {
        assert!(input.partial_sigs.is_empty() && input.tap_key_sig.is_none() && input.tap_script_sigs.is_empty());
        assert!(input.final_script_witness.is_none() && input.final_script_sig.is_none());
    }
    // The borrower's input comes first, and no signature of the lender's is valid for it.
    let own = lender.signatures(&template);
    let own = (1..=deal.funding.len()).filter_map(|index| own.get(index, 0).map(<[u8]>::to_vec));
    let own: Vec<Vec<u8>> = own.collect();
    assert_eq!(own.len(), deal.funding.len());
    for signature in own.into_iter().chain([vec![], vec![7; 64]]) {
        let alone = assembled(&template, &[lender], Some((0, 0, &signature)));
        assert_eq!(alone.compute_txid(), deal.origination.compute_txid());
        assert_eq!(refusal(world, &alone).await, SCRIPT_FAILS, "{signature:02x?}");
    }
    // With the borrower's signature it is the origination, and by then the lender has pre-signed the repayment.
    deal.presigned.check(&deal.loan).unwrap();
    confirm(world, &deal.origination).await;
}

pub(crate) async fn small_children_fill_the_cluster_but_do_not_prevent_a_replacement(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let (borrower, lender) = (&deal.parties.borrower, &deal.parties.lender);
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let slow = deal.repay(Version::TWO, &coin, fee_rate());
    send(world, &slow).await;
    let mut last = coin_of(&slow, 2, lender.payment());
    for _ in 1..CLUSTER_MAX {
        let child = spend_to_self(Version::TWO, lender, &last, CHILD_FEE_SATS);
        send(world, &child).await;
        last = coin_of(&child, 0, lender.payment());
    }
    assert_eq!(world.waiting().await.len(), CLUSTER_MAX);
    let one_more = spend_to_self(Version::TWO, lender, &last, CHILD_FEE_SATS);
    assert_eq!(refusal(world, &one_more).await, "too-large-cluster");
    // A child of the borrower's cannot be added either, whatever its fee.
    let change = coin_of(&slow, CHANGE, borrower.payment());
    let bump = spend_to_self(Version::TWO, borrower, &change, 100_000);
    assert_eq!(refusal(world, &bump).await, "too-large-cluster");
    // A replacement has to pay for all of them, and evicts all of them.
    let hung = CHILD_FEE_SATS * 63;
    let paid = |repayment: &Transaction| {
        let found = 3_000_000 + 2 * 600 + POSTAGE_SATS;
        found - repayment.output.iter().map(|output| output.value.to_sat()).sum::<u64>()
    };
    let [little, enough] = [6, 8].map(|times| deal.repay(Version::TWO, &coin, fee_rate().checked_mul(times).unwrap()));
    assert!(paid(&little) > paid(&slow) && paid(&little) < paid(&slow) + hung);
    assert_eq!(refusal(world, &little).await, "insufficient fee");
    assert!(paid(&enough) > paid(&slow) + hung);
    send(world, &enough).await;
    assert_eq!(world.waiting().await, [enough.compute_txid()]);
    world.mine(1).await;
    deal.assert_inscription_in(world, OutPoint::new(enough.compute_txid(), 1)).await;
}

pub(crate) async fn in_version_3_the_payout_has_one_child_which_can_be_replaced(world: &impl World) {
    let deal = InscriptionDeal::begin(world).await;
    let (borrower, lender) = (&deal.parties.borrower, &deal.parties.lender);
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let slow = deal.repay(TRUC, &coin, fee_rate());
    send(world, &slow).await;
    let payout = coin_of(&slow, 2, lender.payment());
    let other_version = spend_to_self(Version::TWO, lender, &payout, CHILD_FEE_SATS);
    assert_eq!(refusal(world, &other_version).await, "TRUC-violation");
    let child = spend_to_self(TRUC, lender, &payout, CHILD_FEE_SATS);
    send(world, &child).await;
    let grandchild = spend_to_self(TRUC, lender, &coin_of(&child, 0, lender.payment()), CHILD_FEE_SATS);
    assert_eq!(refusal(world, &grandchild).await, "TRUC-violation");
    // A sibling with a higher fee replaces it: the borrower bumps the repayment by a child of the change.
    let change = coin_of(&slow, CHANGE, borrower.payment());
    let poor = spend_to_self(TRUC, borrower, &change, CHILD_FEE_SATS);
    assert_eq!(refusal(world, &poor).await, "insufficient fee");
    let bump = spend_to_self(TRUC, borrower, &change, 10 * CHILD_FEE_SATS);
    send(world, &bump).await;
    let mut left = [slow.compute_txid(), bump.compute_txid()];
    left.sort_unstable();
    assert_eq!(world.waiting().await, left);
    world.mine(1).await;
    deal.assert_inscription_in(world, OutPoint::new(slow.compute_txid(), 1)).await;
}

pub(crate) async fn a_replaced_origination_voids_its_presigned_repayment(world: &impl World) {
    let deal = InscriptionDeal::prepare(world).await;
    let Parties { borrower, lender, .. } = &deal.parties;
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    send(world, &deal.origination).await;
    let (template, loan) = with_origination(&deal, |origination| {
        let faster = Origination { fee_rate: fee_rate().checked_mul(2).unwrap(), ..*origination };
        let template = faster.build().unwrap();
        let loan = faster.running_loan(&template, pay(lender.payment_script(), PAYOUT_SATS)).unwrap();
        (template, loan)
    });
    let all = borrower.signatures(&template).merge(lender.signatures(&template)).unwrap();
    let origination = template.finish(&all, template.final_txid()).unwrap();
    assert_ne!(origination.compute_txid(), deal.origination.compute_txid());
    let spent = |begun: &Transaction| begun.input.iter().map(|input| input.previous_output).collect::<Vec<_>>();
    assert_eq!(spent(&origination), spent(&deal.origination));
    send(world, &origination).await;
    assert_eq!(world.waiting().await, [origination.compute_txid()]);
    world.mine(1).await;
    deal.assert_inscription_in(world, loan.outpoint).await;
    for version in [Version::TWO, TRUC] {
        let void = deal.repay(version, &coin, fee_rate());
        assert_eq!(refusal(world, &void).await, "bad-txns-inputs-missingorspent");
    }
    // The old signature is not valid for the new escrow, though the payout is equal; a new one is.
    let pads = PADS.map(|place| future_coin(&template, place, borrower.payment())).to_vec();
    let presigned = deal.parties.payout_signatures(&loan, &pads);
    let again = Deal { parties: Parties::manual(), origination, reveal: None, pads, loan, presigned };
    let repayment = again.repayment(TRUC, &coin, fee_rate());
    let old = deal.presigned.only().unwrap().truc.to_vec();
    let void = assembled(&repayment, &[borrower], Some((PAYOUT, 0, &old)));
    assert_eq!(refusal(world, &void).await, SCRIPT_FAILS);
    confirm(world, &again.repay(TRUC, &coin, fee_rate())).await;
}

pub(crate) async fn an_origination_bumped_by_a_child_keeps_its_presigned_repayment(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let deal = InscriptionDeal::prepare(world).await;
        let borrower = &deal.parties.borrower;
        let coin = funded(world, borrower.payment(), 3_000_000).await;
        send(world, &deal.origination).await;
        let principal = coin_of(&deal.origination, u32::try_from(PRINCIPAL).unwrap(), borrower.payment());
        send(world, &spend_to_self(Version::TWO, borrower, &principal, 50_000)).await;
        world.mine(1).await;
        let ended = deal.repay(version, &coin, fee_rate());
        confirm(world, &ended).await;
        deal.assert_inscription_in(world, OutPoint::new(ended.compute_txid(), 1)).await;
    }
}

pub(crate) async fn one_payout_does_not_end_two_loans_of_one_lender(world: &impl World) {
    let first = InscriptionDeal::begin(world).await;
    let second = InscriptionDeal::begin_with(world, Parties::new(80, [2, 2, 2], CLAIM_AFTER)).await;
    let borrower = &first.parties.borrower;
    assert_eq!(first.loan.payout, second.loan.payout, "one lender, who is owed the same twice");
    let coin = funded(world, borrower.payment(), 5_000_000).await;
    for version in [Version::TWO, TRUC] {
        for [beside, behind] in [[&*first, &*second], [&second, &first]] {
            let ended = |payouts: usize| {
                let [front, back] = &first.pads[..] else { panic!("two pads") };
                let coins = [front, back].map(Spend::Coin).into_iter();
                let spends = coins.chain([escrow_of(beside), escrow_of(behind), Spend::Coin(&coin)]).collect();
                let mut outputs =
                    vec![pay(borrower.payment_script(), 1_200), pay(borrower.ordinals_script(), 2 * POSTAGE_SATS)];
                outputs.extend(vec![first.loan.payout.clone(); payouts]);
                outputs.push(pay(borrower.payment_script(), 800_000));
                let template = CustomTransaction { version, ..CustomTransaction::new(spends, outputs) }.template();
                let signed = |at: usize, deal: &Deal| {
                    let payout = deal.presigned.only().unwrap().of(version).unwrap().to_vec();
                    assembled(&template, &[borrower], Some((at, 0, &payout)))
                };
                let mut ended = signed(2, beside);
                ended.input[3].witness = signed(3, behind).input[3].witness.clone();
                ended
            };
            assert_eq!(world.node().test_accept(&[ended(2)]).await, Ok(()), "with a payout for each");
            assert_eq!(refusal(world, &ended(1)).await, SCRIPT_FAILS, "the second with the borrower's change");
        }
    }
    // With a payout for each, both end in one transaction.
    let ended = repay_together(&[&first, &second], (TRUC, &coin), fee_rate());
    confirm(world, &ended).await;
    assert_eq!(ended.output.iter().filter(|output| **output == first.loan.payout).count(), 2);
    for (vout, deal) in (1..).zip([&first, &second]) {
        deal.assert_inscription_in(world, OutPoint::new(ended.compute_txid(), vout)).await;
    }
}

/// The lender's coin selection, by the node's state of the coin.
fn select_coins(coin: &Coin, unspent: &Unspent) -> Result<Vec<OutPoint>, SelectionError> {
    let candidate = Candidate {
        spend: Spend::Coin(coin),
        contents: Contents::Plain,
        confirmations: unspent.confirmations,
        is_coinbase: unspent.is_coinbase,
    };
    let wanted = SelectionTarget {
        amount: Amount::from_sat(LENT_SATS),
        fee_payer: FeePayer::Others,
        fee_rate: fee_rate(),
        inputs: &[],
        outputs: &[],
        change: &coin.output.script_pubkey,
    };
    wanted.select(&[candidate]).map(|choice| choice.spends.iter().map(Spend::outpoint).collect())
}

/// The check of a transaction that spends this coin, before a signature is requested.
fn check_spent_outputs(template: &Template, coin: &Coin, unspent: Unspent) -> Result<(), SpentOutputError> {
    let Unspent { output, confirmations, is_coinbase } = unspent;
    let found = SpentOutput { output, confirmations, is_coinbase, assets: Some(CarriedAssets::default()) };
    InputPolicy::default().check(template, &BTreeMap::from([(coin.outpoint, found)])).map(drop)
}

pub(crate) async fn an_unconfirmed_coin_of_the_lender_starts_no_loan(world: &impl World) {
    let lender = TestWallet::new(2);
    let source = funded(world, lender.payment(), 2_500_000).await;
    let parent = spend_to_self(Version::TWO, &lender, &source, 1_000);
    send(world, &parent).await;
    let coin = coin_of(&parent, 0, lender.payment());
    let seen = world.node().unspent(coin.outpoint).await.unwrap().unwrap();
    assert_eq!((seen.confirmations, &seen.output), (0, &coin.output));
    let refused = select_coins(&coin, &seen).unwrap_err();
    let set_aside = ExcludedBalance { unconfirmed: coin.output.value, ..ExcludedBalance::default() };
    assert!(
        matches!(&refused, SelectionError::InsufficientFunds { found: Amount::ZERO, excluded: found, .. } if *found == set_aside)
    );
    // No signature is requested for a transaction that spends it anyway.
    let spending =
        CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(lender.payment_script(), LENT_SATS)]).template();
    assert_eq!(check_spent_outputs(&spending, &coin, seen), Err(SpentOutputError::Unconfirmed(coin.outpoint)));
    // Rightly so: the lender takes it back by replacing its parent.
    let elsewhere = spend_to_self(Version::TWO, &lender, &source, 2_000);
    send(world, &elsewhere).await;
    assert_eq!(world.node().unspent(coin.outpoint).await, Ok(None));
    let coin = coin_of(&elsewhere, 0, lender.payment());
    world.mine(1).await;
    let seen = world.node().unspent(coin.outpoint).await.unwrap().unwrap();
    assert_eq!((seen.confirmations, select_coins(&coin, &seen)), (1, Ok(vec![coin.outpoint])));
    let spending =
        CustomTransaction::new(vec![Spend::Coin(&coin)], vec![pay(lender.payment_script(), LENT_SATS)]).template();
    assert_eq!(check_spent_outputs(&spending, &coin, seen), Ok(()));
}
