use super::*;

const ONE: UserId = UserId(1);
const OTHER: UserId = UserId(2);
const ADDRESS: &str = "lender@example.org";

fn apply(event: Option<ContactEvent>, contacts: &mut Contacts, at: u64) {
    contacts.apply(&event.expect("an event"), UnixMs(at));
}

fn set_email(contacts: &mut Contacts, user: UserId, address: &str, at: u64) -> Result<(), ContactRejection> {
    let event = contacts.set_email(user, address, UnixMs(at))?;
    if let Some(event) = &event {
        contacts.apply(event, UnixMs(at));
    }
    Ok(())
}

fn serial(contacts: &Contacts, user: UserId) -> u64 {
    contacts.get(user).email.unwrap().serial
}

#[test]
fn an_address_gets_no_notices_before_its_verification_and_neither_does_a_new_one() {
    let mut contacts = Contacts::default();
    set_email(&mut contacts, ONE, ADDRESS, 1_000).unwrap();
    assert_eq!(contacts.get(ONE).reachable_since(ContactChannel::Email), None);
    assert_eq!(contacts.reachable_after(None).count(), 0);
    let number = serial(&contacts, ONE);
    assert_eq!(contacts.verify_email(OTHER, number, UnixMs(2_000)), Err(ContactRejection::OtherEmail));
    assert_eq!(contacts.verify_email(ONE, number + 1, UnixMs(2_000)), Err(ContactRejection::OtherEmail));
    let event = contacts.verify_email(ONE, number, UnixMs(2_000)).unwrap();
    contacts.apply(&event, UnixMs(2_000));
    assert_eq!(contacts.get(ONE).reachable_since(ContactChannel::Email), Some(UnixMs(2_000)));
    assert!(contacts.is_reachable(ONE));
    assert_eq!(contacts.reachable_after(None).collect::<Vec<_>>(), [ONE]);
    assert_eq!(contacts.reachable_after(Some(ONE)).count(), 0);
    assert_eq!(contacts.verify_email(ONE, number, UnixMs(3_000)), Err(ContactRejection::AlreadyVerified));
    assert_eq!(contacts.set_email(ONE, ADDRESS, UnixMs(3_000)), Ok(None), "it is verified already");

    set_email(&mut contacts, ONE, "another@example.org", 70_000).unwrap();
    assert!(!contacts.is_reachable(ONE));
    assert_eq!(contacts.verify_email(ONE, number, UnixMs(71_000)), Err(ContactRejection::OtherEmail));
}

#[test]
fn an_address_that_was_not_verified_in_time_never_is() {
    let mut contacts = Contacts::default();
    set_email(&mut contacts, ONE, ADDRESS, 1_000).unwrap();
    let number = serial(&contacts, ONE);
    let last = 1_000 + Contacts::VERIFICATION_MS;
    assert_eq!(contacts.verify_email(ONE, number, UnixMs(last)), Err(ContactRejection::VerificationExpired));
    assert!(contacts.verify_email(ONE, number, UnixMs(last - 1)).is_ok());
}

#[test]
fn verification_mails_are_limited_per_user_and_address() {
    let mut contacts = Contacts::default();
    let mut at = 0;
    for number in 0..Contacts::EMAILS_PER_USER_MAX {
        set_email(&mut contacts, ONE, &format!("{number}@example.org"), at).unwrap();
        let again_at = UnixMs(at + Contacts::EMAIL_INTERVAL_MS);
        let too_soon = contacts.set_email(ONE, ADDRESS, UnixMs(again_at.0 - 1));
        let again_at = if number + 1 < Contacts::EMAILS_PER_USER_MAX { again_at } else { UnixMs(DAY_MS) };
        assert_eq!(too_soon, Err(ContactRejection::TooManyEmails { again_at }));
        at += Contacts::EMAIL_INTERVAL_MS;
    }
    assert!(contacts.set_email(ONE, ADDRESS, UnixMs(DAY_MS - 1)).is_err());
    assert!(contacts.set_email(ONE, ADDRESS, UnixMs(DAY_MS)).is_ok());

    // The limits also protect one address from many users.
    let mut contacts = Contacts::default();
    for user in 0..3 {
        set_email(&mut contacts, UserId(user), ADDRESS, user).unwrap();
    }
    let again_at = UnixMs(DAY_MS);
    let refused = Err(ContactRejection::TooManyEmails { again_at });
    assert_eq!(contacts.set_email(UserId(9), "LENDER@example.org", UnixMs(5)), refused);
    assert!(contacts.set_email(UserId(9), "borrower@example.org", UnixMs(5)).is_ok());
}

#[test]
fn verification_mails_per_day_and_their_memory_are_bounded() {
    let mut contacts = Contacts::default();
    let max = u64::try_from(Contacts::EMAILS_MAX).unwrap();
    for user in 0..max {
        set_email(&mut contacts, UserId(user), &format!("{user}@example.org"), user).unwrap();
    }
    let refused = contacts.set_email(UserId(max), ADDRESS, UnixMs(max));
    assert_eq!(refused, Err(ContactRejection::TooManyEmails { again_at: UnixMs(DAY_MS) }));
    set_email(&mut contacts, UserId(max), ADDRESS, max + DAY_MS).unwrap();
    assert_eq!(contacts.recent_emails.len(), 1);
}

#[test]
fn unsubscribing_ends_the_address_it_was_made_for_and_no_later_one() {
    let mut contacts = Contacts::default();
    assert_eq!(contacts.remove_email(ONE, None), None);
    set_email(&mut contacts, ONE, ADDRESS, 0).unwrap();
    let first = serial(&contacts, ONE);
    set_email(&mut contacts, ONE, "another@example.org", 60_000).unwrap();
    assert_eq!(contacts.remove_email(ONE, Some(first)), None);
    let second = serial(&contacts, ONE);
    apply(contacts.remove_email(ONE, Some(second)), &mut contacts, 60_001);
    assert_eq!(contacts.get(ONE).email, None);
}

#[test]
fn a_rejected_address_gets_no_notices_until_it_is_set_again() {
    let mut contacts = Contacts::default();
    set_email(&mut contacts, ONE, ADDRESS, 0).unwrap();
    let first = serial(&contacts, ONE);
    let event = contacts.verify_email(ONE, first, UnixMs(1_000)).unwrap();
    contacts.apply(&event, UnixMs(1_000));
    assert_eq!(contacts.bounce_email(OTHER, first), None);
    assert_eq!(contacts.bounce_email(ONE, first + 1), None, "of another address");
    apply(contacts.bounce_email(ONE, first), &mut contacts, 2_000);
    assert_eq!(contacts.bounce_email(ONE, first), None, "known");
    let refused = contacts.get(ONE);
    assert_eq!(refused.email.as_ref().unwrap().bounced_at, Some(UnixMs(2_000)));
    assert_eq!(refused.reachable_since(ContactChannel::Email), None);
    assert!(!contacts.is_reachable(ONE));

    set_email(&mut contacts, ONE, ADDRESS, 70_000).unwrap();
    let second = serial(&contacts, ONE);
    assert_eq!(contacts.get(ONE).email.unwrap().bounced_at, None, "it may accept mail by now");
    assert_eq!(contacts.bounce_email(ONE, first), None, "of the setting before");
    apply(contacts.bounce_email(ONE, second), &mut contacts, 71_000);
    let event = contacts.verify_email(ONE, second, UnixMs(72_000)).unwrap();
    contacts.apply(&event, UnixMs(72_000));
    assert_eq!(contacts.get(ONE).reachable_since(ContactChannel::Email), Some(UnixMs(72_000)), "its mail was read");
}

#[test]
fn a_chat_is_linked_to_at_most_ten_users_and_unlinked_from_all_at_once() {
    let mut contacts = Contacts::default();
    for user in 1..=10 {
        let event = contacts.link_telegram(UserId(user), -7).unwrap();
        apply(event, &mut contacts, user);
    }
    assert_eq!(contacts.link_telegram(ONE, -7), Ok(None));
    assert_eq!(contacts.link_telegram(UserId(11), -7), Err(ContactRejection::ChatFull { max: 10 }));
    apply(contacts.link_telegram(ONE, 8).unwrap(), &mut contacts, 20);
    assert_eq!(contacts.get(ONE).telegram, Some(TelegramContact { chat: 8, linked_at: UnixMs(20) }));
    let left = contacts.unlink_chat(-7);
    assert_eq!(left.len(), 9, "one has another chat now");
    for event in &left {
        contacts.apply(event, UnixMs(30));
    }
    assert_eq!(contacts.reachable_after(None).collect::<Vec<_>>(), [ONE]);
    apply(contacts.unlink_telegram(ONE), &mut contacts, 31);
    assert_eq!((contacts.unlink_telegram(ONE), contacts.chats.len()), (None, 0));
    assert_eq!(contacts.unlink_chat(8), []);
}

#[test]
fn critical_kinds_are_sent_by_default_and_can_be_switched_off_together() {
    let mut contacts = Contacts::default();
    let choices = contacts.get(ONE).choices;
    for kind in NoticeKind::ALL {
        assert_eq!(choices.includes(kind), kind.is_critical() || !kind.is_choosable(), "{kind:?}");
    }
    assert_eq!(contacts.set_choices(ONE, choices), None);
    let kinds = [NoticeKind::Repaid, NoticeKind::Overdue].into_iter().collect();
    let chosen = NoticeChoices { critical_alerts: false, kinds };
    apply(contacts.set_choices(ONE, chosen), &mut contacts, 1);
    let sent: Vec<_> = NoticeKind::ALL.into_iter().filter(|kind| contacts.get(ONE).choices.includes(*kind)).collect();
    assert_eq!(sent, [NoticeKind::Repaid, NoticeKind::WebhookPaused]);
}
