//! Tests of withdrawals from the vault, and of the hour's limits.

use bitcoin::consensus::encode::serialize_hex;
use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::{Amount, FeeRate};
use escrow::action::Action;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use serde_json::json;
use signer::refusal::Refusal;
use signer::request::{Answer, LoanRequest, Request, SpentOutput, WithdrawalRequest};
use signer::signed_text::SignedText;

use crate::rig::{Rig, is_valid, leaf_witness, outpoint, spent_outputs, wallet};

const RATE: u64 = 1_250;
const FEE_MAX_SATS: u64 = 5_000;

/// A withdrawal of this amount from one output of the vault, built as the server would build it.
pub(crate) fn withdrawal(rig: &mut Rig, sats: u64, number: u8, signed: SignedText) -> WithdrawalRequest {
    let vault = rig.vault();
    let output = SpentOutput { outpoint: outpoint(number), sats: 8_000_000 };
    let home = rig.lender.payment_address().script_pubkey();
    let built = VaultWithdrawal {
        vault: &vault,
        outputs: &[(output.outpoint, output.value())],
        destination: &home,
        share: Share::Part(Amount::from_sat(sats)),
        fee_rate: FeeRate::from_sat_per_kwu(RATE),
        change_outputs: 1,
    };
    let psbt = built.build().unwrap().psbt;
    WithdrawalRequest {
        lender_id: rig.lender_id,
        signed,
        vault_outputs: vec![output],
        fee_rate_sat_per_kwu: RATE,
        back_outputs: 1,
        psbt,
    }
}

fn ask(withdrawal: &WithdrawalRequest) -> Request {
    Request::SignWithdrawal(Box::new(withdrawal.clone()))
}

pub(crate) fn signed(rig: &mut Rig, sats: u64) -> SignedText {
    signed_with(rig, sats, Some(FEE_MAX_SATS))
}

fn signed_with(rig: &mut Rig, sats: u64, fee_max_sats: Option<u64>) -> SignedText {
    let (to, vault) = (rig.lender.payment_address().to_string(), rig.policy_hash().to_string());
    rig.sign(Action::Withdraw { sats, to, fee_max_sats, vault })
}

fn open() -> Rig {
    let mut rig = Rig::new();
    rig.open_vault();
    rig
}

#[test]
fn the_lender_withdraws_immediately() {
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
    // But the message is valid for one withdrawal.
    let other = withdrawal(&mut rig, 3_000_000, 51, asked.signed);
    assert!(matches!(rig.refusal(ask(&other)), Refusal::NonceUsed { .. }));
}

#[test]
fn a_withdrawal_that_the_lender_did_not_sign_is_refused_with_its_reason() {
    let mut rig = open();
    let (hash, home) = (rig.policy_hash().to_string(), rig.lender.payment_address().to_string());
    let text = signed(&mut rig, 3_000_000);
    let good = withdrawal(&mut rig, 3_000_000, 50, text);
    let mut refusal = |action: Action| {
        let signed = rig.sign(action);
        rig.refusal(ask(&WithdrawalRequest { signed, ..good.clone() }))
    };
    let elsewhere = wallet(6).payment_address().to_string();
    let fee_max_sats = Some(FEE_MAX_SATS);
    let to_a_thief = Action::Withdraw { sats: 3_000_000, to: elsewhere.clone(), fee_max_sats, vault: hash.clone() };
    assert_eq!(refusal(to_a_thief), Refusal::WrongAddress { registered: home.clone(), found: elsewhere });
    let less = Action::Withdraw { sats: 2_999_999, to: home.clone(), fee_max_sats, vault: hash.clone() };
    assert_eq!(refusal(less), Refusal::OtherTransaction { part: "outputs".to_owned() });
    let too_much = Action::Withdraw { sats: 8_000_001, to: home.clone(), fee_max_sats, vault: hash.clone() };
    assert!(matches!(refusal(too_much), Refusal::Unbuildable { .. }));
    let other = Action::Withdraw { sats: 3_000_000, to: home, fee_max_sats, vault: "other".to_owned() };
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
fn a_fee_above_the_one_that_the_lender_signed_is_refused() {
    let mut rig = open();
    let text = signed(&mut rig, 3_000_000);
    let good = withdrawal(&mut rig, 3_000_000, 50, text);
    let fee = good.psbt.fee().unwrap().to_sat();
    let tight = signed_with(&mut rig, 3_000_000, Some(fee - 1));
    let above = Refusal::FeeAboveCeiling { max: fee - 1, found: fee };
    assert_eq!(rig.refusal(ask(&WithdrawalRequest { signed: tight, ..good.clone() })), above);
    let unsaid = signed_with(&mut rig, 3_000_000, None);
    assert_eq!(rig.refusal(ask(&WithdrawalRequest { signed: unsaid, ..good.clone() })), Refusal::NoFeeCeiling);
    let exact = signed_with(&mut rig, 3_000_000, Some(fee));
    assert!(matches!(rig.ask(ask(&WithdrawalRequest { signed: exact, ..good })), Answer::Signed(_)));
}

/// The log with one more line, as it was written for a withdrawal.
fn logged(rig: &Rig, asked: &WithdrawalRequest) -> String {
    let text = std::fs::read_to_string(rig.log()).unwrap();
    let last = text.lines().last().unwrap();
    let transaction = &asked.psbt.unsigned_tx;
    let outgoing = json!({
        "txid": transaction.compute_txid().to_string(),
        "sats": 3_000_000,
        "inputs": [transaction.input[0].previous_output.to_string()],
        "unsigned": serialize_hex(transaction),
    });
    let signed = json!({"message": asked.signed.message, "signature": asked.signed.signature});
    let entry = json!({"lender_id": asked.lender_id, "signed": signed, "transaction": outgoing});
    let line = json!({
        "seq": text.lines().count(),
        "prev": sha256::Hash::hash(last.as_bytes()).to_string(),
        "time_ms": rig.now_ms,
        "entry": {"withdrawal_signed": entry},
    });
    format!("{text}{line}\n")
}

/// A log from before fees were signed, whose last message is fresh at the rig's start: it is read completely, and
/// nothing new is signed for that message.
#[test]
fn a_message_without_a_fee_limit_is_read_and_only_valid_for_its_own_transaction() {
    let mut rig = open();
    let text = signed_with(&mut rig, 3_000_000, None);
    let old = withdrawal(&mut rig, 3_000_000, 50, text);
    let line = logged(&rig, &old);
    let log = rig.log();
    let mut rig = rig.restart_after(|| std::fs::write(&log, line).unwrap());
    assert!(matches!(rig.ask(ask(&old)), Answer::Signed(_)));
    let other = withdrawal(&mut rig, 3_000_000, 51, old.signed);
    assert!(matches!(rig.refusal(ask(&other)), Refusal::NonceUsed { .. }));
    let text = signed(&mut rig, 5_000_000);
    let more = withdrawal(&mut rig, 5_000_000, 52, text);
    assert!(matches!(rig.refusal(ask(&more)), Refusal::VaultHourSats { used: 3_000_000, .. }));
}

#[test]
fn a_hundred_tiny_withdrawals_of_one_vault_do_not_block_the_others() {
    let mut draft = crate::rig::draft();
    draft.limits.hour_max_count = 100;
    let mut rig = Rig::with(draft);
    rig.open_vault();
    let mut taken = 0;
    for number in 0..100 {
        let text = signed(&mut rig, 10_000);
        let tiny = withdrawal(&mut rig, 10_000, number, text);
        match rig.ask(ask(&tiny)) {
            Answer::Signed(_) => taken += 1,
            answer => assert_eq!(answer, Answer::Refused(Refusal::VaultHourCount { max: 10 })),
        }
    }
    assert_eq!(taken, 10);
    rig.as_lender(5, 3);
    rig.open_vault();
    let text = signed(&mut rig, 3_000_000);
    let other = withdrawal(&mut rig, 3_000_000, 200, text);
    assert!(matches!(rig.ask(ask(&other)), Answer::Signed(_)), "another vault's withdrawal");
    let offer = rig.admit("of_2", None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    rig.sign_loan(&loan, &prepared);
}

#[test]
fn loans_leave_a_quarter_of_the_hourly_limit_to_withdrawals() {
    let mut draft = crate::rig::draft();
    draft.limits.hour_max_sats = 4_000_000;
    let mut rig = Rig::with(draft);
    rig.open_vault();
    let offer = rig.admit("of_1", None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    rig.sign_loan(&loan, &prepared);
    let next = rig.admit("of_2", None);
    let next = LoanRequest { loan_id: 78, offer: next, ..loan };
    let refusal = rig.refusal(Request::PrepareLoan(Box::new(next)));
    assert_eq!(refusal, Refusal::HourSats { max: 4_000_000, used: 2_013_000, asked: 2_013_000 });
    let text = signed(&mut rig, 1_900_000);
    let withdrawn = withdrawal(&mut rig, 1_900_000, 50, text);
    assert!(matches!(rig.ask(ask(&withdrawn)), Answer::Signed(_)));
}

#[test]
fn the_hourly_limits_hold_across_a_restart_and_end_with_the_hour() {
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
fn all_vaults_together_have_separate_limits() {
    let mut draft = crate::rig::draft();
    draft.limits.hour_max_sats = 3_000_000;
    draft.limits.hour_max_count = 2;
    let mut rig = Rig::with(draft);
    rig.open_vault();
    // Loans count as withdrawals do: principal and platform fee leave the vault.
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
    assert!(matches!(rig.ask(ask(&small)), Answer::Signed(_)), "a repeated request is not counted again");
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
