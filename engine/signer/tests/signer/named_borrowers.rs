//! Tests of offers that were signed for one borrower, or for a limited time: neither the server nor a wrong order book
//! can make the vault lend to another borrower, or later.

use bitcoin::hashes::sha256;
use escrow::action::{Action, OfferProcess};
use signer::refusal::Refusal;
use signer::request::{Answer, LoanRequest, Request};

use crate::rig::{Rig, START_MS, offer, signing, wallet};

/// The address to which the rig's loans are paid out.
fn borrower() -> String {
    wallet(7).payment_address().to_string()
}

/// Admits an offer for a borrower, good until a time.
fn limited(rig: &mut Rig, borrower: Option<String>, good_until_s: Option<u64>) -> sha256::Hash {
    limited_as("of_2", rig, borrower, good_until_s)
}

fn limited_as(id: &str, rig: &mut Rig, borrower: Option<String>, good_until_s: Option<u64>) -> sha256::Hash {
    let mut offer = offer(&rig.policy_hash(), None);
    if let OfferProcess::Instant(terms) = &mut offer.process {
        (terms.borrower, terms.good_until_s) = (borrower, good_until_s);
    }
    let signed = rig.sign(Action::CreateOffer(offer));
    let request = Request::AdmitOffer { lender_id: rig.lender_id, offer_id: id.to_owned(), signed };
    match rig.ask(request) {
        Answer::Offer(offer) => offer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_vault_lends_to_no_other_borrower_than_the_named_one() {
    let (mut rig, _) = Rig::lending(None);
    let offer = limited(&mut rig, Some(borrower()), None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    rig.sign_loan(&loan, &prepared);

    let other = wallet(8).payment_address().clone();
    let offer = limited_as("of_3", &mut rig, Some(other.to_string()), None);
    let refused = Refusal::OtherBorrower { named: other.to_string() };
    let loan = LoanRequest { loan_id: 78, ..rig.loan(offer) };
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan.clone()))), refused);
    // The check holds at the signature too, which moves the money.
    assert_eq!(rig.refusal(signing(&loan, &prepared)), refused);
    let mut rig = rig.restart();
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan))), refused);
}

#[test]
fn a_name_that_is_no_address_is_refused_for_every_borrower() {
    let (mut rig, _) = Rig::lending(None);
    let offer = limited(&mut rig, Some("not-an-address".to_owned()), None);
    let loan = rig.loan(offer);
    let refused = Refusal::OtherBorrower { named: "not-an-address".to_owned() };
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan))), refused);
}

#[test]
fn a_vault_lends_nothing_from_the_signed_time_on() {
    let (mut rig, _) = Rig::lending(None);
    let good_until_s = START_MS / 1_000 + 600;
    let offer = limited(&mut rig, None, Some(good_until_s));
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let expired = Refusal::OfferExpired { offer_id: "of_2".to_owned(), good_until_s };
    rig.now_ms = good_until_s * 1_000;
    assert_eq!(rig.refusal(signing(&loan, &prepared)), expired);
    let late = rig.loan(offer);
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(late))), expired);
    // A clock that is set back does not renew it.
    rig.now_ms = START_MS;
    assert_eq!(rig.refusal(signing(&loan, &prepared)), expired);
}

#[test]
fn a_loan_that_was_signed_in_time_is_answered_the_same_after_it() {
    let (mut rig, _) = Rig::lending(None);
    let good_until_s = START_MS / 1_000 + 600;
    let offer = limited(&mut rig, None, Some(good_until_s));
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    rig.now_ms = good_until_s * 1_000 + 1;
    assert_eq!(rig.sign_loan(&loan, &prepared), signed, "the answer may have been lost");
    let other = LoanRequest { loan_id: 78, ..loan };
    let expired = Refusal::OfferExpired { offer_id: "of_2".to_owned(), good_until_s };
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(other))), expired);
}
