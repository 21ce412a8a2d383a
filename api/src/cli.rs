//! The command line.

mod arguments;
mod check;
mod collection_add;
mod copy;
mod export_target;
mod kit;
mod operate;
mod price_set;
mod progress;
mod serve;
mod signer;
mod terminal;
mod vault;

use clap::Parser as _;

use crate::failure::Failure;

pub use arguments::{Arguments, Command};

/// Runs the program as the command line says.
///
/// # Errors
/// A line for the terminal, or one for each fault of the settings.
pub fn run() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    // A person with a kit has no server, and so no settings.
    if let Command::Kit { act } = &arguments.command {
        return kit::run(act);
    }
    let settings = arguments.settings()?;
    match arguments.command {
        Command::Demo => serve::run(settings, serve::Mode::Demo),
        Command::Serve => serve::run(settings, serve::Mode::Serve),
        Command::Export { to, force } => copy::export(&settings, to.as_deref(), force),
        Command::Restore { from } => copy::restore(&settings, from.as_deref()),
        Command::Check => check::run(&settings),
        Command::Collection { act } => collection_add::run(&settings, &act),
        Command::Price { act } => price_set::run(&settings, &act),
        Command::Vault { act } => vault::run(&settings, &act),
        Command::Kit { act } => kit::run(&act),
        Command::Signer(command) => signer::run(&settings, &command),
    }
}
