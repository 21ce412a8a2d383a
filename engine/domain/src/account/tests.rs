//! Tests of the accounts' state after events.

use super::*;

fn addresses(payment: &str) -> WalletAddresses {
    WalletAddresses {
        payment_address: payment.to_owned(),
        payment_pubkey: "02".to_owned(),
        ordinal_address: "bcrt1p".to_owned(),
        ordinal_pubkey: "aa".to_owned(),
    }
}

#[test]
fn a_nonce_is_used_once_and_is_forgotten_when_it_expires() {
    let mut accounts = Accounts::default();
    let nonce_use = accounts.use_nonce(Nonce(7), UnixMs(100), UnixMs(10)).unwrap();
    accounts.apply(&nonce_use, UnixMs(10));
    assert_eq!(accounts.use_nonce(Nonce(7), UnixMs(100), UnixMs(99)), Err(AccountRejection::NonceUsed));
    assert_eq!(accounts.use_nonce(Nonce(7), UnixMs(100), UnixMs(100)), Err(AccountRejection::Expired));
    let other = accounts.use_nonce(Nonce(8), UnixMs(300), UnixMs(200)).unwrap();
    accounts.apply(&other, UnixMs(200));
    assert_eq!(accounts.used_nonces.len(), 1);
}

fn sign_in(accounts: &mut Accounts, addresses: &WalletAddresses, at: u64) -> UserId {
    let (user, events) = accounts.sign_in(addresses);
    for event in events {
        accounts.apply(&event, UnixMs(at));
    }
    user
}

#[test]
fn favourites_are_set_once_and_bounded() {
    let mut accounts = Accounts::default();
    let unknown = UserId(1);
    assert_eq!(accounts.set_favourite(unknown, GroupId(1), true), Err(AccountRejection::UnknownUser(unknown)));
    let user = sign_in(&mut accounts, &addresses("bcrt1qlender"), 1);
    assert_eq!(accounts.set_favourite(user, GroupId(1), false), Ok(None));
    let max = Accounts::FAVOURITES_MAX;
    for number in 0..u32::try_from(max).unwrap() {
        let event = accounts.set_favourite(user, GroupId(number), true).unwrap().unwrap();
        accounts.apply(&event, UnixMs(2));
    }
    assert_eq!(accounts.set_favourite(user, GroupId(0), true), Ok(None));
    let full = accounts.set_favourite(user, GroupId(u32::MAX), true);
    assert_eq!(full, Err(AccountRejection::TooManyFavourites { max }));
    let event = accounts.set_favourite(user, GroupId(0), false).unwrap().unwrap();
    accounts.apply(&event, UnixMs(3));
    assert_eq!(accounts.favourites(user).next(), Some(GroupId(1)));
    assert!(accounts.set_favourite(user, GroupId(u32::MAX), true).unwrap().is_some());
    assert_eq!(accounts.favourites(UserId(99)).count(), 0);
}

#[test]
fn a_wallet_keeps_its_user_id_and_signing_out_ends_its_sessions() {
    let mut accounts = Accounts::default();
    let lender = sign_in(&mut accounts, &addresses("bcrt1qlender"), 1);
    assert_eq!(accounts.sign_in(&addresses("bcrt1qlender")), (lender, Vec::new()));
    let borrower = sign_in(&mut accounts, &addresses("bcrt1qborrower"), 2);
    assert_ne!(lender, borrower);
    let out = accounts.sign_out(lender).unwrap();
    accounts.apply(&out, UnixMs(3));
    assert_eq!(accounts.get(lender).unwrap().generation, 1);
    assert_eq!(accounts.get(borrower).unwrap().generation, 0);
    assert_eq!(accounts.sign_out(UserId(99)), Err(AccountRejection::UnknownUser(UserId(99))));
}

#[test]
fn a_changed_ordinals_address_must_be_proven_again() {
    let mut accounts = Accounts::default();
    let old = addresses("bcrt1qlender");
    // The event of a version that asked only the payment key for a signature.
    accounts.apply(&AccountEvent::SignedIn { user: UserId(1), addresses: old.clone() }, UnixMs(1));
    assert!(!accounts.get(UserId(1)).unwrap().is_ordinals_proven);
    let proven = AccountEvent::OrdinalsProven { user: UserId(1) };
    assert_eq!(accounts.sign_in(&old), (UserId(1), vec![proven.clone()]));
    accounts.apply(&proven, UnixMs(2));
    assert!(accounts.get(UserId(1)).unwrap().is_ordinals_proven);
    assert_eq!(accounts.sign_in(&old), (UserId(1), Vec::new()));

    let moved = WalletAddresses { ordinal_address: "bcrt1pother".to_owned(), ..old };
    let (_, events) = accounts.sign_in(&moved);
    accounts.apply(&events[0], UnixMs(3));
    assert!(!accounts.get(UserId(1)).unwrap().is_ordinals_proven);
    accounts.apply(&events[1], UnixMs(3));
    assert!(accounts.get(UserId(1)).unwrap().is_ordinals_proven);

    let single = WalletAddresses { ordinal_address: "bcrt1psame".to_owned(), ..addresses("bcrt1psame") };
    let user = sign_in(&mut accounts, &single, 4);
    assert!(accounts.get(user).unwrap().is_ordinals_proven);
    assert_eq!(accounts.sign_in(&single), (user, Vec::new()));
}

#[test]
fn an_idle_account_is_removed_by_the_next_sign_in_and_its_id_is_not_reused() {
    let mut accounts = Accounts::default();
    let later = UnixMs(1 + IdleAccounts::IDLE_MS);
    let open = |accounts: &mut Accounts, payment: &str, now: UnixMs| {
        let (user, session, events) = accounts.open_session(&addresses(payment), "a browser", now).unwrap();
        for event in &events {
            accounts.apply(event, now);
        }
        (user, session, events)
    };
    let (idle, ..) = open(&mut accounts, "bcrt1qidle", UnixMs(1));
    let (lender, ..) = open(&mut accounts, "bcrt1qlender", UnixMs(1));
    accounts.mark_active(lender);
    let (new, session, events) = open(&mut accounts, "bcrt1qnew", later);
    assert_eq!(events.last(), Some(&AccountEvent::Removed { user: idle }));
    assert_eq!(accounts.by_payment_address("bcrt1qidle"), None);
    assert!(accounts.get(idle).is_none() && accounts.get(lender).is_some());
    let (again, ..) = open(&mut accounts, "bcrt1qidle", later);
    assert!(again > new, "{again} was another account's");
    // An account that signs in again is not removed by its own sign-in.
    let (same, _, events) = open(&mut accounts, "bcrt1qnew", later.plus_ms(IdleAccounts::IDLE_MS));
    assert_eq!(same, new);
    assert!(!events.contains(&AccountEvent::Removed { user: new }), "{events:?}");
    assert!(accounts.sessions().get(session, later).is_none(), "a fortnight has passed");
}

#[test]
fn a_session_is_renewed_by_its_newest_token_and_ended_by_its_own_user() {
    let mut accounts = Accounts::default();
    let (user, session, events) = accounts.open_session(&addresses("bcrt1q"), &"ä".repeat(150), UnixMs(1)).unwrap();
    for event in &events {
        accounts.apply(event, UnixMs(1));
    }
    assert_eq!(accounts.sessions().get(session, UnixMs(1)).unwrap().agent, "ä".repeat(100));
    let renewed = accounts.renew_session(session, 1, UnixMs(2)).unwrap().unwrap();
    assert_eq!(renewed, AccountEvent::SessionRenewed { user, session, serial: 2 });
    accounts.apply(&renewed, UnixMs(2));
    assert_eq!(accounts.renew_session(session, 1, UnixMs(3)), Ok(None));
    let late = UnixMs(2 + Session::GRACE_MS);
    assert_eq!(accounts.renew_session(session, 1, late), Err(AccountRejection::TokenReused));
    let unknown = Err(AccountRejection::UnknownSession(session));
    assert_eq!(accounts.end_session(UserId(99), session, late), unknown);
    let ended = accounts.end_session(user, session, late).unwrap();
    accounts.apply(&ended, late);
    assert_eq!(accounts.end_session(user, session, late), unknown);
    assert_eq!(accounts.renew_session(session, 2, late), Err(AccountRejection::UnknownSession(session)));
}
