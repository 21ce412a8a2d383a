//! The questions of a lender.

use serde_json::Value;

use crate::fixture::{ATTACKER, Loan, faults, party, verdict};

#[test]
fn the_lender_reads_where_everything_goes() {
    let verdict = verdict(&Loan::manual().lender());
    assert_eq!(verdict["agrees"], true, "{verdict}");
    let movements = verdict["movements"].as_array().unwrap();
    let of = |to: &str| -> u64 {
        movements.iter().filter(|one| one["to"] == to).map(|one| one["sats"].as_u64().unwrap()).sum()
    };
    assert_eq!(of("you"), 2_200_000 - 2_000_000 - 13_000);
    assert!(
        verdict["proofs"][1].as_str().unwrap().contains("pays 0.02065000 BTC to your payment address"),
        "{verdict}"
    );
}

#[test]
fn another_key_of_the_lender_is_refused() {
    for (field, code) in [("ordinalsKey", "other_key"), ("paymentKey", "other_key")] {
        let mut loan = Loan::manual();
        loan.contract["lender"][field] = party(ATTACKER)[field].clone();
        assert_eq!(faults(&verdict(&loan.lender())), [code], "{field}");
    }
}

#[test]
fn other_terms_are_refused() {
    let terms: [(&str, Value); 4] = [
        ("principalSats", 2_100_000.into()),
        ("payoutSats", 2_000_001.into()),
        ("claimAfterSeconds", 1_900_090_000.into()),
        ("loanId", "ln_5".into()),
    ];
    for (field, value) in terms {
        let mut loan = Loan::manual();
        loan.contract[field] = value;
        assert_eq!(faults(&verdict(&loan.lender())), ["other_term"], "{field}");
    }
}
