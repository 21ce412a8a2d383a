//! The end of a message, with the pause of its webhook that may follow from it.

use domain::{ContactEvent, DeliveryOutcome, MessageId, OutboxEvent, OutboxRejection, UserId, WebhookId};

use crate::ledger::{LedgerEvent, LedgerState};

/// The event that ends or postpones a message, with the pause of its webhook that may follow from it. Both belong into one
/// batch.
pub(super) struct Ended {
    pub(super) event: OutboxEvent,
    pub(super) pause: Option<Pause>,
}

/// The pause of a webhook that has accepted none of the attempts, or is gone.
pub(super) struct Pause {
    pub(super) user: UserId,
    pub(super) webhook: WebhookId,
    event: ContactEvent,
}

impl Ended {
    pub(super) fn of(
        ledger: &LedgerState,
        message: MessageId,
        outcome: DeliveryOutcome,
    ) -> Result<Self, OutboxRejection> {
        let event = ledger.outbox().record_outcome(message, outcome)?;
        let pause = ledger.outbox().pause_with(&event).and_then(|(user, webhook, reason)| {
            // It may have been removed meanwhile.
            let event = ledger.contacts().pause_webhook(user, webhook, reason).ok()??;
            Some(Pause { user, webhook, event })
        });
        Ok(Self { event, pause })
    }
}

impl Pause {
    pub(super) fn events(self) -> [LedgerEvent; 2] {
        let stopped = OutboxEvent::WebhookStopped { webhook: self.webhook };
        [LedgerEvent::Message(stopped), LedgerEvent::Contact(self.event)]
    }
}
