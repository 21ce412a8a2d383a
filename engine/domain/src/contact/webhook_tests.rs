//! Tests of webhooks.

use super::*;

const ONE: UserId = UserId(1);
const OTHER: UserId = UserId(2);

fn kinds(kinds: &[NoticeKind]) -> NoticeKinds {
    kinds.iter().copied().collect()
}

fn add(contacts: &mut Contacts, user: UserId, at: u64) -> WebhookId {
    let (id, event) = contacts.add_webhook(user, "https://example.org/", kinds(&[NoticeKind::Overdue])).unwrap();
    contacts.apply(&event, UnixMs(at));
    id
}

#[test]
fn a_webhook_is_its_users_alone_and_has_its_own_choices_and_pauses() {
    let mut contacts = Contacts::default();
    let (id, other) = (add(&mut contacts, ONE, 10), add(&mut contacts, OTHER, 11));
    assert_ne!(id, other);
    let unknown = Err(ContactRejection::UnknownWebhook(other));
    assert_eq!(contacts.webhook(ONE, other).map(drop), unknown);
    assert_eq!(contacts.remove_webhook(ONE, other).map(drop), unknown);
    let channel = ContactChannel::Webhook(id);
    let contact = contacts.get(ONE);
    assert_eq!(contact.channels(&ChannelKind::ALL), [ContactChannel::Email, ContactChannel::Telegram, channel]);
    assert_eq!(contact.channels(&[ChannelKind::Webhook]), [channel]);
    assert_eq!(contact.reachable_since(channel), Some(UnixMs(10)));
    assert!(contact.wants(channel, NoticeKind::Overdue) && !contact.wants(channel, NoticeKind::Claimable));
    assert!(contact.wants(ContactChannel::Email, NoticeKind::Claimable), "the critical kinds");
    assert!(contact.wants(ContactChannel::Email, NoticeKind::WebhookPaused) && contacts.is_reachable(ONE));

    let changed = contacts.set_webhook_kinds(ONE, id, kinds(&[NoticeKind::Claimable])).unwrap().unwrap();
    contacts.apply(&changed, UnixMs(12));
    assert_eq!(contacts.set_webhook_kinds(ONE, id, kinds(&[NoticeKind::Claimable])), Ok(None));
    let paused = contacts.pause_webhook(ONE, id, WebhookPauseReason::Failing).unwrap().unwrap();
    contacts.apply(&paused, UnixMs(13));
    assert_eq!(contacts.pause_webhook(ONE, id, WebhookPauseReason::Gone), Ok(None));
    assert_eq!(contacts.active_webhook(ONE, id).map(drop), Err(ContactRejection::WebhookPaused(id)));
    assert!(contacts.get(ONE).reachable_since(channel).is_none() && !contacts.is_reachable(ONE));
    let resumed = contacts.resume_webhook(ONE, id).unwrap().unwrap();
    contacts.apply(&resumed, UnixMs(20));
    assert_eq!(contacts.get(ONE).reachable_since(channel), Some(UnixMs(20)), "notices of the pause are not sent");
    assert_eq!(contacts.resume_webhook(ONE, id), Ok(None));
    let removed = contacts.remove_webhook(ONE, id).unwrap();
    contacts.apply(&removed, UnixMs(21));
    assert!(!contacts.is_reachable(ONE) && add(&mut contacts, ONE, 22) > other, "no id is used twice");
}

#[test]
fn a_user_has_five_webhooks_at_most() {
    let mut contacts = Contacts::default();
    let first = add(&mut contacts, ONE, 1);
    for _ in 1..Webhook::PER_USER_MAX {
        add(&mut contacts, ONE, 1);
    }
    let too_many = Err(ContactRejection::TooManyWebhooks { max: 5 });
    let another = |contacts: &Contacts| contacts.add_webhook(ONE, "https://example.org/", NoticeKinds::default());
    assert_eq!(another(&contacts).map(drop), too_many);
    add(&mut contacts, OTHER, 1);
    let removed = contacts.remove_webhook(ONE, first).unwrap();
    contacts.apply(&removed, UnixMs(2));
    assert!(another(&contacts).is_ok());
}

#[test]
fn a_replaced_secret_signs_for_a_day() {
    let mut contacts = Contacts::default();
    let id = add(&mut contacts, ONE, 10);
    let versions =
        |contacts: &Contacts, at| contacts.webhook(ONE, id).unwrap().signing_versions(UnixMs(at)).collect::<Vec<u32>>();
    assert_eq!(versions(&contacts, 10), [1]);
    for at in [100, 200] {
        let rotated = contacts.rotate_webhook_secret(ONE, id).unwrap();
        contacts.apply(&rotated, UnixMs(at));
    }
    let end = 200 + Webhook::OVERLAP_MS;
    assert_eq!((versions(&contacts, end - 1), versions(&contacts, end)), (vec![3, 2], vec![3]));
}
