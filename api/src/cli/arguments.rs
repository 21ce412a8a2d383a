//! The command-line arguments.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use domain::UnitPrice;

use super::audit::arguments::AuditArguments;
use super::backtest::arguments::BacktestArguments;
use super::backup::arguments::BackupArguments;
use super::drill::DrillArguments;
use super::halt::arguments::{HaltSubcommand, ResumeSubcommand};
use super::kit::arguments::KitSubcommand;
use super::price_argument;
use super::restore_backup::RestoreArguments;
use super::setting_flags::SettingFlags;
use super::signer::arguments::SignerCommand;
use super::wallet::WalletSubcommand;
use crate::config::journal_url::JournalUrl;
use crate::config::layers;
use crate::config::quotas::Quotas;
use crate::config::settings::Settings;
use crate::config::turnstile_settings::TurnstileSettings;
use crate::config::turnstile_test_keys::SITE_KEY;
use crate::failure::Failure;
use crate::operator::collection_draft::{INTEREST_BASIS_POINTS_MAX, TERM_DAYS_MAX};
use crate::operator::credit_id::CreditId;

/// Lienbook: a peer-to-peer Bitcoin lending marketplace, with its web app, in one program.
#[derive(Debug, Parser)]
#[command(name = "lienbook", version, propagate_version = true, disable_help_subcommand = true)]
#[command(
    after_help = "Every setting can also stand in the configuration file (listen = \"0.0.0.0:8080\"), in a variable \
(LIENBOOK_LISTEN, LIENBOOK_LIMITS__MAX_OFFER_SATS), or be given by --set limits.max_offer_sats=1000000.\n\
Flags win over variables, variables over the file."
)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// A configuration file.
    #[arg(long, global = true, value_name = "FILE", env = "LIENBOOK_CONFIG")]
    pub config: Option<PathBuf>,
    /// Settings that have a flag of their own.
    #[command(flatten)]
    settings: SettingFlags,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a simulated market with collections, prices and lenders, to explore.
    Demo,
    /// Serve the market in the data folder.
    Serve,
    /// Write the whole journal as JSON lines. A journal in a database (--journal) is exported while nodes serve it, up to
    /// what was committed when the export began; a data folder needs its server to be stopped.
    Export {
        /// The file or pipe to write; standard output by default.
        #[arg(value_name = "FILE")]
        to: Option<PathBuf>,
        /// Replace an existing file.
        #[arg(long)]
        force: bool,
    },
    /// Create a journal in a data folder or a database (--journal) that has none: from an export, or from a backup up to a
    /// moment.
    Restore(RestoreArguments),
    /// Ship the journal to a folder or a command, piece by piece, while the server runs; until a signal, or --once. In a
    /// data folder the running server sends it; a database (--journal) is read directly.
    Backup(BackupArguments),
    /// Restore a backup into a temporary folder, verify it and start a market from it; fails if anything differs.
    Drill(DrillArguments),
    /// Print what a rule for quoting would have earned on the recorded market: which acceptances its offers would have got, and
    /// how those loans ended. It assumes that the market had not reacted. The server of a data folder must be stopped; a
    /// journal in a database (--journal) is read while nodes serve it.
    Backtest(BacktestArguments),
    /// Verify the whole journal and print a summary; then test every configured upstream service, and print whether it
    /// works, how fast it is and how many blocks it is behind. A journal in a database (--journal) is verified while
    /// nodes serve it.
    Check,
    /// Move the journal between a data folder and a database.
    Journal {
        /// The command.
        #[command(subcommand)]
        act: JournalSubcommand,
    },
    /// List collections and their inscriptions.
    Collection {
        /// The command.
        #[command(subcommand)]
        act: CollectionSubcommand,
    },
    /// Set prices.
    Price {
        /// The command.
        #[command(subcommand)]
        act: PriceSubcommand,
    },
    /// Announce term changes.
    Term {
        /// The command.
        #[command(subcommand)]
        act: TermSubcommand,
    },
    /// Halt a part of the market, in an incident. Repayments, claims, cancellations and withdrawals are never halted.
    Halt {
        /// The command.
        #[command(subcommand)]
        act: HaltSubcommand,
    },
    /// Resume what was halted.
    Resume {
        /// The command.
        #[command(subcommand)]
        act: ResumeSubcommand,
    },
    /// Credit and show lenders' vaults.
    Vault {
        /// The command.
        #[command(subcommand)]
        act: VaultSubcommand,
    },
    /// End a loan, or leave a vault, without this website: with a kit and a Bitcoin node only.
    Kit {
        /// The step.
        #[command(subcommand)]
        act: KitSubcommand,
    },
    /// Audit the public log of a collection: say what it proves, with heads and receipts that the server has signed, and what
    /// it refutes.
    Audit(AuditArguments),
    /// Sign like a wallet, with test keys: for scripts on regtest.
    Wallet {
        /// The command.
        #[command(subcommand)]
        act: WalletSubcommand,
    },
    /// Print what this program was built from: version, commit, and the SHA-256 of the program and of its web app.
    BuildInfo {
        /// Print the SHA-256 of each file of the web app instead, in lines that sha256sum reads.
        #[arg(long)]
        web_files: bool,
    },
    /// Write manual pages and shell completions, for packages.
    #[command(hide = true)]
    PackageFiles {
        /// The folder to write into.
        #[arg(value_name = "FOLDER")]
        to: PathBuf,
    },
    /// Hold the keys of vaults in a process of their own, and sign what the policy permits.
    Signer(SignerCommand),
}

/// Commands on collections.
#[derive(Debug, Subcommand)]
pub enum CollectionSubcommand {
    /// List a collection with its terms or bundles, from a TOML file as shown in api/OPERATING.md.
    Add {
        /// The file to read; standard input by default.
        #[arg(value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Add inscriptions to a collection: only those can be pledged. Adding them again changes nothing.
    Inscriptions {
        /// The collection's slug or id.
        #[arg(value_name = "COLLECTION")]
        collection: String,
        /// A file with one inscription id per line; standard input by default.
        #[arg(value_name = "FILE")]
        from: Option<PathBuf>,
    },
}

/// Commands on a whole journal.
#[derive(Debug, Subcommand)]
pub enum JournalSubcommand {
    /// Copy a journal to a place that has none, and compare both. The server, or all nodes, must be stopped. A place is a
    /// data folder, a `postgres://` URL, or env:NAME for a URL in the variable NAME, which is better if it has a password.
    Copy {
        /// The place of the journal.
        #[arg(long, value_name = "PLACE")]
        from: String,
        /// The place of the copy. A database needs the standbys of --journal-standbys.
        #[arg(long, value_name = "PLACE")]
        to: String,
    },
}

/// Commands on prices.
#[derive(Debug, Subcommand)]
pub enum PriceSubcommand {
    /// Set the price of a collection's inscription or whole token.
    Set {
        /// The collection's slug or id.
        #[arg(value_name = "COLLECTION")]
        collection: String,
        /// The price of a whole unit in sats, with up to 8 decimals.
        #[arg(value_name = "SATS", value_parser = price_argument::parse)]
        sats: UnitPrice,
    },
}

/// Commands on terms.
#[derive(Debug, Subcommand)]
pub enum TermSubcommand {
    /// Announce another length or interest for a term or bundle. Lenders accept it; instant offers of lenders who have
    /// not are paused when it takes effect.
    Announce {
        /// The slug of the term or bundle.
        #[arg(value_name = "SLUG")]
        sub_collection: String,
        /// Days until a loan is due.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=i64::from(TERM_DAYS_MAX)))]
        term_days: u16,
        /// Interest for the whole term, in hundredths of a percent.
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=i64::from(INTEREST_BASIS_POINTS_MAX)))]
        interest_basis_points: u32,
        /// The number of days until the change takes effect.
        #[arg(long, value_name = "DAYS", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=365))]
        in_days: u16,
    },
}

/// Commands on a vault.
#[derive(Debug, Subcommand)]
pub enum VaultSubcommand {
    /// Credit an amount to the vault of a lender who has signed in before.
    Credit {
        /// The lender's payment address.
        #[arg(value_name = "PAYMENT ADDRESS")]
        address: String,
        /// The amount in sats.
        sats: u64,
        /// An id for this credit, such as the id of the transaction that paid it. A credit with the same id is executed
        /// once; ids are remembered for a year [default: random].
        #[arg(long)]
        id: Option<CreditId>,
    },
    /// Print the balance of a lender's vault.
    Show {
        /// The lender's payment address.
        #[arg(value_name = "PAYMENT ADDRESS")]
        address: String,
    },
}

impl Arguments {
    /// Reads the settings from all layers.
    ///
    /// # Errors
    /// One line for each fault.
    pub fn settings(&self) -> Result<Settings, Failure> {
        let read = |seed| layers::read(&self.defaults(seed), self.config.as_deref(), &self.settings.given());
        // The default folder of a demo contains the seed, which can be set in any layer.
        let mut settings = read(read(Settings::default().seed)?.seed)?;
        if settings.journal.is_none() {
            settings.journal = JournalUrl::find()?;
        }
        settings.validate()?;
        Ok(settings)
    }

    /// Returns the defaults of the command's settings: each demo has a folder of its own, so that it cannot touch a
    /// real market.
    fn defaults(&self, seed: u64) -> Settings {
        match self.command {
            Command::Demo => Settings {
                seed,
                data: Settings::default_demo_data(seed),
                // The web app's development server is in front of a demo.
                allowed_origins: ["http://127.0.0.1:5173", "http://localhost:5173"]
                    .iter()
                    .filter_map(|origin| origin.parse().ok())
                    .collect(),
                // All simulated users have the same IP address as the visitor: enough for 90 of them and a visitor with
                // many tabs, and still bounded.
                quotas: Quotas {
                    sign_ins_per_minute: 1_200,
                    tickets_per_minute: 12_000,
                    reads_per_minute: 30_000,
                    sockets_per_ip_max: 500,
                    ..Quotas::default()
                },
                // A demo needs no signer to be set up.
                signer_in_process: true,
                signers_in_process: 3,
                signers_required: 2,
                // The demo requires no proof to a third party; the simulated lenders share one IP address.
                turnstile: TurnstileSettings {
                    site_key: Some(SITE_KEY.to_owned()),
                    unchecked_of_address: 20_000,
                    unchecked_loans_of_address: 5_000,
                    failures_of_address: 1_000,
                    ..TurnstileSettings::default()
                },
                ..Settings::default()
            },
            Command::Backtest(BacktestArguments { demo: true, .. }) => {
                Settings { seed, data: Settings::default_demo_data(seed), ..Settings::default() }
            }
            Command::Serve
            | Command::Backtest(_)
            | Command::Export { .. }
            | Command::Restore(_)
            | Command::Backup(_)
            | Command::Drill(_)
            | Command::Check
            | Command::Journal { .. }
            | Command::Collection { .. }
            | Command::Price { .. }
            | Command::Term { .. }
            | Command::Halt { .. }
            | Command::Resume { .. }
            | Command::Vault { .. }
            | Command::Audit(_)
            | Command::Kit { .. }
            | Command::Wallet { .. }
            | Command::BuildInfo { .. }
            | Command::PackageFiles { .. }
            | Command::Signer(_) => Settings::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, CommandFactory as _};

    use super::*;

    #[test]
    fn the_files_of_an_audit_are_no_settings() {
        let words = "lienbook audit log.jsonl --heads a --heads b --receipts r --timestamps t --headers h --json";
        assert!(matches!(Arguments::parse_from(words.split(' ')).command, Command::Audit(_)));
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_flag_of_a_setting_is_a_setting() {
        let words: Vec<String> = SettingFlags::augment_args(clap::Command::new("flags"))
            .get_arguments()
            .filter(|flag| flag.get_id() != "others")
            .flat_map(|flag| [format!("--{}", flag.get_long().unwrap()), "x".to_owned()])
            .collect();
        let given = Arguments::parse_from(["lienbook", "serve"].map(str::to_owned).into_iter().chain(words.clone()));
        assert_eq!(given.settings.given().len(), words.len() / 2);
        let network = |name| Arguments::parse_from(["lienbook", "serve", "--network", name]).settings();
        assert_eq!(network("signet").unwrap().network, bitcoin::Network::Signet);
        assert!(network("moonnet").is_err());
    }

    #[test]
    fn settings_are_accepted_before_or_after_the_command() {
        let before = Arguments::parse_from(["lienbook", "--data", "d", "serve"]);
        let after = Arguments::parse_from(["lienbook", "serve", "--data", "d"]);
        assert_eq!(before.settings.given(), after.settings.given());
        let set = Arguments::parse_from(["lienbook", "serve", "--set", "limits.count_max=3"]);
        assert_eq!(set.settings.given(), [("limits.count_max".to_owned(), "3".to_owned())]);
    }

    #[test]
    fn the_demo_does_not_use_the_data_of_a_real_market() {
        let folder = |command, seed| {
            Arguments::parse_from(["lienbook", command, "--set", &format!("seed={seed}")]).settings().unwrap().data
        };
        assert_ne!(folder("demo", 7), folder("serve", 7));
        assert_ne!(folder("demo", 7), folder("demo", 8), "another seed has a folder of its own");
        let backtest = "lienbook backtest --demo --seed 7 --ltv 50 --budget-sats 1";
        assert_eq!(Arguments::parse_from(backtest.split(' ')).settings().unwrap().data, folder("demo", 7));
        let given = Arguments::parse_from(["lienbook", "demo", "--seed", "7", "--data", "here"]).settings().unwrap();
        assert_eq!((given.seed, given.data), (7, PathBuf::from("here")));
        let fast = Arguments::parse_from(["lienbook", "demo", "--demo-block-seconds", "3"]).settings().unwrap();
        assert_eq!(fast.demo_block_seconds, 3);
    }
}
