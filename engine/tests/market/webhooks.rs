//! Tests of webhooks: restart and follower, order, replay, and the pause that follows from failures.

use domain::{
    AttemptResult, ChannelKind, ContactRejection, DeliveryOutcome, DeliveryState, GiveUpReason, MessageContent,
    MessageId, NoticeKind, NoticeKinds, Outbox, OutboxRejection, Stream, UnixMs, UserId, Webhook, WebhookId,
    WebhookPauseReason,
};
use engine::{Refusal, ReplayFrom, clock::Clock as _, wire};

use crate::{
    fake_journal::streams_of,
    fixture::{Fixture, settings},
    random_loans::RandomLoans,
};

const URL: &str = "https://hooks.example.org:8443/a?b";
const HOOKS: [ChannelKind; 1] = [ChannelKind::Webhook];

fn all() -> NoticeKinds {
    NoticeKind::ALL.into_iter().collect()
}

impl Fixture {
    async fn webhook_of(&self, user: UserId) -> Webhook {
        self.market.add_webhook(user, URL, all()).await.unwrap()
    }

    /// Delivers what is due, with one outcome; returns the ids of the events.
    async fn deliver(&self, outcome: DeliveryOutcome) -> Vec<String> {
        let mut events = Vec::new();
        for user in self.market.reachable_users(None) {
            self.market.queue_notices(user, &HOOKS).await.unwrap();
        }
        while let Some(due) = self.market.due_messages(ChannelKind::Webhook, 1).pop() {
            self.market.begin_delivery(due.message.id).await.unwrap();
            let attempt = (AttemptResult::Status(200), 7);
            self.market.record_webhook_attempt(due.message.id, attempt, outcome).await.unwrap();
            events.extend(due.message.content.facts().map(|facts| facts.id.clone()));
        }
        events
    }
}

#[actix::test]
async fn webhooks_and_their_deliveries_are_the_same_after_a_restart_and_on_a_follower() {
    let fixture = Fixture::new().await;
    let (user, other) = (fixture.user(1).await, fixture.user(2).await);
    let webhook = fixture.webhook_of(user).await;
    assert_eq!(streams_of(&fixture.journal.last_batch()), [Stream::Contacts]);
    let removed = fixture.webhook_of(user).await.id;
    fixture.market.send_test_event(user, removed).await.unwrap();
    fixture.market.remove_webhook(user, removed).await.unwrap();
    let test = fixture.market.send_test_event(user, webhook.id).await.unwrap();
    fixture.deliver(DeliveryOutcome::Accepted).await;
    fixture.market.rotate_webhook_secret(user, webhook.id).await.unwrap();
    fixture.market.change_webhook(user, webhook.id, all(), true).await.unwrap();
    let unknown = Err(Refusal::Contact(ContactRejection::UnknownWebhook(webhook.id)));
    assert_eq!(fixture.market.webhook_deliveries(other, webhook.id).await.map(drop), unknown);
    assert_eq!(fixture.market.send_test_event(other, webhook.id).await.map(drop), unknown);
    assert_eq!(fixture.market.remove_webhook(other, webhook.id).await, unknown);

    let (following, follower) = Fixture::following(&fixture.journal, fixture.clock.clone(), settings());
    let late = fixture.market.send_test_event(user, webhook.id).await.unwrap();
    for commit in follower.commits(usize::MAX) {
        following.market.apply(commit).await.unwrap();
    }
    let shown = async |fixture: &Fixture| {
        let deliveries = fixture.market.webhook_deliveries(user, webhook.id).await.unwrap();
        (fixture.market.contact(user).await.unwrap(), deliveries)
    };
    let (contact, deliveries) = shown(&fixture).await;
    let ids: Vec<MessageId> = deliveries.iter().map(|delivery| delivery.id).collect();
    assert_eq!((contact.webhooks.len(), ids), (1, vec![late, test]));
    assert_eq!(deliveries[1].last_attempt.unwrap().result, AttemptResult::Status(200));
    assert_eq!((contact.webhooks[0].secret_version, contact.webhooks[0].pause.is_some()), (2, true));
    assert_eq!(shown(&following).await, (contact.clone(), deliveries.clone()));
    assert_eq!(following.market.send_test_event(user, webhook.id).await, Err(Refusal::Following));
    let restarted = fixture.restarted().await;
    assert_eq!(shown(&restarted).await, (contact, deliveries));
}

#[actix::test]
async fn failures_pause_a_webhook_and_reach_its_user_by_other_channels_and_in_the_app() {
    for (outcome, attempts, reason) in [
        (DeliveryOutcome::Rejected(GiveUpReason::Refused), 1, WebhookPauseReason::Gone),
        (DeliveryOutcome::Deferred { retry_at: UnixMs(0) }, Outbox::WEBHOOK_ATTEMPTS_MAX, WebhookPauseReason::Failing),
    ] {
        let fixture = Fixture::new().await;
        let mut random_loans = RandomLoans::new(&fixture, 2, 2).await;
        let user = random_loans.users[0];
        fixture.clock.advance_ms(1);
        let webhook = fixture.webhook_of(user).await.id;
        fixture.market.link_telegram(user, 5).await.unwrap();
        fixture
            .market
            .choose_notices(user, domain::NoticeChoices { critical_alerts: false, ..Default::default() })
            .await
            .unwrap();
        let other = random_loans.users[1];
        let loan = random_loans.prepare_for(&fixture, user, other).await;
        while fixture.market.queue_notices(user, &HOOKS).await.unwrap() == 0 {
            random_loans.step(&fixture, loan).await;
        }
        let mut count = 0;
        while let Some(due) = fixture.market.due_messages(ChannelKind::Webhook, 1).pop() {
            fixture.market.begin_delivery(due.message.id).await.unwrap();
            let attempt = (AttemptResult::TimedOut, 7);
            fixture.market.record_webhook_attempt(due.message.id, attempt, outcome).await.unwrap();
            count += 1;
        }
        assert_eq!(count, attempts);
        assert!(streams_of(&fixture.journal.last_batch()).contains(&Stream::Contacts), "in one batch");
        let fixture = fixture.restarted().await;
        let pause = fixture.market.webhook(user, webhook).await.unwrap().pause.unwrap();
        assert_eq!(pause.reason, reason);
        let notices = fixture.market.my_notices(user).await.unwrap();
        let notice = notices.iter().find(|notice| notice.kind == wire::NoticeKind::WebhookPaused).unwrap();
        assert_eq!((notice.at, &*notice.collection_name), (pause.since, "hooks.example.org:8443"));
        assert_eq!(fixture.market.queue_notices(user, &[ChannelKind::Telegram]).await, Ok(1));
        let refused = Err(Refusal::Contact(ContactRejection::WebhookPaused(webhook)));
        let everything = ReplayFrom::Time(UnixMs(0));
        assert_eq!(fixture.market.replay_events(user, webhook, everything).await, refused);
        fixture.market.change_webhook(user, webhook, all(), false).await.unwrap();
        assert!(!fixture.market.my_notices(user).await.unwrap().contains(notice));
    }
}

#[actix::test]
async fn a_process_that_ends_in_the_last_attempt_leaves_the_webhook_paused_as_a_failure_does() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 2, 2).await;
    let [user, other] = [random_loans.users[0], random_loans.users[1]];
    fixture.clock.advance_ms(1);
    let webhook = fixture.webhook_of(user).await.id;
    let loan = random_loans.prepare_for(&fixture, user, other).await;
    while fixture.market.queue_notices(user, &HOOKS).await.unwrap() == 0 {
        random_loans.step(&fixture, loan).await;
    }
    let id = fixture.market.due_messages(ChannelKind::Webhook, 1)[0].message.id;
    let deferred = DeliveryOutcome::Deferred { retry_at: UnixMs(0) };
    for attempt in 1..=Outbox::WEBHOOK_ATTEMPTS_MAX {
        assert_eq!(fixture.market.begin_delivery(id).await, Ok(attempt));
        if attempt < Outbox::WEBHOOK_ATTEMPTS_MAX {
            fixture.market.record_webhook_attempt(id, (AttemptResult::TimedOut, 7), deferred).await.unwrap();
        }
    }
    let waiting = fixture.market.send_test_event(user, webhook).await.unwrap();
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.requeue_unknown_deliveries().await, Ok(1));
    let pause = fixture.market.webhook(user, webhook).await.unwrap().pause.unwrap();
    assert_eq!(pause.reason, WebhookPauseReason::Failing);
    let notices = fixture.market.my_notices(user).await.unwrap();
    assert!(notices.iter().any(|notice| notice.kind == wire::NoticeKind::WebhookPaused), "{notices:?}");
    let states: Vec<_> = fixture.market.webhook_deliveries(user, webhook).await.unwrap();
    let state = |id| states.iter().find(|delivery| delivery.id == id).unwrap().state;
    assert_eq!(state(id), DeliveryState::GivenUp(GiveUpReason::TooManyAttempts));
    assert_eq!(state(waiting), DeliveryState::GivenUp(GiveUpReason::NotWanted), "a pause ends what waits");
    assert_eq!(fixture.market.requeue_unknown_deliveries().await, Ok(0));
}

#[actix::test]
async fn a_replay_sends_the_chosen_events_in_order_from_a_time_or_after_an_event() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 2, 2).await;
    let user = random_loans.users[0];
    let other = random_loans.users[1];
    let loan = random_loans.prepare_for(&fixture, user, other).await;
    for _ in 0..12 {
        random_loans.step(&fixture, loan).await;
    }
    fixture.clock.advance_ms(1);
    let mut expected: Vec<(UnixMs, String)> = Vec::new();
    for notice in fixture.market.my_notices(user).await.unwrap() {
        expected.push((notice.at, notice.id));
    }
    expected.reverse();
    assert!(expected.len() >= 3 && expected.is_sorted_by_key(|(at, _)| *at), "{expected:?}");
    let webhook: WebhookId = fixture.webhook_of(user).await.id;
    assert_eq!(fixture.deliver(DeliveryOutcome::Accepted).await, [""; 0], "all are from before the webhook");
    let replay = async |from| fixture.market.replay_events(user, webhook, from).await;
    let ids = |from: usize| expected[from..].iter().map(|(_, id)| id.clone()).collect::<Vec<_>>();
    for (from, first) in [
        (ReplayFrom::Time(UnixMs(0)), 0),
        (ReplayFrom::After(expected[0].1.clone()), 1),
        (ReplayFrom::Time(expected[2].0), expected.iter().position(|it| it.0 >= expected[2].0).unwrap()),
        (ReplayFrom::After(expected.last().unwrap().1.clone()), expected.len()),
    ] {
        assert_eq!(replay(from.clone()).await, Ok(expected.len() - first), "{from:?}");
        assert_eq!(fixture.deliver(DeliveryOutcome::Accepted).await, ids(first), "{from:?}");
    }
    let unknown = Err(Refusal::Message(OutboxRejection::UnknownEvent));
    assert_eq!(replay(ReplayFrom::After("ln_1-overdue".to_owned())).await, unknown);
    fixture.market.change_webhook(user, webhook, NoticeKinds::default(), false).await.unwrap();
    assert_eq!(replay(ReplayFrom::Time(UnixMs(0))).await, Ok(0), "no kind is chosen");

    let delivery = fixture.market.webhook_deliveries(user, webhook).await.unwrap().swap_remove(0);
    let again = fixture.market.redeliver(user, webhook, delivery.id).await.unwrap().unwrap();
    assert_eq!(fixture.market.redeliver(user, webhook, delivery.id).await, Ok(None), "it waits already");
    let due = fixture.market.due_messages(ChannelKind::Webhook, 9);
    assert!(due.len() == 1 && due[0].message.is_wanted(&due[0].contact, fixture.clock.now()));
    let MessageContent::Replayed(facts) = &due[0].message.content else { panic!("{due:?}") };
    assert_eq!((due[0].message.id, Some(facts)), (again, delivery.content.facts()));
}
