//! `lienbook halt` and `lienbook resume`: stop and resume a part of the market.

pub(super) mod arguments;

use domain::UnixMs;

use self::arguments::{HaltSubcommand, ResumeSubcommand};
use super::moment;
use super::operate;
use super::terminal::{say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::operator::request::{Reply, Request};

/// Halts a part of the market and prints since when, and what waits.
pub(super) fn halt(settings: &Settings, act: HaltSubcommand) -> Result<(), Failure> {
    let HaltSubcommand::NewLoans { reason } = act;
    let request = Request::HaltNewLoans { reason: reason.clone() };
    let if_unanswered = "new loans may be halted or not; run the same command again, which does no harm";
    match operate::execute(settings, request, if_unanswered)? {
        Reply::NewLoansHalted { since, waiting } => {
            say(format_args!("Halted new loans; repayments, claims, cancellations and withdrawals go on"));
            let rows = [
                ("reason", reason.trim().to_owned()),
                ("since", time(since)),
                ("accepted loans on hold", waiting.to_string()),
            ];
            say(table(&rows).trim_end());
            Ok(())
        }
        other => Err(operate::failure(other)),
    }
}

/// Ends the halt of a part of the market and prints what it was.
pub(super) fn resume(settings: &Settings, act: &ResumeSubcommand) -> Result<(), Failure> {
    let ResumeSubcommand::NewLoans = act;
    let if_unanswered = "new loans may be resumed or not; run the same command again, which is refused if they are";
    match operate::execute(settings, Request::ResumeNewLoans, if_unanswered)? {
        Reply::NewLoansResumed { since, reason } => {
            say(format_args!("Resumed new loans"));
            say(table(&[("halted since", time(since)), ("reason", reason)]).trim_end());
            Ok(())
        }
        other => Err(operate::failure(other)),
    }
}

fn time(at: UnixMs) -> String {
    moment::shown(at)
}
