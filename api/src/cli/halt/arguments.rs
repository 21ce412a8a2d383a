//! The arguments of `lienbook halt` and `lienbook resume`.

use clap::Subcommand;

/// The parts of the market that can be halted.
#[derive(Debug, Subcommand)]
pub enum HaltSubcommand {
    /// Let no loan begin: none is prepared, accepted, counter-signed or refinanced, also after a restart, until they are
    /// resumed. Repeated with another reason, it changes the reason.
    NewLoans {
        /// The reason, one line that every user reads.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

/// The parts of the market that can be resumed.
#[derive(Debug, Subcommand)]
pub enum ResumeSubcommand {
    /// Let loans begin again.
    NewLoans,
}
