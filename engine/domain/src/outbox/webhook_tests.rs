//! Tests of messages to webhooks.

use super::*;
use crate::{Contact, LoanId, NoticeFacts, NoticeKind, OfferId, Role, Webhook, WebhookId, WebhookPauseReason};

const ONE: UserId = UserId(1);
const HOOK: WebhookId = WebhookId(5);
const OTHER: WebhookId = WebhookId(6);

fn facts(kind: NoticeKind, loan: Option<u128>, offer: Option<u64>, at: u64) -> NoticeFacts {
    NoticeFacts {
        id: format!("{loan:?}-{offer:?}-{kind:?}"),
        kind,
        at: UnixMs(at),
        collection_name: "paper frogs".to_owned(),
        loan: loan.map(LoanId),
        role: Some(Role::Lender),
        offer: offer.map(OfferId),
    }
}

fn queue(outbox: &mut Outbox, webhook: WebhookId, facts: NoticeFacts, at: u64) -> u64 {
    let content = MessageContent::Notice(facts);
    let event = outbox.queue(ONE, ContactChannel::Webhook(webhook), content, UnixMs(at)).unwrap().unwrap();
    outbox.apply(&event, UnixMs(at));
    outbox.latest
}

fn due(outbox: &Outbox, at: u64) -> Vec<u64> {
    outbox.due(ChannelKind::Webhook, UnixMs(at)).map(|message| message.id.0).collect()
}

fn attempt(outbox: &mut Outbox, id: u64, outcome: DeliveryOutcome, at: u64) -> OutboxEvent {
    let id = MessageId(id);
    let begun = outbox.begin_delivery(id, UnixMs(at)).unwrap();
    outbox.apply(&begun, UnixMs(at));
    let status = if outcome == DeliveryOutcome::Accepted { 204 } else { 500 };
    let attempted = outbox.record_attempt(id, AttemptResult::Status(status), 12).unwrap();
    outbox.apply(&attempted, UnixMs(at));
    let ended = outbox.record_outcome(id, outcome).unwrap();
    outbox.apply(&ended, UnixMs(at));
    ended
}

fn states(outbox: &Outbox, webhook: WebhookId) -> Vec<(u64, u32, DeliveryState)> {
    outbox.webhook_deliveries(webhook).map(|delivery| (delivery.id.0, delivery.attempts, delivery.state)).collect()
}

#[test]
fn events_of_one_subject_wait_for_each_other_and_those_of_others_do_not() {
    let mut outbox = Outbox::default();
    let first = queue(&mut outbox, HOOK, facts(NoticeKind::LoanStarted, Some(1), Some(9), 10), 10);
    let second = queue(&mut outbox, HOOK, facts(NoticeKind::Overdue, Some(1), None, 11), 11);
    let other_loan = queue(&mut outbox, HOOK, facts(NoticeKind::Overdue, Some(2), None, 12), 12);
    let offer = queue(&mut outbox, HOOK, facts(NoticeKind::OfferPaused, None, Some(9), 13), 13);
    let elsewhere = queue(&mut outbox, OTHER, facts(NoticeKind::Overdue, Some(1), None, 11), 14);
    assert_eq!(due(&outbox, 20), [first, elsewhere], "one of each webhook");
    assert!(outbox.due(ChannelKind::Email, UnixMs(20)).next().is_none());
    attempt(&mut outbox, first, DeliveryOutcome::Deferred { retry_at: UnixMs(100) }, 20);
    assert_eq!(due(&outbox, 20), [other_loan, elsewhere], "the later event of the loan waits");
    assert_eq!(outbox.begin_delivery(MessageId(second), UnixMs(20)), Err(OutboxRejection::NotDue(MessageId(second))));
    attempt(&mut outbox, other_loan, DeliveryOutcome::Accepted, 21);
    assert_eq!(due(&outbox, 22), [offer, elsewhere]);
    attempt(&mut outbox, offer, DeliveryOutcome::Accepted, 22);
    attempt(&mut outbox, elsewhere, DeliveryOutcome::Accepted, 22);
    assert_eq!((due(&outbox, 99), due(&outbox, 100)), (vec![], vec![first]));
    attempt(&mut outbox, first, DeliveryOutcome::Accepted, 100);
    assert_eq!(due(&outbox, 100), [second]);
    attempt(&mut outbox, second, DeliveryOutcome::Accepted, 101);
    assert!(outbox.is_empty() && outbox.webhooks.len() == 0 && due(&outbox, u64::MAX).is_empty());
    let delivered = |id, attempts| (id, attempts, DeliveryState::Delivered);
    let log = [delivered(offer, 1), delivered(other_loan, 1), delivered(second, 1), delivered(first, 2)];
    assert_eq!(states(&outbox, HOOK), log);
    let last = outbox.webhook_deliveries(HOOK).next().unwrap().last_attempt.unwrap();
    let expected = WebhookAttempt { at: UnixMs(22), result: AttemptResult::Status(204), duration_ms: 12 };
    assert_eq!(last, expected);
}

#[test]
fn the_last_failed_attempt_pauses_a_webhook_and_so_does_410_but_a_test_event_does_not() {
    let mut outbox = Outbox::default();
    let id = queue(&mut outbox, HOOK, facts(NoticeKind::Overdue, Some(1), None, 0), 0);
    for nth in 1..=Outbox::WEBHOOK_ATTEMPTS_MAX {
        let begun = outbox.begin_delivery(MessageId(id), UnixMs(5)).unwrap();
        outbox.apply(&begun, UnixMs(5));
        let ended = outbox.record_outcome(MessageId(id), DeliveryOutcome::Unknown { retry_at: UnixMs(5) }).unwrap();
        let is_last = nth == Outbox::WEBHOOK_ATTEMPTS_MAX;
        assert_eq!(outbox.pause_with(&ended), is_last.then_some((ONE, HOOK, WebhookPauseReason::Failing)));
        outbox.apply(&ended, UnixMs(5));
    }
    let gone = queue(&mut outbox, HOOK, facts(NoticeKind::Overdue, Some(2), None, 0), 6);
    let begun = outbox.begin_delivery(MessageId(gone), UnixMs(6)).unwrap();
    outbox.apply(&begun, UnixMs(6));
    let refused = DeliveryOutcome::Rejected(GiveUpReason::Refused);
    let ended = outbox.record_outcome(MessageId(gone), refused).unwrap();
    assert_eq!(outbox.pause_with(&ended), Some((ONE, HOOK, WebhookPauseReason::Gone)));
    outbox.apply(&ended, UnixMs(6));
    let queued = outbox.queue_test(ONE, HOOK, UnixMs(7)).unwrap();
    outbox.apply(&queued, UnixMs(7));
    let test = MessageId(outbox.latest);
    let begun = outbox.begin_delivery(test, UnixMs(7)).unwrap();
    outbox.apply(&begun, UnixMs(7));
    let ended = outbox.record_outcome(test, DeliveryOutcome::Deferred { retry_at: UnixMs(8) }).unwrap();
    assert_eq!(ended, OutboxEvent::GivenUp { id: test, reason: GiveUpReason::TooManyAttempts });
    assert_eq!(outbox.pause_with(&ended), None);
}

#[test]
fn a_pause_ends_what_waits_and_a_removal_the_record() {
    let mut outbox = Outbox::default();
    let flying = queue(&mut outbox, HOOK, facts(NoticeKind::Overdue, Some(1), None, 0), 0);
    let waiting = queue(&mut outbox, HOOK, facts(NoticeKind::Overdue, Some(2), None, 0), 1);
    let begun = outbox.begin_delivery(MessageId(flying), UnixMs(2)).unwrap();
    outbox.apply(&begun, UnixMs(2));
    outbox.apply(&OutboxEvent::WebhookStopped { webhook: HOOK }, UnixMs(3));
    let given_up = DeliveryState::GivenUp(GiveUpReason::NotWanted);
    assert_eq!(states(&outbox, HOOK), [(waiting, 0, given_up), (flying, 1, DeliveryState::InFlight)]);
    assert_eq!((outbox.len(), due(&outbox, 9)), (1, vec![]));
    outbox.apply(&OutboxEvent::WebhookForgotten { webhook: HOOK }, UnixMs(4));
    assert_eq!(states(&outbox, HOOK), []);
    let ended = outbox.record_outcome(MessageId(flying), DeliveryOutcome::Accepted).unwrap();
    outbox.apply(&ended, UnixMs(5));
    assert!(outbox.is_empty() && outbox.webhooks.len() == 0 && states(&outbox, HOOK).is_empty());
}

#[test]
fn a_replay_keeps_the_order_leaves_out_what_is_pending_and_is_sent_whatever_its_age() {
    let mut outbox = Outbox::default();
    let [one, two] = [1, 2].map(|loan| facts(NoticeKind::Overdue, Some(loan), None, 0));
    queue(&mut outbox, HOOK, one.clone(), 0);
    let replayed = outbox.replay(ONE, HOOK, vec![one, two.clone(), two.clone()], UnixMs(1)).unwrap();
    assert_eq!(replayed.len(), 2, "the first is pending");
    for event in &replayed {
        outbox.apply(event, UnixMs(1));
    }
    let messages: Vec<MessageId> = outbox.webhooks.pending_of(ContactChannel::Webhook(HOOK));
    assert_eq!(messages, [1, 2, 3].map(MessageId));
    attempt(&mut outbox, 2, DeliveryOutcome::Accepted, 2);
    attempt(&mut outbox, 3, DeliveryOutcome::Accepted, 2);
    let again = outbox.redeliver(ONE, HOOK, MessageId(2), UnixMs(3)).unwrap();
    let OutboxEvent::Queued(message) = &again[0] else { panic!("{again:?}") };
    assert_eq!((message.id, &message.content), (MessageId(4), &MessageContent::Replayed(two)));
    assert_eq!(outbox.redeliver(ONE, OTHER, MessageId(2), UnixMs(3)), Err(OutboxRejection::UnknownEvent));
    let webhook = Webhook {
        id: HOOK,
        url: "https://example.org/".to_owned(),
        kinds: [NoticeKind::Overdue].into_iter().collect(),
        created_at: UnixMs(50),
        secret_version: 1,
        previous_until: None,
        active_since: UnixMs(50),
        pause: None,
    };
    let contact = Contact { webhooks: vec![webhook], ..Contact::default() };
    assert!(message.is_wanted(&contact, UnixMs(u64::MAX / 2)));
    let as_notice = Message { content: outbox.message(MessageId(1)).unwrap().content.clone(), ..(**message).clone() };
    assert!(!as_notice.is_wanted(&contact, UnixMs(60)), "it is from before the webhook");
    let kept = Message { channel: ContactChannel::Webhook(OTHER), ..(**message).clone() };
    assert!(!kept.is_wanted(&contact, UnixMs(60)), "the webhook was removed");
}

#[test]
fn messages_to_a_webhook_are_limited_without_a_limit_for_others() {
    let mut outbox = Outbox::default();
    for loan in 0..u128::try_from(Outbox::WEBHOOK_PENDING_MAX).unwrap() {
        queue(&mut outbox, HOOK, facts(NoticeKind::Overdue, Some(loan), None, 0), 0);
    }
    let full = OutboxRejection::WebhookFull { max: Outbox::WEBHOOK_PENDING_MAX };
    assert_eq!(outbox.queue_test(ONE, HOOK, UnixMs(0)), Err(full));
    assert!(outbox.queue_test(ONE, OTHER, UnixMs(0)).is_ok());
    assert_eq!(states(&outbox, HOOK).len(), CallbackQueue::LOG_MAX);
    for id in 1..=u64::try_from(Outbox::WEBHOOK_PENDING_MAX).unwrap() {
        attempt(&mut outbox, id, DeliveryOutcome::Accepted, 0);
    }
    for _ in Outbox::WEBHOOK_PENDING_MAX..Outbox::WEBHOOK_MESSAGES_PER_DAY_MAX {
        let queued = outbox.queue_test(ONE, HOOK, UnixMs(1)).unwrap();
        outbox.apply(&queued, UnixMs(1));
        let id = outbox.latest;
        attempt(&mut outbox, id, DeliveryOutcome::Accepted, 1);
    }
    let too_many = OutboxRejection::WebhookFull { max: Outbox::WEBHOOK_MESSAGES_PER_DAY_MAX };
    assert_eq!(outbox.queue_test(ONE, HOOK, UnixMs(2)), Err(too_many));
}
