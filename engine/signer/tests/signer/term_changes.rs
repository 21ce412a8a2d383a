//! Tests of term changes, which lenders accept one by one, and of the status of offers.

use bitcoin::hashes::Hash as _;
use escrow::action::{Action, CancelOffers};
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use proptest::prelude::*;
use signer::in_process::InProcess;
use signer::refusal::Refusal;
use signer::request::{Answer, LoanRequest, OfferHash, OfferStatus, Request, STATUS_REQUEST_OFFERS_MAX};
use signer::signed_text::SignedText;
use signer::term_sheet::{Term, TermSheet};
use signer::vault_signer::{SignerError, VaultSigner as _};

use crate::rig::{FORTNIGHT, LENDER_ID, Rig, START_MS, signed_by, wallet};

const DEARER: Term = Term { days: 14, interest_bps: 400 };
const LONGER: Term = Term { days: 30, interest_bps: 500 };

fn changed(rig: &Rig) -> TermSheet {
    TermSheet::new(rig.sheet.clone()).with_change("ninjas-14d", "tc_1".to_owned(), DEARER).with_change(
        "dog-14d",
        "tc_2".to_owned(),
        LONGER,
    )
}

fn accepting(offer_id: &str, term_id: &str) -> Action {
    Action::AcceptTerm { offer_id: offer_id.to_owned(), term_id: term_id.to_owned() }
}

fn acceptance(signed: SignedText) -> Request {
    Request::AcceptTerm { lender_id: LENDER_ID, signed }
}

fn preparing(loan: &LoanRequest) -> Request {
    Request::PrepareLoan(Box::new(loan.clone()))
}

#[test]
fn a_change_of_the_term_applies_once_its_lender_has_accepted_it() {
    let (mut rig, offer) = Rig::lending(None);
    rig.signer.set_sheet(changed(&rig));
    let dearer = LoanRequest { term: DEARER, ..rig.loan(offer) };
    let refusal = Refusal::WrongTerm { days: DEARER.days, interest_bps: DEARER.interest_bps };
    assert_eq!(rig.refusal(preparing(&dearer)), refusal);
    let signed = rig.sign(accepting("of_1", "tc_1"));
    for _ in 0..2 {
        assert_eq!(rig.ask(acceptance(signed.clone())), Answer::Revised, "the answer may have been lost");
    }
    let prepared = rig.prepare(&dearer);
    rig.sign_loan(&dearer, &prepared);
    // After a restart the sheet has no changes at all, and the accepted one still applies.
    let mut rig = rig.restart();
    rig.prepare(&dearer);
    // The original terms were signed as well, and apply until the change takes effect.
    let offered = LoanRequest { term: FORTNIGHT, ..dearer };
    rig.prepare(&offered);
    let neither = LoanRequest { term: LONGER, ..offered };
    assert!(matches!(rig.refusal(preparing(&neither)), Refusal::WrongTerm { .. }));
}

#[test]
fn a_later_change_replaces_an_earlier_one() {
    let (mut rig, offer) = Rig::lending(None);
    rig.signer.set_sheet(changed(&rig).with_change("ninjas-14d", "tc_3".to_owned(), LONGER));
    for term_id in ["tc_1", "tc_3"] {
        let signed = rig.sign(accepting("of_1", term_id));
        assert_eq!(rig.ask(acceptance(signed)), Answer::Revised);
    }
    let dearer = LoanRequest { term: DEARER, ..rig.loan(offer) };
    assert!(matches!(rig.refusal(preparing(&dearer)), Refusal::WrongTerm { .. }));
}

#[test]
fn only_the_lender_accepts_and_only_what_is_on_the_sheet_of_the_offer() {
    let mut rig = Rig::new();
    rig.signer.set_sheet(changed(&rig));
    let early = rig.sign(accepting("of_1", "tc_1"));
    assert_eq!(rig.refusal(acceptance(early)), Refusal::NoVault { lender_id: LENDER_ID });
    rig.open_vault();
    let early = rig.sign(accepting("of_1", "tc_1"));
    assert_eq!(rig.refusal(acceptance(early)), Refusal::NoOffer);
    rig.admit("of_1", None);
    // A change of another slug does not apply to this offer.
    for term_id in ["tc_2", "tc_9"] {
        let signed = rig.sign(accepting("of_1", term_id));
        let refusal = Refusal::UnknownTerm { slug: "ninjas-14d".to_owned(), term_id: term_id.to_owned() };
        assert_eq!(rig.refusal(acceptance(signed)), refusal);
    }
    let thief = wallet(6);
    let address = thief.payment_address().to_string();
    let envelope = Envelope { address: address.clone(), ..rig.envelope() };
    let signed = signed_by(&thief, AddressKind::P2wpkh, accepting("of_1", "tc_1"), envelope);
    assert_eq!(rig.refusal(acceptance(signed)), Refusal::ForeignAddress { address });
    let other = rig.sign(Action::PauseOffer { offer_id: "of_1".to_owned() });
    assert_eq!(rig.refusal(acceptance(other)), Refusal::WrongAction { expected: "accept term".to_owned() });
    // An acceptance is not a revision either: it needs the sheet.
    let signed = rig.sign(accepting("of_1", "tc_1"));
    let revision = Request::ReviseOffers { lender_id: LENDER_ID, signed };
    assert_eq!(rig.refusal(revision), Refusal::WrongAction { expected: "cancel offers".to_owned() });
}

#[test]
fn an_accepted_change_ends_with_the_offer() {
    let (mut rig, offer) = Rig::lending(None);
    rig.signer.set_sheet(changed(&rig));
    let signed = rig.sign(accepting("of_1", "tc_1"));
    assert_eq!(rig.ask(acceptance(signed.clone())), Answer::Revised);
    let ordinal_offer_ids = vec!["of_1".to_owned()];
    let cancel = CancelOffers { ordinal_offer_ids, rune_offer_ids: Vec::new(), vault: None };
    let cancelled = rig.sign(Action::CancelOffers(cancel));
    rig.ask(Request::ReviseOffers { lender_id: LENDER_ID, signed: cancelled });
    // The same message again, as its answer may have been lost: nothing is restored by it.
    assert_eq!(rig.ask(acceptance(signed)), Answer::Revised);
    let dearer = LoanRequest { term: DEARER, ..rig.loan(offer) };
    assert_eq!(rig.refusal(preparing(&dearer)), Refusal::NoOffer);
    let again = rig.admission("of_1", None);
    assert_eq!(rig.refusal(again), Refusal::CancelledBefore { offer_id: "of_1".to_owned() });
    let second = rig.admit("of_2", None);
    let dearer = LoanRequest { offer: second, ..dearer };
    assert!(matches!(rig.refusal(preparing(&dearer)), Refusal::WrongTerm { .. }));
}

#[test]
fn one_message_ends_all_offers_of_a_lender_and_none_that_come_later() {
    let (mut rig, first) = Rig::lending(None);
    let second = rig.admit("of_2", None);
    let signed = rig.sign(Action::CancelAllOffers { vault: "any".to_owned() });
    let revision = Request::ReviseOffers { lender_id: LENDER_ID, signed };
    assert_eq!(rig.ask(revision.clone()), Answer::Revised);
    for offer in [first, second] {
        assert_eq!(rig.refusal(preparing(&rig.loan(offer))), Refusal::NoOffer);
    }
    let later = rig.admit("of_3", None);
    assert_eq!(rig.ask(revision), Answer::Revised, "the same message again");
    let loan = rig.loan(later);
    rig.prepare(&loan);
}

#[test]
fn a_sheet_is_read_with_its_changes() {
    let text = r#"{"dog-14d": {"days": 14, "interest_bps": 325, "rune": "840000:3",
        "changes": {"tc_2": {"days": 30, "interest_bps": 500}}}}"#;
    let sheet: TermSheet = serde_json::from_str(text).unwrap();
    assert_eq!(sheet.change("dog-14d", "tc_2"), Some(LONGER));
    assert_eq!(sheet.listing("dog-14d").map(|listing| listing.term()), Some(FORTNIGHT));
    assert_eq!((sheet.change("dog-14d", "tc_1"), sheet.change("cats", "tc_2")), (None, None));
    assert!(serde_json::from_str::<TermSheet>(&text.replace("changes", "chances")).is_err());
}

#[tokio::test]
async fn a_signer_in_process_accepts_a_new_sheet_while_it_serves() {
    let (mut rig, offer) = Rig::lending(None);
    let message = rig.sign(accepting("of_1", "tc_1"));
    let sheet = changed(&rig);
    let Rig { signer, folder: _folder, .. } = rig;
    let signer = InProcess::with_clock(signer, || START_MS);
    let unknown = Refusal::UnknownTerm { slug: "ninjas-14d".to_owned(), term_id: "tc_1".to_owned() };
    assert_eq!(signer.accept_term(LENDER_ID, message.clone()).await, Err(SignerError::Refused(unknown)));
    signer.set_sheet(sheet).unwrap();
    assert_eq!(signer.accept_term(LENDER_ID, message).await, Ok(()));
    let name = OfferHash(offer);
    assert_eq!(signer.offer_status(vec![name]).await, Ok(vec![(name, OfferStatus::Open)]));
}

fn standing(rig: &mut Rig, offers: Vec<OfferHash>) -> Vec<(OfferHash, OfferStatus)> {
    match rig.ask(Request::Standing { offers }) {
        Answer::Standing(standing) => standing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn offers_that_were_cancelled_or_expired_or_are_for_another_policy_are_not_open() {
    let (mut rig, first) = Rig::lending(None);
    let second = rig.admit("of_2", None);
    let unknown = OfferHash(bitcoin::hashes::sha256::Hash::all_zeros());
    let (one, other) = (OfferHash(first), OfferHash(second));
    let all = vec![one, unknown, other];
    assert_eq!(standing(&mut rig, all.clone()), [(one, OfferStatus::Open), (other, OfferStatus::Open)]);
    // A paused offer still exists.
    let pause = rig.sign(Action::PauseOffer { offer_id: "of_1".to_owned() });
    rig.ask(Request::ReviseOffers { lender_id: LENDER_ID, signed: pause });
    assert_eq!(standing(&mut rig, all.clone()), [(one, OfferStatus::Paused), (other, OfferStatus::Open)]);
    let ordinal_offer_ids = vec!["of_1".to_owned()];
    let cancel = CancelOffers { ordinal_offer_ids, rune_offer_ids: Vec::new(), vault: None };
    let signed = rig.sign(Action::CancelOffers(cancel));
    rig.ask(Request::ReviseOffers { lender_id: LENDER_ID, signed });
    assert_eq!(standing(&mut rig, all.clone()), [(other, OfferStatus::Open)]);
    let mut rig = rig.restart();
    assert_eq!(standing(&mut rig, all.clone()), [(other, OfferStatus::Open)]);
    rig.draft.limits.hour_max_count += 1;
    let mut rig = rig.restart();
    assert_eq!(standing(&mut rig, all.clone()), [(other, OfferStatus::OtherPolicy)]);
    rig.draft.limits.hour_max_count -= 1;
    let mut rig = rig.restart();
    assert_eq!(standing(&mut rig, all.clone()), [(other, OfferStatus::Open)]);
    rig.now_ms += (rig.draft.offer_age_max_seconds + 1) * 1_000;
    assert_eq!(standing(&mut rig, all), [], "too old");
    let many = vec![unknown; STATUS_REQUEST_OFFERS_MAX + 1];
    let refusal = Refusal::TooManyOffers { max: STATUS_REQUEST_OFFERS_MAX, found: STATUS_REQUEST_OFFERS_MAX + 1 };
    assert_eq!(rig.refusal(Request::Standing { offers: many }), refusal);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Checks that, whatever changes a lender accepts in whatever order, only the offered term or the last accepted one
    /// is lent at.
    #[test]
    fn no_loan_has_a_term_that_the_lender_did_not_accept(accepted in prop::collection::vec(0_usize..3, 0..4)) {
        let terms: Vec<Term> = (0..3).map(|step| Term { days: 14, interest_bps: 400 + step }).collect();
        let (mut rig, offer) = Rig::lending(None);
        let mut sheet = TermSheet::new(rig.sheet.clone());
        for (number, term) in terms.iter().enumerate() {
            sheet = sheet.with_change("ninjas-14d", format!("tc_{number}"), *term);
        }
        rig.signer.set_sheet(sheet);
        for number in &accepted {
            let signed = rig.sign(accepting("of_1", &format!("tc_{number}")));
            prop_assert_eq!(rig.ask(acceptance(signed)), Answer::Revised);
        }
        for (number, term) in terms.iter().enumerate() {
            let loan = LoanRequest { term: *term, ..rig.loan(offer) };
            let is_lent = matches!(rig.ask(preparing(&loan)), Answer::Prepared(_));
            prop_assert_eq!(is_lent, accepted.last() == Some(&number));
        }
    }
}

#[test]
fn a_withdrawn_quote_leaves_no_offer_and_never_returns() {
    let (mut rig, first) = Rig::lending(None);
    let policy = rig.policy_hash();
    let names = |rig: &mut Rig, all: &[OfferHash]| {
        standing(rig, all.to_vec()).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    // An edit that was not admitted still removes the old offer.
    let new_offer = crate::rig::offer(&policy, None);
    let edit = rig.sign(Action::EditOffer { delete_offer_id: "of_1".to_owned(), new_offer: new_offer.clone() });
    let all = [OfferHash(first), OfferHash(edit.id())];
    let taken_back = Request::ReviseOffers { lender_id: LENDER_ID, signed: edit.clone() };
    assert_eq!(rig.ask(taken_back.clone()), Answer::Revised);
    assert_eq!(names(&mut rig, &all), []);
    assert_eq!(rig.ask(taken_back), Answer::Revised);
    let late = Request::AdmitOffer { lender_id: LENDER_ID, offer_id: "of_2".to_owned(), signed: edit };
    assert_eq!(rig.refusal(late), Refusal::NoOffer);
    // An edit or creation that was admitted, but whose answer was lost, is removed as well.
    let third = rig.admit("of_3", None);
    let edit = rig.sign(Action::EditOffer { delete_offer_id: "of_3".to_owned(), new_offer: new_offer.clone() });
    let create = rig.sign(Action::CreateOffer(new_offer));
    let admit = |offer_id: &str, signed: &SignedText| Request::AdmitOffer {
        lender_id: LENDER_ID,
        offer_id: offer_id.to_owned(),
        signed: signed.clone(),
    };
    assert_eq!(rig.ask(admit("of_4", &edit)), Answer::Offer(edit.id()));
    assert_eq!(rig.ask(admit("of_5", &create)), Answer::Offer(create.id()));
    let all = [third, edit.id(), create.id()].map(OfferHash);
    assert_eq!(names(&mut rig, &all), [OfferHash(edit.id()), OfferHash(create.id())]);
    rig.ask(Request::ReviseOffers { lender_id: LENDER_ID, signed: edit.clone() });
    assert_eq!(names(&mut rig, &all), [OfferHash(create.id())]);
    rig.ask(Request::ReviseOffers { lender_id: LENDER_ID, signed: create.clone() });
    let mut rig = rig.restart();
    assert_eq!(names(&mut rig, &all), []);
    assert_eq!(rig.refusal(admit("of_5", &create)), Refusal::NoOffer);
    assert_eq!(rig.refusal(admit("of_6", &edit)), Refusal::NoOffer);
}
