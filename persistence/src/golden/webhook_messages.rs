//! Samples of messages to webhooks and browsers, whose channel and contents earlier journals do not have.

use domain::{ContactChannel, Event, Message, MessageContent, OutboxEvent, Stream, UnixMs};

use super::samples::message;
use super::{HOOK, IntoEvent as _, PUSH};

/// A notice that is sent again, a test event, and a notice for a browser.
pub(super) fn samples() -> Vec<(&'static str, Stream, Event)> {
    let facts = message().content.facts().unwrap().clone();
    let to_webhook = |content| Message { channel: ContactChannel::Webhook(HOOK), content, ..message() };
    let to_browser = Message { channel: ContactChannel::Push(PUSH), ..message() };
    let queued = |content| OutboxEvent::Queued(Box::new(to_webhook(content))).into_event();
    vec![
        ("message.queued.to_webhook", Stream::Outbox, queued(MessageContent::Replayed(facts))),
        ("message.queued.test_event", Stream::Outbox, queued(MessageContent::Test { at: UnixMs(1_700_000_000_000) })),
        ("message.queued.to_browser", Stream::Outbox, OutboxEvent::Queued(Box::new(to_browser)).into_event()),
    ]
}
