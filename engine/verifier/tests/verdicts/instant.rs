//! The signatures in advance of an instant loan, which a borrower must have before signing.

use serde_json::Value;

use crate::fixture::{ATTACKER, Loan, faults, keys, verdict};

fn with(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut loan = Loan::instant();
    change(&mut loan.contract["vault"]);
    faults(&verdict(&loan.borrower()))
}

#[test]
fn valid_signatures_in_advance_are_reported() {
    let verdict = verdict(&Loan::instant().borrower());
    assert!(verdict["proofs"].to_string().contains("both signatures are valid"), "{verdict}");
}

#[test]
fn a_loan_without_valid_signatures_of_the_repayment_is_refused() {
    let swapped = with(|vault| {
        let own = vault["repayKeys"][0].clone();
        vault["repayKeys"][0]["signatureTwo"] = own["signatureTruc"].clone();
        vault["repayKeys"][0]["signatureTruc"] = own["signatureTwo"].clone();
    });
    assert_eq!(swapped, ["pre_signature"]);
    let one_version = with(|vault| {
        vault["repayKeys"][0]["signatureTruc"] = vault["repayKeys"][0]["signatureTwo"].clone();
    });
    assert_eq!(one_version, ["pre_signature"]);
    // A key of which the server has the signature of nothing.
    let other_key =
        with(|vault| vault["repayKeys"][0]["key"] = keys(ATTACKER).x_only_public_key().0.to_string().into());
    assert_eq!(other_key, ["pre_signature"]);
    let whole = with(|vault| {
        let text = vault["repayKeys"][0]["signatureTwo"].as_str().unwrap().to_owned();
        vault["repayKeys"][0]["signatureTwo"] = format!("{}81", &text[..128]).into();
    });
    assert_eq!(whole, ["pre_signature"]);
}

#[test]
fn a_vault_without_repay_keys_is_refused() {
    let mut question = Loan::instant().borrower();
    question["task"]["contract"]["vault"]["repayKeys"] = Value::Array(Vec::new());
    assert_eq!(faults(&verdict(&question)), ["unbuildable"]);
}

#[test]
fn signatures_of_another_payout_are_refused() {
    let mut loan = Loan::instant();
    loan.contract["payoutSats"] = 2_065_001.into();
    loan.agreed["payoutSats"] = 2_065_001.into();
    assert_eq!(faults(&verdict(&loan.borrower())), ["pre_signature"]);
}

#[test]
fn no_wallet_signs_as_the_lender_of_a_vault_loan() {
    let mut question = Loan::manual().lender();
    question["task"]["contract"] = Loan::instant().contract;
    assert_eq!(faults(&verdict(&question)), ["unbuildable"]);
}
