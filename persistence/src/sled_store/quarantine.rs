//! Copies of damaged records.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{block::Block, chain::ChainFault, durable_folder::sync_folder, stream_key::StreamKey};

use super::{record_key::RecordKey, scan::block_before};

/// The maximum number of records copied to quarantine: one proves the damage, a few show its pattern.
const COPIES_MAX: usize = 1_000;

/// Copies the records of the block at the fault, and all later damaged ones of the stream, into one file per record,
/// named by its key in hexadecimal. `None` if there is nothing to copy.
pub(super) fn copy_to_quarantine(
    tree: &sled::Tree,
    quarantine: &Path,
    stream: StreamKey,
    fault: &ChainFault,
) -> Result<Option<PathBuf>, Box<dyn std::error::Error>> {
    let ChainFault { sequence, problem } = fault;
    let begin = block_before(tree, stream, *sequence)?.map_or(0, |block| block.key.first);
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
