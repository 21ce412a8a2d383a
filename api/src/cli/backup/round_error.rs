//! The errors of a round of a backup.

use persistence::BackupError;

use super::backup_failure::backup_failure;
use super::target::TargetError;
use crate::failure::Failure;
use crate::operator::commit_client::ClientError;

/// The reason why a round has ended early.
#[derive(Debug)]
pub(super) enum RoundError {
    /// The next round can succeed.
    Transient(Failure),
    /// This process has to end. Its exit status says whether another one can succeed, or an operator has to act.
    Final(Failure),
}

impl From<BackupError> for RoundError {
    fn from(error: BackupError) -> Self {
        if error.is_transient() { Self::Transient(Failure::new(error)) } else { Self::Final(backup_failure(error)) }
    }
}

impl From<TargetError> for RoundError {
    fn from(error: TargetError) -> Self {
        match error {
            TargetError::Backup(error) => error.into(),
            TargetError::Command(_) => Self::Transient(Failure::new(error)),
        }
    }
}

impl From<ClientError> for RoundError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Commit(error) => error.into(),
            ClientError::Server(_) => Self::Transient(Failure::new(error)),
            ClientError::Journal(_) => Self::Final(Failure::new(error).into_final()),
        }
    }
}
