//! Snapshots of sled's page table: a shortcut for its start, which its log can always replace.
//!
//! sled refuses to start if the newest one is damaged, and mistakes one that it was still writing for the newest. Both
//! are moved out of the way here before sled reads them.

use std::{fs, io, path::Path};

const SNAPSHOT: &str = "snap.";
const UNFINISHED: &str = ".generating";
/// The trailer of a snapshot: eight bytes of length and four of CRC32, little-endian, over everything before the
/// length.
const TRAILER_BYTES: usize = 12;

/// Removes unfinished snapshots left by a crash, and moves damaged ones into `quarantine`.
pub(crate) fn clean_up(journal: &Path, quarantine: &Path) -> io::Result<()> {
    for entry in fs::read_dir(journal)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| name.starts_with(SNAPSHOT))
        else {
            continue;
        };
        if name.ends_with(UNFINISHED) {
            fs::remove_file(&path)?;
        } else if !is_sound(&fs::read(&path)?) {
            tracing::warn!(path = %path.display(), "moving a damaged snapshot of sled to quarantine; its log is complete");
            fs::create_dir_all(quarantine)?;
            fs::rename(&path, quarantine.join(name))?;
        }
    }
    Ok(())
}

fn is_sound(snapshot: &[u8]) -> bool {
    let Some((body, trailer)) = snapshot.split_last_chunk::<TRAILER_BYTES>() else { return false };
    let [.., a, b, c, d] = *trailer;
    !body.is_empty() && crc32fast::hash(body) == u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> sled::Db {
        loop {
            // sled's threads release the file shortly after it was closed.
            if let Ok(db) = sled::Config::new().path(path).open() {
                return db;
            }
        }
    }

    fn snapshots(folder: &Path) -> Vec<std::path::PathBuf> {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(SNAPSHOT)).collect()
    }

    #[test]
    fn sled_starts_without_an_unfinished_or_damaged_snapshot_and_keeps_a_sound_one() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, quarantine) = (folder.path().join("journal"), folder.path().join("quarantine"));
        open(&journal).insert("key", "value").unwrap();
        drop(open(&journal));
        let sound = snapshots(&journal);
        assert_eq!(sound.len(), 1);

        fs::write(journal.join("snap.FFFFFFFFFFFFFFFF.generating"), "half").unwrap();
        clean_up(&journal, &quarantine).unwrap();
        assert_eq!(snapshots(&journal), sound);
        assert!(!quarantine.exists());

        let mut bytes = fs::read(&sound[0]).unwrap();
        bytes[3] ^= 1;
        fs::write(&sound[0], bytes).unwrap();
        clean_up(&journal, &quarantine).unwrap();
        assert_eq!((snapshots(&journal).len(), snapshots(&quarantine).len()), (0, 1));
        assert_eq!(open(&journal).get("key").unwrap().unwrap(), "value");
    }
}
