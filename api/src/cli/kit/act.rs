//! What can be typed after `lienbook kit`.

use std::path::PathBuf;

use bitcoin::{FeeRate, OutPoint};
use clap::{Args, Subcommand, ValueEnum};

use super::fee_rate;

/// The steps.
#[derive(Debug, Subcommand)]
pub enum KitAct {
    /// Repay a loan: with the borrower's kit, write a repayment for your wallet to sign.
    Repay(Repay),
    /// Take the collateral of a loan that was not repaid: with the lender's kit, write a claim for your wallet to sign.
    Claim(Claim),
    /// Leave a vault: with its kit, write a transaction for your wallet to sign.
    Exit(Exit),
    /// Check what your wallet signed, and send it.
    Send(Send),
}

/// The kit, and the node that is asked.
#[derive(Debug, Args)]
pub(super) struct Asking {
    /// The kit.
    #[arg(value_name = "KIT")]
    pub(super) kit: PathBuf,
    /// The JSON-RPC of a Bitcoin Core node, such as <http://127.0.0.1:8332>.
    #[arg(long, value_name = "URL")]
    pub(super) node: String,
    /// The node's cookie file, such as ~/.bitcoin/.cookie.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "password_file"])]
    pub(super) cookie: Option<PathBuf>,
    /// The user that the node knows, instead of a cookie.
    #[arg(long, value_name = "NAME", requires = "password_file")]
    pub(super) user: Option<String>,
    /// A file that holds this user's password.
    #[arg(long, value_name = "FILE", requires = "user")]
    pub(super) password_file: Option<PathBuf>,
}

/// What is written.
#[derive(Debug, Args)]
pub(super) struct Writing {
    /// What the miners get, in sats for each virtual byte [default: what the node expects to be confirmed soon].
    #[arg(long, value_name = "SATS", value_parser = fee_rate::parse)]
    pub(super) fee_rate: Option<FeeRate>,
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = "unsigned.psbt")]
    pub(super) out: PathBuf,
    /// Replace the file if it is there.
    #[arg(long)]
    pub(super) force: bool,
}

/// `lienbook kit repay`.
#[derive(Debug, Args)]
pub struct Repay {
    #[command(flatten)]
    pub(super) asking: Asking,
    #[command(flatten)]
    pub(super) writing: Writing,
    /// A coin of your payment address that may be spent; all of those that are named are. Without any, the node looks
    /// for coins there, and those of at most 10,000 sats are left alone.
    #[arg(long = "coin", value_name = "TXID:VOUT")]
    pub(super) coins: Vec<OutPoint>,
    /// The transaction's version: 3 cannot be held up by the lender, 2 passes nodes older than version 28.
    #[arg(long, value_name = "VERSION", default_value = "3")]
    pub(super) tx_version: TxVersion,
    /// Try although the lender may claim already.
    #[arg(long)]
    pub(super) late: bool,
}

/// `lienbook kit claim`.
#[derive(Debug, Args)]
pub struct Claim {
    #[command(flatten)]
    pub(super) asking: Asking,
    #[command(flatten)]
    pub(super) writing: Writing,
    /// The coin of your payment address that pays the fee. Without one the collateral's own sats pay it, if they can,
    /// and else a coin that the node finds, of more than 10,000 sats.
    #[arg(long, value_name = "TXID:VOUT")]
    pub(super) coin: Option<OutPoint>,
}

/// `lienbook kit exit`.
#[derive(Debug, Args)]
pub struct Exit {
    #[command(flatten)]
    pub(super) asking: Asking,
    #[command(flatten)]
    pub(super) writing: Writing,
    /// An address of yours that the money goes to [default: your ordinals address, whose key is in the vault].
    #[arg(long, value_name = "ADDRESS")]
    pub(super) to: Option<String>,
}

/// `lienbook kit send`.
#[derive(Debug, Args)]
pub struct Send {
    #[command(flatten)]
    pub(super) asking: Asking,
    /// What your wallet signed: a PSBT, as a file of base64, of hexadecimal or of bytes.
    #[arg(value_name = "SIGNED")]
    pub(super) signed: PathBuf,
    /// For a vault: the address that was given to `kit exit`.
    #[arg(long, value_name = "ADDRESS")]
    pub(super) to: Option<String>,
}

/// A version of a transaction that the repay key has signed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum TxVersion {
    /// Version 2.
    #[value(name = "2")]
    Two,
    /// Version 3.
    #[value(name = "3")]
    Three,
}
