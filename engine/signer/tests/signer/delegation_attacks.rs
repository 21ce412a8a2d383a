//! Named attacks on delegations and on the offers under them: the signer refuses each by itself, for its reason.

use bitcoin::Network;
use escrow::action::{Action, OfferProcess};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::delegated_action::DelegatedEnvelope;
use escrow::delegation_id::DelegationId;
use escrow::envelope::Envelope;
use escrow::new_delegation::NewDelegation;
use signer::delegation_request::DelegationRequest;
use signer::program_text::ProgramText;
use signer::request::{Answer, Request};
use signer::signed_text::SignedText;

use super::program::{DAY_S, cancellation, changed, closing, delegation, from_vault, program, text};
use super::rig::{LENDER_ID, PRINCIPAL_SATS, Rig, offer, signed_by, wallet};

fn admit(signed: SignedText) -> Request {
    Request::Delegation(DelegationRequest::Admit { lender_id: LENDER_ID, signed })
}

/// Replaces a part of a text, which must be there once.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} in {text}");
    text.replace(from, to)
}

fn other_key() -> String {
    program(9).x_only_public_key().0.to_string()
}

/// Parts of the text of the usual delegation, with what replaces them.
fn changes_of_delegation(rig: &Rig) -> Vec<(&'static str, String, String)> {
    let wanted = delegation(rig);
    let number = |name: &str, value: u64| format!("{name}: {value}");
    vec![
        ("id", format!("Delegation: {}", wanted.id), format!("Delegation: {}", DelegationId(8))),
        ("program key", wanted.program_key.to_string(), other_key()),
        ("vaults", format!("Vault: {}", rig.policy_hash()), "Vaults: all".to_owned()),
        ("collections", "Collection: ninjas-14d".to_owned(), "Collections: all".to_owned()),
        ("another collection", "Collection: ninjas-14d".to_owned(), "Collection: dog-14d".to_owned()),
        ("principal", number("Max principal sats", PRINCIPAL_SATS), number("Max principal sats", PRINCIPAL_SATS + 1)),
        ("day", number("Max daily sats", 2 * PRINCIPAL_SATS), number("Max daily sats", 3 * PRINCIPAL_SATS)),
        ("interest", number("Min interest x100", 325), number("Min interest x100", 0)),
        ("term", number("Max term days", 14), number("Max term days", 365)),
        ("expiry", number("Valid until", wanted.valid_until_s), number("Valid until", wanted.valid_until_s + DAY_S)),
        ("nonce", "Nonce: nonce".to_owned(), "Nonce: other".to_owned()),
    ]
}

#[test]
fn a_delegation_that_was_changed_after_signing_is_refused() {
    let mut rig = Rig::new();
    rig.open_vault();
    let wanted = delegation(&rig);
    let signed = rig.sign(Action::DelegateQuotes(wanted));
    for (name, from, to) in changes_of_delegation(&rig) {
        let changed = SignedText { message: replaced(&signed.message, &from, &to), ..signed.clone() };
        assert_eq!(rig.code_of(admit(changed)), "bad_signature", "{name}");
    }
    assert_eq!(rig.ask(admit(signed)), Answer::Revised, "the original is admitted");
}

#[test]
fn a_delegation_for_another_place_time_or_lender_is_refused() {
    let mut rig = Rig::new();
    rig.open_vault();
    let wanted = delegation(&rig);
    let action = || Action::DelegateQuotes(wanted.clone());
    let own = AddressKind::P2wpkh;
    let (lender, unrelated) = (wallet(2), wallet(5));
    let mut cases: Vec<(&str, SignedText, &str)> = Vec::new();
    let base = rig.envelope();
    let with = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = base.clone();
        change(&mut envelope);
        envelope
    };
    let other_domain = with(&|it| it.domain = "evil.example".to_owned());
    cases.push(("other domain", signed_by(&lender, own, action(), other_domain), "wrong_domain"));
    let other_network = with(&|it| it.network = Network::Bitcoin);
    cases.push(("other network", signed_by(&lender, own, action(), other_network), "wrong_network"));
    let old = with(&|it| (it.issued_s, it.expires_s) = (it.issued_s - 600, it.expires_s - 600));
    cases.push(("expired at the second", signed_by(&lender, own, action(), old), "not_fresh"));
    let early = with(&|it| (it.issued_s, it.expires_s) = (it.issued_s + 61, it.expires_s + 61));
    cases.push(("issued in the future", signed_by(&lender, own, action(), early), "not_fresh"));
    let long = with(&|it| it.expires_s += 1);
    cases.push(("fresh for too long", signed_by(&lender, own, action(), long), "not_fresh"));
    let unrelateds = with(&|it| it.address = unrelated.payment_address().to_string());
    cases.push(("swapped lender", signed_by(&unrelated, own, action(), unrelateds), "foreign_address"));
    cases.push(("signature of another wallet", signed_by(&unrelated, own, action(), base.clone()), "bad_signature"));
    let of_vault = |vault: &str| NewDelegation { vaults: Some(vec![vault.to_owned()]), ..wanted.clone() };
    let elsewhere = Action::DelegateQuotes(of_vault(&"ab".repeat(32)));
    cases.push(("other vault", signed_by(&lender, own, elsewhere, base.clone()), "delegation.other_vault"));
    let pause = Action::PauseOffer { offer_id: "of_1".to_owned() };
    cases.push(("other action", signed_by(&lender, own, pause, base.clone()), "wrong_action"));
    for (name, signed, expected) in cases {
        assert_eq!(rig.code_of(admit(signed)), expected, "{name}");
    }
    let signed = signed_by(&lender, own, action(), base.clone());
    let unknown_lender = DelegationRequest::Admit { lender_id: 99, signed: signed.clone() };
    assert_eq!(rig.code_of(Request::Delegation(unknown_lender)), "no_vault", "other lender id");
    assert_eq!(rig.ask(admit(signed)), Answer::Revised, "the original is admitted");
    let again = Action::DelegateQuotes(NewDelegation { id: DelegationId(8), ..wanted.clone() });
    assert_eq!(rig.code_of(admit(signed_by(&lender, own, again, base))), "nonce_used", "a nonce twice");
}

#[test]
fn a_text_in_another_form_is_refused_though_it_is_signed() {
    let mut rig = Rig::new();
    rig.open_vault();
    let text = ActionMessage::new(Action::DelegateQuotes(delegation(&rig)), rig.envelope()).unwrap().to_text();
    let key = delegation(&rig).program_key.to_string();
    let until = rig.now_ms / 1_000 + 30 * DAY_S;
    let too_long = rig.now_ms / 1_000 + 90 * DAY_S + 1;
    for (name, message) in [
        ("leading zero", replaced(&text, "Max daily sats: ", "Max daily sats: 0")),
        ("upper-case key", replaced(&text, &key, &key.to_uppercase())),
        ("key off the curve", replaced(&text, &key, &"f".repeat(64))),
        ("short id", replaced(&text, "Delegation: 0", "Delegation: ")),
        ("line twice", replaced(&text, "Max term days: 14", "Max term days: 14\nMax term days: 14")),
        ("lines in another order", {
            let (term, interest) = ("Max term days: 14", "Min interest x100: 325");
            replaced(&text, &format!("{interest}\n{term}"), &format!("{term}\n{interest}"))
        }),
        (
            "collection twice",
            replaced(&text, "Collection: ninjas-14d", "Collection: ninjas-14d\nCollection: ninjas-14d"),
        ),
        ("no collection", replaced(&text, "Collection: ninjas-14d\n", "")),
        ("both list and all", replaced(&text, "Collection: ninjas-14d", "Collections: all\nCollection: ninjas-14d")),
        ("above 90 days", replaced(&text, &format!("Valid until: {until}"), &format!("Valid until: {too_long}"))),
        ("no day", replaced(&text, &format!("Max daily sats: {}", 2 * PRINCIPAL_SATS), "Max daily sats: 0")),
        ("line at the end", format!("{text}\nNote: more")),
        ("carriage returns", text.replace('\n', "\r\n")),
    ] {
        let signature = rig.lender.sign_bip322(AddressKind::P2wpkh, &message).unwrap();
        assert_eq!(rig.code_of(admit(SignedText { message, signature })), "message_unreadable", "{name}");
    }
}

#[test]
fn an_offer_that_was_changed_after_signing_is_refused() {
    let mut rig = Rig::delegating();
    let limited = changed(&rig, |offer| {
        if let OfferProcess::Instant(terms) = &mut offer.process {
            (terms.borrower, terms.good_until_s) = (Some("bcrt1qborrower".to_owned()), Some(1_900_000_000));
        }
    });
    let signed = text(&program(3), Action::CreateOffer(limited), closing(&rig, 17));
    let now_s = rig.now_ms / 1_000;
    let elsewhere = rig.policy_hash().to_string().chars().rev().collect::<String>();
    for (name, from, to, expected) in [
        ("action", "create offer".to_owned(), "edit offer\nDelete offer: of_9".to_owned(), "delegation.bad_signature"),
        ("collection", "ninjas-14d".to_owned(), "dog-14d".to_owned(), "delegation.bad_signature"),
        ("process", "Process: instant".to_owned(), "Process: manual".to_owned(), "message_unreadable"),
        ("principal", PRINCIPAL_SATS.to_string(), "1".to_owned(), "delegation.bad_signature"),
        (
            "least principal",
            "Max LTV".to_owned(),
            "Min principal sats: 1\nMax LTV".to_owned(),
            "delegation.bad_signature",
        ),
        ("inscriptions", "Max LTV".to_owned(), "Inscriptions: 2\nMax LTV".to_owned(), "delegation.bad_signature"),
        ("largest LTV", "x100: 7500".to_owned(), "x100: 9800".to_owned(), "delegation.bad_signature"),
        ("next term", "term: no".to_owned(), "term: yes".to_owned(), "delegation.bad_signature"),
        ("borrower", "Borrower: bcrt1qborrower\n".to_owned(), String::new(), "delegation.bad_signature"),
        ("good until", "Good until: 1900000000\n".to_owned(), String::new(), "delegation.bad_signature"),
        ("vault", rig.policy_hash().to_string(), elsewhere, "delegation.bad_signature"),
        ("delegation", "0007\n".to_owned(), "0008\n".to_owned(), "delegation.unknown"),
        ("number", "Number: 17".to_owned(), "Number: 18".to_owned(), "delegation.bad_signature"),
        ("domain", "lienbook.example".to_owned(), "evil.example".to_owned(), "wrong_domain"),
        ("network", "Network: regtest".to_owned(), "Network: bitcoin".to_owned(), "wrong_network"),
        ("address", "\nAddress: ".to_owned(), "\nAddress: x".to_owned(), "foreign_address"),
        ("issue", format!("Issued: {now_s}"), format!("Issued: {}", now_s + 1), "delegation.bad_signature"),
        (
            "expiry",
            format!("Expires: {}", now_s + 600),
            format!("Expires: {}", now_s + 599),
            "delegation.bad_signature",
        ),
    ] {
        let altered = ProgramText { message: replaced(&signed.message, &from, &to), ..signed.clone() };
        assert_eq!(rig.code_of(rig.delegated("of_1", altered.clone())), expected, "{name}");
        assert_eq!(rig.code_of(rig.delegated_revision(altered)), expected, "{name}, as a revision");
    }
    let mut flipped = signed.clone();
    let last = if flipped.signature.pop() == Some('0') { '1' } else { '0' };
    flipped.signature.push(last);
    assert_eq!(rig.code_of(rig.delegated("of_1", flipped)), "delegation.bad_signature", "signature");
    assert!(matches!(rig.ask(rig.delegated("of_1", signed)), Answer::Offer(_)), "the original is admitted");
}

#[test]
fn a_program_that_oversteps_its_delegation_is_refused() {
    let mut rig = Rig::delegating();
    rig.quote("of_1", 10);
    rig.admit("of_own", None);
    let other = NewDelegation {
        id: DelegationId(8),
        program_key: program(4).x_only_public_key().0,
        vaults: None,
        collections: None,
        principal_max_sats: PRINCIPAL_SATS - 1,
        ..delegation(&rig)
    };
    rig.delegate(other);
    let policy = rig.policy_hash();
    let usual = || Action::CreateOffer(offer(&policy, None));
    let larger = changed(&rig, |offer| offer.principal_sats += 1);
    let unlisted = changed(&rig, |offer| offer.collection_slug = "frogs-7d".to_owned());
    let edit =
        |id: &str| Action::EditOffer { delete_offer_id: id.to_owned(), new_offer: offer(&rig.policy_hash(), None) };
    let with = |change: &dyn Fn(&mut DelegatedEnvelope)| {
        let mut envelope = closing(&rig, 11);
        change(&mut envelope);
        envelope
    };
    let own = |action, envelope| text(&program(3), action, envelope);
    let eighth = with(&|it| it.delegation = DelegationId(8));
    let dog = Action::CreateOffer(offer(&rig.policy_hash(), Some(1_000)));
    let past = with(&|it| (it.issued_s, it.expires_s) = (it.issued_s - 600, it.issued_s));
    let cases = [
        ("larger principal", own(Action::CreateOffer(larger), with(&|_| ())), "delegation.principal"),
        ("other collection", own(dog, with(&|_| ())), "delegation.other_collection"),
        ("unlisted collection", own(Action::CreateOffer(unlisted), with(&|_| ())), "unknown_slug"),
        ("other vault", own(Action::CreateOffer(from_vault(&rig, "ab")), with(&|_| ())), "other_policy"),
        ("the same number", own(usual(), with(&|it| it.number = 10)), "delegation.number_used"),
        ("a lower number", own(usual(), with(&|it| it.number = 9)), "delegation.number_used"),
        ("number zero", own(usual(), with(&|it| it.number = 0)), "delegation.number_used"),
        ("expired text", own(usual(), past), "not_fresh"),
        (
            "future text",
            own(usual(), with(&|it| (it.issued_s, it.expires_s) = (it.issued_s + 61, it.expires_s + 61))),
            "not_fresh",
        ),
        ("other network", own(usual(), with(&|it| it.network = Network::Signet)), "wrong_network"),
        ("other domain", own(usual(), with(&|it| it.domain = "evil.example".to_owned())), "wrong_domain"),
        (
            "the lender's other address",
            own(usual(), with(&|it| it.address = rig.lender.ordinals_address().to_string())),
            "foreign_address",
        ),
        ("another program's delegation", own(usual(), eighth.clone()), "delegation.bad_signature"),
        ("another program's key", text(&program(4), usual(), with(&|_| ())), "delegation.bad_signature"),
        ("another delegation's limit", text(&program(4), usual(), eighth.clone()), "delegation.principal"),
        ("unknown delegation", own(usual(), with(&|it| it.delegation = DelegationId(9))), "delegation.unknown"),
        ("edit of the lender's offer", own(edit("of_own"), with(&|_| ())), "delegation.foreign_offer"),
        ("a cancellation as an offer", own(cancellation(&rig, "of_1"), with(&|_| ())), "wrong_action"),
    ];
    for (name, signed, expected) in cases {
        assert_eq!(rig.code_of(rig.delegated("of_2", signed)), expected, "{name}");
    }
    let taken = own(usual(), closing(&rig, 11));
    assert_eq!(rig.code_of(rig.delegated("of_own", taken.clone())), "duplicate_offer", "an id twice");
    assert_eq!(rig.code_of(rig.delegated("of 2", taken.clone())), "offer_id", "an impossible id");
    for (name, signed) in [
        ("the lender's offer", own(cancellation(&rig, "of_own"), closing(&rig, 11))),
        (
            "another program's",
            text(&program(4), cancellation(&rig, "of_1"), DelegatedEnvelope { number: 11, ..eighth }),
        ),
    ] {
        assert_eq!(rig.code_of(rig.delegated_revision(signed)), "delegation.foreign_offer", "cancels {name}");
    }
    let wallets = rig.sign(Action::CreateOffer(offer(&rig.policy_hash(), None)));
    let posing = ProgramText { message: wallets.message, signature: wallets.signature };
    assert_eq!(rig.code_of(rig.delegated("of_2", posing)), "message_unreadable", "a wallet's message");
    let posing = SignedText { message: taken.message.clone(), signature: taken.signature.clone() };
    let posing = Request::AdmitOffer { lender_id: LENDER_ID, offer_id: "of_2".to_owned(), signed: posing };
    assert_eq!(rig.code_of(posing), "message_unreadable", "a program's text as a wallet's");
    assert!(matches!(rig.ask(rig.delegated("of_2", taken)), Answer::Offer(_)), "the next number is admitted");
}

/// A change of the usual delegation.
type Change = fn(&mut NewDelegation);

#[test]
fn limits_that_no_offer_of_the_sheet_meets_admit_none() {
    let cases: [(&str, Change, &str); 5] = [
        ("principal", |it| it.principal_max_sats -= 1, "delegation.principal"),
        ("day", |it| it.daily_max_sats = PRINCIPAL_SATS - 1, "delegation.day_sats"),
        ("interest", |it| it.interest_min_bps += 1, "delegation.interest"),
        ("term", |it| it.term_max_days -= 1, "delegation.term"),
        ("collection", |it| it.collections = Some(vec!["dog-14d".to_owned()]), "delegation.other_collection"),
    ];
    for (name, change, expected) in cases {
        let mut rig = Rig::new();
        rig.open_vault();
        let mut wanted = delegation(&rig);
        change(&mut wanted);
        rig.delegate(wanted);
        let action = Action::CreateOffer(offer(&rig.policy_hash(), None));
        let signed = text(&program(3), action, closing(&rig, 1));
        assert_eq!(rig.code_of(rig.delegated("of_1", signed)), expected, "{name}");
    }
}

#[test]
fn one_key_of_two_lenders_quotes_for_each_by_its_own_delegation_alone() {
    let mut rig = Rig::delegating();
    rig.as_lender(5, 6);
    rig.open_vault();
    // The same program, and even the same id.
    let wanted = delegation(&rig);
    rig.delegate(wanted);
    let action = Action::CreateOffer(offer(&rig.policy_hash(), None));
    let for_second = text(&program(3), action, closing(&rig, 1));
    rig.as_lender(LENDER_ID, 2);
    assert_eq!(rig.code_of(rig.delegated("of_1", for_second.clone())), "foreign_address");
    let revocation = rig.revocation();
    assert_eq!(rig.ask(revocation), Answer::Revised);
    rig.as_lender(5, 6);
    assert!(matches!(rig.ask(rig.delegated("of_1", for_second)), Answer::Offer(_)), "the other lender's stands");
    rig.as_lender(77, 6);
    let nothing = Request::Delegation(DelegationRequest::Revoke { lender_id: 77, delegation: DelegationId(7) });
    assert_eq!(rig.code_of(nothing), "no_vault");
}
