//! `lienbook kit`: ends a loan, or leaves a vault, with a kit and a Bitcoin node only; and writes a page that does so offline.

pub(super) mod arguments;
mod claim;
mod drawing;
mod exit;
mod files;
mod node;
mod page;
mod payer;
mod repay;
mod send;

use std::future::Future;

use crate::failure::Failure;

use arguments::KitSubcommand;

/// Executes one step; each can be repeated.
pub(super) fn run(act: &KitSubcommand) -> Result<(), Failure> {
    match act {
        KitSubcommand::Repay(options) => wait_for(repay::run(options)),
        KitSubcommand::Claim(options) => wait_for(claim::run(options)),
        KitSubcommand::Exit(options) => wait_for(exit::run(options)),
        KitSubcommand::Send(options) => wait_for(send::run(options)),
        KitSubcommand::Page(options) => page::run(options),
    }
}

fn wait_for(step: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    runtime.block_on(step)
}
