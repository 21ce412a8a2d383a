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
fn each_of_several_signers_must_have_signed() {
    let agreed = verdict(&Loan::shared().borrower());
    assert_eq!(faults(&agreed), Vec::<String>::new());
    for index in 0..2 {
        for field in ["signatureTwo", "signatureTruc"] {
            let mut loan = Loan::shared();
            let keys = &mut loan.contract["vault"]["repayKeys"];
            let others = keys[1 - index][field].clone();
            keys[index][field] = others;
            assert_eq!(faults(&verdict(&loan.borrower())), ["pre_signature"], "{field} of {index}");
        }
    }
}

#[test]
fn the_order_of_repay_keys_and_signers_does_not_matter() {
    let mut loan = Loan::shared();
    let honest = loan.borrower();
    for field in ["repayKeys", "signerKeys"] {
        loan.contract["vault"][field].as_array_mut().unwrap().reverse();
    }
    let mut question = honest;
    question["task"]["contract"] = loan.contract;
    assert_eq!(faults(&verdict(&question)), Vec::<String>::new());
}

#[test]
fn a_vault_of_other_signers_is_refused() {
    for (field, value) in [("signersRequired", 3.into()), ("signerKeys", Value::Array(Vec::new()))] {
        let mut question = Loan::shared().borrower();
        question["task"]["contract"]["vault"][field] = value;
        let faults = faults(&verdict(&question));
        assert_eq!(faults.len(), 1, "{field}: {faults:?}");
    }
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
