//! Webhooks: the client that calls them, their secrets, and the latest answers.

use domain::{UserId, Webhook};
use providers::{AddressPolicy, CallbackClient};

use super::webhook_answers::WebhookAnswers;
use super::webhook_secret::WebhookSecret;
use crate::config::delivery_timing::DeliveryTiming;

/// The channel of webhooks.
pub struct Webhooks {
    /// The client that calls them.
    pub client: CallbackClient,
    /// The beginnings of the latest answers.
    pub answers: WebhookAnswers,
    key: [u8; 32],
}

impl Webhooks {
    /// Builds the channel with the key that secrets are derived from.
    #[must_use]
    pub fn new(policy: AddressPolicy, timing: DeliveryTiming, key: [u8; 32]) -> Self {
        Self { client: CallbackClient::new(policy, timing.webhook_timeout), answers: WebhookAnswers::default(), key }
    }

    /// Derives a version of a webhook's secret.
    #[must_use]
    pub fn secret(&self, user: UserId, webhook: &Webhook, version: u32) -> WebhookSecret {
        WebhookSecret::derive(&self.key, user, webhook, version)
    }
}
