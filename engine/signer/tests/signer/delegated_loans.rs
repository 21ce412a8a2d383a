//! Tests of loans by offers under a delegation: every limit is checked when the signer signs, from its own log.

use escrow::action::{Action, OfferProcess};
use escrow::new_delegation::NewDelegation;
use proptest::prelude::*;
use signer::request::Answer;
use signer::term_sheet::Term;

use super::program::{DAY_S, changed, closing, delegation, program, text};
use super::rig::{FORTNIGHT, PRINCIPAL_SATS, Rig, signing};

#[test]
fn the_sum_of_24_hours_is_counted_over_restarts_and_offers() {
    let mut rig = Rig::delegating();
    let offers = [rig.quote("of_1", 1), rig.quote("of_2", 2), rig.quote("of_3", 3)];
    for (offer, output) in offers.into_iter().zip([51, 52]) {
        let loan = rig.loan_from(offer, output);
        let prepared = rig.prepare(&loan);
        let signed = rig.sign_loan(&loan, &prepared);
        rig = rig.restart();
        assert_eq!(rig.sign_loan(&loan, &prepared), signed, "a repeated request counts once");
        rig.now_ms += 3_600_000;
    }
    assert_eq!(rig.status().unwrap().lent_within_day_sats, 2 * PRINCIPAL_SATS);
    let third = rig.loan_from(offers[2], 53);
    let refused = Answer::Refused(
        signer::delegation_refusal::DelegationRefusal::DaySats {
            max: 2 * PRINCIPAL_SATS,
            used: 2 * PRINCIPAL_SATS,
            asked: PRINCIPAL_SATS,
        }
        .into(),
    );
    assert_eq!(rig.ask(signer::request::Request::PrepareLoan(Box::new(third))), refused);
    // The first loan leaves the window 24 hours after it was signed, not at midnight.
    rig.now_ms = super::rig::START_MS + 86_400_000 - 1;
    let third = rig.loan_from(offers[2], 53);
    let code = rig.code_of(signer::request::Request::PrepareLoan(Box::new(third)));
    assert_eq!(code, "delegation.day_sats");
    rig.now_ms += 1;
    let third = rig.loan_from(offers[2], 53);
    let prepared = rig.prepare(&third);
    rig.sign_loan(&third, &prepared);
}

#[test]
fn two_accepts_that_are_each_within_the_day_do_not_cross_it_together() {
    let mut rig = Rig::new();
    rig.open_vault();
    rig.delegate(NewDelegation { daily_max_sats: 2 * PRINCIPAL_SATS - 1, ..delegation(&rig) });
    let (first, second) = (rig.quote("of_1", 1), rig.quote("of_2", 2));
    let loans = [rig.loan_from(first, 51), rig.loan_from(second, 52)];
    let prepared = [rig.prepare(&loans[0]), rig.prepare(&loans[1])];
    rig.sign_loan(&loans[1], &prepared[1]);
    assert_eq!(rig.signing_code(&loans[0], &prepared[0]), "delegation.day_sats");
    rig = rig.restart();
    assert_eq!(rig.signing_code(&loans[0], &prepared[0]), "delegation.day_sats");
    assert_eq!(rig.status().unwrap().lent_within_day_sats, PRINCIPAL_SATS);
}

#[test]
fn a_revocation_between_the_steps_of_an_accept_stops_it() {
    let mut rig = Rig::delegating();
    let offer = rig.quote("of_1", 1);
    let loan = rig.loan_from(offer, 51);
    let prepared = rig.prepare(&loan);
    let revocation = rig.revocation();
    assert_eq!(rig.ask(revocation), Answer::Revised);
    assert_eq!(rig.signing_code(&loan, &prepared), "delegation.revoked");
    rig = rig.restart();
    assert_eq!(rig.signing_code(&loan, &prepared), "delegation.revoked");
    let again = rig.loan_from(offer, 52);
    assert_eq!(rig.code_of(signer::request::Request::PrepareLoan(Box::new(again))), "delegation.revoked");
}

#[test]
fn nothing_is_lent_from_the_second_of_the_expiry_on() {
    let mut rig = Rig::new();
    rig.open_vault();
    let valid_until_s = rig.now_ms / 1_000 + 1_800;
    rig.delegate(NewDelegation { valid_until_s, ..delegation(&rig) });
    let offer = rig.quote("of_1", 1);
    let before = rig.loan_from(offer, 51);
    let prepared = rig.prepare(&before);
    let mut late = closing(&rig, 2);
    (late.issued_s, late.expires_s) = (valid_until_s - 1, valid_until_s + 599);
    let late_offer = text(&program(3), Action::CreateOffer(changed(&rig, |_| ())), late);
    rig.now_ms = valid_until_s * 1_000 - 1;
    let again = rig.prepare(&before);
    rig.now_ms += 1;
    assert_eq!(rig.signing_code(&before, &again), "delegation.expired");
    assert_eq!(rig.signing_code(&before, &prepared), "delegation.expired");
    assert_eq!(rig.code_of(rig.delegated("of_2", late_offer)), "delegation.expired");
    // The clock of the signer never goes back.
    rig.now_ms -= 1;
    assert_eq!(rig.signing_code(&before, &again), "delegation.expired");
    rig.now_ms += 2 * DAY_S * 1_000;
    let much_later = rig.loan_from(offer, 51);
    let code = rig.code_of(signer::request::Request::PrepareLoan(Box::new(much_later)));
    assert_eq!(code, "delegation.unknown");
}

#[test]
fn a_loan_that_was_signed_in_time_keeps_its_signatures() {
    let mut rig = Rig::new();
    rig.open_vault();
    let valid_until_s = rig.now_ms / 1_000 + 60;
    rig.delegate(NewDelegation { valid_until_s, ..delegation(&rig) });
    let offer = rig.quote("of_1", 1);
    let loan = rig.loan_from(offer, 51);
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    rig.now_ms += 120_000;
    assert_eq!(rig.ask(signing(&loan, &prepared)), Answer::Signed(signed));
}

#[test]
fn a_next_term_below_the_limits_is_not_lent_at() {
    let mut rig = Rig::delegating();
    let new_offer = changed(&rig, |offer| {
        if let OfferProcess::Instant(terms) = &mut offer.process {
            terms.accept_next_term = true;
        }
    });
    let signed = text(&program(3), Action::CreateOffer(new_offer), closing(&rig, 1));
    let Answer::Offer(offer) = rig.ask(rig.delegated("of_1", signed)) else { panic!("not admitted") };
    for (term, expected) in [
        (Term { days: 14, interest_bps: 324 }, "delegation.interest"),
        (Term { days: 15, interest_bps: 325 }, "delegation.term"),
    ] {
        let line = rig.sheet.get_mut("ninjas-14d").unwrap();
        (line.days, line.interest_bps) = (term.days, term.interest_bps);
        rig = rig.restart();
        let mut loan = rig.loan_from(offer, 51);
        loan.claim_after += u32::from(term.days - FORTNIGHT.days) * 86_400;
        loan.term = term;
        assert_eq!(rig.code_of(signer::request::Request::PrepareLoan(Box::new(loan))), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn no_order_of_accepts_lends_more_than_the_daily_limit(
        limit in 1_u64..5, waits in prop::collection::vec(0_u64..14, 1..7), restart_at in 0_usize..7,
    ) {
        let mut draft = super::rig::draft();
        (draft.limits.hour_max_sats, draft.limits.vault_hour_max_sats) = (u64::MAX / 200, u64::MAX / 200);
        (draft.limits.hour_max_count, draft.limits.vault_hour_max_count) = (100, Some(100));
        let mut rig = Rig::with(draft);
        rig.open_vault();
        rig.delegate(NewDelegation { daily_max_sats: limit * PRINCIPAL_SATS, ..delegation(&rig) });
        let mut signed_at: Vec<u64> = Vec::new();
        for (place, hours) in waits.into_iter().enumerate() {
            if place == restart_at {
                rig = rig.restart();
            }
            rig.now_ms += hours * 3_600_000;
            let number = u64::try_from(place).unwrap() + 1;
            let offer = rig.quote(&format!("of_{number}"), number);
            let loan = rig.loan_from(offer, 60 + u8::try_from(place).unwrap());
            let recent = signed_at.iter().filter(|at| rig.now_ms - **at < 86_400_000).count();
            let is_within = u64::try_from(recent).unwrap() < limit;
            match rig.ask(signer::request::Request::PrepareLoan(Box::new(loan.clone()))) {
                Answer::Prepared(prepared) => {
                    prop_assert!(is_within);
                    rig.sign_loan(&loan, &prepared);
                    signed_at.push(rig.now_ms);
                }
                Answer::Refused(refusal) => {
                    prop_assert!(!is_within, "{}", refusal);
                    prop_assert_eq!(super::program::code(&refusal), "delegation.day_sats");
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
