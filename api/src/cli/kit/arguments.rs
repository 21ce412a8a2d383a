//! The arguments of `lienbook kit`.

use std::path::PathBuf;

use bitcoin::{FeeRate, OutPoint};
use clap::{Args, Subcommand, ValueEnum};
use escrow::fee_rate::{EXPECTED, parse_usual};

/// The steps.
#[derive(Debug, Subcommand)]
pub enum KitSubcommand {
    /// Repay a loan: with the borrower's kit, write a repayment for your wallet to sign.
    Repay(Repay),
    /// Claim the collateral of a loan that was not repaid: with the lender's kit, write a claim for your wallet to
    /// sign.
    Claim(Claim),
    /// Leave a vault: with its kit, write a transaction for your wallet to sign.
    Exit(Exit),
    /// Check the transaction that your wallet signed, and broadcast it.
    Send(Send),
    /// Write a web page that does the same in a browser, from a file and without a network, except for the broadcast.
    Page(Page),
}

/// The kit and the node.
#[derive(Debug, Args)]
pub(super) struct InputOptions {
    /// The kit.
    #[arg(value_name = "KIT")]
    pub(super) kit: PathBuf,
    /// The JSON-RPC URL of a Bitcoin Core node, such as <http://127.0.0.1:8332>.
    #[arg(long, value_name = "URL")]
    pub(super) node: String,
    /// The node's cookie file, such as ~/.bitcoin/.cookie.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "password_file"])]
    pub(super) cookie: Option<PathBuf>,
    /// The user name at the node, instead of a cookie.
    #[arg(long, value_name = "NAME", requires = "password_file")]
    pub(super) user: Option<String>,
    /// A file that holds the user's password.
    #[arg(long, value_name = "FILE", requires = "user")]
    pub(super) password_file: Option<PathBuf>,
}

/// The fee rate and the output file.
#[derive(Debug, Args)]
pub(super) struct OutputOptions {
    /// The fee rate in sats per virtual byte [default: the node's estimate for a confirmation soon].
    #[arg(long, value_name = "SATS", value_parser = fee_rate)]
    pub(super) fee_rate: Option<FeeRate>,
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = "unsigned.psbt")]
    pub(super) out: PathBuf,
    /// Replace an existing file.
    #[arg(long)]
    pub(super) force: bool,
}

/// `lienbook kit repay`.
#[derive(Debug, Args)]
pub struct Repay {
    #[command(flatten)]
    pub(super) input: InputOptions,
    #[command(flatten)]
    pub(super) output: OutputOptions,
    /// A coin of your payment address to spend; all named coins are spent. If none is named, the node searches for
    /// coins there, and those of at most 10,000 sats are not used.
    #[arg(long = "coin", value_name = "TXID:VOUT")]
    pub(super) coins: Vec<OutPoint>,
    /// The transaction's version: version 3 (TRUC) cannot be pinned by the lender, version 2 is relayed by nodes older
    /// than Bitcoin Core 28.
    #[arg(long, value_name = "VERSION", default_value = "3")]
    pub(super) tx_version: TxVersion,
    /// Try although the lender may already claim.
    #[arg(long)]
    pub(super) late: bool,
}

/// `lienbook kit claim`.
#[derive(Debug, Args)]
pub struct Claim {
    #[command(flatten)]
    pub(super) input: InputOptions,
    #[command(flatten)]
    pub(super) output: OutputOptions,
    /// The coin of your payment address that pays the fee. By default the collateral's own sats pay it, if they
    /// suffice, or else a coin of more than 10,000 sats that the node finds.
    #[arg(long, value_name = "TXID:VOUT")]
    pub(super) coin: Option<OutPoint>,
}

/// `lienbook kit exit`.
#[derive(Debug, Args)]
pub struct Exit {
    #[command(flatten)]
    pub(super) input: InputOptions,
    #[command(flatten)]
    pub(super) output: OutputOptions,
    /// An address of yours to send to [default: your ordinals address, whose key is in the vault].
    #[arg(long, value_name = "ADDRESS")]
    pub(super) to: Option<String>,
}

/// `lienbook kit send`.
#[derive(Debug, Args)]
pub struct Send {
    #[command(flatten)]
    pub(super) input: InputOptions,
    /// The PSBT that your wallet signed, as a file of base64, of hexadecimal or of bytes.
    #[arg(value_name = "SIGNED")]
    pub(super) signed: PathBuf,
    /// For a vault: the address that was given to `kit exit`.
    #[arg(long, value_name = "ADDRESS")]
    pub(super) to: Option<String>,
}

/// `lienbook kit page`.
#[derive(Debug, Args)]
pub struct Page {
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = "lienbook-kit.html")]
    pub(super) out: PathBuf,
    /// Replace an existing file.
    #[arg(long)]
    pub(super) force: bool,
}

/// A version of the repayment that the repay key has signed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum TxVersion {
    /// Version 2.
    #[value(name = "2")]
    Two,
    /// Version 3.
    #[value(name = "3")]
    Three,
}

fn fee_rate(text: &str) -> Result<FeeRate, String> {
    parse_usual(text).ok_or_else(|| EXPECTED.to_owned())
}
