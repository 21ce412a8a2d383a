//! Response types of Telegram, with the fields that are used.

use serde::Deserialize;

use super::{ChatEvent, Update};

/// The envelope of every response.
#[derive(Deserialize)]
#[serde(bound(deserialize = "T: serde::de::DeserializeOwned"))]
pub(super) struct Answer<T> {
    pub(super) ok: bool,
    #[serde(default = "none")]
    pub(super) result: Option<T>,
    #[serde(default)]
    pub(super) error_code: Option<u16>,
    #[serde(default)]
    pub(super) description: String,
    #[serde(default)]
    pub(super) parameters: Parameters,
}

const fn none<T>() -> Option<T> {
    None
}

/// The details of an error.
#[derive(Default, Deserialize)]
pub(super) struct Parameters {
    #[serde(default)]
    pub(super) retry_after: Option<u64>,
}

/// The bot itself.
#[derive(Deserialize)]
pub(super) struct Me {
    pub(super) username: String,
}

/// An update as received.
#[derive(Deserialize)]
pub(super) struct RawUpdate {
    update_id: i64,
    #[serde(default)]
    message: Option<RawMessage>,
    #[serde(default)]
    my_chat_member: Option<Membership>,
}

#[derive(Deserialize)]
struct RawMessage {
    chat: Chat,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct Membership {
    chat: Chat,
    new_chat_member: Member,
}

#[derive(Deserialize)]
struct Member {
    status: String,
}

#[derive(Deserialize)]
struct Chat {
    id: i64,
    #[serde(rename = "type")]
    kind: String,
}

impl Chat {
    fn is_private(&self) -> bool {
        self.kind == "private"
    }
}

impl RawUpdate {
    /// Converts it to an update; texts are truncated to `length_max` characters.
    pub(super) fn read(self, length_max: usize) -> Update {
        let Self { update_id, message, my_chat_member } = self;
        let message_event = message.filter(|message| message.chat.is_private()).and_then(|message| {
            let text = message.text?.chars().take(length_max).collect();
            Some(ChatEvent::Message { chat: message.chat.id, text })
        });
        let left = my_chat_member
            .filter(|it| it.chat.is_private() && ["kicked", "left"].contains(&it.new_chat_member.status.as_str()))
            .map(|it| ChatEvent::Blocked { chat: it.chat.id });
        Update { id: update_id, event: message_event.or(left) }
    }
}
