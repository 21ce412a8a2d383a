//! The verifier's verdict, in JSON.

use serde::Serialize;

use crate::fault::Fault;
use crate::movements::Movement;

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Whether the transactions are exactly the ones that the terms demand.
    pub agrees: bool,
    /// The reasons why they are not: the first that was found.
    pub faults: Vec<Refusal>,
    /// The destination of everything, where they are.
    pub movements: Vec<Movement>,
    /// Further facts that were established, in words.
    pub proofs: Vec<String>,
}

/// A reason not to sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The reason for programs.
    pub code: &'static str,
    /// The reason in words.
    pub text: String,
}

/// The facts about transactions that are as agreed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The destination of everything.
    pub movements: Vec<Movement>,
    /// Further facts, in words.
    pub proofs: Vec<String>,
}

impl From<Result<Findings, Fault>> for Verdict {
    fn from(outcome: Result<Findings, Fault>) -> Self {
        match outcome {
            Ok(Findings { movements, proofs }) => Self { agrees: true, faults: Vec::new(), movements, proofs },
            Err(fault) => Self {
                agrees: false,
                faults: vec![Refusal { code: fault.code(), text: fault.to_string() }],
                movements: Vec::new(),
                proofs: Vec::new(),
            },
        }
    }
}
