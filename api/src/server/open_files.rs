//! The limit of open files, which bounds the number of connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open files to the maximum that the system permits: every connection takes one, and the default
/// is about a thousand.
///
/// A process that may not raise it serves fewer clients, which does not prevent its start.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if limit.current != raised.current
        && let Err(error) = setrlimit(Resource::Nofile, raised)
    {
        tracing::debug!(%error, "the limit of open files stays");
    }
}
