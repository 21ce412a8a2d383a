//! Tests of delegations: their admission, repetition and end, and the order of a program's offers.

use escrow::action::Action;
use escrow::delegation_id::DelegationId;
use escrow::new_delegation::NewDelegation;
use signer::delegation::{DELEGATIONS_MAX, EARLY_REVOCATIONS_MAX};
use signer::delegation_request::DelegationRequest;
use signer::request::{Answer, OfferHash, OfferStatus, Request};

use super::program::{DAY_S, ID, cancellation, changed, closing, delegation, program, text};
use super::rig::{PRINCIPAL_SATS, Rig, offer};

fn edit(rig: &Rig, old: &str, number: u64, principal_sats: u64) -> signer::program_text::ProgramText {
    let new_offer = changed(rig, |offer| offer.principal_sats = principal_sats);
    let action = Action::EditOffer { delete_offer_id: old.to_owned(), new_offer };
    text(&program(3), action, closing(rig, number))
}

fn standing(rig: &mut Rig, offer: bitcoin::hashes::sha256::Hash) -> Option<OfferStatus> {
    match rig.ask(Request::Standing { offers: vec![OfferHash(offer)] }) {
        Answer::Standing(found) => found.first().map(|(_, status)| *status),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_quotes_edits_and_cancels_without_the_wallet() {
    let mut rig = Rig::delegating();
    let first = rig.quote("of_1", 5);
    assert_eq!(standing(&mut rig, first), Some(OfferStatus::Open));
    let edited = edit(&rig, "of_1", 6, PRINCIPAL_SATS - 1);
    let second = edited.id();
    assert_eq!(rig.ask(rig.delegated("of_2", edited.clone())), Answer::Offer(second));
    assert_eq!((standing(&mut rig, first), standing(&mut rig, second)), (None, Some(OfferStatus::Open)));
    assert_eq!(rig.ask(rig.delegated("of_2", edited)), Answer::Offer(second), "a repeated request");
    let cancelled = text(&program(3), cancellation(&rig, "of_2"), closing(&rig, 7));
    for _ in 0..2 {
        assert_eq!(rig.ask(rig.delegated_revision(cancelled.clone())), Answer::Revised);
    }
    assert_eq!(standing(&mut rig, second), None);
    let lines = std::fs::read_to_string(rig.log()).unwrap().lines().count();
    // The policy, the vault, the delegation, two offers, one cancellation.
    assert_eq!(lines, 6, "nothing was recorded twice");
    let mut rig = rig.restart();
    assert_eq!(standing(&mut rig, second), None);
    assert_eq!(rig.status().unwrap().latest_number, 6);
}

#[test]
fn an_older_edit_is_never_admitted_over_a_newer_one() {
    let mut rig = Rig::delegating();
    rig.quote("of_1", 1);
    let (older, newer) = (edit(&rig, "of_1", 2, PRINCIPAL_SATS), edit(&rig, "of_1", 3, PRINCIPAL_SATS - 7));
    let kept = newer.id();
    assert_eq!(rig.ask(rig.delegated("of_3", newer)), Answer::Offer(kept));
    for _ in 0..2 {
        assert_eq!(rig.code_of(rig.delegated("of_2", older.clone())), "delegation.number_used");
        rig = rig.restart();
    }
    assert_eq!(standing(&mut rig, kept), Some(OfferStatus::Open));
    // A withdrawn quote uses its number up as well.
    let withdrawn = edit(&rig, "of_3", 9, PRINCIPAL_SATS);
    assert_eq!(rig.ask(rig.delegated_revision(withdrawn.clone())), Answer::Revised);
    assert_eq!(standing(&mut rig, kept), None, "neither offer of a withdrawn edit remains");
    assert_eq!(rig.code_of(rig.delegated("of_9", withdrawn)), "delegation.number_used");
}

#[test]
fn a_revocation_is_durable_and_final() {
    let mut rig = Rig::delegating();
    let mine = rig.admit("of_own", None);
    let quoted = rig.quote("of_1", 1);
    let revocation = rig.revocation();
    for _ in 0..2 {
        assert_eq!(rig.ask(revocation.clone()), Answer::Revised);
    }
    let lines = std::fs::read_to_string(rig.log()).unwrap().lines().count();
    assert_eq!(lines, 6, "the second revocation changes nothing");
    for _ in 0..2 {
        assert!(rig.status().unwrap().is_revoked);
        assert_eq!(standing(&mut rig, quoted), None);
        assert_eq!(standing(&mut rig, mine), Some(OfferStatus::Open), "the lender's own offer stays");
        let action = Action::CreateOffer(offer(&rig.policy_hash(), None));
        let signed = text(&program(3), action, closing(&rig, 2));
        assert_eq!(rig.code_of(rig.delegated("of_2", signed)), "delegation.revoked");
        let again = delegation(&rig);
        let again = rig.delegation_request(again);
        assert_eq!(rig.code_of(again), "delegation.revoked", "not even by a new signature");
        rig = rig.restart();
    }
}

#[test]
fn a_revocation_that_comes_before_its_delegation_counts() {
    let mut rig = Rig::new();
    rig.open_vault();
    let wanted = delegation(&rig);
    let request = rig.delegation_request(wanted);
    assert_eq!(rig.ask(rig.revocation()), Answer::Revised);
    rig = rig.restart();
    assert_eq!(rig.code_of(request), "delegation.revoked");
    assert_eq!(rig.status(), None);
}

#[test]
fn the_delegations_and_early_revocations_of_a_lender_are_bounded() {
    let mut rig = Rig::new();
    rig.open_vault();
    let of = |id: usize| DelegationId(u128::try_from(id).unwrap());
    for id in 0..DELEGATIONS_MAX {
        let wanted = NewDelegation { id: of(id), valid_until_s: rig.now_ms / 1_000 + DAY_S, ..delegation(&rig) };
        rig.delegate(wanted);
    }
    let one_more = NewDelegation { id: of(1_000), ..delegation(&rig) };
    let request = rig.delegation_request(one_more.clone());
    assert_eq!(rig.code_of(request), "delegation.too_many");
    let revoke =
        |id| Request::Delegation(DelegationRequest::Revoke { lender_id: super::rig::LENDER_ID, delegation: of(id) });
    for id in 2_000..2_000 + EARLY_REVOCATIONS_MAX {
        assert_eq!(rig.ask(revoke(id)), Answer::Revised);
    }
    assert_eq!(rig.code_of(revoke(9_000)), "delegation.too_many");
    assert_eq!(rig.ask(revoke(0)), Answer::Revised, "a known one is revoked all the same");
    // A day after their time they are forgotten.
    rig.now_ms += 2 * DAY_S * 1_000;
    rig.delegate(NewDelegation { valid_until_s: rig.now_ms / 1_000 + DAY_S, ..one_more });
}

#[test]
fn a_repeated_delegation_changes_nothing_and_needs_its_first_message() {
    let mut rig = Rig::new();
    rig.open_vault();
    let wanted = delegation(&rig);
    let request = rig.delegation_request(wanted.clone());
    for _ in 0..2 {
        assert_eq!(rig.ask(request.clone()), Answer::Revised);
    }
    let wider = rig.delegation_request(NewDelegation { daily_max_sats: u64::from(u32::MAX), ..wanted });
    assert_eq!(rig.code_of(wider), "delegation.duplicate");
    let status = rig.status().unwrap();
    assert_eq!((status.delegation.0, status.is_revoked, status.lent_within_day_sats), (ID, false, 0));
}
