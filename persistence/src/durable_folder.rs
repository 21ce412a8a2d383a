//! Folders of one process: created and locked so that a power cut or a restart leaves them usable.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::Path,
    thread,
    time::Duration,
};

use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};

/// The permissions of a folder with a journal or a copy of it: it contains every user's loans, and its files are as
/// readable as the folder.
pub(crate) const OWNER_ONLY: u32 = 0o700;

/// The number of attempts to take a lock, and the pause between them.
const LOCK_ATTEMPTS_MAX: u32 = 20;
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Opens a lock file, which is created if it is missing, and takes the lock within a second: a process that is just
/// exiting, or a forked child that has not yet executed its own program, still holds it briefly.
pub(crate) fn lock_with_retries(path: &Path) -> Result<File, TryLockError> {
    let opened = File::options().write(true).create(true).truncate(false).open(path);
    let lock = opened.map_err(TryLockError::Error)?;
    for _ in 1..LOCK_ATTEMPTS_MAX {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_RETRY_DELAY),
            locked => return locked.map(|()| lock),
        }
    }
    lock.try_lock().map(|()| lock)
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Creates a folder with its parents, with access for its owner only, and makes their names durable.
pub(crate) fn create_durably(path: &Path) -> io::Result<()> {
    let missing: Vec<_> =
        path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect();
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().mode(OWNER_ONLY).create(path) {
        Err(_) if path.is_dir() => warn_if_open(path)?,
        created => created?,
    }
    for folder in missing {
        match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => sync_folder(parent)?,
            _ => sync_folder(Path::new("."))?,
        }
    }
    Ok(())
}

/// Warns about an existing folder that others can access. It may be shared on purpose, so it is used unchanged.
fn warn_if_open(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    if mode & !OWNER_ONLY != 0 {
        let path = path.display();
        tracing::warn!("the folder {path} is open to other users (mode {mode:o}): chmod 700 {path}");
    }
    Ok(())
}

/// Makes the file system write each change of a name in a folder to the disk before the call returns, as `chattr +D` does.
///
/// # Errors
/// If it cannot; XFS, for example, does so only for all of a mount.
pub(crate) fn sync_names_at_once(folder: &Path) -> io::Result<()> {
    let folder = File::open(folder)?;
    // A file system that has none has none to set either, and says so then.
    let flags = ioctl_getflags(&folder).unwrap_or(IFlags::empty());
    Ok(ioctl_setflags(&folder, flags | IFlags::DIRSYNC)?)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_lock_is_refused_only_after_all_attempts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = lock_with_retries(&path).unwrap();
        let began_at = Instant::now();
        assert!(matches!(lock_with_retries(&path), Err(TryLockError::WouldBlock)));
        assert!(began_at.elapsed() >= LOCK_RETRY_DELAY * (LOCK_ATTEMPTS_MAX - 1));
        drop(held);
        lock_with_retries(&path).unwrap();
    }

    #[test]
    fn names_are_synced_at_once_where_the_file_system_can() {
        let folder = tempfile::tempdir().unwrap();
        match sync_names_at_once(folder.path()) {
            Ok(()) => assert!(ioctl_getflags(File::open(folder.path()).unwrap()).unwrap().contains(IFlags::DIRSYNC)),
            Err(error) => assert!(
                matches!(error.raw_os_error().map(Errno::from_raw_os_error), Some(Errno::OPNOTSUPP | Errno::NOTTY)),
                "{error}"
            ),
        }
    }

    #[test]
    fn a_folder_is_created_with_its_parents_and_one_in_place_of_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        create_durably(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, OWNER_ONLY);
        create_durably(&path).unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "not a folder").unwrap();
        assert!(create_durably(&file).is_err() && create_durably(&file.join("c")).is_err());
    }
}
