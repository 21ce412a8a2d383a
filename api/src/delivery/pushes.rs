//! Web Push: the client that calls push services, and the key by which they know this server.

use providers::{AddressPolicy, CallbackClient};

use super::push_key::PushKey;
use crate::config::delivery_timing::DeliveryTiming;

/// The channel of Web Push.
pub struct Pushes {
    /// The client that calls push services: that of webhooks, since browsers name them.
    pub client: CallbackClient,
    /// The key of this server.
    pub key: PushKey,
    /// The URL by which push services reach the operator: `mailto:` or `https:`.
    pub contact: Option<String>,
    /// The key of the topics by which a push service recognizes a repeated message.
    pub(super) topic_key: [u8; 32],
}

impl Pushes {
    /// Builds the channel.
    #[must_use]
    pub fn new(
        policy: AddressPolicy,
        timing: DeliveryTiming,
        key: PushKey,
        contact: Option<String>,
        topic_key: [u8; 32],
    ) -> Self {
        Self { client: CallbackClient::new(policy, timing.webhook_timeout), key, contact, topic_key }
    }
}
