//! A text signed by a program under a delegation.

use bitcoin::hashes::{Hash as _, sha256};
use escrow::delegated_action::DelegatedAction;
use serde::{Deserialize, Serialize};

use crate::delegation::Delegation;
use crate::delegation_refusal::DelegationRefusal;
use crate::policy::Policy;
use crate::refusal::Refusal;

/// A text of [`escrow::delegated_action`] and its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramText {
    /// The text.
    pub message: String,
    /// The BIP-340 signature, in 128 hexadecimal digits.
    pub signature: String,
}

impl ProgramText {
    /// Returns the SHA-256 of the text, which is the id of an offer.
    #[must_use]
    pub fn id(&self) -> sha256::Hash {
        sha256::Hash::hash(self.message.as_bytes())
    }

    /// Parses it without checking it.
    pub(crate) fn parse(&self) -> Result<DelegatedAction, Refusal> {
        DelegatedAction::parse(&self.message).map_err(|error| Refusal::MessageUnreadable { reason: error.to_string() })
    }

    /// Checks place, time and signature, under the delegation that it names.
    pub(crate) fn check(
        &self,
        signed: &DelegatedAction,
        delegation: &Delegation,
        policy: &Policy,
        now_s: u64,
    ) -> Result<(), Refusal> {
        let (envelope, rules) = (signed.envelope(), policy.draft());
        if envelope.domain != rules.domain {
            return Err(Refusal::WrongDomain { expected: rules.domain.clone(), found: envelope.domain.clone() });
        }
        if envelope.network != rules.network {
            let (expected, found) = (rules.network.to_string(), envelope.network.to_string());
            return Err(Refusal::WrongNetwork { expected, found });
        }
        if envelope.address != delegation.address {
            return Err(Refusal::ForeignAddress { address: envelope.address.clone() });
        }
        envelope.check_times(now_s).map_err(|error| Refusal::NotFresh { reason: error.to_string() })?;
        signed
            .verify(delegation.limits.program_key, &self.signature)
            .map_err(|error| DelegationRefusal::BadSignature { reason: error.to_string() }.into())
    }
}
