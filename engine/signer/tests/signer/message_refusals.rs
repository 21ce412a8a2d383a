//! Tests of the messages that lenders sign, and of invalid ones.

use bitcoin::Network;
use escrow::action::{Action, CancelOffers, NewOffer, OfferProcess};
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use signer::refusal::Refusal;
use signer::request::{Answer, Request};
use signer::signed_text::SignedText;

use crate::rig::{LENDER_ID, Rig, offer, ordinals_key, signed_by, wallet};

fn admission(signed: SignedText) -> Request {
    Request::AdmitOffer { lender_id: LENDER_ID, offer_id: "of_1".to_owned(), signed }
}

fn revision(signed: SignedText) -> Request {
    Request::ReviseOffers { lender_id: LENDER_ID, signed }
}

fn cancel(offer_id: &str) -> Action {
    let ordinal_offer_ids = vec![offer_id.to_owned()];
    Action::CancelOffers(CancelOffers { ordinal_offer_ids, rune_offer_ids: Vec::new(), vault: None })
}

#[test]
fn a_message_of_another_site_or_network_or_time_or_with_a_bad_signature_is_refused() {
    let mut rig = Rig::new();
    rig.open_vault();
    let create = Action::CreateOffer(offer(&rig.policy_hash(), None));
    let good = rig.envelope();
    let now_s = good.issued_s;
    let mut refusal = |envelope: Envelope| {
        rig.refusal(admission(signed_by(&wallet(2), AddressKind::P2wpkh, create.clone(), envelope)))
    };
    assert_eq!(
        refusal(Envelope { domain: "lienbook.evil".to_owned(), ..good.clone() }),
        Refusal::WrongDomain { expected: "lienbook.example".to_owned(), found: "lienbook.evil".to_owned() }
    );
    assert_eq!(
        refusal(Envelope { network: Network::Signet, ..good.clone() }),
        Refusal::WrongNetwork { expected: "regtest".to_owned(), found: "signet".to_owned() }
    );
    for (issued_s, expires_s) in
        [(now_s - 600, now_s), (now_s + 61, now_s + 600), (now_s, now_s), (now_s - 10, now_s + 600)]
    {
        let found = refusal(Envelope { issued_s, expires_s, ..good.clone() });
        assert!(matches!(found, Refusal::NotFresh { .. }), "{issued_s}..{expires_s}: {found:?}");
    }
    let mut signed = rig.sign(create.clone());
    signed.message = signed.message.replace("2000000", "2000001");
    let address = rig.lender.payment_address().to_string();
    let found = rig.refusal(admission(signed.clone()));
    assert!(matches!(&found, Refusal::BadSignature { address: found, .. } if *found == address), "{found:?}");
    signed.message.push('\n');
    let found = rig.refusal(admission(signed));
    assert!(matches!(found, Refusal::MessageUnreadable { .. }), "{found:?}");
}

#[test]
fn only_the_key_in_the_script_of_the_vault_opens_it() {
    let mut rig = Rig::new();
    let hash = rig.policy_hash().to_string();
    let payment_address = rig.lender.payment_address().to_string();
    let open = Action::OpenVault { payment_address: payment_address.clone(), vault: hash.clone() };
    let ask = |signed| Request::OpenVault { lender_id: LENDER_ID, lender: ordinals_key(&wallet(2)), signed };
    let by_payment = rig.sign(open.clone());
    assert_eq!(rig.refusal(ask(by_payment)), Refusal::ForeignAddress { address: payment_address.clone() });
    let thief = wallet(6);
    let thiefs = Envelope { address: thief.ordinals_address().to_string(), ..rig.envelope() };
    let by_thief = signed_by(&thief, AddressKind::P2tr, open, thiefs.clone());
    let address = thief.ordinals_address().to_string();
    assert_eq!(rig.refusal(ask(by_thief)), Refusal::ForeignAddress { address: address.clone() });
    // With the thief's own key it would be another vault; the open one stays the lender's.
    rig.open_vault();
    let open = Action::OpenVault { payment_address: address, vault: hash.clone() };
    let signed = signed_by(&thief, AddressKind::P2tr, open, thiefs);
    let request = Request::OpenVault { lender_id: LENDER_ID, lender: ordinals_key(&thief), signed };
    assert_eq!(rig.refusal(request), Refusal::OtherLender { lender_id: LENDER_ID });
    let own = Envelope { address: rig.lender.ordinals_address().to_string(), ..rig.envelope() };
    let signs = |action| ask(signed_by(&wallet(2), AddressKind::P2tr, action, own.clone()));
    let found = rig.refusal(signs(Action::OpenVault { payment_address: "nowhere".to_owned(), vault: hash.clone() }));
    assert!(matches!(found, Refusal::ImpossibleVault { .. }), "{found:?}");
    let other = Action::OpenVault { payment_address, vault: "other".to_owned() };
    assert_eq!(rig.refusal(signs(other)), Refusal::OtherPolicy { expected: hash, found: "other".to_owned() });
    let found = rig.refusal(signs(cancel("of_1")));
    assert_eq!(found, Refusal::WrongAction { expected: "open vault".to_owned() });
}

#[test]
fn an_earlier_message_does_not_change_the_payment_address() {
    let mut rig = Rig::new();
    let earlier = rig.opening();
    rig.now_ms += 5_000;
    rig.open_vault();
    assert!(matches!(rig.refusal(earlier), Refusal::NotFresh { .. }));
    // Repeating the last message is harmless.
    rig.now_ms += 5_000;
    let later = rig.opening();
    for _ in 0..2 {
        assert!(matches!(rig.ask(later.clone()), Answer::Vault(_)));
    }
}

#[test]
fn only_the_lender_can_create_offers_of_the_vault() {
    let mut rig = Rig::new();
    let early = rig.admission("of_1", None);
    assert_eq!(rig.refusal(early), Refusal::NoVault { lender_id: LENDER_ID });
    rig.open_vault();
    let thief = wallet(6);
    let create = Action::CreateOffer(offer(&rig.policy_hash(), None));
    let address = thief.payment_address().to_string();
    let envelope = Envelope { address: address.clone(), ..rig.envelope() };
    let signed = signed_by(&thief, AddressKind::P2wpkh, create.clone(), envelope);
    assert_eq!(rig.refusal(admission(signed)), Refusal::ForeignAddress { address });
    // The ordinals address is valid for the vault as well as the payment address.
    let envelope = Envelope { address: rig.lender.ordinals_address().to_string(), ..rig.envelope() };
    let signed = signed_by(&rig.lender, AddressKind::P2tr, create, envelope);
    assert!(matches!(rig.ask(admission(signed)), Answer::Offer(_)));
}

#[test]
fn only_instant_offers_of_listed_slugs_for_this_policy_are_admitted() {
    let mut rig = Rig::new();
    rig.open_vault();
    let hash = rig.policy_hash();
    let mut refusal = |new_offer: NewOffer| {
        let signed = rig.sign(Action::CreateOffer(new_offer));
        rig.refusal(admission(signed))
    };
    let instant = offer(&hash, None);
    let manual = NewOffer { process: OfferProcess::Manual { quantity: 1 }, ..instant.clone() };
    assert_eq!(refusal(manual), Refusal::ManualOffer);
    let unlisted = NewOffer { collection_slug: "cats-14d".to_owned(), ..instant.clone() };
    assert_eq!(refusal(unlisted), Refusal::UnknownSlug { slug: "cats-14d".to_owned() });
    let other = offer(&bitcoin::hashes::Hash::all_zeros(), None);
    let expected = Refusal::OtherPolicy { expected: hash.to_string(), found: "0".repeat(64) };
    assert_eq!(refusal(other), expected);
    for (slug, rune_amount) in [("dog-14d", None), ("ninjas-14d", Some(5))] {
        let confused = NewOffer { collection_slug: slug.to_owned(), ..offer(&hash, rune_amount) };
        assert_eq!(refusal(confused), Refusal::WrongCollateral);
    }
    assert_eq!(refusal(offer(&hash, Some(0))), Refusal::NoRunesWanted);
    let signed = rig.sign(cancel("of_1"));
    assert_eq!(rig.refusal(admission(signed)), Refusal::WrongAction { expected: "create offer".to_owned() });
    let signed = rig.sign(Action::AcceptTerm { offer_id: "of_1".to_owned(), term_id: "tc_1".to_owned() });
    assert_eq!(rig.refusal(revision(signed)), Refusal::WrongAction { expected: "cancel offers".to_owned() });
    for offer_id in ["", "of 1", &"x".repeat(129)] {
        let signed = rig.sign(Action::CreateOffer(instant.clone()));
        let request = Request::AdmitOffer { lender_id: LENDER_ID, offer_id: offer_id.to_owned(), signed };
        assert_eq!(rig.refusal(request), Refusal::OfferId { max: 128 });
    }
}

#[test]
fn a_nonce_is_valid_for_one_message_and_an_id_for_one_offer() {
    let (mut rig, _) = Rig::lending(None);
    let again = rig.admission("of_1", None);
    assert_eq!(rig.refusal(again), Refusal::DuplicateOffer { offer_id: "of_1".to_owned() });
    let envelope = rig.envelope();
    let sign = |action| signed_by(&wallet(2), AddressKind::P2wpkh, action, envelope.clone());
    let first = offer(&rig.policy_hash(), None);
    let second = NewOffer { principal_sats: 3_000_000, ..first.clone() };
    let ask = |action| Request::AdmitOffer { lender_id: LENDER_ID, offer_id: "of_2".to_owned(), signed: sign(action) };
    let admitted = rig.ask(ask(Action::CreateOffer(first.clone())));
    assert!(matches!(admitted, Answer::Offer(_)));
    assert_eq!(rig.ask(ask(Action::CreateOffer(first))), admitted, "the answer may have been lost");
    let used = Refusal::NonceUsed { nonce: envelope.nonce.clone() };
    assert_eq!(rig.refusal(ask(Action::CreateOffer(second))), used);
    assert_eq!(rig.refusal(revision(sign(cancel("of_2")))), used);
    let mut rig = rig.restart();
    assert_eq!(rig.refusal(revision(sign(cancel("of_2")))), used);
}

#[test]
fn a_cancelled_replaced_or_paused_offer_cannot_be_used() {
    let (mut rig, first) = Rig::lending(None);
    let loan = rig.loan(first);
    let pause = rig.sign(Action::PauseOffer { offer_id: "of_1".to_owned() });
    assert_eq!(rig.ask(revision(pause)), Answer::Revised);
    let mut rig = rig.restart();
    let asked = Request::PrepareLoan(Box::new(loan.clone()));
    assert_eq!(rig.refusal(asked.clone()), Refusal::OfferPaused { offer_id: "of_1".to_owned() });
    let resume = rig.sign(Action::ResumeOffer { offer_id: "of_1".to_owned() });
    rig.ask(revision(resume));
    rig.prepare(&loan);
    let edit = Action::EditOffer { delete_offer_id: "of_1".to_owned(), new_offer: offer(&rig.policy_hash(), None) };
    let signed = rig.sign(edit);
    let request = Request::AdmitOffer { lender_id: LENDER_ID, offer_id: "of_2".to_owned(), signed };
    let Answer::Offer(second) = rig.ask(request.clone()) else { panic!("not admitted") };
    assert_eq!(rig.refusal(asked), Refusal::NoOffer);
    let loan = rig.loan(second);
    rig.prepare(&loan);
    let cancelled = rig.sign(cancel("of_2"));
    for _ in 0..2 {
        assert_eq!(rig.ask(revision(cancelled.clone())), Answer::Revised);
    }
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan.clone()))), Refusal::NoOffer);
    // The message that created it does not restore it.
    assert_eq!(rig.refusal(request), Refusal::NoOffer);
    let mut rig = rig.restart();
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan))), Refusal::NoOffer);
}

#[test]
fn a_clock_that_jumps_makes_no_used_message_fresh_again() {
    let mut rig = Rig::new();
    rig.open_vault();
    let request = rig.admission("of_1", None);
    let Answer::Offer(offer) = rig.ask(request.clone()) else { panic!("not admitted") };
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    rig.sign_loan(&loan, &prepared);
    // A year later every message and offer has expired and is removed; with the clock set back, the offer must not
    // return.
    rig.now_ms += 365 * 86_400_000;
    rig.ask(Request::Describe);
    rig.now_ms -= 365 * 86_400_000;
    assert!(matches!(rig.refusal(request), Refusal::NotFresh { .. }));
}
