//! What fuzzing has found worth keeping, fed to the same subjects again.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

#[path = "../fuzz/subjects.rs"]
mod subjects;

use std::fs;
use std::path::PathBuf;

/// What is kept of one subject; `LIENBOOK_WRITE_GOLDEN=1` puts there what fuzzing starts from.
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

/// Feeds all of it. What was accepted once is refused when the transactions themselves are built in another way; what
/// fuzzing starts from is made anew and must be accepted, and something else must have been kept.
fn replay(name: &str, subject: fn(&[u8]) -> bool) {
    let refused = kept(name).iter().filter(|bytes| !subject(bytes)).count();
    assert!(refused > 0, "nothing was kept that is refused");
    for (_, seed) in subjects::seeds().iter().filter(|(of, _)| *of == name) {
        assert!(subject(seed), "{seed:?}");
    }
}

#[test]
fn kept_psbts_are_refused_or_lead_to_the_one_transaction() {
    replay("returned_psbt", subjects::returned_psbt);
}

#[test]
fn kept_messages_are_refused_or_were_signed() {
    replay("signed_message", subjects::signed_message);
}

#[test]
fn kept_addresses_are_refused_or_have_one_form() {
    replay("wallet_address", subjects::wallet_address);
}
