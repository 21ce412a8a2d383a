//! The target of an export: a file that gets its name when it is complete, or a stream that is written directly.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The target of an export. Nothing is created or opened before it is written.
pub(super) enum ExportTarget {
    /// Standard output, also when it was named by a path.
    Stdout,
    /// A pipe or a device, which is written directly and never replaced.
    Stream(PathBuf),
    /// A regular file.
    File(FileTarget),
}

/// A file that an export is written to.
pub(super) struct FileTarget {
    path: PathBuf,
    /// The permissions of the file that it replaces.
    replaced: Option<Permissions>,
}

impl ExportTarget {
    /// Examines the target. An existing file is replaced only if forced.
    ///
    /// # Errors
    /// Fails if the target cannot or must not be replaced.
    pub(super) fn choose(to: Option<&Path>, is_forced: bool) -> Result<Self, Failure> {
        let Some(path) = to else { return Ok(Self::Stdout) };
        let shown = path.display();
        match fs::metadata(path) {
            Ok(found) if is_stdout(&found) => Ok(Self::Stdout),
            Ok(found) if found.is_dir() => Err(Failure::new(format!("cannot write {shown}: it is a folder"))),
            Ok(found) if !found.is_file() => Ok(Self::Stream(path.to_owned())),
            Ok(found) if is_forced => {
                // A symbolic link stays; the file that it leads to is replaced.
                let path = fs::canonicalize(path).map_err(|error| cannot_write(path, &error))?;
                Ok(Self::File(FileTarget { path, replaced: Some(found.permissions()) }))
            }
            Ok(_) => Err(already_exists(path)),
            Err(_) if path.is_symlink() => {
                Err(Failure::new(format!("cannot write {shown}: it is a link that leads nowhere")))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self::File(FileTarget { path: path.to_owned(), replaced: None }))
            }
            Err(error) => Err(cannot_write(path, &error)),
        }
    }
}

impl FileTarget {
    /// Passes the file to `write`, and gives it its name when it is complete and on disk.
    ///
    /// # Errors
    /// The failure; then the previous file is unchanged.
    pub(super) fn fill(&self, write: impl FnOnce(File) -> Result<File, Failure>) -> Result<(), Failure> {
        let unfinished = self.unfinished();
        // Only the owner may read the journal, so only the owner may read its copy.
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished);
        let file = made.map_err(|error| cannot_write(&unfinished, &error))?;
        let filled = write(file).and_then(|file| self.publish(&file, &unfinished));
        if filled.is_err() {
            // The failure itself is reported; a remaining temporary file does no harm.
            let _ = fs::remove_file(&unfinished);
        }
        filled
    }

    fn publish(&self, file: &File, unfinished: &Path) -> Result<(), Failure> {
        let cannot = |error| cannot_write(&self.path, &error);
        match &self.replaced {
            Some(permissions) => file.set_permissions(permissions.clone()).map_err(cannot)?,
            // Another process may have created a file there while this one was written.
            None if self.path.symlink_metadata().is_ok() => return Err(already_exists(&self.path)),
            None => {}
        }
        file.sync_all().map_err(cannot)?;
        fs::rename(unfinished, &self.path).map_err(cannot)?;
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        // Without this a power failure could lose the new name.
        File::open(parent.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(cannot)
    }

    /// A unique temporary name, so that the remains of a killed export do not block others.
    fn unfinished(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".unfinished-{:08x}", rand::random::<u32>()));
        PathBuf::from(name)
    }
}

fn is_stdout(found: &Metadata) -> bool {
    let stdout = io::stdout().as_fd().try_clone_to_owned().and_then(|descriptor| File::from(descriptor).metadata());
    stdout.is_ok_and(|stdout| (stdout.dev(), stdout.ino()) == (found.dev(), found.ino()))
}

fn already_exists(path: &Path) -> Failure {
    let shown = path.display();
    Failure::new(format!("{shown} is there already: choose another name, or replace it with --force"))
}

/// Returns the failure for a target that cannot be written.
pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display()))
}
