//! Tests of children that pay for unconfirmed transactions.

use bitcoin::{Amount, FeeRate, OutPoint, Txid};
use escrow::action::Action;
use escrow::contract::vault::fee_bump::FeeBump;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use signer::refusal::Refusal;
use signer::request::{Answer, FeeBumpRequest, Request, SpentOutput, WithdrawalRequest};

use crate::rig::{Rig, is_valid, leaf_witness, outpoint, spent_outputs, wallet};

const HELD_SATS: u64 = 3_000_000;
const TAKEN_SATS: u64 = 100_000;
const BACK_SATS: u64 = HELD_SATS - TAKEN_SATS;
const RATE: u64 = 250;

/// Signs a withdrawal whose rest goes back in one output, and returns its txid.
pub(crate) fn withdraw(rig: &mut Rig, number: u8) -> Txid {
    let (to, policy) = (rig.lender.payment_address().to_string(), rig.policy_hash().to_string());
    let action = Action::Withdraw { sats: TAKEN_SATS, to, fee_max_sats: Some(5_000), vault: policy };
    let signed = rig.sign(action);
    let (vault, home) = (rig.vault(), rig.lender.payment_address().script_pubkey());
    let output = SpentOutput { outpoint: outpoint(number), sats: HELD_SATS };
    let built = VaultWithdrawal {
        vault: &vault,
        outputs: &[(output.outpoint, output.value())],
        destination: &home,
        share: Share::Part(Amount::from_sat(TAKEN_SATS)),
        fee_rate: FeeRate::from_sat_per_kwu(RATE),
        change_outputs: 1,
    };
    let asked = WithdrawalRequest {
        lender_id: rig.lender_id,
        signed,
        vault_outputs: vec![output],
        fee_rate_sat_per_kwu: RATE,
        back_outputs: 1,
        psbt: built.build().unwrap().psbt,
    };
    match rig.ask(Request::SignWithdrawal(Box::new(asked))) {
        Answer::Signed(signed) => signed.txid,
        other => panic!("{other:?}"),
    }
}

/// A child of the change of this parent.
pub(crate) fn child(rig: &mut Rig, parent: Txid, fee_sats: u64) -> FeeBumpRequest {
    let vault = rig.vault();
    let vault_output = SpentOutput { outpoint: OutPoint::new(parent, 0), sats: BACK_SATS };
    let output = (vault_output.outpoint, vault_output.value());
    let psbt = FeeBump { vault: &vault, output, fee: Amount::from_sat(fee_sats) }.build().unwrap().psbt;
    FeeBumpRequest { lender_id: rig.lender_id, vault_output, fee_sats, psbt }
}

fn ask(child: &FeeBumpRequest) -> Request {
    Request::BumpFee(Box::new(child.clone()))
}

fn open() -> Rig {
    let mut draft = crate::rig::draft();
    draft.limits.hour_max_count = 100;
    draft.limits.vault_hour_max_count = Some(40);
    let mut rig = Rig::with(draft);
    rig.open_vault();
    rig
}

#[test]
fn a_withdrawal_gets_one_child_and_the_same_one_again() {
    let mut rig = open();
    let parent = withdraw(&mut rig, 50);
    let asked = child(&mut rig, parent, 20_000);
    let Answer::Signed(answer) = rig.ask(ask(&asked)) else { panic!("not signed") };
    let (vault, spent) = (rig.vault(), spent_outputs(&asked.psbt));
    let mut transaction = asked.psbt.unsigned_tx.clone();
    transaction.input[0].witness =
        leaf_witness(&[answer.signatures[0].signature.serialize().to_vec()], vault.signer_leaf());
    assert!(is_valid(&transaction, 0, &spent));
    let mut rig = rig.restart();
    assert_eq!(rig.ask(ask(&asked)), Answer::Signed(answer.clone()), "the answer was lost");
    for fee_sats in [19_999, 20_001] {
        let other = child(&mut rig, parent, fee_sats);
        assert_eq!(rig.refusal(ask(&other)), Refusal::HasChild { vout: 0, fee_sats: 20_000 });
    }
    // A child gets none itself.
    let grandchild = child(&mut rig, answer.txid, 20_000);
    assert_eq!(rig.refusal(ask(&grandchild)), Refusal::NoParent { txid: answer.txid.to_string() });
}

#[test]
fn a_loan_gets_a_child() {
    let mut rig = open();
    let offer = rig.admit("of_1", None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    let asked = child(&mut rig, signed.txid, 30_000);
    assert!(matches!(rig.ask(ask(&asked)), Answer::Signed(_)));
}

#[test]
fn an_invalid_child_is_refused_with_its_reason() {
    let mut rig = open();
    let parent = withdraw(&mut rig, 50);
    let good = child(&mut rig, parent, 20_000);
    let foreign = outpoint(9).txid;
    let of_a_deposit = child(&mut rig, foreign, 20_000);
    assert_eq!(rig.refusal(ask(&of_a_deposit)), Refusal::NoParent { txid: foreign.to_string() });
    let dear = FeeBumpRequest { fee_sats: 100_001, ..good.clone() };
    assert_eq!(rig.refusal(ask(&dear)), Refusal::FeeBumpTooHigh { max: 100_000, found: 100_001 });
    let vault_output = SpentOutput { sats: 199_999, ..good.vault_output };
    let share = FeeBumpRequest { vault_output, ..good.clone() };
    assert_eq!(rig.refusal(ask(&share)), Refusal::FeeBumpTooHigh { max: 19_999, found: 20_000 });
    let mut astray = good.clone();
    astray.psbt.unsigned_tx.output[0].script_pubkey = wallet(6).payment_address().script_pubkey();
    assert_eq!(rig.refusal(ask(&astray)), Refusal::OtherTransaction { part: "outputs".to_owned() });
    let mut scattered = good.clone();
    let more = scattered.psbt.unsigned_tx.output[0].clone();
    scattered.psbt.unsigned_tx.output.push(more);
    scattered.psbt.outputs.push(scattered.psbt.outputs[0].clone());
    assert_eq!(rig.refusal(ask(&scattered)), Refusal::OtherTransaction { part: "outputs".to_owned() });
    let mut more = good.clone();
    let input = more.psbt.unsigned_tx.input[0].clone();
    more.psbt.unsigned_tx.input.push(input);
    more.psbt.inputs.push(more.psbt.inputs[0].clone());
    assert_eq!(rig.refusal(ask(&more)), Refusal::OtherTransaction { part: "inputs".to_owned() });
    // The vault of another lender has no such parent.
    rig.as_lender(5, 3);
    rig.open_vault();
    let others = child(&mut rig, parent, 20_000);
    assert_eq!(rig.refusal(ask(&others)), Refusal::NoParent { txid: parent.to_string() });
    rig.as_lender(4, 2);
    assert!(matches!(rig.ask(ask(&good)), Answer::Signed(_)));
}

#[test]
fn the_daily_limit_for_children_holds_across_a_restart() {
    let mut rig = open();
    for number in [50, 51] {
        let parent = withdraw(&mut rig, number);
        let asked = child(&mut rig, parent, 90_000);
        assert!(matches!(rig.ask(ask(&asked)), Answer::Signed(_)));
    }
    let parent = withdraw(&mut rig, 52);
    let asked = child(&mut rig, parent, 20_001);
    let mut rig = rig.restart();
    let over = Refusal::FeeBumpDaySats { max: 200_000, used: 180_000, asked: 20_001 };
    assert_eq!(rig.refusal(ask(&asked)), over);
    rig.now_ms += 86_400_000;
    let mut rig = rig.restart();
    assert!(matches!(rig.ask(ask(&asked)), Answer::Signed(_)));
}

#[test]
fn a_child_counts_towards_the_limits_of_the_hour() {
    let mut draft = crate::rig::draft();
    draft.limits.hour_max_count = 100;
    draft.limits.vault_hour_max_sats = TAKEN_SATS + 20_000;
    let mut rig = Rig::with(draft);
    rig.open_vault();
    let parent = withdraw(&mut rig, 50);
    let asked = child(&mut rig, parent, 20_001);
    let over = Refusal::VaultHourSats { max: 120_000, used: 100_000, asked: 20_001 };
    assert_eq!(rig.refusal(ask(&asked)), over);
    let asked = child(&mut rig, parent, 20_000);
    assert!(matches!(rig.ask(ask(&asked)), Answer::Signed(_)));
}
