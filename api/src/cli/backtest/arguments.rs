//! The arguments of a backtest.

use backtest::{Principal, Rule};
use clap::{Args, ValueEnum};
use domain::{InterestRate, Ltv, ProcessType, Sats, Slug, TermDays, UnixMs};
use escrow::decimal;

use super::super::moment;
use crate::failure::Failure;

/// The decimals of a percentage.
const DECIMALS: u8 = 2;

/// A process type on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProcessArgument {
    /// Offers whose loans the lender counter-signs.
    Manual,
    /// Offers that a vault pays.
    Instant,
}

/// The rule, and the form of the report.
#[derive(Debug, Args)]
pub struct BacktestArguments {
    /// Read the demo's journal, that of its seed (--seed).
    #[arg(long)]
    pub demo: bool,
    /// The share of the floor that each offer lends, in percent; the offer follows the floor.
    #[arg(long, value_name = "PERCENT", value_parser = percent, required_unless_present = "principal_sats")]
    pub ltv: Option<u32>,
    /// The principal of each offer, instead of a share of the floor.
    #[arg(long, value_name = "SATS", conflicts_with = "ltv", value_parser = clap::value_parser!(u64).range(1..))]
    pub principal_sats: Option<u64>,
    /// The sats that are lent or promised at any time, at the most.
    #[arg(long, value_name = "SATS", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget_sats: u64,
    /// The least interest for a whole term, in percent. Loans have the interest of the market's terms.
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "0")]
    pub interest: u32,
    /// The only term, in days; every term by default.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..))]
    pub term: Option<u16>,
    /// The slug of a collection to quote in, once for each; all by default.
    #[arg(long = "collection", value_name = "SLUG")]
    pub collections: Vec<String>,
    /// The process type of the offers.
    #[arg(long, value_enum, default_value = "manual")]
    pub process: ProcessArgument,
    /// The moment from which the rule quotes, such as 2026-11-27T10:00:00Z; the beginning of the journal by default.
    #[arg(long, value_name = "TIME", value_parser = moment::parse)]
    pub from: Option<UnixMs>,
    /// The moment until which it quotes; the end of the journal by default. Loans run on.
    #[arg(long, value_name = "TIME", value_parser = moment::parse)]
    pub until: Option<UnixMs>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Parses a percentage into hundredths.
fn percent(text: &str) -> Result<u32, String> {
    let hundredths = decimal::parse_scaled(text, DECIMALS).and_then(|scaled| u32::try_from(scaled).ok());
    let in_range = hundredths.filter(|hundredths| *hundredths <= 10_000);
    in_range.ok_or_else(|| format!("expected a percentage up to 100, with at most {DECIMALS} decimals"))
}

impl BacktestArguments {
    /// Returns the rule.
    ///
    /// # Errors
    /// Fails if a slug cannot be one.
    pub(super) fn rule(&self) -> Result<Rule, Failure> {
        let principal = match (self.principal_sats, self.ltv) {
            (Some(sats), _) => Principal::Fixed(Sats::new(sats)),
            (None, ltv) => Principal::Ltv(Ltv::from_basis_points(ltv.unwrap_or_default())),
        };
        let slug =
            |text: &String| text.parse::<Slug>().map_err(|error| Failure::new(error).while_doing("--collection"));
        Ok(Rule {
            principal,
            process: match self.process {
                ProcessArgument::Manual => ProcessType::Manual,
                ProcessArgument::Instant => ProcessType::Instant,
            },
            budget: Sats::new(self.budget_sats),
            interest_min: InterestRate::from_basis_points(self.interest),
            term: self.term.map(TermDays),
            collections: self.collections.iter().map(slug).collect::<Result<_, _>>()?,
            from: self.from,
            until: self.until,
        })
    }
}
