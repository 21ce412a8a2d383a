//! The check of a question in JSON.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::beginning;
use crate::ending;
use crate::fault::Fault;
use crate::kit_page;
use crate::question::{Question, Task};
use crate::vault_address;
use crate::verdict::{Findings, Verdict};

/// The maximum length of a question in bytes: transactions and kits of ten loans.
const LENGTH_MAX: usize = 16 << 20;

/// The field that tells the tasks of the offline page for kits, and the description of a vault, from questions.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    kit: Option<String>,
    #[serde(default)]
    vault: Option<IgnoredAny>,
}

/// Checks a question and returns the verdict, carries out a task of the offline page, or checks the address of a vault, and
/// returns the answer; all in JSON.
#[must_use]
pub fn check(question: &[u8]) -> String {
    let is_short = question.len() <= LENGTH_MAX;
    match serde_json::from_slice(question) {
        Ok(Head { kit: Some(_), .. }) if is_short => return kit_page::run(question),
        Ok(Head { vault: Some(_), .. }) if is_short => return vault_address::run(question),
        _ => {}
    }
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
