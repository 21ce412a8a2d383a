//! The fuzz subject of this crate: questions, of which the terms come from the user and everything else from the server or a file.
//!
//! It is compiled for tests and by `.ci/fuzz` only.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is what is looked for")]

use serde_json::Value;

use crate::check::check;

/// A question in JSON, a task of the offline page, or the description of a vault.
///
/// The answer follows from the question alone, and a refusal has a reason. Accepted if it is not refused.
#[must_use]
pub fn verifier_question(bytes: &[u8]) -> bool {
    let text = check(bytes);
    assert_eq!(check(bytes), text);
    let answer: Value = serde_json::from_str(&text).unwrap();
    match (answer["kind"].as_str(), answer["result"].as_str()) {
        (None, None) => agrees(&answer),
        (Some("kit" | "unsigned" | "finished"), None) | (None, Some("agrees")) => true,
        (Some("refused"), None) => {
            assert!(has_text(&answer, "code") && has_text(&answer, "text"), "{answer}");
            false
        }
        (None, Some("disagrees")) => {
            assert!(has_text(&answer, "reason"), "{answer}");
            false
        }
        _ => panic!("an answer of no known form: {answer}"),
    }
}

/// Whether a verdict agrees: without a fault, or else with faults that have a code and a reason.
fn agrees(verdict: &Value) -> bool {
    let agrees = verdict["agrees"].as_bool().unwrap();
    let faults = verdict["faults"].as_array().unwrap();
    assert_eq!(agrees, faults.is_empty());
    for fault in faults {
        assert!(has_text(fault, "code") && has_text(fault, "text"), "{fault}");
    }
    assert!(agrees || verdict["movements"].as_array().unwrap().is_empty());
    agrees
}

fn has_text(object: &Value, field: &str) -> bool {
    object[field].as_str().is_some_and(|text| !text.is_empty())
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
