//! Damaged blocks: reported with their place, and copied to quarantine before anything is changed.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use engine::journal::Sequence;
use thiserror::Error;

use crate::{
    block_key::BlockKey, block_source::BlockSource, chain::ChainFault, problem::Problem, stream_key::StreamKey,
};

/// A damaged place in the journal. Displays as one line with the recommended action.
#[derive(Debug, Error)]
pub struct Damage {
    stream: StreamKey,
    sequence: Sequence,
    problem: Problem,
    quarantine_folder: Option<PathBuf>,
}

impl Damage {
    /// Describes a damaged place, and copies its records to the quarantine of the store if it has one.
    pub(crate) fn quarantined(source: &dyn BlockSource, stream: StreamKey, fault: ChainFault) -> Self {
        let quarantine_folder = if fault.problem.is_newer() { None } else { source.quarantine(stream, &fault) };
        Self { stream, sequence: fault.sequence, problem: fault.problem, quarantine_folder }
    }

    /// An acknowledged commit of which only these blocks remain.
    pub(crate) fn torn(source: &dyn BlockSource, commit: u64, blocks: &[BlockKey]) -> Option<Self> {
        let first = blocks.first()?;
        let fault = ChainFault { sequence: first.first, problem: Problem::CommitTorn { commit } };
        Some(Self::quarantined(source, first.stream, fault))
    }

    /// The damaged stream, in readable form.
    #[must_use]
    pub fn stream(&self) -> String {
        self.stream.to_string()
    }

    /// The sequence of the first event that is damaged or missing.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The folder that the damaged records were copied to, if there were any and it was writable.
    #[must_use]
    pub fn quarantine_folder(&self) -> Option<&Path> {
        self.quarantine_folder.as_deref()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stream, sequence, problem, quarantine_folder } = self;
        if problem.is_newer() {
            return write!(f, "stream {stream} at sequence {sequence}: {problem}; start the newer version");
        }
        write!(f, "the journal is damaged in stream {stream} at sequence {sequence}: {problem}; ")?;
        if let Some(quarantine_folder) = quarantine_folder {
            write!(f, "the damaged records were copied to {}; ", quarantine_folder.display())?;
        }
        f.write_str("restore the journal from an export with `lienbook restore`")
    }
}
