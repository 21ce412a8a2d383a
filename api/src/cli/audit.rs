//! `lienbook audit`: what a public log proves, with what the server has signed, and what it refutes.

pub(super) mod arguments;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use bitcoin::block::Header;
use bitcoin::consensus::encode::deserialize_hex;
use public_log::{
    AuditReport, LogPublicKey, PublishedHeads, Receipt, Signed, StatementKind, Timestamp, Verdict, audit,
    audit_timestamps,
};
use serde::Deserialize;

use self::arguments::AuditArguments;
use super::terminal::{note, print};
use crate::failure::Failure;
use crate::number::grouped;

/// The most passed-over offers that are listed; all are counted.
const SKIPPED_LISTED_MAX: usize = 20;

/// The answer of `/api/v1/heads`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadsAnswer {
    public_key: LogPublicKey,
    publications: Vec<PublicationAnswer>,
}

#[derive(Deserialize)]
struct PublicationAnswer {
    signed: String,
}

/// Audits the log in a file, and prints what was found.
///
/// # Errors
/// If a file cannot be read, or something is refuted.
pub(super) fn run(arguments: &AuditArguments) -> Result<(), Failure> {
    let text = read(&arguments.log_file)?;
    let mut heads: Vec<Signed<PublishedHeads>> = Vec::new();
    let mut key = arguments.key;
    for file in &arguments.heads {
        let (named, read) = read_heads(file)?;
        heads.extend(read);
        if key.is_none()
            && let Some(named) = named
        {
            note(format!(
                "The key {named} is the one that {} names. Compare it with one that you trust.",
                file.display()
            ));
            key = Some(named);
        }
    }
    let key = key.ok_or_else(|| {
        Failure::new(
            "name the server's key with --key; GET /api/v1/heads tells it, and a file of that answer does, too",
        )
    })?;
    let mut receipts: Vec<Signed<Receipt>> = Vec::new();
    for file in &arguments.receipts {
        receipts.extend(read_lines(file, &read(file)?)?);
    }
    let mut report = audit(text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()), &key, &heads, &receipts);
    if let Some(file) = &arguments.headers {
        let read_proof = |file: &PathBuf| {
            Timestamp::read(&read(file)?).map_err(|error| Failure::new(error).while_doing(file.display()))
        };
        let proofs: Vec<Timestamp> = arguments.timestamps.iter().map(read_proof).collect::<Result<_, _>>()?;
        audit_timestamps(&mut report, &heads, &proofs, &read_headers(file)?);
    }
    if arguments.json {
        print(&(serde_json::to_string_pretty(&report).map_err(Failure::new)? + "\n"))?;
    } else {
        print(&described(&report))?;
    }
    if report.is_sound() {
        return Ok(());
    }
    let refuted = report.findings.iter().filter(|finding| finding.verdict == Verdict::Refuted).count();
    Err(Failure::new(format!("the audit refutes {refuted} statement(s); keep the files, they are the evidence")))
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    if file == Path::new("-") {
        let mut text = Vec::new();
        if io::stdin().is_terminal() {
            note("Reading the log from standard input ...");
        }
        io::stdin().lock().read_to_end(&mut text).map_err(Failure::new)?;
        return Ok(text);
    }
    fs::read(file).map_err(|error| Failure::new(error).while_doing(file.display()))
}

/// The publications in a file: an answer of the server, whose key it names, or one statement in each line.
fn read_heads(file: &Path) -> Result<(Option<LogPublicKey>, Vec<Signed<PublishedHeads>>), Failure> {
    let text = read(file)?;
    if text.first() != Some(&b'{') {
        return Ok((None, read_lines(file, &text)?));
    }
    let answer: HeadsAnswer =
        serde_json::from_slice(&text).map_err(|error| Failure::new(error).while_doing(file.display()))?;
    let lines: Vec<String> = answer.publications.into_iter().map(|publication| publication.signed).collect();
    Ok((Some(answer.public_key), read_lines(file, lines.join("\n").as_bytes())?))
}

/// The headers of blocks in a file, by height.
fn read_headers(file: &Path) -> Result<BTreeMap<u32, Header>, Failure> {
    let text = String::from_utf8_lossy(&read(file)?).into_owned();
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(number, line)| {
        let invalid = || Failure::new(format!("{}, line {number}: expected a height and a header", file.display()));
        let (height, header) = line.trim().split_once(char::is_whitespace).ok_or_else(invalid)?;
        let header = deserialize_hex(header.trim()).map_err(|_| invalid())?;
        Ok((height.parse().map_err(|_| invalid())?, header))
    });
    read.collect()
}

fn read_lines<S: StatementKind>(file: &Path, text: &[u8]) -> Result<Vec<Signed<S>>, Failure> {
    let text = String::from_utf8_lossy(text);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(number, line)| {
        line.parse().map_err(|error| Failure::new(error).while_doing(format!("{}, line {number}", file.display())))
    });
    read.collect()
}

fn described(report: &AuditReport) -> String {
    let mut lines = Vec::new();
    if let Some(head) = report.head {
        lines.push(format!("{} events, head {}", grouped(report.entries), head.hash));
    }
    for finding in &report.findings {
        let mark = match finding.verdict {
            Verdict::Proved => "proved  ",
            Verdict::Refuted => "REFUTED ",
            Verdict::Unknown => "open    ",
        };
        lines.push(format!("{mark}  {}", finding.text));
    }
    for skipped in report.skipped.iter().take(SKIPPED_LISTED_MAX) {
        let what = skipped.loan.map_or_else(|| skipped.reservation.to_string(), |loan| loan.to_string());
        let (offer, rank, best) = (skipped.offer, skipped.rank, skipped.best);
        lines.push(format!(
            "          event {}: {what} took {offer}, ranked {rank}; the best was {best}",
            skipped.sequence
        ));
    }
    if report.skipped.len() > SKIPPED_LISTED_MAX {
        lines.push(format!("          and {} more; --json lists all", report.skipped.len() - SKIPPED_LISTED_MAX));
    }
    if report.is_sound() {
        lines.push("Nothing is refuted.".to_owned());
    }
    lines.join("\n") + "\n"
}
