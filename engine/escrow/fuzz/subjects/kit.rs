//! Recovery kits, which anyone may hand to a borrower or lender.

use bitcoin::{Network, OutPoint};
use escrow::contract::loan::origination_outputs::PADS;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use escrow::kit::vault_kit::VaultKit;
use escrow::kit::{Kit, LENGTH_MAX};
use serde_json::Value;

use super::parties::{Parties, Party, finished};
use super::taproot_key;

/// The text of a kit, which is written again with the same content except for the instructions.
pub fn kit(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let kit = match Kit::read(&text) {
        Ok(kit) => kit,
        Err(error) => {
            // The message is shown, so it may not repeat the file.
            assert!(error.to_string().len() < 1_024, "{error}");
            return false;
        }
    };
    assert!(text.len() <= LENGTH_MAX);
    let written = kit.write();
    assert_eq!(Kit::read(&written).unwrap().write(), written);
    assert_eq!(content(&text), content(&written));
    true
}

/// The fields of a kit without the instructions, which are for humans and worded anew by each version.
fn content(text: &str) -> Value {
    let mut content: Value = serde_json::from_str(text).unwrap();
    content.as_object_mut().unwrap().remove("instructions").unwrap();
    content
}

/// The kits of both sides of a loan, and of a vault with one signer and with several.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let parties = Parties::new();
    let (borrower, lender) = (&parties.borrower, &parties.lender);
    let template = parties.origination();
    let origination = finished(&template, borrower.signatures(&template), lender.signatures(&template));
    let record = LoanRecord {
        network: Network::Regtest,
        loan: parties.loan(),
        pre_signatures: parties.payout_signatures(),
        due_seconds: parties.escrow.terms().claim_after - 86_400,
        origination,
    };
    let txid = record.origination.compute_txid();
    let pads = PADS.map(|pad| OutPoint::new(txid, u32::try_from(pad).unwrap()));
    let vault = |signers: VaultSigners| {
        let terms = VaultTerms { lender_id: 0x2a, signers, lender: taproot_key(lender) };
        Kit::Vault(Box::new(VaultKit::new(Network::Regtest, Vault::new(terms).unwrap())))
    };
    let signers = [9, 10, 11].map(|seed| taproot_key(&Party::new(seed)));
    let kits = [
        Kit::Borrower(Box::new(BorrowerKit::new(record.clone(), borrower.payment(), &pads).unwrap())),
        Kit::Lender(Box::new(LenderKit::new(record, lender.payment()).unwrap())),
        vault(signers[0].into()),
        vault(VaultSigners::new(2, signers).unwrap()),
    ];
    kits.iter().map(|kit| kit.write().into_bytes()).collect()
}
