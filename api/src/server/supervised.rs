//! Tasks that must not end in silence.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;

/// How long a task that panicked waits before it begins anew.
pub(super) const PAUSE: Duration = Duration::from_secs(5);

/// Runs a task to its end. Whenever it panics that is logged, and after a pause it begins anew: nobody would see that
/// loans are no longer looked at. Whoever drops this drops the task.
///
/// What the task keeps between two runs must be right at every await, as it must for a task that is dropped.
pub(super) async fn supervise(name: &str, pause: Duration, begin: impl AsyncFn()) {
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        // What it said is on the standard error output, with its place.
        tracing::error!(task = name, "panicked, and begins anew");
        tokio::time::sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[actix_web::test]
    async fn a_task_that_panics_begins_anew_until_it_ends_by_itself() {
        let begun = Cell::new(0);
        let task = async || {
            begun.set(begun.get() + 1);
            tokio::task::yield_now().await;
            assert!(begun.get() == 3, "not yet");
        };
        supervise("watcher", Duration::from_millis(1), task).await;
        assert_eq!(begun.get(), 3);
    }

    #[actix_web::test]
    async fn a_task_that_panics_is_not_tried_without_a_pause() {
        let begun = Cell::new(0);
        let task = async || {
            begun.set(begun.get() + 1);
            tokio::task::yield_now().await;
            panic!("as always");
        };
        let run = supervise("watcher", Duration::from_hours(1), task);
        assert!(tokio::time::timeout(Duration::from_millis(50), run).await.is_err());
        assert_eq!(begun.get(), 1);
    }
}
