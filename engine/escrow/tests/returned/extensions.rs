//! Tests of an extension, for which both sides' wallets sign one script.

use bitcoin::{Amount, TapSighashType, TxOut};
use escrow::contract::loan::extension::Extension;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signature_check::SignatureFault;
use escrow::contract::transaction::template::{PAYOUT_SIGHASH, Template};
use escrow::contract::transaction::version::TRUC;

use super::finished_by_the_wallet;
use super::loan_fixture::{is_valid, rate};
use super::parties::{Parties, altered, coin, finished};

/// An extension of the loan between these users; the escrow is input 2.
pub(super) fn extension(parties: &Parties) -> Template {
    let terms = parties.escrow.terms().clone();
    let later = EscrowTerms { claim_after: terms.claim_after + 86_400, ..terms };
    let extension = Extension {
        loan: &parties.loan(),
        escrow: &LoanEscrow::new(later).unwrap(),
        version: TRUC,
        pads: &parties.pads(),
        interest: &TxOut { value: Amount::from_sat(65_000), script_pubkey: parties.lender.payment().script_pubkey() },
        coins: &[coin(9, parties.borrower.nested(), 300_000)],
        unconfirmed: &[],
        borrower_payment: &parties.borrower_payment,
        fee_rate: rate(7),
    };
    extension.build().unwrap()
}

#[test]
fn both_sign_the_whole_transaction() {
    let parties = Parties::new();
    let template = extension(&parties);
    let (borrowers, lenders) = (parties.borrower.signatures(&template), parties.lender.signatures(&template));
    assert_eq!(lenders.count(), 1, "the lender signs the escrow's input alone");
    let txid = template.final_txid();
    for one in [&borrowers, &lenders] {
        assert!(matches!(template.finish(one, txid), Err(FinishError::MissingSignature { .. })));
    }
    let extended = finished(&template, borrowers, lenders);
    assert!(is_valid(&template, &extended));
}

#[test]
fn each_wallet_may_finalize_it_with_its_own_signature_alone() {
    let parties = Parties::new();
    let template = extension(&parties);
    for party in [&parties.borrower, &parties.lender] {
        let text = finished_by_the_wallet(&template, &party.sign(&template));
        assert_eq!(party.check(&template, &text), Ok(party.signatures(&template)));
    }
}

#[test]
fn the_lender_does_not_sign_it_like_a_repayment() {
    let parties = Parties::new();
    let template = extension(&parties);
    let asked = altered(&template.psbt.to_string(), |psbt| psbt.inputs[2].sighash_type = Some(PAYOUT_SIGHASH.into()));
    let text = parties.lender.wallet.sign_psbt(&asked).unwrap();
    let declared = ReturnedPsbtError::DeclaredSighash { index: 2, found: PAYOUT_SIGHASH.into() };
    assert_eq!(parties.lender.check(&template, &text), Err(declared));
    let silent = altered(&text, |psbt| psbt.inputs[2].sighash_type = None);
    let fault = SignatureFault::WrongSighash { expected: TapSighashType::Default.into(), found: PAYOUT_SIGHASH.into() };
    assert_eq!(parties.lender.check(&template, &silent), Err(ReturnedPsbtError::Signature { index: 2, fault }));
}
