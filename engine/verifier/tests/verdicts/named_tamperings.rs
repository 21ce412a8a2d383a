//! Every named tampering with every transaction that a wallet is handed.

use std::collections::BTreeSet;

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

#[test]
fn every_named_tampering_is_refused_in_every_form() {
    let attacker = payment(ATTACKER).script_pubkey();
    let mut names = BTreeSet::new();
    for (form, honest, at) in forms() {
        assert_eq!(faults(&verdict(&honest)), [""; 0], "{form}");
        let psbt = parse_psbt(honest["transactions"][at]["base64"].as_str().unwrap()).unwrap();
        // The lender signed repayments of both versions in advance.
        let is_of_either_version = form.starts_with("repayment") && !form.contains("signed in advance");
        let harmless = |name: &str| is_of_either_version && matches!(name, "version 2" | "version 3");
        for tampering in tamperings(&psbt, &attacker).into_iter().filter(|one| !harmless(&one.name)) {
            let mut question = honest.clone();
            question["transactions"][at]["base64"] = tampering.psbt.to_string().into();
            let name = format!("{form}: {}", tampering.name);
            assert_ne!(faults(&verdict(&question)), [""; 0], "{name}");
            assert!(names.insert(name.clone()), "{name} is there twice");
        }
    }
    println!("The verifier refuses {} named tamperings.", names.len());
    assert!(names.len() >= NAMES_MIN);
}
