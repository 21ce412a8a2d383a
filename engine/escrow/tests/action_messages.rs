//! Tests of the text of messages: one text for each, parsed strictly.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use bitcoin::Network;
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, NewRequest, OfferProcess, RequestedPledge, SignIn};
use escrow::action_message::ActionMessage;
use escrow::delegation_id::DelegationId;
use escrow::envelope::Envelope;
use escrow::message_error::MessageError;
use escrow::message_signature::MESSAGE_LENGTH_MAX;
use escrow::message_times::TimesError;
use escrow::new_api_key::{KeyScope, LIMIT_SATS_MAX, NewApiKey, VALIDITY_S_MAX};
use escrow::new_delegation::NewDelegation;
use ipnet::IpNet;
use proptest::collection::btree_set;
use proptest::collection::{hash_set, vec};
use proptest::option;
use proptest::prelude::*;

fn envelope() -> Envelope {
    Envelope {
        domain: "lienbook.example".to_owned(),
        network: Network::Regtest,
        address: "bcrt1qaddress".to_owned(),
        nonce: "5f2c1d0e".to_owned(),
        issued_s: 1_800_000_000,
        expires_s: 1_800_000_600,
    }
}

fn pause() -> ActionMessage {
    let action = Action::PauseOffer { offer_id: "offer-1".to_owned() };
    ActionMessage::new(action, envelope()).expect("valid")
}

fn instant(fungible_amount: Option<u128>) -> ActionMessage {
    let action = Action::CreateOffer(NewOffer {
        collection_slug: "dog-14d".to_owned(),
        principal_sats: 1_250_000,
        process: OfferProcess::Instant(InstantTerms {
            fungible_amount,
            accept_next_term: true,
            ..InstantTerms::plain(7_500, "9d1f0c2a".to_owned())
        }),
    });
    ActionMessage::new(action, envelope()).expect("valid")
}

fn cancel(ordinals: &[&str], runes: &[&str]) -> Result<ActionMessage, MessageError> {
    let owned = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
    let action = Action::CancelOffers(CancelOffers {
        ordinal_offer_ids: owned(ordinals),
        rune_offer_ids: owned(runes),
        vault: None,
    });
    ActionMessage::new(action, envelope())
}

#[test]
fn a_text_with_any_difference_is_refused() {
    let text = pause().to_text();
    for (from, to, expected) in [
        ("Lienbook: ", "", MessageError::MissingField { line: 1, field: "Lienbook" }),
        ("Lienbook: ", "lienbook: ", MessageError::MissingField { line: 1, field: "Lienbook" }),
        ("pause offer", "pause Offer", MessageError::UnknownAction),
        ("pause offer", "drain vault", MessageError::UnknownAction),
        ("Offer: offer-1\n", "", MessageError::MissingField { line: 2, field: "Offer" }),
        ("Offer: ", "Offer:", MessageError::MissingField { line: 2, field: "Offer" }),
        ("Offer: offer-1", "Offer: ", MessageError::EmptyValue { field: "Offer" }),
        ("Offer: offer-1", "Offer:  offer-1", MessageError::ForbiddenCharacter { field: "Offer", character: ' ' }),
        ("offer-1\n", "offer-1\r\n", MessageError::ForbiddenCharacter { field: "Offer", character: '\r' }),
        ("offer-1\n", "offer-1\nOffer: offer-2\n", MessageError::MissingField { line: 3, field: "Domain" }),
        ("Network: regtest", "Network: mainnet", MessageError::ImpossibleValue { line: 4, field: "Network" }),
        (
            "Domain: lienbook.example\nNetwork: regtest",
            "Network: regtest\nDomain: lienbook.example",
            MessageError::MissingField { line: 3, field: "Domain" },
        ),
        ("Issued: 1800000000", "Issued: soon", MessageError::ImpossibleValue { line: 7, field: "Issued" }),
        ("Issued: 1800000000", "Issued: -1", MessageError::ImpossibleValue { line: 7, field: "Issued" }),
        (
            "Issued: 1800000000",
            "Issued: 99999999999999999999",
            MessageError::ImpossibleValue { line: 7, field: "Issued" },
        ),
        ("Issued: 1800000000", "Issued: +1800000000", MessageError::NotCanonical),
        ("Issued: 1800000000", "Issued: 01800000000", MessageError::NotCanonical),
        ("1800000600", "1800000600\n", MessageError::TrailingLine { line: 9 }),
        ("1800000600", "1800000600\nVault: x", MessageError::TrailingLine { line: 9 }),
        ("\nExpires: 1800000600", "", MessageError::MissingField { line: 8, field: "Expires" }),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(ActionMessage::parse(&text.replacen(from, to, 1)), Err(expected), "{from:?} -> {to:?}");
    }
}

#[test]
fn the_words_of_an_offer_are_parsed_strictly() {
    let text = instant(Some(5)).to_text();
    for (from, to, expected) in [
        ("Process: instant", "Process: Instant", MessageError::ImpossibleValue { line: 3, field: "Process" }),
        ("Process: instant", "Process: manual", MessageError::MissingField { line: 5, field: "Quantity" }),
        (
            "Accept next term: yes",
            "Accept next term: true",
            MessageError::ImpossibleValue { line: 7, field: "Accept next term" },
        ),
        ("Rune amount: 5", "Rune amount: 5.0", MessageError::ImpossibleValue { line: 5, field: "Rune amount" }),
        (
            "Rune amount: 5",
            "Rune amount: 340282366920938463463374607431768211456",
            MessageError::ImpossibleValue { line: 5, field: "Rune amount" },
        ),
        ("Max LTV x100: 7500\n", "", MessageError::MissingField { line: 6, field: "Max LTV x100" }),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(ActionMessage::parse(&text.replacen(from, to, 1)), Err(expected), "{from:?} -> {to:?}");
    }
}

#[test]
fn an_offer_against_ordinals_has_no_rune_amount() {
    let text = instant(None).to_text();
    assert!(!text.contains("Rune amount"));
    assert_eq!(ActionMessage::parse(&text), Ok(instant(None)));
}

#[test]
fn a_value_cannot_forge_another_line() {
    let action = Action::PauseOffer { offer_id: "offer-1\nDomain: evil.example".to_owned() };
    assert_eq!(
        ActionMessage::new(action, envelope()),
        Err(MessageError::ForbiddenCharacter { field: "Offer", character: '\n' })
    );
    let forged = Envelope { domain: "lienbook.example\nNetwork: bitcoin".to_owned(), ..envelope() };
    assert_eq!(
        ActionMessage::new(pause().action().clone(), forged),
        Err(MessageError::ForbiddenCharacter { field: "Domain", character: '\n' })
    );
}

#[test]
fn a_sign_in_is_signed_by_one_of_its_two_addresses() {
    let sign_in = Action::SignIn(SignIn {
        ordinals_address: "bcrt1pordinals".to_owned(),
        ordinals_public_key: "aa".to_owned(),
        payment_address: "bcrt1qpayment".to_owned(),
        payment_public_key: "02aa".to_owned(),
    });
    for (address, is_listed) in [("bcrt1pordinals", true), ("bcrt1qpayment", true), ("bcrt1qother", false), ("", false)]
    {
        let signer = Envelope { address: address.to_owned(), ..envelope() };
        let message = ActionMessage::new(sign_in.clone(), signer);
        if is_listed {
            assert!(message.is_ok(), "{address}");
        } else {
            assert_eq!(message, Err(MessageError::SignerNotListed { address: address.to_owned() }));
        }
    }
}

#[test]
fn a_cancellation_names_1_to_100_different_offers() {
    assert_eq!(cancel(&[], &[]), Err(MessageError::NoOffers));
    for (ordinals, runes) in [(&["a", "b", "a"][..], &[][..]), (&["a"], &["b", "a"])] {
        assert_eq!(cancel(ordinals, runes), Err(MessageError::DuplicateOffer { id: "a".to_owned() }));
    }
    let ids: Vec<String> = (0..101).map(|id| id.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert!(cancel(&ids[..50], &ids[50..100]).is_ok());
    assert_eq!(cancel(&ids[..50], &ids[50..]), Err(MessageError::TooManyOffers { count: 101, max: 100 }));
}

#[test]
fn the_longest_message_can_be_signed() {
    let longest = "x".repeat(128);
    let action = Action::CancelOffers(CancelOffers {
        ordinal_offer_ids: (0..100).map(|id| format!("{id:0>128}")).collect(),
        rune_offer_ids: Vec::new(),
        vault: Some(longest.clone()),
    });
    let envelope = Envelope {
        domain: longest.clone(),
        address: longest.clone(),
        nonce: longest,
        issued_s: u64::MAX,
        expires_s: u64::MAX,
        ..envelope()
    };
    let text = ActionMessage::new(action, envelope).expect("valid").to_text();
    assert!(text.len() <= MESSAGE_LENGTH_MAX, "{}", text.len());
    assert!(ActionMessage::parse(&text).is_ok());
}

#[test]
fn an_overlong_text_is_refused() {
    let text = "x".repeat(MESSAGE_LENGTH_MAX + 1);
    assert_eq!(
        ActionMessage::parse(&text),
        Err(MessageError::TooLong { length: MESSAGE_LENGTH_MAX + 1, max: MESSAGE_LENGTH_MAX })
    );
}

#[test]
fn the_envelope_checks_the_validity_period() {
    let message = pause();
    assert_eq!(message.envelope().check_times(1_800_000_000), Ok(()));
    assert_eq!(
        message.envelope().check_times(1_800_000_600),
        Err(TimesError::Expired { expires_s: 1_800_000_600, now_s: 1_800_000_600 })
    );
}

/// The issue time of the messages with API keys.
const KEY_ISSUED_S: u64 = 1_800_000_000;

fn value() -> impl Strategy<Value = String> {
    "[!-~]{1,128}"
}

fn networks() -> impl Strategy<Value = Network> {
    prop_oneof![
        Just(Network::Bitcoin),
        Just(Network::Testnet),
        Just(Network::Testnet4),
        Just(Network::Signet),
        Just(Network::Regtest),
    ]
}

fn new_offers() -> impl Strategy<Value = NewOffer> {
    let limits = (option::of(value()), any::<Option<u64>>());
    let amounts = (any::<Option<u64>>(), any::<Option<u128>>(), any::<Option<u32>>());
    let terms = (amounts, any::<u32>(), any::<bool>(), limits, value());
    let process = prop_oneof![
        any::<u32>().prop_map(|quantity| OfferProcess::Manual { quantity }),
        terms.prop_map(|(amounts, ltv_max, accept_next_term, (borrower, good_until_s), vault)| {
            let (principal_min_sats, fungible_amount, inscriptions) = amounts;
            OfferProcess::Instant(InstantTerms {
                principal_min_sats,
                inscriptions,
                fungible_amount,
                ltv_max,
                accept_next_term,
                borrower,
                good_until_s,
                vault,
            })
        }),
    ];
    (value(), any::<u64>(), process).prop_map(|(collection_slug, principal_sats, process)| NewOffer {
        collection_slug,
        principal_sats,
        process,
    })
}

fn cancellations() -> impl Strategy<Value = CancelOffers> {
    (hash_set(value(), 1..20), any::<prop::sample::Index>(), option::of(value())).prop_map(|(ids, split, vault)| {
        let mut ordinal_offer_ids: Vec<String> = ids.into_iter().collect();
        let rune_offer_ids = ordinal_offer_ids.split_off(split.index(ordinal_offer_ids.len()));
        CancelOffers { ordinal_offer_ids, rune_offer_ids, vault }
    })
}

fn new_requests() -> impl Strategy<Value = NewRequest> {
    let inscriptions = vec(value(), 1..20).prop_map(RequestedPledge::Inscriptions);
    let collateral = prop_oneof![inscriptions, any::<u128>().prop_map(RequestedPledge::Amount)];
    let terms = (any::<u32>(), any::<u16>(), any::<u16>(), any::<u64>());
    (value(), collateral, any::<u64>(), terms).prop_map(|(collection_slug, collateral, principal_sats, terms)| {
        let (interest_max, term_min_days, term_max_days, good_until_s) = terms;
        NewRequest {
            collection_slug,
            collateral,
            principal_sats,
            interest_max,
            term_min_days,
            term_max_days,
            good_until_s,
        }
    })
}

fn networks_of_addresses() -> impl Strategy<Value = IpNet> {
    prop_oneof![
        (any::<Ipv4Addr>(), 0..=32_u8).prop_map(|(address, prefix)| (IpAddr::from(address), prefix)),
        (any::<Ipv6Addr>(), 0..=128_u8).prop_map(|(address, prefix)| (IpAddr::from(address), prefix)),
    ]
    .prop_map(|(address, prefix)| IpNet::new(address, prefix).expect("prefix in range").trunc())
}

/// Keys that are valid in a message issued at this time.
fn new_api_keys(issued_s: u64) -> impl Strategy<Value = NewApiKey> {
    let sats = || 1..=LIMIT_SATS_MAX;
    let scopes = btree_set(proptest::sample::select(KeyScope::ALL.to_vec()), 1..=6);
    let lists = (option::of(hash_set(value(), 1..9)), option::of(hash_set(networks_of_addresses(), 1..9)));
    ("[!-~]{1,32}", scopes, (sats(), sats(), sats()), lists, 1..=VALIDITY_S_MAX).prop_map(
        move |(name, scopes, limits, (collections, addresses), valid_s)| {
            let (principal_max_sats, outstanding_max_sats, daily_max_sats) = limits;
            NewApiKey {
                name,
                scopes,
                principal_max_sats,
                outstanding_max_sats,
                daily_max_sats,
                collections: collections.map(|slugs| slugs.into_iter().collect()),
                addresses: addresses.map(|ranges| ranges.into_iter().collect()),
                valid_until_s: issued_s.saturating_add(valid_s),
            }
        },
    )
}

/// Delegations that are valid in a message issued at this time.
fn new_delegations(issued_s: u64) -> impl Strategy<Value = NewDelegation> {
    let lists = (option::of(hash_set(value(), 1..9)), option::of(hash_set(value(), 1..9)));
    let limits = (1..=LIMIT_SATS_MAX, 1..=LIMIT_SATS_MAX, 0..=10_000_u32, 1..=3_650_u16);
    let keys = proptest::sample::select(vec![KEY_OF_1, KEY_OF_2]);
    (any::<u128>(), keys, lists, limits, 1..=90 * 86_400_u64).prop_map(
        move |(id, key, (vaults, collections), (principal, daily, interest_min_bps, term_max_days), valid_s)| {
            NewDelegation {
                id: DelegationId(id),
                program_key: key.parse().expect("x-only"),
                vaults: vaults.map(|vaults| vaults.into_iter().collect()),
                collections: collections.map(|slugs| slugs.into_iter().collect()),
                principal_max_sats: principal,
                daily_max_sats: daily,
                interest_min_bps,
                term_max_days,
                valid_until_s: issued_s.saturating_add(valid_s),
            }
        },
    )
}

/// The x coordinates of the curve's generator and of its double.
const KEY_OF_1: &str = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const KEY_OF_2: &str = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";

fn actions() -> impl Strategy<Value = Action> {
    prop_oneof![
        (value(), value(), value(), value()).prop_map(
            |(ordinals_address, ordinals_public_key, payment_address, payment_public_key)| {
                Action::SignIn(SignIn { ordinals_address, ordinals_public_key, payment_address, payment_public_key })
            }
        ),
        new_offers().prop_map(Action::CreateOffer),
        new_requests().prop_map(Action::RequestLoan),
        (value(), new_offers())
            .prop_map(|(delete_offer_id, new_offer)| Action::EditOffer { delete_offer_id, new_offer }),
        cancellations().prop_map(Action::CancelOffers),
        value().prop_map(|vault| Action::CancelAllOffers { vault }),
        new_api_keys(KEY_ISSUED_S).prop_map(Action::CreateApiKey),
        new_delegations(KEY_ISSUED_S).prop_map(Action::DelegateQuotes),
        (value(), value()).prop_map(|(offer_id, term_id)| Action::AcceptTerm { offer_id, term_id }),
        value().prop_map(|offer_id| Action::PauseOffer { offer_id }),
        value().prop_map(|offer_id| Action::ResumeOffer { offer_id }),
        (value(), value()).prop_map(|(payment_address, vault)| Action::OpenVault { payment_address, vault }),
        (any::<u64>(), value(), proptest::option::of(any::<u64>()), value())
            .prop_map(|(sats, to, fee_max_sats, vault)| Action::Withdraw { sats, to, fee_max_sats, vault }),
        (value(), value(), any::<u64>(), value(), value()).prop_map(
            |(from_vault, to, fee_max_sats, payment_address, vault)| {
                Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault }
            }
        ),
    ]
}

fn messages() -> impl Strategy<Value = ActionMessage> {
    let closing = (value(), networks(), value(), value(), any::<u64>(), any::<u64>());
    (actions(), closing).prop_map(|(action, (domain, network, address, nonce, issued_s, expires_s))| {
        let address = match &action {
            Action::SignIn(sign_in) => sign_in.payment_address.clone(),
            _ => address,
        };
        let issued_s =
            if matches!(action, Action::CreateApiKey(_) | Action::DelegateQuotes(_)) { KEY_ISSUED_S } else { issued_s };
        let envelope = Envelope { domain, network, address, nonce, issued_s, expires_s };
        ActionMessage::new(action, envelope).expect("every value is visible ASCII")
    })
}

proptest! {
    #[test]
    fn every_message_reads_back_to_itself(message in messages()) {
        let text = message.to_text();
        prop_assert!(text.len() <= MESSAGE_LENGTH_MAX);
        prop_assert!(text.split('\n').all(|line| line.contains(": ")));
        prop_assert_eq!(ActionMessage::parse(&text), Ok(message));
    }

    #[test]
    fn the_lines_of_an_action_make_its_message(message in messages(), added in "[A-Z][a-z]{1,9}: .{0,9}") {
        let text = message.to_text();
        let (action, _) = text.rsplit_once("\nDomain: ").unwrap();
        let mut lines: Vec<String> = action.split('\n').map(str::to_owned).collect();
        prop_assert_eq!(ActionMessage::from_lines(&lines, message.envelope().clone()), Ok(message.clone()));
        lines.push(added);
        let more = ActionMessage::from_lines(&lines, message.envelope().clone());
        prop_assert!(more != Ok(message));
    }

    #[test]
    fn two_messages_never_share_a_text(one in messages(), other in messages()) {
        prop_assert_eq!(one == other, one.to_text() == other.to_text());
    }

    #[test]
    fn a_changed_text_is_another_message_or_none(
        message in messages(), at: prop::sample::Index, byte in 0_u8..128,
    ) {
        let text = message.to_text();
        let mut bytes = text.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let changed = String::from_utf8(bytes).expect("ASCII");
        if let Ok(read) = ActionMessage::parse(&changed) {
            prop_assert_eq!(read.to_text(), changed.clone());
            prop_assert_eq!(read == message, changed == text);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,400}") {
        let _ = ActionMessage::parse(&text);
    }

    #[test]
    fn no_lines_make_the_parser_panic(
        title in prop_oneof!["sign in", "create offer", "edit offer", "cancel offers", "cancel all offers", ".{0,9}"],
        lines in vec(("(Ordinal offer|Rune offer|Vault|Collection|Process|Offer|Domain)", ".{0,20}"), 0..8),
    ) {
        let lines: Vec<String> = std::iter::once(("Lienbook".to_owned(), title))
            .chain(lines)
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let text = lines.join("\n");
        if let Ok(message) = ActionMessage::parse(&text) {
            prop_assert_eq!(message.to_text(), text);
        }
    }
}
