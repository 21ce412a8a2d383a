//! Tests of messages to browsers.

use super::*;
use crate::{Contact, LoanId, NoticeFacts, NoticeKind, NoticeKinds, PushId, PushSubscription, PushTarget, Role};

const ONE: UserId = UserId(1);
const BROWSER: PushId = PushId(5);
const OTHER: PushId = PushId(6);

fn facts(kind: NoticeKind, loan: u128, at: u64) -> NoticeFacts {
    NoticeFacts {
        id: format!("{loan}-{kind:?}"),
        kind,
        at: UnixMs(at),
        collection_name: "paper frogs".to_owned(),
        loan: Some(LoanId(loan)),
        role: Some(Role::Lender),
        offer: None,
    }
}

fn try_queue(outbox: &mut Outbox, push: PushId, facts: NoticeFacts, at: u64) -> Result<u64, OutboxRejection> {
    let content = MessageContent::Notice(facts);
    let event = outbox.queue(ONE, ContactChannel::Push(push), content, UnixMs(at))?.unwrap();
    outbox.apply(&event, UnixMs(at));
    Ok(outbox.latest)
}

fn queue(outbox: &mut Outbox, push: PushId, facts: NoticeFacts, at: u64) -> u64 {
    try_queue(outbox, push, facts, at).unwrap()
}

fn due(outbox: &Outbox, kind: ChannelKind, at: u64) -> Vec<u64> {
    outbox.due(kind, UnixMs(at)).map(|message| message.id.0).collect()
}

fn attempt(outbox: &mut Outbox, id: u64, outcome: DeliveryOutcome, at: u64) -> OutboxEvent {
    let begun = outbox.begin_delivery(MessageId(id), UnixMs(at)).unwrap();
    outbox.apply(&begun, UnixMs(at));
    let ended = outbox.record_outcome(MessageId(id), outcome).unwrap();
    outbox.apply(&ended, UnixMs(at));
    ended
}

#[test]
fn a_late_message_holds_up_no_other_and_each_browser_gets_one_at_a_time() {
    let mut outbox = Outbox::default();
    let first = queue(&mut outbox, BROWSER, facts(NoticeKind::LoanStarted, 1, 10), 10);
    let second = queue(&mut outbox, BROWSER, facts(NoticeKind::Overdue, 1, 11), 11);
    let elsewhere = queue(&mut outbox, OTHER, facts(NoticeKind::Overdue, 1, 11), 12);
    assert_eq!(due(&outbox, ChannelKind::Push, 20), [first, elsewhere]);
    for kind in [ChannelKind::Email, ChannelKind::Telegram, ChannelKind::Webhook] {
        assert_eq!(due(&outbox, kind, 20), [0; 0], "{kind:?}");
    }
    attempt(&mut outbox, first, DeliveryOutcome::Deferred { retry_at: UnixMs(100) }, 20);
    assert_eq!(due(&outbox, ChannelKind::Push, 20), [second, elsewhere], "the later one of the same loan");
    attempt(&mut outbox, second, DeliveryOutcome::Accepted, 21);
    attempt(&mut outbox, elsewhere, DeliveryOutcome::Accepted, 21);
    assert_eq!((due(&outbox, ChannelKind::Push, 99), due(&outbox, ChannelKind::Push, 100)), (vec![], vec![first]));
    attempt(&mut outbox, first, DeliveryOutcome::Accepted, 100);
    assert!(outbox.is_empty() && outbox.callbacks_len() == 0);
}

#[test]
fn a_message_is_tried_as_often_as_one_to_a_webhook_and_its_end_pauses_nothing() {
    let mut outbox = Outbox::default();
    let id = queue(&mut outbox, BROWSER, facts(NoticeKind::Overdue, 1, 0), 0);
    for nth in 1..=Outbox::WEBHOOK_ATTEMPTS_MAX {
        let ended = attempt(&mut outbox, id, DeliveryOutcome::Unknown { retry_at: UnixMs(5) }, 5);
        let is_last = nth == Outbox::WEBHOOK_ATTEMPTS_MAX;
        assert_eq!(matches!(ended, OutboxEvent::GivenUp { reason: GiveUpReason::TooManyAttempts, .. }), is_last);
        assert_eq!(outbox.pause_with(&ended), None);
    }
    assert!(outbox.is_empty());
}

#[test]
fn the_removal_of_a_subscription_ends_what_waits_for_it() {
    let mut outbox = Outbox::default();
    let flying = queue(&mut outbox, BROWSER, facts(NoticeKind::Overdue, 1, 0), 0);
    queue(&mut outbox, BROWSER, facts(NoticeKind::Overdue, 2, 0), 1);
    let other = queue(&mut outbox, OTHER, facts(NoticeKind::Overdue, 2, 0), 1);
    let begun = outbox.begin_delivery(MessageId(flying), UnixMs(2)).unwrap();
    outbox.apply(&begun, UnixMs(2));
    outbox.apply(&OutboxEvent::PushStopped { push: BROWSER }, UnixMs(3));
    assert_eq!((outbox.len(), due(&outbox, ChannelKind::Push, 9)), (2, vec![other]));
    let refused = DeliveryOutcome::Rejected(GiveUpReason::Refused);
    let ended = outbox.record_outcome(MessageId(flying), refused).unwrap();
    outbox.apply(&ended, UnixMs(4));
    assert_eq!(outbox.callbacks_len(), 1);
}

#[test]
fn messages_to_a_browser_are_limited_apart_from_mail() {
    let mut outbox = Outbox::default();
    for loan in 0..u128::try_from(Outbox::MESSAGES_PER_DAY_MAX).unwrap() {
        queue(&mut outbox, BROWSER, facts(NoticeKind::Repaid, loan, 0), 0);
    }
    let max = Outbox::MESSAGES_PER_DAY_MAX;
    let refused = Err(OutboxRejection::TooMany { max });
    assert_eq!(try_queue(&mut outbox, BROWSER, facts(NoticeKind::Repaid, 99, 0), 0), refused);
    for loan in 100..110 {
        queue(&mut outbox, BROWSER, facts(NoticeKind::Overdue, loan, 0), 0);
    }
    let full = Err(OutboxRejection::TooMany { max: Outbox::PUSH_PENDING_MAX });
    assert_eq!(try_queue(&mut outbox, BROWSER, facts(NoticeKind::Overdue, 999, 0), 0), full);
    assert_eq!((outbox.len(), outbox.callbacks_len(), outbox.oldest_queued_at()), (50, 50, None));
    let mail = MessageContent::Notice(facts(NoticeKind::Repaid, 1, 0));
    assert!(outbox.queue(ONE, ContactChannel::Email, mail, UnixMs(0)).unwrap().is_some());
}

#[test]
fn a_browser_gets_notices_of_its_kinds_from_its_subscription_on_for_three_days() {
    let target = PushTarget { endpoint: String::new(), public_key: String::new(), auth: String::new() };
    let kinds: NoticeKinds = [NoticeKind::Overdue].into_iter().collect();
    let push = PushSubscription { id: BROWSER, target, agent: String::new(), kinds, added_at: UnixMs(50) };
    let contact = Contact { pushes: vec![push], ..Contact::default() };
    let is_wanted = |kind, at, now| {
        let (channel, content) = (ContactChannel::Push(BROWSER), MessageContent::Notice(facts(kind, 1, at)));
        Message { id: MessageId(1), user: ONE, channel, content }.is_wanted(&contact, UnixMs(now))
    };
    let end = 50 + Outbox::NOTICE_AGE_MAX_MS;
    assert!(is_wanted(NoticeKind::Overdue, 50, end - 1) && !is_wanted(NoticeKind::Overdue, 50, end));
    assert!(!is_wanted(NoticeKind::Overdue, 49, 60) && !is_wanted(NoticeKind::Repaid, 50, 60));
    assert!(is_wanted(NoticeKind::WebhookPaused, 50, 60));
}
