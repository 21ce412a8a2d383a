//! Repayments and claims, from kits.

use bitcoin::{Amount, FeeRate, OutPoint, Psbt, Txid, hashes::Hash as _};
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use serde_json::{Value, json};
use verifier::plan::Plan;

use crate::fixture::{
    ATTACKER, BORROWER, CLAIM_AFTER, LENDER, Loan, NETWORK, faults, given, own, payment, signed, verdict,
};

const RATE: FeeRate = FeeRate::from_sat_per_kwu(1_250);

fn record(plan: &Plan) -> LoanRecord {
    LoanRecord {
        network: NETWORK,
        loan: plan.loan.clone(),
        pre_signatures: PayoutSignatures::from(signed(plan, LENDER)),
        due_seconds: CLAIM_AFTER - 86_400,
        origination: plan.origination.psbt.unsigned_tx.clone(),
    }
}

fn coin(number: u8, byte: u8, sats: u64) -> Coin {
    let key = payment(byte);
    let output = bitcoin::TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() };
    Coin { outpoint: OutPoint::new(Txid::from_byte_array([number; 32]), 0), output, key }
}

fn ended(loan: &str, kit: &str) -> Value {
    json!({"loanId": loan, "kit": kit, "payoutSats": 2_065_000, "claimAfterSeconds": CLAIM_AFTER})
}

fn question(kind: &str, byte: u8, loans: &[Value], template: &Template) -> Value {
    json!({
        "network": "regtest",
        "own": own(byte),
        "transactions": [given(template, byte)],
        "task": {
            "kind": kind,
            "loans": loans,
            "feeSats": template.fee().unwrap().to_sat(),
            "feeRateSatPerKwu": 1_250,
        },
    })
}

fn borrower_kit(loan: &Loan) -> BorrowerKit {
    let plan = loan.plan();
    let txid = plan.origination.final_txid();
    BorrowerKit::new(record(&plan), payment(BORROWER), &[OutPoint::new(txid, 2), OutPoint::new(txid, 3)]).unwrap()
}

pub(super) fn repayment() -> Value {
    let kit = borrower_kit(&Loan::manual());
    let template = kit.repayment(kit.pads(), &[coin(30, BORROWER, 3_000_000)], TRUC, RATE).unwrap();
    question("repay", BORROWER, &[ended("ln_4d", &Kit::Borrower(Box::new(kit)).write())], &template)
}

/// The repayment of two loans by one transaction.
pub(super) fn repayment_of_two() -> Value {
    let mut other = Loan::manual();
    other.contract["loanId"] = "ln_4e".into();
    other.contract["collateralCoins"][0]["txid"] = Txid::from_byte_array([21; 32]).to_string().into();
    let kits = [borrower_kit(&Loan::manual()), borrower_kit(&other)];
    let pads: Vec<Coin> = kits.iter().flat_map(|kit| kit.pads().to_vec()).collect();
    let loans = kits
        .each_ref()
        .map(|kit| RepayableLoan { loan: &kit.record().loan, pre_signatures: &kit.record().pre_signatures });
    let repayment = Repayment {
        loans: &loans,
        version: TRUC,
        pads: &pads,
        funding: &[coin(30, BORROWER, 6_000_000)],
        unconfirmed: &[],
        destination: &kits[0].ordinals_script(),
        change: &payment(BORROWER).script_pubkey(),
        fee_rate: RATE,
    };
    let template = repayment.build().unwrap();
    let [one, other] = kits.map(|kit| Kit::Borrower(Box::new(kit)).write());
    question("repay", BORROWER, &[ended("ln_4d", &one), ended("ln_4e", &other)], &template)
}

pub(super) fn claim() -> Value {
    let plan = Loan::manual().plan();
    let kit = LenderKit::new(record(&plan), payment(LENDER)).unwrap();
    let template = kit.claim(Some(&coin(31, LENDER, 100_000)), RATE).unwrap();
    question("claim", LENDER, &[ended("ln_4d", &Kit::Lender(Box::new(kit)).write())], &template)
}

fn tampered(mut question: Value, tamper: fn(&mut Psbt)) -> Vec<String> {
    let text = &mut question["transactions"][0]["base64"];
    let mut psbt = escrow::contract::signing::returned_psbt::parse_psbt(text.as_str().unwrap()).unwrap();
    tamper(&mut psbt);
    *text = psbt.to_string().into();
    faults(&verdict(&question))
}

#[test]
fn an_honest_repayment_and_an_honest_claim_agree() {
    let verdict_of = |question: &Value| verdict(question);
    let repaid = verdict_of(&repayment());
    assert_eq!(repaid["agrees"], true, "{repaid}");
    let to_lender = repaid["movements"].as_array().unwrap().iter().find(|one| one["to"] == "other_side").unwrap();
    assert_eq!(to_lender["sats"], 2_065_000);
    let claimed = verdict_of(&claim());
    assert_eq!(claimed["agrees"], true, "{claimed}");
}

#[test]
fn a_repayment_of_two_loans_agrees_in_whatever_order_they_are_shown() {
    let mut question = repayment_of_two();
    for _ in 0..2 {
        let verdict = verdict(&question);
        assert_eq!(verdict["agrees"], true, "{verdict}");
        question["task"]["loans"].as_array_mut().unwrap().reverse();
    }
    question["task"]["loans"].as_array_mut().unwrap().pop();
    assert_eq!(faults(&verdict(&question)), ["unbuildable"], "of one of them");
}

#[test]
fn an_altered_repayment_or_claim_is_refused() {
    let elsewhere: fn(&mut Psbt) = |psbt| psbt.unsigned_tx.output[1].script_pubkey = payment(ATTACKER).script_pubkey();
    let more: fn(&mut Psbt) = |psbt| psbt.unsigned_tx.output[2].value = Amount::from_sat(2_100_000);
    let change: fn(&mut Psbt) = |psbt| psbt.unsigned_tx.output.last_mut().unwrap().value = Amount::from_sat(1_000);
    for tamper in [elsewhere, more, change] {
        assert_eq!(tampered(repayment(), tamper).len(), 1);
    }
    let elsewhere: fn(&mut Psbt) = |psbt| psbt.unsigned_tx.output[0].script_pubkey = payment(ATTACKER).script_pubkey();
    assert_eq!(tampered(claim(), elsewhere), ["unbuildable"]);
    let sighash: fn(&mut Psbt) = |psbt| psbt.inputs[0].sighash_type = Some(bitcoin::TapSighashType::None.into());
    assert_eq!(tampered(claim(), sighash), ["input_data"]);
}

#[test]
fn another_loan_sum_fee_or_user_is_refused() {
    for honest in [repayment(), claim()] {
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut question = honest.clone();
            change(&mut question);
            faults(&verdict(&question))
        };
        assert_eq!(changed(&|question| question["task"]["loans"][0]["loanId"] = "ln_4e".into()), ["kit"]);
        assert_eq!(changed(&|question| question["task"]["loans"][0]["payoutSats"] = 1.into()), ["other_term"]);
        assert_eq!(changed(&|question| question["task"]["loans"][0]["claimAfterSeconds"] = 1.into()), ["other_term"]);
        assert_eq!(changed(&|question| question["task"]["feeSats"] = 1.into()), ["fee"]);
        assert_eq!(changed(&|question| question["task"]["feeRateSatPerKwu"] = 250.into()), ["fee"]);
        assert_eq!(changed(&|question| question["own"] = own(ATTACKER)), ["other_key"]);
        assert_eq!(changed(&|question| question["transactions"] = json!([])), ["transaction_count"]);
        assert_eq!(changed(&|question| question["task"]["loans"][0]["kit"] = "{}".into()), ["kit"]);
    }
}

#[test]
fn a_kit_of_the_other_side_is_refused() {
    let (mut one, mut other) = (repayment(), claim());
    std::mem::swap(&mut one["task"]["loans"], &mut other["task"]["loans"]);
    assert_eq!(faults(&verdict(&one)), ["kit"]);
    assert_eq!(faults(&verdict(&other)), ["kit"]);
}
