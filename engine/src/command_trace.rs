//! Spans of a command, for traces. There are none outside of a request that is traced, and a subscriber for the target
//! [`TARGET`] has to exist; otherwise each function here costs a comparison.

use domain::GroupId;
use tracing::{Span, info_span};

/// The target of all spans that are exported as traces. Logs do not show them.
pub const TARGET: &str = "traces";

/// The most traced commands of one burst whose publication gets a span.
const PUBLICATIONS_MAX: usize = 16;

/// Returns the span of an actor's decision about a command.
pub(crate) fn turn(request: &Span, group: GroupId) -> Span {
    if request.is_disabled() { Span::none() } else { info_span!(target: TARGET, parent: request, "turn", %group) }
}

/// Returns the span of the wait, begun in the current span, until a batch is durable.
pub(crate) fn commit() -> Span {
    let current = Span::current();
    if current.is_disabled() { current } else { info_span!(target: TARGET, parent: &current, "commit") }
}

/// The requests behind a burst that are traced.
#[derive(Debug, Default)]
pub(crate) struct TracedRequests(Vec<Span>);

impl TracedRequests {
    /// Adds a request, if it is traced.
    pub(crate) fn add(&mut self, request: Span) {
        if !request.is_disabled() && self.0.len() < PUBLICATIONS_MAX {
            self.0.push(request);
        }
    }

    /// Adds those of the burst right after.
    pub(crate) fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
        self.0.truncate(PUBLICATIONS_MAX);
    }

    /// Begins a span for each, which ends when it is dropped.
    pub(crate) fn publications(&self) -> Vec<Span> {
        self.0.iter().map(|request| info_span!(target: TARGET, parent: request, "publish")).collect()
    }
}
