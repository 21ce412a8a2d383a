//! The data folder: its lock, and the creation of sled's part of it.
//!
//! ```text
//! <data>/lock          held while a process uses the folder
//! <data>/journal/      sled's files; `db` is its log
//! <data>/acknowledged  the last acknowledged commit, see `ack_marker`
//! <data>/quarantine/   copies of damaged records, a folder per finding
//! ```
//!
//! A new journal is built under another name and renamed when it is complete, so a crash leaves either all or none of
//! it.

use std::{
    fs::{self, File, TryLockError},
    io, panic,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{
    block_source::ReadError,
    durable_folder::{create_durably, lock_with_retries, sync_folder, sync_names_at_once},
    open_error::OpenError,
};

use super::{ack_marker::AckMarker, snapshots};

const JOURNAL: &str = "journal";
/// A journal that is being built. Nothing in it was ever acknowledged.
const UNFINISHED: &str = "journal.unfinished";
const QUARANTINE: &str = "quarantine";
const LOCK: &str = "lock";

/// The timeout for sled's threads to release its file, which they do shortly after it was closed.
const SLED_CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
const SLED_RETRY_DELAY: Duration = Duration::from_millis(5);
/// The interval at which sled moves live pages out of nearly empty segments, so that the file does not grow
/// indefinitely.
const SLED_FLUSH_INTERVAL_MS: u64 = 2_000;

/// A data folder that is locked against other processes.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Locked until it is dropped.
    _lock: File,
}

/// The lock of a data folder, for a server whose journal is elsewhere. The folder is free when this is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _folder: Folder,
}

impl FolderLock {
    /// Creates a data folder if it is missing, and locks it.
    ///
    /// # Errors
    /// [`OpenError::Locked`], [`OpenError::NotWritable`].
    pub fn acquire(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Folder::acquire(path.as_ref()).map(|folder| Self { _folder: folder })
    }
}

impl Folder {
    /// Creates the folder if it is missing, and locks it.
    pub(crate) fn acquire(path: &Path) -> Result<Self, OpenError> {
        let not_writable = |source| OpenError::NotWritable { path: path.to_owned(), source };
        create_durably(path).map_err(not_writable)?;
        let lock = lock_with_retries(&path.join(LOCK)).map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::Locked { path: path.to_owned() },
            TryLockError::Error(source) => not_writable(source),
        })?;
        let folder = Self { path: path.to_owned(), _lock: lock };
        let unfinished = folder.path.join(UNFINISHED);
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).map_err(|source| folder.not_writable(source))?;
        }
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    pub(crate) fn quarantine(&self) -> PathBuf {
        self.path.join(QUARANTINE)
    }

    pub(crate) fn ack_marker(&self) -> Result<AckMarker, OpenError> {
        AckMarker::open(&self.path).map_err(|source| self.not_writable(source))
    }

    pub(crate) fn has_journal(&self) -> bool {
        self.journal().exists()
    }

    /// Opens the existing journal.
    pub(crate) fn open(&self, cache_bytes: u64) -> Result<sled::Db, OpenError> {
        let journal = self.journal();
        snapshots::clean_up(&journal, &self.quarantine()).map_err(|source| self.not_writable(source))?;
        // After a crash sled writes a snapshot, renames it, and overwrites the segments that the log needs without it. It does
        // not sync the folder in between, so a power cut could take the name and leave the overwritten segments.
        if let Err(error) = sync_names_at_once(&journal) {
            tracing::warn!(
                %error,
                path = %journal.display(),
                "a power cut during a start after a crash may damage the journal: its file system does not make names \
                 durable at once; mount it with dirsync"
            );
        }
        self.open_sled(&journal, cache_bytes)
    }

    /// Builds a journal that `fill` writes into; it is published only if that succeeds.
    pub(crate) fn create<T, E: From<OpenError>>(
        &self,
        cache_bytes: u64,
        fill: impl FnOnce(&sled::Db) -> Result<T, E>,
    ) -> Result<T, E> {
        let unfinished = self.path.join(UNFINISHED);
        let db = self.open_sled(&unfinished, cache_bytes)?;
        let filled = fill(&db)?;
        db.flush().map_err(|error| self.storage(&error))?;
        drop(db);
        self.publish(&unfinished).map_err(|source| self.not_writable(source))?;
        Ok(filled)
    }

    fn publish(&self, unfinished: &Path) -> io::Result<()> {
        // sled syncs neither its configuration nor its folder.
        for entry in fs::read_dir(unfinished)? {
            File::open(entry?.path())?.sync_all()?;
        }
        sync_folder(unfinished)?;
        fs::rename(unfinished, self.journal())?;
        sync_folder(&self.path)
    }

    fn open_sled(&self, path: &Path, cache_bytes: u64) -> Result<sled::Db, OpenError> {
        let config =
            sled::Config::new().path(path).cache_capacity(cache_bytes).flush_every_ms(Some(SLED_FLUSH_INTERVAL_MS));
        let mut waited = Duration::ZERO;
        loop {
            // The configuration is only read, and anything else that sled had begun is dropped by the unwinding.
            let opened = panic::catch_unwind(panic::AssertUnwindSafe(|| config.open()));
            match opened.unwrap_or_else(|_| Err(corruption_after_panic())) {
                // The folder's own lock is held, so this can only be a journal that this process has just closed.
                Err(sled::Error::Io(error)) if is_lock_held(&error) && waited < SLED_CLOSE_TIMEOUT => {
                    thread::sleep(SLED_RETRY_DELAY);
                    waited += SLED_RETRY_DELAY;
                }
                Err(sled::Error::Io(source)) if is_not_writable(&source) => return Err(self.not_writable(source)),
                opened => return opened.map_err(|error| self.storage(&error)),
            }
        }
    }

    /// The error of a journal whose blocks cannot be read.
    pub(crate) fn unreadable(&self, error: ReadError) -> OpenError {
        let path = self.path.clone();
        match error {
            ReadError::Corrupt(reason) => OpenError::StorageDamaged { path, reason },
            ReadError::Failed(reason) => OpenError::Storage { path, reason },
        }
    }

    pub(crate) fn storage(&self, error: &sled::Error) -> OpenError {
        let (path, reason) = (self.path.clone(), error.to_string());
        match error {
            sled::Error::Corruption { .. } => OpenError::StorageDamaged { path, reason },
            _ => OpenError::Storage { path, reason },
        }
    }

    pub(crate) fn io(&self, error: &io::Error) -> OpenError {
        OpenError::Storage { path: self.path.clone(), reason: error.to_string() }
    }

    pub(crate) fn not_writable(&self, source: io::Error) -> OpenError {
        OpenError::NotWritable { path: self.path.clone(), source }
    }
}

/// Some kinds of damage make sled panic instead of returning an error.
fn corruption_after_panic() -> sled::Error {
    sled::Error::Corruption { at: None, bt: () }
}

fn is_lock_held(error: &io::Error) -> bool {
    error.to_string().starts_with("could not acquire lock")
}

fn is_not_writable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::durable_folder::OWNER_ONLY;

    #[test]
    fn a_folder_has_one_user_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b/c");
        let folder = Folder::acquire(&path).unwrap();
        let refused = Folder::acquire(&path).unwrap_err();
        assert!(matches!(&refused, OpenError::Locked { path: locked } if *locked == path));
        assert!(refused.to_string().starts_with("another lienbook is running on "), "{refused}");
        drop(folder);
        Folder::acquire(&path).unwrap();
    }

    #[test]
    fn a_new_folder_is_private_and_an_existing_one_keeps_its_permissions() {
        let parent = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = parent.path().join("between/data");
        drop(Folder::acquire(&path).unwrap());
        assert_eq!(mode(&path), OWNER_ONLY);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        drop(Folder::acquire(&path).unwrap());
        assert_eq!(mode(&path), 0o750);
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        fs::write(&file, "not a folder").unwrap();
        let refused = Folder::acquire(&file.join("data")).unwrap_err();
        assert!(matches!(&refused, OpenError::NotWritable { .. }), "{refused:?}");
        assert!(refused.to_string().starts_with("cannot write to the data folder "), "{refused}");
    }

    #[test]
    fn a_journal_whose_creation_failed_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::acquire(parent.path()).unwrap();
        let failed = folder.create(1 << 20, |db| {
            db.insert("key", "value").unwrap();
            Err::<(), _>(OpenError::Absent { path: PathBuf::new() })
        });
        assert!(failed.is_err() && !folder.has_journal());
        drop(folder);
        let folder = Folder::acquire(parent.path()).unwrap();
        assert!(!folder.path().join(UNFINISHED).exists());
        let is_empty = folder.create(1 << 20, |db| Ok::<_, OpenError>(db.is_empty())).unwrap();
        assert!(is_empty && folder.has_journal());
    }
}
