//! Tests of API keys: their bounds, and random lives against a naive account of what was quoted.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::{AccountEvent, AccountRejection, Accounts, WalletAddresses};

const DAY_MS: u64 = 86_400_000;
const HASH: [u8; 32] = [7; 32];

fn terms() -> ApiKeyTerms {
    ApiKeyTerms {
        name: "bot".to_owned(),
        scopes: [KeyScope::Read, KeyScope::Quote].into(),
        principal_max: Sats::new(100),
        outstanding_max: Sats::new(500),
        daily_max: Sats::new(1_000),
        collections: Some([GroupId(1), GroupId(2)].into()),
        addresses: Some(["203.0.113.0/24", "2001:db8::/48"].map(|range| range.parse().unwrap()).into()),
        valid_until: UnixMs(30 * DAY_MS),
        is_hardware_wallet: false,
    }
}

fn user(accounts: &mut Accounts, name: &str) -> UserId {
    let addresses = WalletAddresses {
        payment_address: name.to_owned(),
        payment_pubkey: String::new(),
        ordinal_address: String::new(),
        ordinal_pubkey: String::new(),
    };
    let (user, events) = accounts.sign_in(&addresses);
    for event in events {
        accounts.apply(&event, UnixMs(0));
    }
    user
}

fn created(accounts: &mut Accounts, user: UserId, now: UnixMs) -> Result<ApiKeyId, AccountRejection> {
    let id = accounts.keys().next_id();
    let valid = ApiKeyTerms { valid_until: now.plus_ms(30 * DAY_MS), ..terms() };
    let event = accounts.create_key(user, id, valid, HASH, now)?;
    accounts.apply(&event, now);
    Ok(id)
}

fn quote(group: u32, principal: u64, count: u8) -> KeyQuote {
    KeyQuote { group: GroupId(group), principal: Sats::new(principal), count }
}

#[test]
fn terms_out_of_bounds_are_refused_by_field() {
    type Change = fn(&mut ApiKeyTerms);
    let faults: [(&str, Change); 9] = [
        ("name", |terms| terms.name.clear()),
        ("name", |terms| terms.name = "x".repeat(33)),
        ("scopes", |terms| terms.scopes.clear()),
        ("limits", |terms| terms.daily_max = Sats::ZERO),
        ("collections", |terms| terms.collections = Some(BTreeSet::new())),
        ("collections", |terms| terms.collections = Some((0..51).map(GroupId).collect())),
        ("addresses", |terms| terms.addresses = Some(BTreeSet::new())),
        ("validUntil", |terms| terms.valid_until = UnixMs(1)),
        ("validUntil", |terms| terms.valid_until = UnixMs(2 + 365 * DAY_MS)),
    ];
    assert_eq!(terms().check(UnixMs(1)), Ok(()));
    for (field, change) in faults {
        let mut changed = terms();
        change(&mut changed);
        assert_eq!(changed.check(UnixMs(1)), Err(ApiKeyRejection::TermsOutOfBounds { field }));
    }
}

#[test]
fn a_key_is_used_within_its_time_networks_and_scopes() {
    let mut accounts = Accounts::default();
    let owner = user(&mut accounts, "owner");
    let id = created(&mut accounts, owner, UnixMs(1)).unwrap();
    let (known, end) = (IpAddr::from([203, 0, 113, 9]), UnixMs(1 + 30 * DAY_MS));
    let key = accounts.keys().get(id).unwrap().clone();
    assert_eq!(key.check_use(known, UnixMs(end.0 - 1)), Ok(()));
    assert_eq!(key.check_use(known, end), Err(ApiKeyRejection::Expired { at: end }));
    for foreign in [IpAddr::from([203, 0, 114, 9]), "2001:db9::1".parse().unwrap()] {
        assert_eq!(key.check_use(foreign, UnixMs(1)), Err(ApiKeyRejection::AddressNotAllowed { address: foreign }));
    }
    assert_eq!(key.check_scope(KeyScope::Quote), Ok(()));
    assert_eq!(key.check_scope(KeyScope::Vault), Err(ApiKeyRejection::ScopeMissing { scope: KeyScope::Vault }));
    let other = user(&mut accounts, "other");
    assert_eq!(accounts.revoke_key(other, id), Err(ApiKeyRejection::Unknown(id)));
    let revoked = accounts.revoke_key(owner, id).unwrap().unwrap();
    accounts.apply(&revoked, UnixMs(5));
    assert_eq!(accounts.revoke_key(owner, id), Ok(None));
    let key = accounts.keys().get(id).unwrap();
    assert_eq!(key.check_use(known, UnixMs(6)), Err(ApiKeyRejection::Revoked { at: UnixMs(5) }));
}

#[test]
fn each_limit_refuses_what_is_one_sat_above_it() {
    let mut accounts = Accounts::default();
    let owner = user(&mut accounts, "owner");
    let id = created(&mut accounts, owner, UnixMs(1)).unwrap();
    let decide = |quotes: &[KeyQuote], outstanding: u64| {
        accounts.quote_by_key(owner, id, quotes, Sats::new(outstanding), UnixMs(1))
    };
    assert!(decide(&[quote(1, 100, 5)], 0).is_ok());
    assert_eq!(decide(&[quote(3, 1, 1)], 0), Err(ApiKeyRejection::CollectionNotAllowed { group: GroupId(3) }));
    let (principal, max) = (Sats::new(101), Sats::new(100));
    assert_eq!(decide(&[quote(1, 101, 1)], 0), Err(ApiKeyRejection::PrincipalAboveLimit { principal, max }));
    let (sum, max) = (Sats::new(501), Sats::new(500));
    let above = Err(ApiKeyRejection::OutstandingAboveLimit { sum, max });
    assert_eq!(decide(&[quote(1, 100, 2), quote(2, 1, 1)], 300), above);
    assert!(decide(&[quote(1, 100, 2)], 300).is_ok());
    let key = ApiKey { quoted: QuotedDay { day: 0, sum: Sats::new(901) }, ..accounts.keys().get(id).unwrap().clone() };
    let (sum, max) = (Sats::new(1_001), Sats::new(1_000));
    let above = Err(ApiKeyRejection::DailyAboveLimit { sum, max });
    assert_eq!(key.check_quotes(&[quote(1, 100, 1)], Sats::ZERO, UnixMs(DAY_MS - 1)), above);
    let next_day = key.check_quotes(&[quote(1, 100, 1)], Sats::ZERO, UnixMs(DAY_MS));
    assert_eq!(next_day, Ok(QuotedDay { day: 1, sum: Sats::new(100) }));
    // A sum beyond the number range is above every limit.
    let most = Sats::new(u64::MAX);
    let key = ApiKey { terms: Arc::new(ApiKeyTerms { principal_max: most, ..terms() }), ..key };
    let huge = key.check_quotes(&[quote(1, u64::MAX, 255)], Sats::ZERO, UnixMs(DAY_MS));
    assert_eq!(huge, Err(ApiKeyRejection::OutstandingAboveLimit { sum: most, max: Sats::new(500) }));
}

#[test]
fn keys_survive_a_sign_out_and_end_with_their_account() {
    let mut accounts = Accounts::default();
    let (owner, other) = (user(&mut accounts, "owner"), user(&mut accounts, "other"));
    created(&mut accounts, owner, UnixMs(1)).unwrap();
    let kept = created(&mut accounts, other, UnixMs(1)).unwrap();
    let out = accounts.sign_out(owner).unwrap();
    accounts.apply(&out, UnixMs(2));
    assert_eq!(accounts.keys().of(owner).count(), 1);
    accounts.apply(&AccountEvent::Removed { user: owner }, UnixMs(3));
    assert_eq!(accounts.keys().of(owner).count(), 0);
    let ids: Vec<ApiKeyId> = accounts.keys().of(other).map(|key| key.id).collect();
    assert_eq!(ids, [kept]);
    let id = accounts.keys().next_id();
    let unknown = accounts.create_key(owner, id, terms(), HASH, UnixMs(3));
    assert_eq!(unknown, Err(AccountRejection::UnknownUser(owner)));
}

#[test]
fn a_user_has_twenty_open_keys_and_the_latest_twenty_ended_ones_stay_known() {
    let mut accounts = Accounts::default();
    let owner = user(&mut accounts, "owner");
    for number in 0..60 {
        let id = created(&mut accounts, owner, UnixMs(1)).unwrap();
        assert_eq!(id, ApiKeyId(number + 1));
        let revoked = accounts.revoke_key(owner, id).unwrap().unwrap();
        accounts.apply(&revoked, UnixMs(1));
    }
    for _ in 0..ApiKey::PER_USER_MAX {
        created(&mut accounts, owner, UnixMs(2)).unwrap();
    }
    let full = AccountRejection::Key(ApiKeyRejection::TooMany { max: ApiKey::PER_USER_MAX });
    assert_eq!(created(&mut accounts, owner, UnixMs(3)), Err(full));
    let ids: Vec<u64> = accounts.keys().of(owner).map(|key| key.id.0).collect();
    assert_eq!(ids, (41..=80).collect::<Vec<_>>());
    // Expired keys make room.
    assert_eq!(created(&mut accounts, owner, UnixMs(2 + 30 * DAY_MS)), Ok(ApiKeyId(81)));
    assert_eq!(accounts.keys().of(owner).count(), ApiKey::ENDED_MAX + 1);
}

#[derive(Clone, Debug)]
enum Step {
    Create,
    Revoke(prop::sample::Index),
    Quote { key: prop::sample::Index, group: u32, principal: u64, count: u8, outstanding: u64, refused: u64 },
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Step> {
    let quotes = (any::<prop::sample::Index>(), 1..4_u32, 1..130_u64, 1..6_u8, 0..400_u64, 0..3_u64);
    prop_oneof![
        2 => Just(Step::Create),
        1 => any::<prop::sample::Index>().prop_map(Step::Revoke),
        8 => quotes.prop_map(|(key, group, principal, count, outstanding, refused)| {
            Step::Quote { key, group, principal, count, outstanding, refused }
        }),
        2 => (1..DAY_MS).prop_map(Step::Wait),
    ]
}

proptest! {
    #[test]
    fn no_key_quotes_above_its_limits_and_a_replay_gives_the_same_keys(steps in vec(steps(), 1..200)) {
        let mut accounts = Accounts::default();
        let owner = user(&mut accounts, "owner");
        let mut now = UnixMs(1);
        let mut log = Vec::new();
        // What each key has quoted on each day, and could not take back.
        let mut quoted: BTreeMap<(ApiKeyId, u64), u64> = BTreeMap::new();
        let mut ids = Vec::new();
        for step in steps {
            let event = match step {
                Step::Wait(ms) => {
                    now = now.plus_ms(ms);
                    continue;
                }
                Step::Create => {
                    let id = accounts.keys().next_id();
                    let valid = ApiKeyTerms { valid_until: now.plus_ms(3 * DAY_MS), ..terms() };
                    ids.push(id);
                    accounts.create_key(owner, id, valid, HASH, now).ok()
                }
                Step::Revoke(_) | Step::Quote { .. } if ids.is_empty() => continue,
                Step::Revoke(at) => accounts.revoke_key(owner, *at.get(&ids)).ok().flatten(),
                Step::Quote { key, group, principal, count, outstanding, refused } => {
                    let id = *key.get(&ids);
                    let asked = quote(group, principal, count);
                    let decided = accounts.quote_by_key(owner, id, &[asked], Sats::new(outstanding), now);
                    if decided.is_ok() {
                        let sum = quoted.entry((id, now.day())).or_default();
                        *sum += principal * u64::from(count);
                        prop_assert!(*sum <= 1_000 && group < 3 && principal <= 100);
                        prop_assert!(outstanding + principal * u64::from(count) <= 500);
                        prop_assert!(accounts.keys().get(id).unwrap().is_open(now));
                    }
                    if let Ok(event) = &decided {
                        accounts.apply(event, now);
                        log.push((event.clone(), now));
                    }
                    // Some of it is refused by the book and does not count.
                    let unquoted = (principal * refused).min(principal * u64::from(count));
                    match decided.ok().and_then(|_| accounts.uncount_quote(owner, id, now.day(), Sats::new(unquoted))) {
                        Some(event) => {
                            *quoted.get_mut(&(id, now.day())).unwrap() -= unquoted;
                            Some(event)
                        }
                        None => None,
                    }
                }
            };
            if let Some(event) = event {
                accounts.apply(&event, now);
                log.push((event, now));
            }
            prop_assert!(accounts.keys().of(owner).filter(|key| key.is_open(now)).count() <= ApiKey::PER_USER_MAX);
            prop_assert!(accounts.keys().of(owner).count() <= ApiKey::PER_USER_MAX + ApiKey::ENDED_MAX);
            for key in accounts.keys().of(owner) {
                let naive = quoted.get(&(key.id, now.day())).copied().unwrap_or_default();
                prop_assert_eq!(key.quoted.on(now.day()), Sats::new(naive));
            }
        }
        let mut again = Accounts::default();
        user(&mut again, "owner");
        for (event, at) in &log {
            again.apply(event, *at);
        }
        let (first, second): (Vec<_>, Vec<_>) = (accounts.keys().of(owner).collect(), again.keys().of(owner).collect());
        prop_assert_eq!(first, second);
    }

    #[test]
    fn a_network_contains_the_addresses_with_its_leading_bits(a: u32, b: u32, prefix in 0..=32_u8, wide: u128, near: u128) {
        let range: AddressRange = format!("{}/{prefix}", Ipv4Addr::from_bits(a)).parse().unwrap();
        let is_same = |one: u128, other: u128, bits: u32, prefix: u8| {
            (one ^ other).checked_shr(bits - u32::from(prefix)).unwrap_or(0) == 0
        };
        let expected = is_same(a.into(), b.into(), 32, prefix);
        prop_assert_eq!(range.contains(Ipv4Addr::from_bits(b).into()), expected);
        prop_assert!(range.contains(Ipv4Addr::from_bits(a).into()));
        prop_assert_eq!(range.to_string().parse(), Ok(range));
        let long = prefix * 4;
        let range: AddressRange = format!("{}/{long}", Ipv6Addr::from_bits(wide)).parse().unwrap();
        for other in [near, wide ^ (near >> long.min(127))] {
            let expected = is_same(wide, other, 128, long);
            prop_assert_eq!(range.contains(Ipv6Addr::from_bits(other).into()), expected);
        }
        prop_assert!(!range.contains(Ipv4Addr::from_bits(a).into()), "of the other family");
    }
}
