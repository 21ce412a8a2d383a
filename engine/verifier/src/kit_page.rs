//! The computations of the offline page for kits: what a kit says, the transaction that it builds from coins that the user
//! names, and the check of the transaction that a wallet has signed.
//!
//! The page has no node and no server. Whether a coin or the escrow is unspent and confirmed is not known here: a false
//! statement gives a transaction that nodes refuse. A false amount gives signatures that are invalid.
//!
//! - [`task`] is what the page asks, [`answer`] what it gets, [`kit_fault`] the reasons of a refusal.
//! - [`facts`] describes a kit, [`build`] prepares its transaction, [`finish`] completes it.
//! - [`drawing`] lists the inputs and outputs of a transaction.

pub mod answer;
pub mod build;
pub mod drawing;
pub mod facts;
pub mod finish;
pub mod kit_fault;
pub mod task;

use escrow::kit::Kit;

use answer::KitAnswer;
use kit_fault::KitFault;
use task::{KitStep, KitTask};

/// Carries out a task in JSON and returns its answer in JSON.
#[must_use]
pub fn run(task: &[u8]) -> String {
    let answer = answered(task).unwrap_or_else(|fault| KitAnswer::refused(&fault));
    // An answer of texts and numbers always serializes. An empty text is none, which the page reports.
    serde_json::to_string(&answer).unwrap_or_default()
}

fn answered(task: &[u8]) -> Result<KitAnswer, KitFault> {
    let task: KitTask =
        serde_json::from_slice(task).map_err(|error| KitFault::Unreadable { reason: error.to_string() })?;
    let kit = Kit::read(&task.kit)?;
    match &task.step {
        KitStep::Read => Ok(KitAnswer::Kit(Box::new(facts::of(&kit, task.now_seconds)))),
        KitStep::Build(order) => build::unsigned(&kit, order, task.now_seconds).map(KitAnswer::Unsigned),
        KitStep::Finish(signed) => finish::finished(&kit, signed).map(KitAnswer::Finished),
    }
}
