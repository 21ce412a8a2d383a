//! The arguments of `lienbook backup`.

use std::path::PathBuf;

use clap::Args;

/// The target, and the sizes of pieces.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("target").required(true).args(["to", "command"]))]
pub struct BackupArguments {
    /// The folder to write pieces to; created if it is missing. One backup writes to it.
    #[arg(long, value_name = "FOLDER", conflicts_with = "state")]
    pub to: Option<PathBuf>,
    /// A command that takes each piece from its standard input, run by `sh -c`; it has succeeded if it exits with 0. The
    /// piece is described by the variables `LIENBOOK_PIECE` (its name), `LIENBOOK_PIECE_FIRST`, `LIENBOOK_PIECE_LAST`
    /// (commits), `LIENBOOK_PIECE_TIME` (of the last one) and `LIENBOOK_PIECE_BYTES`. A piece may be sent again under the
    /// same name.
    #[arg(long, value_name = "COMMAND", requires = "state")]
    pub command: Option<String>,
    /// With --command: the folder that keeps the piece on its way, and the place where the backup continues.
    #[arg(long, value_name = "FOLDER")]
    pub state: Option<PathBuf>,
    /// Ship what is committed now, and exit. Without a server on the data folder its journal is read directly.
    #[arg(long)]
    pub once: bool,
    /// The seconds between two rounds. A round that finds new commits in the journal makes a piece, or several.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=3_600))]
    pub every: u16,
    /// The size that a piece may reach before it is compressed, in MiB; the commit that reaches it is the last.
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub piece_mb: u16,
}
