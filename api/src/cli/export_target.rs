//! Where an export goes: into a file that gets its name when it is whole, or into something that takes it as it comes.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Where an export goes. Nothing is made or opened before it is written.
pub(super) enum ExportTarget {
    /// Standard output, also when it was named by a path.
    Stdout,
    /// A pipe or a device, whose name is not ours to take.
    Stream(PathBuf),
    /// A regular file.
    File(FileTarget),
}

/// A file that an export is to become.
pub(super) struct FileTarget {
    path: PathBuf,
    /// What the file that it replaces is allowed to whom.
    replaced: Option<Permissions>,
}

impl ExportTarget {
    /// Looks at what is there. A file is only replaced by force.
    ///
    /// # Errors
    /// When something is there that an export cannot or must not replace.
    pub(super) fn choose(to: Option<&Path>, is_forced: bool) -> Result<Self, Failure> {
        let Some(path) = to else { return Ok(Self::Stdout) };
        let shown = path.display();
        match fs::metadata(path) {
            Ok(found) if is_stdout(&found) => Ok(Self::Stdout),
            Ok(found) if found.is_dir() => Err(Failure::new(format!("cannot write {shown}: it is a folder"))),
            Ok(found) if !found.is_file() => Ok(Self::Stream(path.to_owned())),
            Ok(found) if is_forced => {
                // A link goes on leading to the file, of which there is a new one.
                let path = fs::canonicalize(path).map_err(|error| cannot_write(path, &error))?;
                Ok(Self::File(FileTarget { path, replaced: Some(found.permissions()) }))
            }
            Ok(_) => Err(taken(path)),
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
    /// Lets `write` fill the file, and gives it its name when it is whole and on the device.
    ///
    /// # Errors
    /// What went wrong; then what was there before is there still.
    pub(super) fn fill(&self, write: impl FnOnce(File) -> Result<File, Failure>) -> Result<(), Failure> {
        let unfinished = self.unfinished();
        // The journal is its owner's alone, so what is copied from it is, too.
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished);
        let file = made.map_err(|error| cannot_write(&unfinished, &error))?;
        let filled = write(file).and_then(|file| self.publish(&file, &unfinished));
        if filled.is_err() {
            // What failed is reported; the remains are only untidy.
            let _ = fs::remove_file(&unfinished);
        }
        filled
    }

    fn publish(&self, file: &File, unfinished: &Path) -> Result<(), Failure> {
        let cannot = |error| cannot_write(&self.path, &error);
        match &self.replaced {
            Some(permissions) => file.set_permissions(permissions.clone()).map_err(cannot)?,
            // Somebody may have put a file there while this one was written.
            None if self.path.symlink_metadata().is_ok() => return Err(taken(&self.path)),
            None => {}
        }
        file.sync_all().map_err(cannot)?;
        fs::rename(unfinished, &self.path).map_err(cannot)?;
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        // Without this a power cut could take the name away again.
        File::open(parent.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(cannot)
    }

    /// A name that no other export has: what one leaves behind that was killed is in nobody's way.
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

fn taken(path: &Path) -> Failure {
    let shown = path.display();
    Failure::new(format!("{shown} is there already: choose another name, or replace it with --force"))
}

/// The system does not let something be written.
pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display()))
}
