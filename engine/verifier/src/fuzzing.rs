//! The fuzz subject of this crate: questions, of which the terms come from the user and everything else from the server.
//!
//! It is compiled for tests and by `.ci/fuzz` only.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is what is looked for")]

use serde_json::Value;

use crate::check::check;

/// A question in JSON.
///
/// The verdict follows from the question alone: it agrees without a fault, or disagrees with one that has a code and
/// a reason. Accepted if it agrees.
#[must_use]
pub fn verifier_question(bytes: &[u8]) -> bool {
    let text = check(bytes);
    assert_eq!(check(bytes), text);
    let verdict: Value = serde_json::from_str(&text).unwrap();
    // A question with a kit is one of the offline page, whose answers have another form.
    let Some(agrees) = verdict["agrees"].as_bool() else {
        assert!(verdict.is_object(), "{text}");
        return false;
    };
    let faults = verdict["faults"].as_array().unwrap();
    assert_eq!(agrees, faults.is_empty());
    for fault in faults {
        assert!(fault["code"].as_str().is_some_and(|code| !code.is_empty()), "{fault}");
        assert!(fault["text"].as_str().is_some_and(|text| !text.is_empty()), "{fault}");
    }
    assert!(agrees || verdict["movements"].as_array().unwrap().is_empty());
    agrees
}

#[cfg(test)]
mod tests {
    use fuzz_testkit::Corpus;

    use super::*;

    /// Questions with their verdicts.
    const GOLDEN: &str = include_str!("../tests/verdicts/verdicts.golden.json");

    #[test]
    fn questions_are_agreed_to_or_refused_with_a_code() {
        let golden: Value = serde_json::from_str(GOLDEN).unwrap();
        let agreed = golden.as_object().unwrap().values().filter(|case| case["verdict"]["agrees"] == true);
        let seeds: Vec<_> = agreed.map(|case| case["question"].to_string().into_bytes()).collect();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus");
        Corpus::new(folder, "verifier_question").replay(verifier_question, &seeds);
    }
}
