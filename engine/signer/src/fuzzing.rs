//! The fuzz subjects of this crate, which parse untrusted bytes, and the properties that hold for any input.
//!
//! Each subject takes any bytes, must not panic, and returns whether they were accepted. They are compiled for tests and by
//! `.ci/fuzz` only, as the log is private.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is what is looked for")]

#[cfg(test)]
mod tests;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::entry::Entry;
use crate::master_seed::MasterSeed;
use crate::policy::{Policy, PolicyDraft};
use crate::request::{Answer, Request};
use crate::state::State;
use crate::term_sheet::TermSheet;

/// The milliseconds between two entries of the log.
const STEP_MS: u64 = 600_000;

/// A message on the socket, or a file of the operator: the first byte selects a request, an answer, a policy or a sheet.
///
/// A parsed value is written with the same content, and an accepted policy has one text.
#[must_use]
pub fn signer_message(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    match selector % 4 {
        0 => round_trip::<Request>(rest).is_some(),
        1 => round_trip::<Answer>(rest).is_some(),
        2 => round_trip::<PolicyDraft>(rest).is_some_and(|draft| is_policy(&draft)),
        _ => round_trip::<TermSheet>(rest).is_some(),
    }
}

/// Lines of the signing log without their numbers and hashes.
///
/// Each entry is written with the same content, and the state of the signer either follows from it or refuses it. Accepted
/// if it follows from all of them.
#[must_use]
pub fn signing_log(bytes: &[u8]) -> bool {
    let mut state = State::default();
    let mut at_ms = 1_800_000_000_000;
    for line in bytes.split(|byte| *byte == b'\n') {
        let Some(entry) = round_trip::<Entry>(line) else { return false };
        if let Err(refusal) = state.apply(at_ms, entry) {
            assert!(!refusal.to_string().is_empty());
            return false;
        }
        at_ms += STEP_MS;
        state.prune(at_ms / 1_000, 86_400);
    }
    true
}

fn is_policy(draft: &PolicyDraft) -> bool {
    let seed = MasterSeed::new(Box::new([0x5a; 32]));
    let Ok(policy) = Policy::new(draft.clone(), &seed) else { return false };
    assert_eq!(policy.draft(), draft);
    assert_eq!(Policy::new(draft.clone(), &seed).unwrap().hash(), policy.hash());
    let (limits, max) = (&draft.limits, u64::from(draft.limits.hour_max_count));
    assert!(u64::from(limits.count_of_vault()) <= max && u64::from(limits.count_of_kind()) <= max);
    assert!(limits.loans_sats() <= limits.hour_max_sats);
    true
}

/// Parses JSON, and checks that the value is the same after it was written.
fn round_trip<T: DeserializeOwned + Serialize + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let value: T = serde_json::from_slice(bytes).ok()?;
    let written = serde_json::to_vec(&value).unwrap();
    assert_eq!(serde_json::from_slice::<T>(&written).unwrap(), value);
    Some(value)
}
