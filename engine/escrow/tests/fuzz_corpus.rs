//! The fuzzing corpus, replayed against the same subjects.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

#[path = "../fuzz/subjects.rs"]
mod subjects;

use std::fs;
use std::path::PathBuf;

/// The corpus of one subject; `LIENBOOK_WRITE_GOLDEN=1` adds the seed inputs of fuzzing.
fn kept(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for (number, (_, seed)) in subjects::seeds().into_iter().filter(|(subject, _)| *subject == name).enumerate() {
            fs::write(folder.join(format!("seed-{number}")), seed).unwrap();
        }
    }
    fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}

/// Replays the corpus. Formerly accepted inputs are refused once the transactions are built differently; the seed
/// inputs are rebuilt and must be accepted, and the corpus must contain refused ones.
fn replay(name: &str, subject: fn(&[u8]) -> bool) {
    let refused = kept(name).iter().filter(|bytes| !subject(bytes)).count();
    assert!(refused > 0, "the corpus has no refused input");
    for (_, seed) in subjects::seeds().iter().filter(|(of, _)| *of == name) {
        assert!(subject(seed), "{seed:?}");
    }
}

#[test]
fn corpus_psbts_are_refused_or_lead_to_the_one_transaction() {
    replay("returned_psbt", subjects::returned_psbt);
}

#[test]
fn corpus_messages_are_refused_or_were_signed() {
    replay("signed_message", subjects::signed_message);
}

#[test]
fn corpus_addresses_are_refused_or_have_one_form() {
    replay("wallet_address", subjects::wallet_address);
}
