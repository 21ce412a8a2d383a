//! The check of a question in JSON.

use crate::beginning;
use crate::ending;
use crate::fault::Fault;
use crate::question::{Question, Task};
use crate::verdict::{Findings, Verdict};

/// The maximum length of a question in bytes: transactions and kits of ten loans.
const LENGTH_MAX: usize = 16 << 20;

/// Checks a question and returns the verdict, both in JSON.
#[must_use]
pub fn check(question: &[u8]) -> String {
    let verdict = Verdict::from(findings(question));
    // A verdict of texts and numbers always serializes. An empty text is none, which is a refusal too.
    serde_json::to_string(&verdict).unwrap_or_default()
}

fn findings(question: &[u8]) -> Result<Findings, Fault> {
    if question.len() > LENGTH_MAX {
        return Err(Fault::Unreadable { reason: "it is too long".to_owned() });
    }
    let question: Question =
        serde_json::from_slice(question).map_err(|error| Fault::Unreadable { reason: error.to_string() })?;
    let network = question.network.0;
    let own = question.own.keys(network)?;
    match &question.task {
        Task::Borrow(task) => beginning::borrower(task, &own, &question.transactions, network),
        Task::Lend(task) => beginning::lender(task, &own, &question.transactions, network),
        Task::Repay(task) => ending::repayment(task, &own, &question.transactions, network),
        Task::Claim(task) => ending::claim(task, &own, &question.transactions, network),
    }
}
