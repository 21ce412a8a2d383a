//! The arguments of `lienbook audit`.

use std::path::PathBuf;

use clap::Args;
use public_log::LogPublicKey;

/// The files of an audit.
#[derive(Debug, Args)]
pub struct AuditArguments {
    /// The public log of a collection, as `/api/v1/collections/NAME/log` returns it; `-` reads standard input.
    #[arg(value_name = "LOG")]
    pub(super) log_file: PathBuf,
    /// The collection that the log is to be of, as it is named in addresses.
    #[arg(long, value_name = "NAME")]
    pub(super) collection: Option<String>,
    /// Published heads: an answer of `/api/v1/heads`, or one signed statement in each line. Can be given several times.
    #[arg(long, value_name = "FILE")]
    pub(super) heads: Vec<PathBuf>,
    /// Receipts, one in each line, as the header `lienbook-receipt` of an answer has it. Can be given several times.
    #[arg(long, value_name = "FILE")]
    pub(super) receipts: Vec<PathBuf>,
    /// Proofs of OpenTimestamps about published heads, as `/api/v1/heads/DIGEST/timestamp` returns them. Without headers they
    /// name the heights of their blocks. Can be given several times.
    #[arg(long, value_name = "FILE")]
    pub(super) timestamps: Vec<PathBuf>,
    /// The headers of blocks, in each line a height and the header in hexadecimal digits, as `bitcoin-cli getblockheader HASH
    /// false` prints it.
    #[arg(long, value_name = "FILE", requires = "timestamps")]
    pub(super) headers: Option<PathBuf>,
    /// The server's key, 64 hexadecimal digits; by default the one that the first file of heads names.
    #[arg(long, value_name = "KEY")]
    pub(super) key: Option<LogPublicKey>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}
