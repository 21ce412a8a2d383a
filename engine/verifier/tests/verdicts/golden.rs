//! Questions and their verdicts as a file, which the web app's tests ask the WebAssembly module too.

use serde_json::{Map, Value, json};

use crate::ending::{claim, repayment};
use crate::fixture::{ATTACKER, BORROWER, LENDER, Loan, given, key_text, payment, verdict};
use crate::kits::{borrower_kit, build, finish, lender_kit, named, read, sign, text, vault_kit};

const GOLDEN: &str = include_str!("verdicts.golden.json");

/// The tasks of the offline page for one kit: reading it, building its transaction and finishing it.
fn tasks(kit: &str, coins: &[Value], byte: u8) -> [Value; 3] {
    let unsigned = build(kit, coins);
    let psbt = verdict(&unsigned)["psbt"].as_str().unwrap().to_owned();
    [read(kit), unsigned, finish(kit, &sign(&psbt, byte))]
}

fn kit_tasks() -> Vec<(&'static str, Value)> {
    let repayment = tasks(&text(&borrower_kit(&Loan::manual())), &[named(30, 3_000_000)], BORROWER);
    let claim = tasks(&text(&lender_kit(&Loan::shared())), &[named(31, 100_000)], LENDER);
    let exit = tasks(&text(&vault_kit(3)), &[named(32, 700_000)], LENDER);
    let names = [
        "borrower's kit",
        "repayment with a kit",
        "signed repayment with a kit",
        "lender's kit",
        "claim with a kit",
        "signed claim with a kit",
        "vault's kit",
        "exit with a kit",
        "signed exit with a kit",
    ];
    let unsigned = finish(&text(&borrower_kit(&Loan::manual())), "cHNidP8=");
    let tasks = names.into_iter().zip([repayment, claim, exit].into_iter().flatten());
    tasks.chain([("signed text that is no PSBT, with a kit", unsigned)]).collect()
}

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
    for (name, question) in questions().into_iter().chain(kit_tasks()) {
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
