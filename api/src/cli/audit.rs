//! `lienbook audit`: what a public log proves, with what the server has signed, and what it refutes.

pub(super) mod arguments;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use bitcoin::block::Header;
use bitcoin::consensus::encode::deserialize_hex;
use public_log::{
    AuditReport, LogPublicKey, Named, PublishedHeads, Receipt, StatementKind, Timestamp, Verdict, audit,
    audit_timestamps,
};
use serde::Deserialize;

use self::arguments::AuditArguments;
use super::terminal::{note, print};
use crate::failure::Failure;
use crate::number::grouped;

/// The most passed-over offers that are listed; all are counted.
const SKIPPED_LISTED_MAX: usize = 20;

/// The header of an answer that has a receipt, as `curl` writes it into a file.
const HEADER: &str = "lienbook-receipt:";

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
/// With the exit status 1 if something is refuted, and with another one if a file cannot be used.
pub(super) fn run(arguments: &AuditArguments) -> Result<(), Failure> {
    let report = audited(arguments).map_err(Failure::into_unusable)?;
    if arguments.json {
        print(&(serde_json::to_string_pretty(&report).map_err(Failure::new)? + "\n"))?;
    } else {
        print(&described(&report))?;
    }
    if !report.is_sound() {
        let refuted = report.findings.iter().filter(|finding| finding.verdict == Verdict::Refuted).count();
        return Err(Failure::new(format!(
            "the audit refutes {refuted} statement(s). Fetch the log again, to exclude a damaged file; if it is refuted again, \
             keep all files: they are the evidence"
        )));
    }
    check_usable(&report, arguments).map_err(Failure::into_unusable)
}

/// Reads the files, and audits them.
fn audited(arguments: &AuditArguments) -> Result<AuditReport, Failure> {
    let text = read(&arguments.log_file)?;
    let mut heads: Vec<Named<PublishedHeads>> = Vec::new();
    let mut key = arguments.key;
    for file in &arguments.heads {
        let (named, read) = read_heads(file)?;
        heads.extend(read);
        if key.is_none()
            && let Some(named) = named
        {
            note(format!(
                "The key {named} is the one that {} names. Compare it with one that you trust, and name that with --key.",
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
    let mut receipts: Vec<Named<Receipt>> = Vec::new();
    for file in &arguments.receipts {
        receipts.extend(read_lines(file, &read(file)?)?);
    }
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let mut report = audit(&lines, &key, &heads, &receipts);
    let read_proof =
        |file: &PathBuf| Timestamp::read(&read(file)?).map_err(|error| Failure::new(error).while_doing(file.display()));
    let proofs: Vec<Timestamp> = arguments.timestamps.iter().map(read_proof).collect::<Result<_, _>>()?;
    let headers = arguments.headers.as_deref().map(read_headers).transpose()?.unwrap_or_default();
    audit_timestamps(&mut report, &heads, &proofs, &headers);
    Ok(report)
}

/// Checks that an audit in which nothing is refuted was one of what the reader means.
fn check_usable(report: &AuditReport, arguments: &AuditArguments) -> Result<(), Failure> {
    if !report.is_usable() {
        return Err(Failure::new("a part of what was given says nothing, so what it would show is not known"));
    }
    let slug = report.book.as_ref().map(|book| book.slug.as_str()).unwrap_or_default();
    if let Some(wanted) = arguments.collection.as_deref().filter(|wanted| *wanted != slug) {
        return Err(Failure::new(format!("the log is of {slug}, and not of {wanted}")));
    }
    let is_missing = |files: &[PathBuf], compared: u64| !files.is_empty() && compared == 0;
    if is_missing(&arguments.heads, report.compared_heads) || is_missing(&arguments.receipts, report.compared_receipts)
    {
        return Err(Failure::new(format!("nothing in a file that was given is about {slug}")));
    }
    Ok(())
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
fn read_heads(file: &Path) -> Result<(Option<LogPublicKey>, Vec<Named<PublishedHeads>>), Failure> {
    let text = read(file)?;
    if text.first() != Some(&b'{') {
        return Ok((None, read_lines(file, &text)?));
    }
    let answer: HeadsAnswer =
        serde_json::from_slice(&text).map_err(|error| Failure::new(error).while_doing(file.display()))?;
    let publications = (1..).zip(answer.publications);
    let read = publications
        .map(|(number, publication)| named(format!("{}, publication {number}", file.display()), &publication.signed));
    Ok((Some(answer.public_key), read.collect::<Result<_, _>>()?))
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

fn read_lines<S: StatementKind>(file: &Path, text: &[u8]) -> Result<Vec<Named<S>>, Failure> {
    let text = String::from_utf8_lossy(text);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| named(format!("{}, line {number}", file.display()), line)).collect()
}

/// Reads a signed statement; the header's name may precede it.
fn named<S: StatementKind>(name: String, text: &str) -> Result<Named<S>, Failure> {
    let text = text.trim();
    let is_header = text.get(..HEADER.len()).is_some_and(|start| start.eq_ignore_ascii_case(HEADER));
    let text = if is_header { text[HEADER.len()..].trim() } else { text };
    match text.parse() {
        Ok(signed) => Ok(Named { name, signed }),
        Err(error) => Err(Failure::new(error).while_doing(name)),
    }
}

fn described(report: &AuditReport) -> String {
    let mut lines = Vec::new();
    if let (Some(book), Some(head)) = (&report.book, report.head) {
        let events = grouped(report.entries);
        lines.push(format!("{} (book {}): {events} events, head {}", book.slug, book.id.0, head.hash));
    }
    for finding in &report.findings {
        let mark = match finding.verdict {
            Verdict::Proved => "proved  ",
            Verdict::Refuted => "REFUTED ",
            Verdict::Unknown => "open    ",
            Verdict::Unusable => "unusable",
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
    let refuted = if report.is_sound() { "Nothing is refuted. " } else { "" };
    let (heads, receipts) = (grouped(report.compared_heads), grouped(report.compared_receipts));
    lines.push(format!("{refuted}Compared with it: published heads {heads}, receipts {receipts}."));
    lines.join("\n") + "\n"
}
