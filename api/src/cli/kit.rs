//! `lienbook kit`: ends a loan, or leaves a vault, with a kit and a Bitcoin node only.

pub(super) mod act;
mod claim;
mod drawing;
mod exit;
mod fee_rate;
mod files;
mod node;
mod payer;
mod repay;
mod send;
mod time_left;

use std::future::Future;

use crate::failure::Failure;

use act::KitAct;

/// Executes one step; each can be repeated.
pub(super) fn run(act: &KitAct) -> Result<(), Failure> {
    match act {
        KitAct::Repay(wish) => wait_for(repay::run(wish)),
        KitAct::Claim(wish) => wait_for(claim::run(wish)),
        KitAct::Exit(wish) => wait_for(exit::run(wish)),
        KitAct::Send(wish) => wait_for(send::run(wish)),
    }
}

fn wait_for(step: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    runtime.block_on(step)
}
