//! Verdicts on honest questions, and on every way of tampering that has a name.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod ending;
mod fixture;
mod golden;
mod instant;
mod kit_page;
mod kits;
mod lender;
mod lies;
mod named_tamperings;
mod tampering;

use fixture::{Loan, faults, verdict};

#[test]
fn an_honest_manual_loan_agrees_and_says_where_everything_goes() {
    let verdict = verdict(&Loan::manual().borrower());
    assert_eq!(verdict["agrees"], true, "{verdict}");
    let movements = verdict["movements"].as_array().unwrap();
    let of = |to: &str| movements.iter().filter(|one| one["to"] == to).map(|one| one["sats"].as_u64().unwrap()).sum();
    let (escrow, fee): (u64, u64) = (of("escrow"), of("network"));
    assert_eq!((escrow, of("platform")), (10_000, 13_000));
    assert!(fee > 0);
    // The principal less the fee: the pads are the borrower's too.
    assert_eq!(of("you"), 2_000_000 - fee);
    let words = verdict["proofs"].to_string();
    assert!(words.contains("0.02065000 BTC") && words.contains("2030-03-17"), "{words}");
}

#[test]
fn an_honest_loan_of_each_kind_agrees() {
    for loan in [Loan::manual(), Loan::instant(), Loan::several(), Loan::runes(), Loan::brc20()] {
        let verdict = verdict(&loan.borrower());
        assert_eq!(verdict["agrees"], true, "{verdict}");
    }
    for loan in [Loan::manual(), Loan::several(), Loan::runes()] {
        let verdict = verdict(&loan.lender());
        assert_eq!(verdict["agrees"], true, "{verdict}");
    }
}

#[test]
fn a_question_that_is_not_understood_is_refused() {
    for text in ["", "{}", "null", "[1]", "{\"task\":{\"kind\":\"borrow\"}}"] {
        let verdict: serde_json::Value = serde_json::from_str(&verifier::check::check(text.as_bytes())).unwrap();
        assert_eq!(faults(&verdict), ["unreadable"], "{text}");
    }
    // A field of a newer app that this verifier does not know could change the meaning.
    let mut question = Loan::manual().borrower();
    question["task"]["agreed"]["discount"] = 1.into();
    assert_eq!(faults(&verdict(&question)), ["unreadable"]);
}

#[test]
fn an_address_without_its_key_is_refused() {
    let mut question = Loan::manual().borrower();
    question["own"]["payment"]["publicKey"] = question["own"]["ordinals"]["publicKey"].clone();
    assert_eq!(faults(&verdict(&question)), ["own_address"]);
    let mut question = Loan::manual().borrower();
    question["network"] = "bitcoin".into();
    assert_eq!(faults(&verdict(&question)), ["own_address"]);
}
