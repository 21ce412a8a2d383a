use super::*;
use crate::{LoanId, NoticeKind, Role};

const ONE: UserId = UserId(1);
const EMAIL: ContactChannel = ContactChannel::Email;

fn notice(kind: NoticeKind, loan: u128, at: u64) -> MessageContent {
    MessageContent::Notice(NoticeFacts {
        id: format!("{}-{kind:?}", LoanId(loan)),
        kind,
        at: UnixMs(at),
        collection_name: "paper frogs".to_owned(),
        loan: Some(LoanId(loan)),
        role: Some(Role::Lender),
        offer: None,
    })
}

fn queue(outbox: &mut Outbox, content: MessageContent, at: u64) -> Result<Option<MessageId>, OutboxRejection> {
    let event = outbox.queue(ONE, EMAIL, content, UnixMs(at))?;
    if let Some(event) = &event {
        outbox.apply(event, UnixMs(at));
    }
    Ok(event.map(|_| MessageId(outbox.latest)))
}

fn apply(event: Result<OutboxEvent, OutboxRejection>, outbox: &mut Outbox, at: u64) {
    outbox.apply(&event.unwrap(), UnixMs(at));
}

fn due(outbox: &Outbox, at: u64) -> Vec<u64> {
    outbox.due(ChannelKind::Email, UnixMs(at)).map(|message| message.id.0).collect()
}

#[test]
fn a_notice_is_queued_once_per_way_and_critical_ones_come_first() {
    let mut outbox = Outbox::default();
    assert_eq!(queue(&mut outbox, notice(NoticeKind::Repaid, 1, 10), 10), Ok(Some(MessageId(1))));
    assert_eq!(queue(&mut outbox, notice(NoticeKind::Overdue, 2, 10), 11), Ok(Some(MessageId(2))));
    assert_eq!(queue(&mut outbox, notice(NoticeKind::Overdue, 2, 10), 12), Ok(None));
    assert_eq!(due(&outbox, 12), [2, 1]);
    assert!(outbox.due(ChannelKind::Telegram, UnixMs(12)).next().is_none());
    let other = outbox.queue(ONE, ContactChannel::Telegram, notice(NoticeKind::Overdue, 2, 10), UnixMs(13)).unwrap();
    assert!(other.is_some());
    apply(outbox.begin_delivery(MessageId(2), UnixMs(12)), &mut outbox, 12);
    apply(outbox.record_outcome(MessageId(2), DeliveryOutcome::Accepted), &mut outbox, 13);
    assert_eq!((due(&outbox, 13), outbox.len()), (vec![1], 1));
    assert_eq!(queue(&mut outbox, notice(NoticeKind::Overdue, 2, 10), 14), Ok(None), "it has ended and is remembered");
}

#[test]
fn outdated_notices_are_neither_queued_nor_remembered() {
    let mut outbox = Outbox::default();
    queue(&mut outbox, notice(NoticeKind::Repaid, 1, 10), 10).unwrap();
    let last = 10 + Outbox::NOTICE_AGE_MAX_MS;
    assert_eq!(queue(&mut outbox, notice(NoticeKind::Repaid, 2, 10), last), Ok(None));
    assert_eq!(queue(&mut outbox, notice(NoticeKind::Repaid, 1, 10), last - 1), Ok(None));
    assert_eq!((outbox.seen_notices.len(), outbox.queued_at.len()), (1, 1));
    apply(outbox.begin_delivery(MessageId(1), UnixMs(last)), &mut outbox, last);
    assert_eq!((outbox.seen_notices.len(), outbox.key_expiries.len(), outbox.queued_at.len()), (0, 0, 0));
    assert_eq!(queue(&mut outbox, notice(NoticeKind::Repaid, 1, 10), last), Ok(None), "too old to be queued again");
}

#[test]
fn a_message_is_in_flight_once_and_only_then_has_an_outcome() {
    let mut outbox = Outbox::default();
    let unknown = MessageId(9);
    assert_eq!(outbox.begin_delivery(unknown, UnixMs(1)), Err(OutboxRejection::Unknown(unknown)));
    assert_eq!(outbox.record_outcome(unknown, DeliveryOutcome::Accepted), Err(OutboxRejection::Unknown(unknown)));
    assert_eq!(outbox.drop_queued(unknown), Err(OutboxRejection::Unknown(unknown)));
    let id = queue(&mut outbox, MessageContent::Verification { serial: 1 }, 5).unwrap().unwrap();
    assert_eq!(outbox.record_outcome(id, DeliveryOutcome::Accepted), Err(OutboxRejection::NotInFlight(id)));
    assert_eq!(outbox.begin_delivery(id, UnixMs(4)), Err(OutboxRejection::NotDue(id)));
    apply(outbox.begin_delivery(id, UnixMs(5)), &mut outbox, 5);
    assert_eq!((outbox.in_flight().collect::<Vec<_>>(), due(&outbox, 9)), (vec![id], vec![]));
    assert_eq!(outbox.begin_delivery(id, UnixMs(6)), Err(OutboxRejection::NotDue(id)));
    assert_eq!(outbox.drop_queued(id), Err(OutboxRejection::NotDue(id)));
    apply(outbox.record_outcome(id, DeliveryOutcome::Rejected(GiveUpReason::Refused)), &mut outbox, 7);
    assert!(outbox.is_empty() && outbox.waiting.is_empty());
    let id = queue(&mut outbox, MessageContent::Verification { serial: 1 }, 8).unwrap().unwrap();
    apply(outbox.drop_queued(id), &mut outbox, 9);
    assert!(outbox.is_empty() && outbox.waiting.is_empty());
}

#[test]
fn a_postponed_message_waits_for_its_retry_and_is_finally_given_up() {
    let mut outbox = Outbox::default();
    let id = queue(&mut outbox, notice(NoticeKind::Overdue, 1, 0), 0).unwrap().unwrap();
    for attempt in 1..=Outbox::ATTEMPTS_MAX {
        let now = u64::from(attempt) * 100;
        apply(outbox.begin_delivery(id, UnixMs(now)), &mut outbox, now);
        assert_eq!(outbox.attempts(id), Some(attempt));
        let event = outbox.record_outcome(id, DeliveryOutcome::Deferred { retry_at: UnixMs(now + 100) }).unwrap();
        outbox.apply(&event, UnixMs(now));
        if attempt == Outbox::ATTEMPTS_MAX {
            assert_eq!(event, OutboxEvent::GivenUp { id, reason: GiveUpReason::TooManyAttempts });
        } else {
            assert_eq!((due(&outbox, now + 99), due(&outbox, now + 100)), (vec![], vec![id.0]));
        }
    }
    assert_eq!((outbox.attempts(id), outbox.len(), outbox.waiting.len()), (None, 0, 0));
}

#[test]
fn a_message_with_unknown_delivery_is_repeated_but_a_chat_shows_it_a_few_times_at_most() {
    for (channel, times, reason) in [
        (EMAIL, Outbox::ATTEMPTS_MAX, GiveUpReason::TooManyAttempts),
        (ContactChannel::Telegram, Outbox::UNKNOWN_ATTEMPTS_MAX, GiveUpReason::Unknown),
    ] {
        let mut outbox = Outbox::default();
        let event = outbox.queue(ONE, channel, notice(NoticeKind::Overdue, 1, 0), UnixMs(0)).unwrap().unwrap();
        outbox.apply(&event, UnixMs(0));
        let id = MessageId(1);
        for attempt in 1..=times {
            apply(outbox.begin_delivery(id, UnixMs(5)), &mut outbox, 5);
            let event = outbox.record_outcome(id, DeliveryOutcome::Unknown { retry_at: UnixMs(5) }).unwrap();
            outbox.apply(&event, UnixMs(5));
            let given_up = OutboxEvent::GivenUp { id, reason };
            assert_eq!(event == given_up, attempt == times, "{channel:?} {attempt}: {event:?}");
        }
        assert!(outbox.is_empty());
    }
}

#[test]
fn a_message_is_sent_only_while_its_user_is_reachable_and_wants_it_and_it_is_not_stale() {
    let verified = |at: u64| crate::EmailContact {
        address: "lender@example.org".to_owned(),
        serial: 3,
        expires_at: UnixMs(50),
        verified_at: (at > 0).then_some(UnixMs(at)),
        bounced_at: None,
    };
    let contact = |at| crate::Contact { email: Some(verified(at)), ..crate::Contact::default() };
    let message = |channel, content| Message { id: MessageId(1), user: ONE, channel, content };
    let notice_mail = |kind| message(EMAIL, notice(kind, 1, 10));
    let now = UnixMs(20);
    assert!(notice_mail(NoticeKind::Overdue).is_wanted(&contact(10), now));
    assert!(!notice_mail(NoticeKind::Overdue).is_wanted(&contact(0), now), "not verified");
    assert!(!notice_mail(NoticeKind::Overdue).is_wanted(&contact(11), now), "older than the contact");
    assert!(!notice_mail(NoticeKind::Repaid).is_wanted(&contact(10), now), "not chosen");
    assert!(!notice_mail(NoticeKind::Overdue).is_wanted(&contact(10), UnixMs(10 + Outbox::NOTICE_AGE_MAX_MS)), "stale");
    assert!(!message(ContactChannel::Telegram, notice(NoticeKind::Overdue, 1, 10)).is_wanted(&contact(10), now));
    let verification = |serial| message(EMAIL, MessageContent::Verification { serial });
    assert!(verification(3).is_wanted(&contact(0), now));
    assert!(!verification(2).is_wanted(&contact(0), now), "another address");
    assert!(!verification(3).is_wanted(&contact(10), now), "verified already");
    assert!(!verification(3).is_wanted(&contact(0), UnixMs(50)), "too late");
    let refused = |at| {
        let email = crate::EmailContact { bounced_at: Some(UnixMs(15)), ..verified(at) };
        crate::Contact { email: Some(email), ..crate::Contact::default() }
    };
    assert!(!notice_mail(NoticeKind::Overdue).is_wanted(&refused(10), now), "refused");
    assert!(!verification(3).is_wanted(&refused(0), now), "refused");
}

#[test]
fn messages_per_user_and_day_are_limited_with_a_reserve_for_critical_ones() {
    let mut outbox = Outbox::default();
    let mut loan = 0;
    let mut send = |outbox: &mut Outbox, kind, at| {
        loan += 1;
        queue(outbox, notice(kind, loan, at), at).map(drop)
    };
    for at in 0..40 {
        send(&mut outbox, NoticeKind::OfferPaused, at).unwrap();
    }
    assert_eq!(send(&mut outbox, NoticeKind::OfferPaused, 40), Err(OutboxRejection::TooMany { max: 40 }));
    for at in 40..80 {
        send(&mut outbox, NoticeKind::Claimable, at).unwrap();
    }
    assert_eq!(send(&mut outbox, NoticeKind::Claimable, 80), Err(OutboxRejection::TooMany { max: 80 }));
    assert_eq!(send(&mut outbox, NoticeKind::Claimable, 24 * 3_600_000), Ok(()));
}

#[test]
fn a_full_outbox_refuses_messages() {
    let mut outbox = Outbox::default();
    for user in 0..u64::try_from(Outbox::PENDING_MAX).unwrap() {
        let event = outbox.queue(UserId(user), EMAIL, MessageContent::Verification { serial: user }, UnixMs(1));
        outbox.apply(&event.unwrap().unwrap(), UnixMs(1));
    }
    let refused = outbox.queue(ONE, ContactChannel::Telegram, notice(NoticeKind::Overdue, 1, 1), UnixMs(1));
    assert_eq!(refused, Err(OutboxRejection::Full { max: Outbox::PENDING_MAX }));
}
