//! Damaged records: reported with their place, and copied to quarantine before anything is changed.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use engine::journal::Sequence;
use thiserror::Error;

use crate::{
    block::Block, chain::ChainFault, problem::Problem, record_key::RecordKey, scan::block_before, stream_key::StreamKey,
};

/// The maximum number of records copied to quarantine: one proves the damage, a few show its pattern.
const COPIES_MAX: usize = 1_000;

/// A damaged place in the journal. Displays as one line with the recommended action.
#[derive(Debug, Error)]
pub struct Damage {
    stream: StreamKey,
    sequence: Sequence,
    problem: Problem,
    quarantine_folder: Option<PathBuf>,
}

impl Damage {
    /// Describes a damaged place and copies its records into `quarantine`.
    pub(crate) fn quarantined(tree: &sled::Tree, quarantine: &Path, stream: StreamKey, broken: ChainFault) -> Self {
        let ChainFault { sequence, problem } = broken;
        if problem.is_newer() {
            return Self { stream, sequence, problem, quarantine_folder: None };
        }
        let quarantine_folder =
            copy_to_quarantine(tree, quarantine, stream, sequence, &problem).unwrap_or_else(|error| {
                // The damage is reported in any case; the copy only helps the investigation.
                tracing::error!(%error, "cannot copy damaged records to quarantine");
                None
            });
        Self { stream, sequence, problem, quarantine_folder }
    }

    /// An acknowledged commit of which only these blocks remain.
    pub(crate) fn torn(tree: &sled::Tree, quarantine: &Path, commit: u64, blocks: &[RecordKey]) -> Option<Self> {
        let first = blocks.first()?;
        let broken = ChainFault { sequence: first.first, problem: Problem::CommitTorn { commit } };
        Some(Self::quarantined(tree, quarantine, first.stream, broken))
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

/// Copies the records of the block that holds `sequence`, and all later damaged ones of the stream, into one file per
/// record, named by its key in hexadecimal. `None` if there is nothing to copy.
fn copy_to_quarantine(
    tree: &sled::Tree,
    quarantine: &Path,
    stream: StreamKey,
    sequence: Sequence,
    problem: &Problem,
) -> Result<Option<PathBuf>, Box<dyn std::error::Error>> {
    let begin = block_before(tree, stream, sequence)?.map_or(0, |block| block.key.first);
    let from = RecordKey::block(stream, begin).to_bytes();
    let to = RecordKey { part: u16::MAX, ..RecordKey::block(stream, u64::MAX) }.to_bytes();
    let folder = quarantine.join(format!("{stream} at {sequence}").replace(' ', "-"));
    let mut copied = 0;
    for record in tree.range(from..=to) {
        let (key, value) = record?;
        // If events are missing, the block before them is still sound.
        let is_damaged_block =
            !problem.is_missing() && RecordKey::from_bytes(&key).is_some_and(|key| key.first == begin);
        if !is_damaged_block && Block::parse(&value).is_ok() {
            continue;
        }
        if copied == 0 {
            fs::create_dir_all(&folder)?;
        }
        fs::write(folder.join(format!("{}.record", hexadecimal(&key))), &value)?;
        copied += 1;
        if copied == COPIES_MAX {
            break;
        }
    }
    if copied == 0 {
        return Ok(None);
    }
    sync_folder(&folder)?;
    Ok(Some(folder))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}
