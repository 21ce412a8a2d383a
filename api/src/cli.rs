//! The command line.

mod arguments;
mod audit;
mod backtest;
mod backup;
mod build_info;
mod check;
mod check_upstreams;
mod collection_add;
mod collection_inscriptions;
mod copy;
mod drill;
mod export_end;
mod export_target;
mod halt;
mod journal_copy;
mod journal_place;
mod kit;
mod moment;
mod named_input;
mod operate;
mod package_files;
mod price_argument;
mod price_set;
mod progress;
mod restore_backup;
mod serve;
mod setting_flags;
mod signer;
mod term_announce;
mod terminal;
mod vault;
mod wallet;

use clap::Parser as _;

use crate::failure::Failure;

use arguments::{CollectionSubcommand, JournalSubcommand};

pub use arguments::{Arguments, Command};

/// Executes the command line.
///
/// # Errors
/// A line for the terminal, or one for each fault of the settings.
pub fn run() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    // Users of a kit or a wallet run no server, so no settings are read.
    match &arguments.command {
        Command::Kit { act } => return kit::run(act),
        Command::Wallet { act } => return wallet::run(act),
        Command::Audit(arguments) => return audit::run(arguments),
        Command::BuildInfo { web_files } => return build_info::run(*web_files),
        Command::PackageFiles { to } => return package_files::run(to),
        _ => {}
    }
    let settings = arguments.settings()?;
    match arguments.command {
        Command::Demo => serve::run(settings, serve::Mode::Demo),
        Command::Serve => serve::run(settings, serve::Mode::Serve),
        Command::Export { to, force } => copy::export(&settings, to.as_deref(), force),
        Command::Restore(arguments) => match &arguments.from {
            Some(from) => restore_backup::run(&settings, from, &arguments),
            None => copy::restore(&settings, arguments.file.as_deref()),
        },
        Command::Backup(arguments) => backup::run(&settings, &arguments),
        Command::Drill(arguments) => drill::run(&settings, &arguments),
        Command::Backtest(arguments) => backtest::run(&settings, &arguments),
        Command::Check => check::run(&settings),
        Command::Journal { act: JournalSubcommand::Copy { from, to } } => journal_copy::run(&settings, &from, &to),
        Command::Collection { act } => match act {
            CollectionSubcommand::Add { from } => collection_add::run(&settings, from.as_deref()),
            CollectionSubcommand::Inscriptions { collection, from } => {
                collection_inscriptions::run(&settings, &collection, from.as_deref())
            }
        },
        Command::Price { act } => price_set::run(&settings, &act),
        Command::Term { act } => term_announce::run(&settings, act),
        Command::Halt { act } => halt::halt(&settings, act),
        Command::Resume { act } => halt::resume(&settings, &act),
        Command::Vault { act } => vault::run(&settings, &act),
        Command::Kit { act } => kit::run(&act),
        Command::Wallet { act } => wallet::run(&act),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::BuildInfo { web_files } => build_info::run(web_files),
        Command::PackageFiles { to } => package_files::run(&to),
        Command::Signer(command) => signer::run(&settings, &command),
    }
}
