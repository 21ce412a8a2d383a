//! The answer to a task of the offline page, in JSON.

use serde::Serialize;

use super::build::Unsigned;
use super::facts::KitFacts;
use super::finish::Finished;
use super::kit_fault::KitFault;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum KitAnswer {
    /// The kit is valid and says this.
    Kit(Box<KitFacts>),
    /// A transaction for a wallet.
    Unsigned(Unsigned),
    /// A transaction for the network.
    Finished(Finished),
    /// The task is refused.
    Refused {
        /// The reason for programs.
        code: &'static str,
        /// The reason in words.
        text: String,
    },
}

impl KitAnswer {
    /// Returns the refusal for a fault.
    #[must_use]
    pub fn refused(fault: &KitFault) -> Self {
        Self::Refused { code: fault.code(), text: fault.to_string() }
    }
}
