//! Supervised tasks, which are restarted after a panic.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;

/// The delay before a task that panicked is restarted.
pub(super) const PAUSE: Duration = Duration::from_secs(5);

/// Runs a task to its end. Every panic is logged and the task is restarted after a pause, because otherwise loans would
/// silently no longer be watched. Dropping the future drops the task.
///
/// State that the task keeps between two runs must be consistent at every await, as for any task that can be dropped.
pub(super) async fn supervise(name: &str, pause: Duration, begin: impl AsyncFn()) {
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        // The panic message, with its location, is on the standard error output.
        tracing::error!(task = name, "panicked and is restarted");
        tokio::time::sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[actix_web::test]
    async fn a_task_that_panics_is_restarted_until_it_ends_by_itself() {
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
    async fn a_task_that_panics_is_not_restarted_without_a_pause() {
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
