//! Tests of the messages that create API keys: their bounds, and the strictness of their lines.

use std::net::IpAddr;

use bitcoin::Network;
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::envelope::Envelope;
use escrow::message_error::MessageError;
use escrow::message_signature::MESSAGE_LENGTH_MAX;
use escrow::new_api_key::{KeyScope, LIMIT_SATS_MAX, NewApiKey, VALIDITY_S_MAX};
use ipnet::IpNet;

/// The issue time of the messages.
const KEY_ISSUED_S: u64 = 1_800_000_000;

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

fn api_key() -> NewApiKey {
    NewApiKey {
        name: "bot".to_owned(),
        scopes: [KeyScope::Read, KeyScope::Quote].into(),
        principal_max_sats: 1,
        outstanding_max_sats: 2,
        daily_max_sats: 3,
        collections: Some(vec!["puppets".to_owned(), "ninjas".to_owned()]),
        addresses: Some(vec!["203.0.113.0/24".parse().expect("a network")]),
        valid_until_s: KEY_ISSUED_S + 1,
    }
}

#[test]
fn an_api_key_is_within_its_bounds() {
    let of = |change: &dyn Fn(&mut NewApiKey)| {
        let mut key = api_key();
        change(&mut key);
        ActionMessage::new(Action::CreateApiKey(key), envelope()).map(drop)
    };
    let many = |count: usize| (0..count).map(|number| format!("slug-{number}")).collect::<Vec<_>>();
    let ranges = |count: u8| (0..count).map(|number| IpNet::from(IpAddr::from([10, 0, 0, number]))).collect();
    let year_end = KEY_ISSUED_S + VALIDITY_S_MAX;
    let out_of = |field, value, min, max| Err(MessageError::OutOfBounds { field, value, min, max });
    assert_eq!(of(&|_| {}), Ok(()));
    assert_eq!(of(&|key| key.name = "x".repeat(32)), Ok(()));
    assert_eq!(
        of(&|key| key.name = "x".repeat(33)),
        Err(MessageError::ValueTooLong { field: "Name", length: 33, max: 32 })
    );
    assert_eq!(of(&|key| key.name.clear()), Err(MessageError::EmptyValue { field: "Name" }));
    assert_eq!(of(&|key| key.scopes.clear()), Err(MessageError::ListLength { field: "Scope", count: 0, max: 6 }));
    assert_eq!(of(&|key| key.principal_max_sats = 0), out_of("Max principal sats", 0, 1, LIMIT_SATS_MAX));
    assert_eq!(of(&|key| key.outstanding_max_sats = 0), out_of("Max outstanding sats", 0, 1, LIMIT_SATS_MAX));
    let above = LIMIT_SATS_MAX + 1;
    assert_eq!(of(&|key| key.daily_max_sats = above), out_of("Max daily sats", above, 1, LIMIT_SATS_MAX));
    let twice = Err(MessageError::Duplicate { field: "Collection", value: "a".to_owned() });
    assert_eq!(of(&|key| key.collections = Some(vec!["a".to_owned(), "a".to_owned()])), twice);
    assert_eq!(of(&|key| key.collections = Some(many(50))), Ok(()));
    let too_many = |field, count, max| Err(MessageError::ListLength { field, count, max });
    assert_eq!(of(&|key| key.collections = Some(many(51))), too_many("Collection", 51, 50));
    assert_eq!(of(&|key| key.collections = Some(Vec::new())), too_many("Collection", 0, 50));
    assert_eq!(of(&|key| key.addresses = Some(ranges(20))), Ok(()));
    assert_eq!(of(&|key| key.addresses = Some(ranges(21))), too_many("IP range", 21, 20));
    assert_eq!(of(&|key| key.addresses = Some(Vec::new())), too_many("IP range", 0, 20));
    assert_eq!(of(&|key| key.valid_until_s = year_end), Ok(()));
    let (first, late) = (KEY_ISSUED_S + 1, year_end + 1);
    assert_eq!(of(&|key| key.valid_until_s = late), out_of("Valid until", late, first, year_end));
    let now = KEY_ISSUED_S;
    assert_eq!(of(&|key| key.valid_until_s = now), out_of("Valid until", now, first, year_end));
}

#[test]
fn the_lines_of_an_api_key_are_parsed_strictly() {
    let text = ActionMessage::new(Action::CreateApiKey(api_key()), envelope()).expect("valid").to_text();
    let impossible = |line, field| MessageError::ImpossibleValue { line, field };
    for (from, to, expected) in [
        ("Scope: read\n", "Scope: write\n", impossible(3, "Scope")),
        ("Scope: read\nScope: quote", "Scope: quote\nScope: read", MessageError::NotCanonical),
        ("Scope: read\n", "Scope: read\nScope: read\n", MessageError::NotCanonical),
        ("Max daily sats: 3", "Max daily sats: 03", MessageError::NotCanonical),
        ("Max daily sats: 3\n", "", MessageError::MissingField { line: 7, field: "Max daily sats" }),
        ("Collection: puppets\nCollection: ninjas", "Collections: some", impossible(8, "Collections")),
        (
            "Collection: puppets",
            "Collections: all\nCollection: puppets",
            MessageError::MissingField { line: 9, field: "Valid until" },
        ),
        ("203.0.113.0/24", "203.0.113.0/33", impossible(10, "IP range")),
        ("203.0.113.0/24", "203.0.113.0", impossible(10, "IP range")),
        (
            "203.0.113.0/24",
            "203.0.113.7/24",
            MessageError::NotANetwork { range: "203.0.113.7/24".to_owned(), network: "203.0.113.0/24".to_owned() },
        ),
        ("203.0.113.0/24", "2001:DB8::/32", MessageError::NotCanonical),
        ("IP range: 203.0.113.0/24", "Addresses: all", impossible(10, "Addresses")),
        ("IP range: 203.0.113.0/24\n", "", MessageError::ListLength { field: "IP range", count: 0, max: 20 }),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(ActionMessage::parse(&text.replacen(from, to, 1)), Err(expected), "{from:?} -> {to:?}");
    }
}

#[test]
fn the_longest_api_key_can_be_signed() {
    let addresses = (0..20_u16).map(|number| IpNet::from(IpAddr::from([0xfff0, 1, 1, 1, 1, 1, 1, 0x1000 + number])));
    let key = NewApiKey {
        name: "x".repeat(32),
        scopes: KeyScope::ALL.into(),
        principal_max_sats: LIMIT_SATS_MAX,
        outstanding_max_sats: LIMIT_SATS_MAX,
        daily_max_sats: LIMIT_SATS_MAX,
        collections: Some((0..50).map(|number| format!("{number:0>128}")).collect()),
        addresses: Some(addresses.collect()),
        valid_until_s: KEY_ISSUED_S + VALIDITY_S_MAX,
    };
    let longest = "x".repeat(128);
    let (domain, address, nonce) = (longest.clone(), longest.clone(), longest);
    let closing = Envelope { domain, address, nonce, expires_s: u64::MAX, ..envelope() };
    let text = ActionMessage::new(Action::CreateApiKey(key), closing).expect("valid").to_text();
    assert!(text.len() <= MESSAGE_LENGTH_MAX, "{}", text.len());
    assert!(ActionMessage::parse(&text).is_ok());
}
