//! Questions and their verdicts as a file, which the web app's tests ask the WebAssembly module too.

use serde_json::{Map, Value, json};

use crate::ending::{claim, repayment};
use crate::fixture::{ATTACKER, BORROWER, Loan, given, key_text, payment, verdict};

const GOLDEN: &str = include_str!("verdicts.golden.json");

fn questions() -> Vec<(&'static str, Value)> {
    let mut attacked = Loan::manual();
    attacked.contract["borrower"]["paymentKey"] = key_text(payment(ATTACKER));
    let mut other = Loan::manual();
    other.contract["loanId"] = "ln_4e".into();
    let mut swapped = Loan::manual().borrower();
    swapped["transactions"][0] = given(&other.plan().origination, BORROWER);
    let mut unsigned = Loan::instant();
    unsigned.contract["vault"]["repayKeys"][0]["signatureTwo"] = format!("{}83", "01".repeat(64)).into();
    vec![
        ("borrower of a manual loan", Loan::manual().borrower()),
        ("lender of a manual loan", Loan::manual().lender()),
        ("borrower of an instant loan", Loan::instant().borrower()),
        ("borrower of an instant loan from a vault of three signers", Loan::shared().borrower()),
        ("borrower of a loan against three inscriptions", Loan::several().borrower()),
        ("lender of a loan against runes", Loan::runes().lender()),
        ("borrower of a loan against BRC-20", Loan::brc20().borrower()),
        ("repayment", repayment()),
        ("claim", claim()),
        ("principal to another address", attacked.borrower()),
        ("transaction of another escrow", swapped),
        ("repayment without valid signatures in advance", unsigned.borrower()),
        ("question without terms", json!({})),
    ]
}

#[test]
fn the_verdicts_are_those_of_the_golden_file() {
    let mut found = Map::new();
    for (name, question) in questions() {
        let verdict = verdict(&question);
        found.insert(name.to_owned(), json!({"question": question, "verdict": verdict}));
    }
    let text = serde_json::to_string_pretty(&found).unwrap() + "\n";
    if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verdicts/verdicts.golden.json");
        std::fs::write(path, &text).unwrap();
        return;
    }
    assert!(
        text == GOLDEN,
        "the verdicts have changed: set LIENBOOK_WRITE_GOLDEN=1, and rebuild the WebAssembly module"
    );
}
