//! The target of a backup: a folder, or a command.

use std::fmt;

use domain::UnixMs;
use persistence::{BackupError, BackupFolder, ChainEnd, Piece, Spool};

use super::arguments::BackupArguments;
use super::backup_failure::backup_failure;
use super::command_target::{CommandError, CommandTarget};
use crate::failure::Failure;

/// The place that pieces are shipped to.
pub(super) enum BackupTarget {
    /// A folder.
    Folder(BackupFolder),
    /// A command that takes each piece.
    Command(Box<CommandTarget>),
}

/// The reason why a piece was not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum TargetError {
    /// A file cannot be written, or the backup is not sound.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The command has failed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

impl BackupTarget {
    /// Opens the target, and checks what is there.
    ///
    /// # Errors
    /// Fails if it cannot be continued.
    pub(super) fn open(arguments: &BackupArguments) -> Result<Self, Failure> {
        match (&arguments.to, &arguments.command, &arguments.state) {
            (Some(folder), ..) => BackupFolder::open(folder).map(Self::Folder).map_err(backup_failure),
            (None, Some(command), Some(state)) => {
                let spool = Spool::open(state).map_err(backup_failure)?;
                Ok(Self::Command(Box::new(CommandTarget { command: command.clone(), spool })))
            }
            (None, ..) => Err(Failure::new("--to or --command with --state is required")),
        }
    }

    /// The end of what was taken.
    pub(super) const fn end(&self) -> Option<&ChainEnd> {
        match self {
            Self::Folder(folder) => folder.end(),
            Self::Command(command) => command.spool.end(),
        }
    }

    /// Ships the piece that an earlier process has left on its way, if there is one.
    ///
    /// # Errors
    /// [`TargetError`]; then it is on its way still.
    pub(super) fn finish_pending(&mut self) -> Result<(), TargetError> {
        match self {
            Self::Folder(_) => Ok(()),
            Self::Command(command) => Ok(command.deliver()?),
        }
    }

    /// Ships the next piece.
    ///
    /// # Errors
    /// [`TargetError`].
    pub(super) fn put(&mut self, piece: Piece) -> Result<(), TargetError> {
        match self {
            Self::Folder(folder) => Ok(folder.put(&piece)?),
            Self::Command(command) => {
                command.spool.put(piece)?;
                Ok(command.deliver()?)
            }
        }
    }

    /// Notes that everything that was committed at a time was taken.
    ///
    /// # Errors
    /// [`TargetError`].
    pub(super) fn note_caught_up(&self, at: UnixMs) -> Result<(), TargetError> {
        match self {
            Self::Folder(folder) => Ok(folder.note_caught_up(at)?),
            Self::Command(command) => Ok(command.spool.note_caught_up(at)?),
        }
    }
}

impl fmt::Display for BackupTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.path().display().fmt(f),
            // A command may contain a secret.
            Self::Command(_) => f.write_str("a command"),
        }
    }
}
