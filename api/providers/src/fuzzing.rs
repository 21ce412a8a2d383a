//! The fuzz subject of this crate: what an upstream may answer, and the properties that hold for any answer.
//!
//! It is compiled for tests and by `.ci/fuzz` only. Instead of a server, [`HttpEndpoint`](crate::http::HttpEndpoint)
//! answers each request with the next part of the fuzzed bytes, so that the clients are fuzzed as they are used: with every
//! check that follows the parsing.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is what is looked for")]

mod questions;
#[cfg(test)]
mod tests;

use hyper::body::Bytes;
use tokio::runtime::{Builder, Runtime};

use crate::http::fuzzed_answers;

/// The byte between two answers, which JSON does not have.
const SEPARATOR: u8 = 0x1e;

/// The longest error, in bytes: some quote an excerpt of the answer.
const ERROR_LENGTH_MAX: usize = 1_200;

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().unwrap();
}

/// Answers of an upstream: the first byte selects the client and its request.
///
/// The same answers lead to the same result, and a refused one to a short error in one line.
#[must_use]
pub fn upstream_answer(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let ask = || {
        let answers = rest.split(|byte| *byte == SEPARATOR).map(Bytes::copy_from_slice);
        fuzzed_answers::with(answers.collect(), || RUNTIME.with(|runtime| runtime.block_on(questions::ask(selector))))
    };
    let result = ask();
    assert_eq!(result, ask());
    if let Err(error) = &result {
        assert!(error.len() <= ERROR_LENGTH_MAX, "{error}");
        assert!(!error.contains(char::is_control), "{error:?}");
    }
    result.is_ok()
}
