//! Answers that fuzzing gives in place of a server. They are compiled for tests and by `.ci/fuzz` only.

use std::cell::RefCell;
use std::collections::VecDeque;

use hyper::StatusCode;
use hyper::body::Bytes;

use super::HttpResponse;

thread_local! {
    static ANSWERS: RefCell<Option<VecDeque<Bytes>>> = const { RefCell::new(None) };
}

/// Runs `ask`, whose requests are answered with these bodies in their order.
pub(crate) fn with<T>(answers: VecDeque<Bytes>, ask: impl FnOnce() -> T) -> T {
    ANSWERS.set(Some(answers));
    let result = ask();
    ANSWERS.set(None);
    result
}

/// Returns the next answer, 404 after the last one, and `None` while this thread asks servers.
pub(super) fn next() -> Option<HttpResponse> {
    ANSWERS.with_borrow_mut(|answers| {
        let (status, body) = match answers.as_mut()?.pop_front() {
            Some(body) => (StatusCode::OK, body),
            None => (StatusCode::NOT_FOUND, Bytes::new()),
        };
        Some(HttpResponse { status, retry_after: None, body })
    })
}
