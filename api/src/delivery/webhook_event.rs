//! The body of a request to a webhook.

use domain::{Message, MessageContent, UnixMs};
use engine::wire::{NoticeKind, RoleName};
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::ToSchema;

use super::links::Links;

/// The type of a test event.
pub const TEST: &str = "test";

/// The body of a request to a webhook: the same at every attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WebhookEvent {
    /// The kind of the notice, such as `overdue`, or `test`.
    #[serde(rename = "type")]
    kind: String,
    /// The time of the event, in RFC 3339.
    timestamp: String,
    /// The event.
    data: WebhookEventData,
}

/// The facts of an event. What has become of its loan or offer since is read from the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEventData {
    /// The id of the event, as in `/api/v1/me/notices` and in the header `webhook-id`.
    id: String,
    /// The time of the event, in unix milliseconds.
    #[schema(value_type = u64)]
    at: UnixMs,
    /// The display name of the collection.
    collection_name: String,
    /// The loan that it is about.
    #[schema(required)]
    loan_id: Option<String>,
    /// The user's side of that loan.
    #[schema(required)]
    role: Option<RoleName>,
    /// The offer that it is about.
    #[schema(required)]
    offer_id: Option<String>,
    /// The page of the app about it.
    url: String,
}

impl WebhookEvent {
    /// Returns the event of a message; `None` if it is not one for webhooks.
    #[must_use]
    pub fn of(message: &Message, links: &Links<'_>) -> Option<Self> {
        let (kind, data) = match &message.content {
            MessageContent::Notice(facts) | MessageContent::Replayed(facts) => {
                let data = WebhookEventData {
                    id: facts.id.clone(),
                    at: facts.at,
                    collection_name: facts.collection_name.clone(),
                    loan_id: facts.loan.map(|loan| loan.to_string()),
                    role: facts.role.map(Into::into),
                    offer_id: facts.offer.map(|offer| offer.to_string()),
                    url: links.notice(facts),
                };
                (NoticeKind::from(facts.kind).name(), data)
            }
            MessageContent::Test { at } => {
                let data = WebhookEventData {
                    id: test_id(message),
                    at: *at,
                    collection_name: String::new(),
                    loan_id: None,
                    role: None,
                    offer_id: None,
                    url: links.settings(),
                };
                (TEST, data)
            }
            MessageContent::Verification { .. } => return None,
        };
        Some(Self { kind: kind.to_owned(), timestamp: rfc3339(data.at), data })
    }

    /// Returns the id of the event, which is the same at every attempt, every repetition and every webhook of a user.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.data.id
    }
}

/// Returns the id of a message's event.
#[must_use]
pub fn event_id(message: domain::MessageId, content: &MessageContent) -> String {
    content.facts().map_or_else(|| format!("{message}-{TEST}"), |facts| facts.id.clone())
}

fn test_id(message: &Message) -> String {
    event_id(message.id, &message.content)
}

fn rfc3339(at: UnixMs) -> String {
    let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(at.0) * 1_000_000).ok();
    moment.and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use domain::{ContactChannel, LoanId, MessageId, NoticeFacts, Role, UserId, WebhookId};
    use serde_json::json;

    use super::*;
    use crate::config::public_url::PublicUrl;

    fn event(content: MessageContent) -> Option<serde_json::Value> {
        let url: PublicUrl = "https://lienbook.example".parse().unwrap();
        let channel = ContactChannel::Webhook(WebhookId(1));
        let message = Message { id: MessageId(11), user: UserId(1), channel, content };
        let event = WebhookEvent::of(&message, &Links { public_url: &url })?;
        assert_eq!(event.id(), event_id(message.id, &message.content));
        Some(serde_json::to_value(event).unwrap())
    }

    #[test]
    fn an_event_has_its_type_its_time_and_ids_for_the_api() {
        let facts = NoticeFacts {
            id: "ln_7-due_in_72h".to_owned(),
            kind: domain::NoticeKind::DueIn72Hours,
            at: UnixMs(1_900_000_000_123),
            collection_name: "paper frogs".to_owned(),
            loan: Some(LoanId(7)),
            role: Some(Role::Borrower),
            offer: None,
        };
        let expected = json!({
            "type": "due_in_72h",
            "timestamp": "2030-03-17T17:46:40.123Z",
            "data": {
                "id": "ln_7-due_in_72h", "at": 1_900_000_000_123_u64, "collectionName": "paper frogs",
                "loanId": "ln_7", "role": "borrower", "offerId": null,
                "url": "https://lienbook.example/portfolio?tab=loans&loan=ln_7",
            },
        });
        assert_eq!(event(MessageContent::Notice(facts.clone())), Some(expected.clone()));
        assert_eq!(event(MessageContent::Replayed(facts)), Some(expected), "a repetition is the same event");
        let test = event(MessageContent::Test { at: UnixMs(0) }).unwrap();
        assert_eq!((&test["type"], &test["data"]["id"]), (&json!("test"), &json!("ms_b-test")));
        assert_eq!(event(MessageContent::Verification { serial: 1 }), None);
    }
}
