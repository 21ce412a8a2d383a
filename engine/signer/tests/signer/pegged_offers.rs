//! Tests of offers whose principal follows the floor: the signer knows no price, and lends what is within the bounds that
//! the lender signed, whatever the server asks for.

use bitcoin::hashes::sha256;
use escrow::action::{Action, OfferProcess};
use signer::refusal::Refusal;
use signer::request::{Answer, LoanRequest, Request};

use crate::rig::{PRINCIPAL_SATS, Rig, offer, outpoint, signing};

const LEAST_SATS: u64 = PRINCIPAL_SATS / 2;

fn admission(rig: &mut Rig, id: &str, least: u64, rune_amount: Option<u128>) -> Request {
    let mut offer = offer(&rig.policy_hash(), rune_amount);
    if let OfferProcess::Instant(terms) = &mut offer.process {
        terms.principal_min_sats = Some(least);
    }
    let signed = rig.sign(Action::CreateOffer(offer));
    Request::AdmitOffer { lender_id: rig.lender_id, offer_id: id.to_owned(), signed }
}

/// Admits an offer that follows the floor from half of its principal on.
fn pegged(rig: &mut Rig) -> sha256::Hash {
    let request = admission(rig, "of_2", LEAST_SATS, None);
    match rig.ask(request) {
        Answer::Offer(offer) => offer,
        other => panic!("{other:?}"),
    }
}

fn loan_of(rig: &Rig, offer: sha256::Hash, principal_sats: u64) -> LoanRequest {
    LoanRequest { principal_sats, platform_fee_sats: 0, ..rig.loan(offer) }
}

#[test]
fn a_vault_lends_any_principal_within_the_signed_bounds_and_no_other() {
    for asked in [LEAST_SATS, LEAST_SATS + 1, PRINCIPAL_SATS - 1, PRINCIPAL_SATS] {
        let (mut rig, _) = Rig::lending(None);
        let offer = pegged(&mut rig);
        let loan = loan_of(&rig, offer, asked);
        let prepared = rig.prepare(&loan);
        rig.sign_loan(&loan, &prepared);
    }
    let (mut rig, _) = Rig::lending(None);
    let offer = pegged(&mut rig);
    let good = loan_of(&rig, offer, PRINCIPAL_SATS);
    let prepared = rig.prepare(&good);
    for asked in [0, 1, LEAST_SATS - 1, PRINCIPAL_SATS + 1, 2 * PRINCIPAL_SATS] {
        let refused = Refusal::PrincipalOutOfBounds { least: LEAST_SATS, offered: PRINCIPAL_SATS, asked };
        let loan = loan_of(&rig, offer, asked);
        assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan.clone()))), refused);
        // The check holds at the signature too, which moves the money.
        assert_eq!(rig.refusal(signing(&loan, &prepared)), refused);
    }
    let mut rig = rig.restart();
    let loan = loan_of(&rig, offer, PRINCIPAL_SATS + 1);
    let refused =
        Refusal::PrincipalOutOfBounds { least: LEAST_SATS, offered: PRINCIPAL_SATS, asked: PRINCIPAL_SATS + 1 };
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan))), refused, "after a restart");
}

/// Two loans of half the largest principal would be within it together, and still one of them too many.
#[test]
fn a_loan_of_less_than_the_largest_principal_leaves_nothing() {
    let (mut rig, _) = Rig::lending(None);
    let offer = pegged(&mut rig);
    let first = loan_of(&rig, offer, LEAST_SATS);
    let prepared = rig.prepare(&first);
    rig.sign_loan(&first, &prepared);
    let mut second = LoanRequest { loan_id: 78, ..first.clone() };
    for (number, output) in (40..).zip(&mut second.vault_outputs) {
        output.outpoint = outpoint(number);
    }
    let used_up = Refusal::OfferUsedUp { offered: PRINCIPAL_SATS, used: LEAST_SATS, asked: LEAST_SATS };
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(second))), used_up);
}

#[test]
fn bounds_that_leave_no_principal_are_not_admitted() {
    let (mut rig, _) = Rig::lending(None);
    for (least, rune_amount) in [(0, None), (PRINCIPAL_SATS + 1, None), (LEAST_SATS, Some(1_000))] {
        let request = admission(&mut rig, "of_3", least, rune_amount);
        assert_eq!(rig.refusal(request), Refusal::ImpossiblePeg, "{least}");
    }
}
