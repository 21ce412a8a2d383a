//! The arguments of `lienbook signer`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The command of the signer: serve, or create a key file.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SignerCommand {
    /// The command; serve if omitted.
    #[command(subcommand)]
    pub act: Option<SignerSubcommand>,
    /// The arguments of serving.
    #[command(flatten)]
    pub serve: Option<SignerServe>,
    /// The lock of the key file. Not among the arguments above: clap does not see an optional group within another.
    #[command(flatten)]
    pub unlock: Unlock,
}

/// Further commands of the signer.
#[derive(Debug, Subcommand)]
pub enum SignerSubcommand {
    /// Create a key file with a new seed.
    Init {
        /// The file to create.
        #[arg(long, value_name = "FILE")]
        keys: PathBuf,
        /// The lock of the key file.
        #[command(flatten)]
        unlock: Unlock,
    },
    /// Have the log of a stopped signer accept servers of any epoch again: the journal was restored or moved, and its
    /// epochs begin anew. No server of the journal before may run any more.
    ForgetEpoch {
        /// The log of the signer.
        #[arg(long, value_name = "FILE")]
        record: PathBuf,
    },
}

/// The files and the socket of a signer.
#[derive(Debug, Args)]
pub struct SignerServe {
    /// The socket to listen on.
    #[arg(long, value_name = "PATH")]
    pub socket: PathBuf,
    /// The user that runs the server, if another than the signer's; it has to be in the group of the signer's process.
    #[arg(long, value_name = "USER")]
    pub client_user: Option<String>,
    /// The key file.
    #[arg(long, value_name = "FILE")]
    pub keys: PathBuf,
    /// The log: the whole state of the signer, its limits, vaults and offers included.
    #[arg(long, value_name = "FILE")]
    pub record: PathBuf,
    /// The policy, in TOML.
    #[arg(long, value_name = "FILE")]
    pub policy: PathBuf,
    /// The terms of each slug, in TOML.
    #[arg(long, value_name = "FILE")]
    pub terms: PathBuf,
}

/// The lock of a key file; the passphrase in `LIENBOOK_SIGNER_PASSPHRASE` when neither is given.
#[derive(Debug, Args)]
pub struct Unlock {
    /// A file with the passphrase, which only its owner may read.
    #[arg(long, value_name = "FILE", conflicts_with = "identity_file")]
    pub passphrase_file: Option<PathBuf>,
    /// A file with an age identity, which only its owner may read; `init` creates it if it does not exist.
    #[arg(long, value_name = "FILE")]
    pub identity_file: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser as _;

    use super::*;
    use crate::cli::{Arguments, Command};

    #[test]
    fn a_signer_serves_or_makes_a_key_file() {
        let words = "lienbook signer --socket s --keys k --record r --policy p --terms t --identity-file i";
        let Command::Signer(command) = Arguments::parse_from(words.split(' ')).command else { panic!("signer") };
        assert!(command.act.is_none() && command.serve.is_some_and(|serve| serve.terms == Path::new("t")));
        assert_eq!(command.unlock.identity_file, Some(PathBuf::from("i")));
        let words = "lienbook signer init --keys k --passphrase-file p";
        let Command::Signer(command) = Arguments::parse_from(words.split(' ')).command else { panic!("signer") };
        assert!(matches!(command.act, Some(SignerSubcommand::Init { .. })));
        for words in ["lienbook signer", "lienbook signer --socket s", "lienbook signer init --keys k --socket s"] {
            assert!(Arguments::try_parse_from(words.split(' ')).is_err(), "{words}");
        }
    }
}
