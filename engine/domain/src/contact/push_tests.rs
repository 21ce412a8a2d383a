//! Tests of push subscriptions.

use super::*;

const ONE: UserId = UserId(1);
const OTHER: UserId = UserId(2);

fn target(endpoint: &str, key: &str) -> PushTarget {
    let endpoint = format!("https://push.example.org:8443/{endpoint}?a");
    PushTarget { endpoint, public_key: key.to_owned(), auth: "hidden".to_owned() }
}

fn kinds(kinds: &[NoticeKind]) -> NoticeKinds {
    kinds.iter().copied().collect()
}

fn add(contacts: &mut Contacts, user: UserId, target: PushTarget, at: u64) -> PushId {
    let (id, events) = contacts.add_push(user, target, "Firefox", kinds(&[NoticeKind::Overdue])).unwrap();
    for event in events {
        contacts.apply(&event, UnixMs(at));
    }
    id
}

#[test]
fn a_browser_is_its_users_alone_and_has_its_own_kinds() {
    let mut contacts = Contacts::default();
    let id = add(&mut contacts, ONE, target("a", "k"), 10);
    let other = add(&mut contacts, OTHER, target("a", "k"), 11);
    assert_ne!(id, other, "a browser may serve two accounts");
    let unknown = Err(ContactRejection::UnknownPush(other));
    assert_eq!(contacts.push(ONE, other).map(drop), unknown);
    assert_eq!(contacts.set_push_kinds(ONE, other, NoticeKinds::default()).map(drop), unknown);
    assert_eq!(contacts.remove_push(ONE, other).map(drop), unknown);
    let channel = ContactChannel::Push(id);
    let contact = contacts.get(ONE);
    assert_eq!(contact.channels(&[ChannelKind::Push]), [channel]);
    assert_eq!(contact.channels(&[ChannelKind::Webhook]), []);
    assert_eq!(contact.reachable_since(channel), Some(UnixMs(10)));
    assert!(contact.wants(channel, NoticeKind::Overdue) && !contact.wants(channel, NoticeKind::Claimable));
    assert!(contact.wants(channel, NoticeKind::WebhookPaused), "it is no matter of choice");
    assert!(!contact.wants(ContactChannel::Push(other), NoticeKind::Overdue) && contacts.is_reachable(ONE));

    let changed = contacts.set_push_kinds(ONE, id, kinds(&[NoticeKind::Claimable])).unwrap().unwrap();
    contacts.apply(&changed, UnixMs(12));
    assert_eq!(contacts.set_push_kinds(ONE, id, kinds(&[NoticeKind::Claimable])), Ok(None));
    assert!(contacts.get(ONE).wants(channel, NoticeKind::Claimable));
    let removed = contacts.remove_push(ONE, id).unwrap();
    contacts.apply(&removed, UnixMs(13));
    assert!(!contacts.is_reachable(ONE) && contacts.is_reachable(OTHER));
    assert!(add(&mut contacts, ONE, target("a", "k"), 14) > other, "no id is used twice");
}

#[test]
fn a_browser_that_subscribes_again_has_one_subscription_and_there_are_ten_at_most() {
    let mut contacts = Contacts::default();
    let first = add(&mut contacts, ONE, target("0", "k"), 1);
    for place in 1..PushSubscription::PER_USER_MAX {
        add(&mut contacts, ONE, target(&place.to_string(), "k"), 1);
    }
    let another = |contacts: &Contacts, endpoint, key| {
        let kinds = kinds(&[NoticeKind::Claimable]);
        contacts.add_push(ONE, target(endpoint, key), &"x".repeat(999), kinds).map(|(id, events)| (id, events.len()))
    };
    assert_eq!(another(&contacts, "new", "k"), Err(ContactRejection::TooManyPushes { max: 10 }));
    assert_eq!(another(&contacts, "0", "k"), Ok((first, 0)), "its kinds stay");
    let (replacing, events) = another(&contacts, "0", "other key").unwrap();
    assert!(replacing > first && events == 2);
    add(&mut contacts, ONE, target("0", "other key"), 2);
    let pushes = contacts.get(ONE).pushes;
    assert!(pushes.len() == 10 && pushes.iter().all(|push| push.id != first), "{pushes:?}");
    let removed = contacts.remove_push(ONE, replacing).unwrap();
    contacts.apply(&removed, UnixMs(3));
    let (_, events) = contacts.add_push(ONE, target("new", "k"), &"x".repeat(999), NoticeKinds::default()).unwrap();
    let ContactEvent::PushAdded { agent, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(agent.len(), PushSubscription::AGENT_LENGTH_MAX);
}

#[test]
fn the_address_and_the_keys_of_a_browser_are_in_no_debug_output() {
    let shown = format!("{:?}", target("secret-path", "secret-key"));
    assert!(
        shown.contains("push.example.org:8443") && !shown.contains("secret") && !shown.contains("hidden"),
        "{shown}"
    );
}
