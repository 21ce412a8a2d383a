//! Tests of delegations, and of the texts that programs sign under them: bounds, one reading of each text, signatures.
#![allow(clippy::expect_used, missing_docs, reason = "a test stops at the first surprise")]

use bitcoin::Network;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use escrow::action_message::ActionMessage;
use escrow::delegated_action::{DelegatedAction, DelegatedEnvelope, ProgramSignatureError};
use escrow::delegation_id::DelegationId;
use escrow::envelope::Envelope;
use escrow::message_error::MessageError;
use escrow::new_delegation::{NewDelegation, VALIDITY_S_MAX};
use proptest::option;
use proptest::prelude::*;

const ISSUED_S: u64 = 1_800_000_000;

fn key(byte: u8) -> Keypair {
    Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).expect("usable seed")
}

fn delegation() -> NewDelegation {
    NewDelegation {
        id: DelegationId(7),
        program_key: key(1).x_only_public_key().0,
        vaults: Some(vec!["aa".to_owned()]),
        collections: Some(vec!["ninjas-14d".to_owned()]),
        principal_max_sats: 1_000,
        daily_max_sats: 5_000,
        interest_min_bps: 100,
        term_max_days: 30,
        valid_until_s: ISSUED_S + VALIDITY_S_MAX,
    }
}

fn envelope() -> Envelope {
    Envelope {
        domain: "lienbook.example".to_owned(),
        network: Network::Regtest,
        address: "bcrt1qlender".to_owned(),
        nonce: "n".to_owned(),
        issued_s: ISSUED_S,
        expires_s: ISSUED_S + 600,
    }
}

fn terms(borrower: Option<String>, good_until_s: Option<u64>) -> InstantTerms {
    InstantTerms { borrower, good_until_s, ..InstantTerms::plain(7_500, "aa".to_owned()) }
}

fn created(principal_sats: u64) -> Action {
    let process = OfferProcess::Instant(terms(None, None));
    Action::CreateOffer(NewOffer { collection_slug: "ninjas-14d".to_owned(), principal_sats, process })
}

fn closing() -> DelegatedEnvelope {
    DelegatedEnvelope {
        delegation: DelegationId(7),
        number: 17,
        domain: "lienbook.example".to_owned(),
        network: Network::Regtest,
        address: "bcrt1qlender".to_owned(),
        issued_s: ISSUED_S,
        expires_s: ISSUED_S + 600,
    }
}

#[test]
fn a_delegation_is_within_its_bounds() {
    let of = |change: &dyn Fn(&mut NewDelegation)| {
        let mut changed = delegation();
        change(&mut changed);
        ActionMessage::new(Action::DelegateQuotes(changed), envelope()).map(drop)
    };
    let bounds = |field, value, min, max| Err(MessageError::OutOfBounds { field, value, min, max });
    let (first, last) = (ISSUED_S + 1, ISSUED_S + VALIDITY_S_MAX);
    let money = 2_100_000_000_000_000;
    assert_eq!(of(&|_| ()), Ok(()));
    assert_eq!(of(&|it| it.valid_until_s = last + 1), bounds("Valid until", last + 1, first, last));
    assert_eq!(of(&|it| it.valid_until_s = ISSUED_S), bounds("Valid until", ISSUED_S, first, last));
    assert_eq!(of(&|it| it.principal_max_sats = 0), bounds("Max principal sats", 0, 1, money));
    assert_eq!(of(&|it| it.daily_max_sats = money + 1), bounds("Max daily sats", money + 1, 1, money));
    assert_eq!(of(&|it| it.interest_min_bps = 10_001), bounds("Min interest x100", 10_001, 0, 10_000));
    assert_eq!(of(&|it| it.term_max_days = 0), bounds("Max term days", 0, 1, 3_650));
    assert_eq!(
        of(&|it| it.vaults = Some(Vec::new())),
        Err(MessageError::ListLength { field: "Vault", count: 0, max: 8 })
    );
    let twice = vec!["ninjas-14d".to_owned(); 2];
    assert_eq!(
        of(&|it| it.collections = Some(twice.clone())),
        Err(MessageError::Duplicate { field: "Collection", value: "ninjas-14d".to_owned() })
    );
}

#[test]
fn the_text_of_a_delegated_offer_is_that_of_the_wallet_with_other_closing_lines() {
    let text = DelegatedAction::new(created(1_000), closing()).expect("valid").text().to_owned();
    let wallets = ActionMessage::new(created(1_000), envelope()).expect("valid").to_text();
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&text)[..7], lines(&wallets)[..7]);
    let expected = "Delegation: 00000000000000000000000000000007\nNumber: 17\nDomain: lienbook.example\n\
                    Network: regtest\nAddress: bcrt1qlender\nIssued: 1800000000\nExpires: 1800000600";
    assert_eq!(lines(&text)[7..].join("\n"), expected);
}

#[test]
fn a_program_signs_nothing_but_instant_offers_and_their_cancellation() {
    let cancel = |vault: Option<&str>| {
        let vault = vault.map(str::to_owned);
        Action::CancelOffers(CancelOffers { ordinal_offer_ids: vec!["of_1".to_owned()], rune_offer_ids: vec![], vault })
    };
    let manual = NewOffer {
        collection_slug: "ninjas-14d".to_owned(),
        principal_sats: 1,
        process: OfferProcess::Manual { quantity: 1 },
    };
    assert!(DelegatedAction::new(cancel(Some("aa")), closing()).is_ok());
    let withdrawal =
        Action::Withdraw { sats: 1, to: "bcrt1qprogram".to_owned(), fee_max_sats: Some(1), vault: "aa".to_owned() };
    let opening = Action::OpenVault { payment_address: "bcrt1qprogram".to_owned(), vault: "aa".to_owned() };
    for action in [
        cancel(None),
        Action::CreateOffer(manual.clone()),
        Action::EditOffer { delete_offer_id: "of_1".to_owned(), new_offer: manual },
        Action::CancelAllOffers { vault: "aa".to_owned() },
        Action::AcceptTerm { offer_id: "of_1".to_owned(), term_id: "tc_1".to_owned() },
        Action::ResumeOffer { offer_id: "of_1".to_owned() },
        Action::DelegateQuotes(delegation()),
        withdrawal,
        opening,
    ] {
        assert_eq!(DelegatedAction::new(action, closing()), Err(MessageError::NotDelegable));
    }
}

#[test]
fn ids_have_one_spelling() {
    let text = "0000000000000000000000000000abcd";
    assert_eq!(text.parse(), Ok(DelegationId(0xabcd)));
    for other in ["", "abcd", &text.to_uppercase(), &format!("0{text}"), &format!("+{}", &text[1..])] {
        assert!(other.parse::<DelegationId>().is_err(), "{other}");
    }
}

#[test]
fn a_signature_has_one_spelling_and_one_key() {
    let signed = DelegatedAction::new(created(1_000), closing()).expect("valid");
    let (own, other) = (key(1), key(2));
    let signature = signed.sign(&own);
    let public = own.x_only_public_key().0;
    assert_eq!(signed.verify(public, &signature), Ok(()));
    assert_eq!(signed.verify(other.x_only_public_key().0, &signature), Err(ProgramSignatureError::Invalid));
    assert_eq!(signed.verify(public, &signed.sign(&other)), Err(ProgramSignatureError::Invalid));
    for malformed in [signature.to_uppercase(), signature[2..].to_owned(), format!("{signature}01"), String::new()] {
        assert_eq!(signed.verify(public, &malformed), Err(ProgramSignatureError::Malformed), "{malformed}");
    }
}

fn value() -> impl Strategy<Value = String> {
    "[!-~]{1,40}"
}

prop_compose! {
    fn delegated()(
        slug in value(), principal_sats: u64, borrower in option::of(value()), good_until_s: Option<u64>,
        kind in 0..3_u8, id: u128, number: u64, domain in value(), address in value(), issued_s: u64, expires_s: u64,
    ) -> DelegatedAction {
        let process = OfferProcess::Instant(terms(borrower, good_until_s));
        let new_offer = NewOffer { collection_slug: slug.clone(), principal_sats, process };
        let action = match kind {
            0 => Action::CreateOffer(new_offer),
            1 => Action::EditOffer { delete_offer_id: slug, new_offer },
            _ => Action::CancelOffers(CancelOffers {
                ordinal_offer_ids: vec![slug],
                rune_offer_ids: Vec::new(),
                vault: Some("aa".to_owned()),
            }),
        };
        let delegation = DelegationId(id);
        let network = Network::Signet;
        let closing = DelegatedEnvelope { delegation, number, domain, network, address, issued_s, expires_s };
        DelegatedAction::new(action, closing).expect("visible ASCII")
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_text_reads_back_to_itself_and_is_no_message_of_a_wallet(signed in delegated()) {
        prop_assert_eq!(DelegatedAction::parse(signed.text()), Ok(signed.clone()));
        prop_assert!(ActionMessage::parse(signed.text()).is_err());
        let more = [format!("{}\n", signed.text()), format!("{}\nNumber: 1", signed.text())];
        for other in more {
            prop_assert!(DelegatedAction::parse(&other).is_err());
        }
    }

    #[test]
    fn a_changed_text_is_another_action_or_none_and_its_signature_is_void(
        signed in delegated(), at: prop::sample::Index, byte in 0_u8..128,
    ) {
        let signature = signed.sign(&key(1));
        let mut bytes = signed.text().as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let changed = String::from_utf8(bytes).expect("ASCII");
        if let Ok(read) = DelegatedAction::parse(&changed) {
            prop_assert_eq!(read.text(), &changed);
            let is_same = changed == signed.text();
            prop_assert_eq!(read == signed, is_same);
            prop_assert_eq!(read.verify(key(1).x_only_public_key().0, &signature).is_ok(), is_same);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,300}") {
        let _ = DelegatedAction::parse(&text);
    }
}
