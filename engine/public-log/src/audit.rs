//! The audit of a log: what it proves, with what the server has signed, and what it refutes.

mod chain;
mod finding;
mod replay;
mod timestamps;

use std::collections::{HashMap, HashSet};

use crate::entry::read_genesis;
use crate::{HeadHash, LogPublicKey, PublishedHeads, Receipt, Signed, StatementKind};

pub use finding::{AuditReport, Finding, SkippedOffers, Verdict};
pub use timestamps::audit_timestamps;

use chain::Chain;
use replay::Replay;

/// Audits the log of one book: the lines without their line feeds, in order. Statements about other books are ignored.
///
/// Everything is checked as far as it goes: after a fault in the log its later lines are not read.
#[must_use]
pub fn audit<'a>(
    lines: impl Iterator<Item = &'a [u8]>,
    key: &LogPublicKey,
    heads: &[Signed<PublishedHeads>],
    receipts: &[Signed<Receipt>],
) -> AuditReport {
    let mut report = AuditReport::default();
    let heads = verified(heads, key, "published heads", &mut report);
    let receipts = verified(receipts, key, "receipt", &mut report);
    check_links(&heads, &mut report);
    let heads: Vec<PublishedHeads> = heads.into_iter().map(|(_, heads)| heads).collect();
    let receipts: Vec<Receipt> = receipts.into_iter().map(|(_, receipt)| receipt).collect();

    let mut lines = lines;
    let Some((mut chain, mut replay)) = lines.next().and_then(|first| begin(first, &mut report)) else {
        report.refute("The log has no first line, so nothing about it is proved.".to_owned());
        return report;
    };
    replay.note_receipts(&receipts);
    for (number, line) in (2_u64..).zip(lines) {
        if let Err(fault) = chain.add(line).and_then(|entry| replay.apply(&entry, &mut report)) {
            report.refute(format!("Line {number} {fault}."));
            break;
        }
    }
    report.entries = chain.head().sequence;
    report.head = Some(chain.head());
    let group = replay.group();
    chain.compare(group, &heads, &receipts, &mut report);
    replay.finish(&mut report);
    report
}

fn begin(first: &[u8], report: &mut AuditReport) -> Option<(Chain, Replay)> {
    match read_genesis(first) {
        Ok(group) => Some((Chain::new(first), Replay::new(group))),
        Err(error) => {
            report.refute(format!("The first line does not begin a log: {error}."));
            None
        }
    }
}

/// The statements whose signature is of the key; the others are refuted.
fn verified<S: StatementKind>(
    statements: &[Signed<S>],
    key: &LogPublicKey,
    kind: &str,
    report: &mut AuditReport,
) -> Vec<(HeadHash, S)> {
    let mut believed = Vec::with_capacity(statements.len());
    for (number, signed) in (1..).zip(statements) {
        match signed.verify(key) {
            Ok(statement) => believed.push((signed.digest(), statement)),
            Err(error) => report.refute(format!("The {kind} of line {number} proves nothing: {error}.")),
        }
    }
    believed
}

/// Counts the publications that name one another, and refutes two that name the same earlier one: a history has one
/// continuation.
fn check_links(heads: &[(HeadHash, PublishedHeads)], report: &mut AuditReport) {
    let known: HashSet<HeadHash> = heads.iter().map(|(digest, _)| *digest).collect();
    let mut continued: HashMap<HeadHash, HeadHash> = HashMap::new();
    let mut linked = 0_u64;
    for (digest, published) in heads {
        let Some(previous) = published.previous else { continue };
        if continued.insert(previous, *digest).is_some_and(|other| other != *digest) {
            report.refute(format!("Two publications of heads continue the same one, {previous}."));
        }
        linked += u64::from(known.contains(&previous));
    }
    if linked > 0 {
        report.prove(format!("{linked} of {} publications of heads name one before them that was given.", known.len()));
    }
}
