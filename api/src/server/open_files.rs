//! How many connections the process may hold.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open files to what the system allows: every connection is one, and the default is a thousand.
///
/// A process that may not raise it serves fewer clients, which is no reason not to start.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if limit.current != raised.current
        && let Err(error) = setrlimit(Resource::Nofile, raised)
    {
        tracing::debug!(%error, "the limit of open files stays");
    }
}
