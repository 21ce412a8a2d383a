//! The time up to which a backup has everything, in a file beside the pieces or the state of a command.

use std::{fs, path::Path};

use domain::UnixMs;
use serde::{Deserialize, Serialize};

use super::{chain_end::ChainEnd, piece_file, pieces::names, shipped};
use crate::backup_error::BackupError;

const FILE: &str = "caught-up.json";

/// The last time at which the backup has everything that was committed. Without it, nothing distinguishes a backup that has
/// stopped from a market without trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaughtUp {
    /// The last commit of the backup then. The journal had no later one at that time.
    pub position: u64,
    /// The time, by the clock of the machine that made the backup.
    pub at: UnixMs,
}

impl CaughtUp {
    /// Reads what the backup in a folder, or with its state there, has noted last; `None` if there is nothing that can be
    /// read.
    #[must_use]
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path.join(FILE)).ok()?).ok()
    }

    /// Returns the last commit that the names of the pieces in a folder, or the state of a command, say to be in the backup;
    /// 0 if there is none. No piece is read.
    ///
    /// # Errors
    /// [`BackupError`]; a folder that lacks a piece is refused.
    pub fn last_commit(path: &Path) -> Result<u64, BackupError> {
        match shipped::read(path)? {
            Some(end) => Ok(end.point.position),
            None => Ok(names(path)?.last().map_or(0, |name| name.last)),
        }
    }

    pub(super) fn note(path: &Path, end: Option<&ChainEnd>, at: UnixMs) -> Result<(), BackupError> {
        let caught_up = Self { position: end.map(|end| end.point.position).unwrap_or_default(), at };
        piece_file::replace(path, FILE, &serde_json::to_vec(&caught_up).unwrap_or_default())
    }
}
