//! Every named tampering with every transaction that a wallet returns to the server.

use std::collections::BTreeSet;

use bitcoin::transaction::Version;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use tampering::{NAMES_MIN, tamperings};

use super::extensions::extension;
use super::parties::{Parties, Party, psbt};

#[test]
fn every_named_tampering_is_refused_in_every_form() {
    let parties = Parties::new();
    let (borrower, lender) = (&parties.borrower, &parties.lender);
    let forms: [(&str, Template, &Party); 7] = [
        ("origination, by the borrower", parties.origination(), borrower),
        ("origination, by the lender", parties.origination(), lender),
        ("repayment, version 2", parties.repayment(Version::TWO), borrower),
        ("repayment, version 3", parties.repayment(TRUC), borrower),
        ("extension, by the borrower", extension(&parties), borrower),
        ("extension, by the lender", extension(&parties), lender),
        ("claim", parties.claim(), lender),
    ];
    let attacker = Party::new(9).payment().script_pubkey();
    let mut names = BTreeSet::new();
    for (form, template, party) in forms {
        let signed = party.sign(&template);
        assert!(party.check(&template, &signed).is_ok(), "{form}");
        // The honest signatures in another PSBT.
        for tampering in tamperings(&psbt(&signed), &attacker) {
            let name = format!("{form}: {}", tampering.name);
            assert!(party.check(&template, &tampering.psbt.to_string()).is_err(), "{name}");
            assert!(names.insert(name.clone()), "{name} is there twice");
        }
        // The wallet's own signatures of another transaction, where it makes them.
        for tampering in tamperings(&template.psbt, &attacker) {
            if let Ok(text) = party.wallet.sign_psbt(&tampering.psbt.to_string()) {
                assert!(party.check(&template, &text).is_err(), "{form}: {}, as signed", tampering.name);
            }
        }
    }
    println!("The server refuses {} named tamperings.", names.len());
    assert!(names.len() >= NAMES_MIN);
}
