//! The fuzz subjects of this crate, which parse untrusted bytes, and the properties that hold for any input.
//!
//! Each subject takes any bytes, must not panic, and returns whether they were accepted. They are compiled for tests and by
//! `.ci/fuzz` only. Where a signature would refuse nearly every input, a subject signs it.
#![allow(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a panic is what is looked for")]

#[cfg(test)]
mod tests;

use crate::{Attestation, LogKey, Named, PublishedHeads, Receipt, StatementKind, Timestamp, audit};

/// The byte between log, published heads and receipts, which JSON does not have.
const SEPARATOR: u8 = 0x1e;

/// The files of an audit: the first byte selects whether its statements are in writing, or texts that are signed here.
///
/// The same files lead to the same report, which says something, and an accepted log has as many events as lines after its
/// first.
#[must_use]
pub fn audit_files(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let key = LogKey::new(&[5; 32]).unwrap();
    let mut files = rest.split(|byte| *byte == SEPARATOR);
    let log: Vec<&[u8]> = lines(files.next().unwrap_or_default()).collect();
    let heads = files.next().unwrap_or_default();
    let receipts = files.next().unwrap_or_default();
    let heads: Vec<Named<PublishedHeads>> = statements(selector, heads, &key);
    let receipts: Vec<Named<Receipt>> = statements(selector, receipts, &key);
    let report = || audit(&log, &key.public(), &heads, &receipts);
    let found = report();
    assert_eq!(found, report());
    assert!(found.entries < u64::try_from(log.len()).unwrap().max(1));
    assert!(found.findings.iter().all(|finding| !finding.text.is_empty()));
    let is_accepted = found.is_sound() && found.is_usable();
    assert!(!is_accepted || found.entries + 1 == u64::try_from(log.len()).unwrap());
    assert!(found.signed_to.is_none() || found.compared_heads + found.compared_receipts > 0);
    is_accepted
}

/// A file of OpenTimestamps, and after [`SEPARATOR`]s the later answers of the calendars that it names.
///
/// An accepted file is written again identically, and an answer that is refused changes nothing.
#[must_use]
pub fn timestamp_file(bytes: &[u8]) -> bool {
    let mut parts = bytes.split(|byte| *byte == SEPARATOR);
    // The separator is an ordinary byte of a proof, so the whole is tried, too.
    let accepted =
        [bytes, parts.next().unwrap_or_default()].map(|file| Timestamp::read(file).ok().map(|read| (file, read)));
    for (file, mut proof) in accepted.into_iter().flatten() {
        assert_eq!(proof.write(), file);
        for (promise, answer) in proof.attestations().into_iter().zip(parts.clone()) {
            let Attestation::Pending { calendar, commitment } = promise else { continue };
            let before = proof.clone();
            match proof.upgrade(&calendar, &commitment, answer) {
                Ok(is_replaced) => assert!(is_replaced || proof == before),
                Err(_) => assert_eq!(proof, before),
            }
            assert_eq!(Timestamp::read(&proof.write()).as_ref(), Ok(&proof));
        }
    }
    Timestamp::read(bytes).is_ok()
}

fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn statements<S: StatementKind>(selector: u8, file: &[u8], key: &LogKey) -> Vec<Named<S>> {
    let texts = (1..).zip(lines(file)).map(|(number, line)| (number, String::from_utf8_lossy(line).into_owned()));
    let signed = texts.filter_map(|(number, text)| {
        let signed = if selector.is_multiple_of(2) { text.parse().ok()? } else { key.sign_text(text) };
        Some(Named { name: format!("Statement {number}"), signed })
    });
    signed.collect()
}
