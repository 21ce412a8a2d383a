//! Every named tampering with every transaction that a wallet is handed.

use std::collections::BTreeSet;

use bitcoin::Psbt;
use bitcoin::psbt::Input;
use escrow::contract::signing::returned_psbt::parse_psbt;
use serde_json::Value;
use tampering::{NAMES_MIN, tamperings};

use crate::ending::{claim, repayment, repayment_of_two};
use crate::fixture::{ATTACKER, Loan, faults, payment, verdict};

/// Every form of transaction: its name, the question with it, and its place in the question.
fn forms() -> Vec<(&'static str, Value, usize)> {
    vec![
        ("origination, to the borrower", Loan::manual().borrower(), 0),
        ("origination, to the lender", Loan::manual().lender(), 0),
        ("repayment signed in advance, version 2", Loan::manual().lender(), 1),
        ("repayment signed in advance, version 3", Loan::manual().lender(), 2),
        ("origination from a vault", Loan::instant().borrower(), 0),
        ("origination from a vault of several signers", Loan::shared().borrower(), 0),
        ("origination against several inscriptions", Loan::several().borrower(), 0),
        ("origination against runes", Loan::runes().borrower(), 0),
        ("origination against BRC-20", Loan::brc20().borrower(), 0),
        ("reveal of BRC-20", Loan::brc20().borrower(), 1),
        ("repayment", repayment(), 0),
        ("repayment of two loans", repayment_of_two(), 0),
        ("claim", claim(), 0),
    ]
}

/// Changes to repayments and claims that agree as well: the lender signed repayments of both versions in advance, and which
/// of the user's own coins pay, and in which order those and the escrows are spent, is the server's choice.
fn is_as_agreed(form: &str, honest: &Psbt, name: &str) -> bool {
    if !matches!(form, "repayment" | "repayment of two loans" | "claim") {
        return false;
    }
    // The payment key's coins are P2WPKH, escrows are not.
    let is_own = |input: &Input| input.witness_utxo.as_ref().is_some_and(|spent| spent.script_pubkey.is_p2wpkh());
    let own: Vec<bool> = honest.inputs.iter().map(is_own).collect();
    let of_input = |index: usize| {
        let pays_otherwise = own[index] && name.starts_with(&format!("input {index} spends an"));
        let is_like_next = own.get(index + 1) == Some(&own[index]);
        pays_otherwise || is_like_next && name == format!("input {index} changes places with the next")
    };
    (form != "claim" && matches!(name, "version 2" | "version 3")) || (0..own.len()).any(of_input)
}

#[test]
fn every_named_tampering_is_refused_in_every_form() {
    let attacker = payment(ATTACKER).script_pubkey();
    let (mut names, mut agreed) = (BTreeSet::new(), Vec::new());
    for (form, honest, at) in forms() {
        assert_eq!(faults(&verdict(&honest)), [""; 0], "{form}");
        let psbt = parse_psbt(honest["transactions"][at]["base64"].as_str().unwrap()).unwrap();
        for tampering in tamperings(&psbt, &attacker) {
            let mut question = honest.clone();
            question["transactions"][at]["base64"] = tampering.psbt.to_string().into();
            let name = format!("{form}: {}", tampering.name);
            let is_refused = verdict(&question)["agrees"] == false;
            if is_refused {
                assert!(names.insert(name.clone()), "{name} is there twice");
            } else if !is_as_agreed(form, &psbt, &tampering.name) {
                agreed.push(name);
            }
        }
    }
    println!("The verifier refuses {} named tamperings.", names.len());
    assert_eq!(agreed, [""; 0]);
    assert!(names.len() >= NAMES_MIN);
}
