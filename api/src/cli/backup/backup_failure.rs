//! The failure that ends a backup, with its exit status.

use persistence::BackupError;

use crate::failure::Failure;

/// Returns the failure that a fault of the backup ends the process with.
pub(super) fn backup_failure(error: BackupError) -> Failure {
    // What another backup has written is read by the next process, which may find it sound.
    let is_repeatable = error.is_transient() || matches!(error, BackupError::Locked { .. });
    let failure = Failure::new(error);
    if is_repeatable { failure } else { failure.into_final() }
}
