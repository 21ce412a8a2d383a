//! The audit of a log: what it proves, with what the server has signed, and what it refutes.

mod chain;
mod finding;
mod replay;
mod timestamps;

use std::collections::{HashMap, HashSet};

use domain::CollectionGroup;

use crate::entry::read_genesis;
use crate::{BookHead, BookReceipt, HeadHash, LogPublicKey, PublishedHeads, Receipt, Signed, StatementKind};

pub use finding::{AuditReport, AuditedBook, Finding, SkippedOffers, Verdict};
pub use timestamps::audit_timestamps;

use chain::Chain;
use replay::Replay;

/// A signed statement, and the place where it was found, as the beginning of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<S> {
    /// The place, such as a file and a line.
    pub name: String,
    /// The statement.
    pub signed: Signed<S>,
}

/// Audits the log of one book: the lines without their line feeds, in order. Statements about other books are counted only.
///
/// A log says which book it is of, and anyone can write one. So what it shows is proved only as far as a signed head lies on
/// it. Everything is checked as far as it goes: after a fault in the log its later lines are not replayed.
#[must_use]
pub fn audit(
    lines: &[&[u8]],
    key: &LogPublicKey,
    heads: &[Named<PublishedHeads>],
    receipts: &[Named<Receipt>],
) -> AuditReport {
    let mut report = AuditReport::default();
    let heads = verified(heads, key, &mut report);
    let receipts = verified(receipts, key, &mut report);
    check_links(&heads, &mut report);
    let Some(group) = lines.first().and_then(|first| begin(first, &mut report)) else {
        report.reject("The log has no first line, so nothing about it is proved. Is the file complete?".to_owned());
        return report;
    };
    report.book = Some(AuditedBook { id: group.id, slug: group.slug.to_string() });

    let published = heads_of(&group, &heads, &mut report);
    let of_book = receipts_of(&group, &receipts, &mut report);
    let chain = Chain::read(lines);
    report.entries = chain.head().sequence;
    report.head = Some(chain.head());
    chain.compare_heads(&published, &mut report);
    let agreeing = chain.compare_receipts(&of_book, &mut report);

    let mut replay = Replay::new(group);
    replay.note_receipts(&agreeing);
    for entry in chain.entries() {
        if let Err(fault) = replay.apply(entry, &mut report) {
            // The first line is no event.
            report.fault(entry.sequence, format!("Line {} {fault}.", entry.sequence + 1));
            return report;
        }
    }
    chain.report_fault(&mut report);
    replay.finish(&mut report);
    report
}

fn begin(first: &[u8], report: &mut AuditReport) -> Option<CollectionGroup> {
    let group = read_genesis(first);
    if let Err(error) = &group {
        report.reject(format!("The first line does not begin a log: {error}."));
    }
    group.ok()
}

/// The name, the digest and the content of each statement whose signature is of the key; the others say nothing.
fn verified<'a, S: StatementKind>(
    statements: &'a [Named<S>],
    key: &LogPublicKey,
    report: &mut AuditReport,
) -> Vec<(&'a str, HeadHash, S)> {
    let mut believed = Vec::with_capacity(statements.len());
    for Named { name, signed } in statements {
        match signed.verify(key) {
            Ok(statement) => believed.push((name.as_str(), signed.digest(), statement)),
            Err(error) => report.reject(format!(
                "{name} says nothing: {error}. Is {key} the server's key, and the file as it was received?"
            )),
        }
    }
    believed
}

/// The published heads of a book. A book has one number and one name.
fn heads_of<'a>(
    group: &CollectionGroup,
    heads: &'a [(&str, HeadHash, PublishedHeads)],
    report: &mut AuditReport,
) -> Vec<(&'a PublishedHeads, &'a BookHead)> {
    let (id, slug) = (group.id, group.slug.to_string());
    let all = heads.iter().flat_map(|(_, _, heads)| heads.books.iter().map(move |book| (heads, book)));
    let of_book: Vec<_> = all.filter(|(_, book)| book.book == id || book.slug == slug).collect();
    if let Some((heads, book)) = of_book.iter().find(|(_, book)| (book.book, &book.slug) != (id, &slug)) {
        report.refute(format!(
            "The log says that it is of book {} with the name {slug}; the publication of commit {} names {} as book {}.",
            id.0, heads.position, book.slug, book.book.0
        ));
    }
    report.compared_heads = u64::try_from(of_book.len()).unwrap_or(u64::MAX);
    if of_book.is_empty() {
        report.leave_open("No published head of this book was given.".to_owned());
    }
    of_book
}

/// The receipts about a book.
fn receipts_of<'a>(
    group: &CollectionGroup,
    receipts: &'a [(&str, HeadHash, Receipt)],
    report: &mut AuditReport,
) -> Vec<(&'a str, &'a BookReceipt)> {
    let of_book = receipts.iter().flat_map(|(name, _, receipt)| {
        receipt.books.iter().filter(|one| one.book == group.id).map(move |one| (*name, one))
    });
    let of_book: Vec<_> = of_book.collect();
    let about: HashSet<&str> = of_book.iter().map(|(name, _)| *name).collect();
    report.compared_receipts = u64::try_from(about.len()).unwrap_or(u64::MAX);
    let others = receipts.len().saturating_sub(about.len());
    if others > 0 {
        report.leave_open(format!("{others} of {} receipts are about other books, or about none.", receipts.len()));
    }
    of_book
}

/// Counts the publications that name one another, and refutes two that name the same earlier one: a history has one
/// continuation.
fn check_links(heads: &[(&str, HeadHash, PublishedHeads)], report: &mut AuditReport) {
    let known: HashSet<HeadHash> = heads.iter().map(|(_, digest, _)| *digest).collect();
    let mut continued: HashMap<HeadHash, HeadHash> = HashMap::new();
    let mut linked = 0_u64;
    for (_, digest, published) in heads {
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
