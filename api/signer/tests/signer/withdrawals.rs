//! Money out of the vault, and the hour's limits.

use bitcoin::{Amount, FeeRate};
use escrow::action::Action;
use escrow::contract::vault_withdrawal::{Share, VaultWithdrawal};
use signer::refusal::Refusal;
use signer::request::{Answer, LoanRequest, Request, SpentOutput, WithdrawalRequest};
use signer::signed_text::SignedText;

use crate::rig::{LENDER_ID, Rig, is_valid, leaf_witness, outpoint, spent_outputs, wallet};

const RATE: u64 = 1_250;

/// A withdrawal of so much from one output of the vault, built as the server would.
fn withdrawal(rig: &mut Rig, sats: u64, number: u8, signed: SignedText) -> WithdrawalRequest {
    let vault = rig.vault();
    let output = SpentOutput { outpoint: outpoint(number), sats: 8_000_000 };
    let home = rig.lender.payment_address().script_pubkey();
    let built = VaultWithdrawal {
        vault: &vault,
        outputs: &[(output.outpoint, output.value())],
        home: &home,
        share: Share::Part(Amount::from_sat(sats)),
        fee_rate: FeeRate::from_sat_per_kwu(RATE),
    };
    let psbt = built.build().unwrap().psbt;
    WithdrawalRequest { lender_id: LENDER_ID, signed, vault_outputs: vec![output], fee_rate_sat_per_kwu: RATE, psbt }
}

fn ask(withdrawal: &WithdrawalRequest) -> Request {
    Request::SignWithdrawal(Box::new(withdrawal.clone()))
}

fn signed(rig: &mut Rig, sats: u64) -> SignedText {
    let action =
        Action::Withdraw { sats, to: rig.lender.payment_address().to_string(), vault: rig.policy_hash().to_string() };
    rig.sign(action)
}

fn open() -> Rig {
    let mut rig = Rig::new();
    rig.open_vault();
    rig
}

#[test]
fn the_lender_takes_money_out_at_once() {
    let mut rig = open();
    let text = signed(&mut rig, 3_000_000);
    let asked = withdrawal(&mut rig, 3_000_000, 50, text);
    let Answer::Signed(answer) = rig.ask(ask(&asked)) else { panic!("not signed") };
    let (vault, spent) = (rig.vault(), spent_outputs(&asked.psbt));
    let mut transaction = asked.psbt.unsigned_tx.clone();
    transaction.input[0].witness =
        leaf_witness(&[answer.signatures[0].signature.serialize().to_vec()], vault.signer_leaf());
    assert!(is_valid(&transaction, 0, &spent));
    assert_eq!(answer.txid, transaction.compute_txid());
    // Again, after the answer was lost: the same signature.
    assert_eq!(rig.ask(ask(&asked)), Answer::Signed(answer.clone()));
    let mut rig = rig.restart();
    assert_eq!(rig.ask(ask(&asked)), Answer::Signed(answer));
    // But the message takes money out once.
    let other = withdrawal(&mut rig, 3_000_000, 51, asked.signed);
    assert!(matches!(rig.refusal(ask(&other)), Refusal::NonceUsed { .. }));
}

#[test]
fn a_withdrawal_that_the_lender_did_not_sign_is_refused_by_name() {
    let mut rig = open();
    let (hash, home) = (rig.policy_hash().to_string(), rig.lender.payment_address().to_string());
    let text = signed(&mut rig, 3_000_000);
    let good = withdrawal(&mut rig, 3_000_000, 50, text);
    let mut refusal = |action: Action| {
        let signed = rig.sign(action);
        rig.refusal(ask(&WithdrawalRequest { signed, ..good.clone() }))
    };
    let elsewhere = wallet(6).payment_address().to_string();
    let to_a_thief = Action::Withdraw { sats: 3_000_000, to: elsewhere.clone(), vault: hash.clone() };
    assert_eq!(refusal(to_a_thief), Refusal::WrongAddress { registered: home.clone(), found: elsewhere });
    let less = Action::Withdraw { sats: 2_999_999, to: home.clone(), vault: hash.clone() };
    assert_eq!(refusal(less), Refusal::OtherTransaction { part: "outputs".to_owned() });
    let too_much = Action::Withdraw { sats: 8_000_001, to: home.clone(), vault: hash.clone() };
    assert!(matches!(refusal(too_much), Refusal::Unbuildable { .. }));
    let other = Action::Withdraw { sats: 3_000_000, to: home, vault: "other".to_owned() };
    assert_eq!(refusal(other), Refusal::OtherPolicy { expected: hash, found: "other".to_owned() });
    let pause = Action::PauseOffer { offer_id: "of_1".to_owned() };
    assert_eq!(refusal(pause), Refusal::WrongAction { expected: "withdraw".to_owned() });
    let dear = WithdrawalRequest { fee_rate_sat_per_kwu: 250_001, ..good.clone() };
    assert_eq!(rig.refusal(ask(&dear)), Refusal::FeeRate { min: 25, max: 250_000, found: 250_001 });
    let many = WithdrawalRequest { vault_outputs: vec![good.vault_outputs[0]; 65], ..good.clone() };
    assert_eq!(rig.refusal(ask(&many)), Refusal::TooManyInputs { max: 64, found: 65 });
    let mut astray = good.clone();
    astray.psbt.unsigned_tx.output[1].script_pubkey = wallet(6).payment_address().script_pubkey();
    assert_eq!(rig.refusal(ask(&astray)), Refusal::OtherTransaction { part: "outputs".to_owned() });
    assert!(matches!(rig.ask(ask(&good)), Answer::Signed(_)));
    rig.now_ms += 600_000;
    assert!(matches!(rig.refusal(ask(&good)), Refusal::NotFresh { .. }));
}

#[test]
fn the_hours_limits_hold_across_a_restart_and_end_with_the_hour() {
    let mut rig = open();
    let take = |rig: &mut Rig, sats, number| {
        let text = signed(rig, sats);
        let asked = withdrawal(rig, sats, number, text);
        rig.ask(ask(&asked))
    };
    assert!(matches!(take(&mut rig, 4_000_000, 50), Answer::Signed(_)));
    let mut rig = rig.restart();
    let too_much = Refusal::VaultHourSats { max: 7_000_000, used: 4_000_000, asked: 3_000_001 };
    assert_eq!(take(&mut rig, 3_000_001, 51), Answer::Refused(too_much));
    assert!(matches!(take(&mut rig, 3_000_000, 51), Answer::Signed(_)));
    rig.now_ms += 3_599_999;
    let mut rig = rig.restart();
    let still = Refusal::VaultHourSats { max: 7_000_000, used: 7_000_000, asked: 1_000_000 };
    assert_eq!(take(&mut rig, 1_000_000, 52), Answer::Refused(still));
    rig.now_ms += 1;
    assert!(matches!(take(&mut rig, 1_000_000, 52), Answer::Signed(_)));
}

#[test]
fn all_vaults_together_have_limits_of_their_own() {
    let mut draft = crate::rig::draft();
    draft.limits.hour_max_sats = 3_000_000;
    draft.limits.hour_max_count = 2;
    let mut rig = Rig::with(draft);
    rig.open_vault();
    // Loans and withdrawals count alike: principal and platform fee leave the vault.
    let offer = rig.admit("of_1", None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    rig.sign_loan(&loan, &prepared);
    let text = signed(&mut rig, 1_000_000);
    let large = withdrawal(&mut rig, 1_000_000, 50, text);
    let too_much = Refusal::HourSats { max: 3_000_000, used: 2_013_000, asked: 1_000_000 };
    assert_eq!(rig.refusal(ask(&large)), too_much);
    let text = signed(&mut rig, 900_000);
    let small = withdrawal(&mut rig, 900_000, 50, text);
    assert!(matches!(rig.ask(ask(&small)), Answer::Signed(_)));
    let text = signed(&mut rig, 10_000);
    let tiny = withdrawal(&mut rig, 10_000, 51, text);
    assert_eq!(rig.refusal(ask(&tiny)), Refusal::HourCount { max: 2 });
    let next = LoanRequest { loan_id: 78, ..loan };
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(next))), Refusal::HourCount { max: 2 });
    assert!(matches!(rig.ask(ask(&small)), Answer::Signed(_)), "what was signed is not counted again");
}

#[test]
fn a_clock_that_is_set_back_does_not_end_the_hour() {
    let mut rig = open();
    let text = signed(&mut rig, 7_000_000);
    let all = withdrawal(&mut rig, 7_000_000, 50, text);
    assert!(matches!(rig.ask(ask(&all)), Answer::Signed(_)));
    let text = signed(&mut rig, 1_000_000);
    let more = withdrawal(&mut rig, 1_000_000, 51, text);
    rig.now_ms -= 7_200_000;
    assert!(matches!(rig.refusal(ask(&more)), Refusal::VaultHourSats { .. }));
}
