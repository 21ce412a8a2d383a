//! A message signed by a lender.

use bitcoin::hashes::{Hash as _, sha256};
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::address::WalletAddress;
use escrow::message_signature;
use serde::{Deserialize, Serialize};

use crate::policy::Policy;
use crate::refusal::Refusal;

/// A message of [`escrow::action_message`] and its signature, as the wallet returned them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedText {
    /// The text.
    pub message: String,
    /// The signature in base64.
    pub signature: String,
}

/// A message whose domain, network, times and signature were checked.
pub(crate) struct VerifiedMessage {
    pub(crate) message: ActionMessage,
    pub(crate) address: WalletAddress,
}

impl SignedText {
    /// Returns the SHA-256 of the text, which is the id of an offer.
    #[must_use]
    pub fn id(&self) -> sha256::Hash {
        sha256::Hash::hash(self.message.as_bytes())
    }

    /// Parses it without checking it: for entries of the log, which were checked before they were written.
    pub(crate) fn parse(&self) -> Result<ActionMessage, Refusal> {
        ActionMessage::parse(&self.message).map_err(|error| Refusal::MessageUnreadable { reason: error.to_string() })
    }

    /// Checks everything that does not depend on the action or on earlier messages.
    pub(crate) fn check(&self, policy: &Policy, now_s: u64) -> Result<VerifiedMessage, Refusal> {
        let message = self.parse()?;
        let envelope = message.envelope();
        let rules = policy.draft();
        if envelope.domain != rules.domain {
            return Err(Refusal::WrongDomain { expected: rules.domain.clone(), found: envelope.domain.clone() });
        }
        if envelope.network != rules.network {
            let (expected, found) = (rules.network.to_string(), envelope.network.to_string());
            return Err(Refusal::WrongNetwork { expected, found });
        }
        envelope.check_times(now_s).map_err(|error| Refusal::NotFresh { reason: error.to_string() })?;
        let bad = |reason: String| Refusal::BadSignature { address: envelope.address.clone(), reason };
        let address = WalletAddress::parse(&envelope.address, rules.network).map_err(|error| bad(error.to_string()))?;
        message_signature::verify(&address, &self.message, &self.signature).map_err(|error| bad(error.to_string()))?;
        Ok(VerifiedMessage { message, address })
    }
}

impl VerifiedMessage {
    /// Refuses a message that was signed for another policy.
    pub(crate) fn check_policy(policy: &Policy, signed: &str) -> Result<(), Refusal> {
        let expected = policy.hash().to_string();
        if signed == expected { Ok(()) } else { Err(Refusal::OtherPolicy { expected, found: signed.to_owned() }) }
    }

    /// Returns its action.
    pub(crate) fn action(&self) -> &Action {
        self.message.action()
    }
}
