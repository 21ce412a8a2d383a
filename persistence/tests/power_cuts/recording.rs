//! The record of what a process wrote into its folder and printed, in order.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::strace_line::{Call, Line};

/// Standard output.
const STDOUT: i64 = 1;

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// The process printed a line.
    Printed(String),
    /// It asked something of the disk.
    Disk(Operation),
}

/// The number of an open file, unique in a recording.
pub(crate) type Handle = usize;

/// An operation on the folder. Paths are relative to it.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A file was opened, and created or emptied where it says so.
    Open {
        handle: Handle,
        path: PathBuf,
        creates: bool,
        empties: bool,
    },
    /// A write began.
    Write {
        handle: Handle,
        offset: u64,
        bytes: Vec<u8>,
    },
    /// The length of a file is set.
    SetLength {
        handle: Handle,
        length: u64,
    },
    /// A sync of a file or folder began; what is written from now on is not part of it.
    SyncBegins {
        handle: Handle,
        sync: usize,
    },
    /// That sync has returned.
    SyncEnds {
        sync: usize,
    },
    /// From now on each change of a name in a folder is durable when it returns.
    SyncNamesAtOnce {
        path: PathBuf,
    },
    CreateFolder {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
}

/// A record.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) steps: Vec<Step>,
}

/// An open file of the process.
#[derive(Clone, Debug)]
struct OpenFile {
    handle: Handle,
    /// Relative to the folder.
    path: PathBuf,
    position: u64,
}

/// The reader of a record.
struct Recorder<'a> {
    folder: &'a Path,
    steps: Vec<Step>,
    /// By file descriptor; those outside of the folder are not in it.
    files: HashMap<i64, OpenFile>,
    handles: Handle,
    syncs: usize,
    /// The halves of calls, and the number of their sync, by thread.
    begun: HashMap<u32, (String, Option<usize>)>,
}

impl Recording {
    /// Reads the output of strace about a process that used this folder.
    pub(crate) fn read(log: &Path, folder: &Path) -> Self {
        let text = std::fs::read_to_string(log).unwrap();
        let mut recorder =
            Recorder { folder, steps: Vec::new(), files: HashMap::new(), handles: 0, syncs: 0, begun: HashMap::new() };
        for line in text.lines() {
            recorder.line(line);
        }
        Self { steps: recorder.steps }
    }

    /// The number of acknowledged batches.
    pub(crate) fn acknowledged(&self) -> u64 {
        let is_one = |step: &&Step| matches!(step, Step::Printed(line) if line.starts_with("acknowledged "));
        u64::try_from(self.steps.iter().filter(is_one).count()).unwrap()
    }
}

impl Recorder<'_> {
    fn line(&mut self, line: &str) {
        match Line::parse(line) {
            Line::Whole(call) => {
                let sync = self.sync_begins(call.name, call.arguments.first().copied());
                self.call(&call, sync);
            }
            Line::Begun(thread, text) => {
                let (name, arguments) = text.split_once('(').unwrap();
                let sync = self.sync_begins(name, arguments.split(", ").next());
                self.begun.insert(thread, (text.to_owned(), sync));
                // What is printed or written may take effect at once.
                self.begun_call(text);
            }
            Line::Ended(thread, end) => {
                let (begun, sync) = self.begun.remove(&thread).unwrap();
                let whole = format!("{begun}{end}");
                let call = Call::parse(&whole).unwrap_or_else(|| panic!("{whole} is no call"));
                if takes_effect_early(call.name) {
                    assert!(call.result >= 0, "{} failed", call.name);
                } else {
                    self.call(&call, sync);
                }
            }
            Line::Other => {}
        }
    }

    /// Records the beginning of a sync of a file in the folder.
    fn sync_begins(&mut self, name: &str, descriptor: Option<&str>) -> Option<usize> {
        if !matches!(name, "fsync" | "fdatasync") {
            return None;
        }
        let descriptor = descriptor?.trim_end_matches(')').parse().ok()?;
        let handle = self.files.get(&descriptor)?.handle;
        self.syncs += 1;
        self.disk(Operation::SyncBegins { handle, sync: self.syncs });
        Some(self.syncs)
    }

    /// Records a write when it begins, as if it succeeded; what its end says is checked then.
    fn begun_call(&mut self, text: &str) {
        let (name, _) = text.split_once('(').unwrap();
        if takes_effect_early(name) {
            let whole = format!("{text}) = 0");
            self.call(&Call::parse(&whole).unwrap(), None);
        }
    }

    fn call(&mut self, call: &Call<'_>, sync: Option<usize>) {
        // As if on a file system that can: where a test's files are in memory, it cannot.
        if call.result < 0 && call.name != "ioctl" {
            assert!(sync.is_none(), "a sync failed");
            return;
        }
        match call.name {
            "openat" => self.open(call),
            "close" => drop(self.files.remove(&call.number(0))),
            "lseek" => {
                if let Some(file) = self.files.get_mut(&call.number(0)) {
                    file.position = u64::try_from(call.result).unwrap();
                }
            }
            "read" => {
                if let Some(file) = self.files.get_mut(&call.number(0)) {
                    file.position += u64::try_from(call.result).unwrap();
                }
            }
            "write" if call.number(0) == STDOUT => {
                let text = String::from_utf8(call.bytes(1)).unwrap();
                self.steps.extend(text.lines().map(|line| Step::Printed(line.to_owned())));
            }
            "write" => {
                if let Some(file) = self.files.get_mut(&call.number(0)) {
                    let (handle, offset, bytes) = (file.handle, file.position, call.bytes(1));
                    file.position += u64::try_from(bytes.len()).unwrap();
                    self.disk(Operation::Write { handle, offset, bytes });
                }
            }
            "pwrite64" => {
                if let Some(OpenFile { handle, .. }) = self.files.get(&call.number(0)).cloned() {
                    let offset = u64::try_from(call.number(3)).unwrap();
                    self.disk(Operation::Write { handle, offset, bytes: call.bytes(1) });
                }
            }
            "ftruncate" => {
                if let Some(OpenFile { handle, .. }) = self.files.get(&call.number(0)).cloned() {
                    self.disk(Operation::SetLength { handle, length: u64::try_from(call.number(1)).unwrap() });
                }
            }
            "fsync" | "fdatasync" => {
                if let Some(sync) = sync {
                    self.disk(Operation::SyncEnds { sync });
                }
            }
            "ioctl" => {
                if let Some(OpenFile { path, .. }) = self.files.get(&call.number(0)).cloned()
                    && call.arguments[1] == "FS_IOC_SETFLAGS"
                    && call.arguments[2].contains("FS_DIRSYNC_FL")
                {
                    self.disk(Operation::SyncNamesAtOnce { path });
                }
            }
            "mkdir" => {
                if let Some(path) = self.inside(&call.path(0)) {
                    self.disk(Operation::CreateFolder { path });
                }
            }
            "rename" => {
                if let (Some(from), Some(to)) = (self.inside(&call.path(0)), self.inside(&call.path(1))) {
                    self.disk(Operation::Rename { from, to });
                }
            }
            "unlink" | "rmdir" => {
                if let Some(path) = self.inside(&call.path(0)) {
                    self.disk(Operation::Remove { path });
                }
            }
            "unlinkat" => {
                if let Some(path) = self.path_at(call) {
                    self.disk(Operation::Remove { path });
                }
            }
            "mmap" => assert!(
                !self.files.contains_key(&descriptor(call, 4)) || !call.arguments[3].contains("MAP_SHARED"),
                "writes by a mapping are not recorded"
            ),
            name => {
                let is_inside = call.arguments.first().is_some_and(|first| {
                    first.parse().is_ok_and(|descriptor: i64| self.files.contains_key(&descriptor))
                });
                assert!(!is_inside || is_harmless(call), "{name} of a file in the folder is not understood");
            }
        }
    }

    fn open(&mut self, call: &Call<'_>) {
        let Some(path) = self.path_at(call) else {
            self.files.remove(&call.result);
            return;
        };
        let flags = call.arguments[2];
        assert!(!flags.contains("O_APPEND"), "appending is not understood");
        let handle = self.handles;
        self.handles += 1;
        self.files.insert(call.result, OpenFile { handle, path: path.clone(), position: 0 });
        let (creates, empties) = (flags.contains("O_CREAT"), flags.contains("O_TRUNC"));
        self.disk(Operation::Open { handle, path, creates, empties });
    }

    fn disk(&mut self, operation: Operation) {
        self.steps.push(Step::Disk(operation));
    }

    /// The path that a call names by an open folder and a name in it, or by a whole path.
    fn path_at(&self, call: &Call<'_>) -> Option<PathBuf> {
        let name = call.path(1);
        match self.files.get(&descriptor(call, 0)) {
            Some(folder) if Path::new(&name).is_relative() => Some(folder.path.join(name)),
            _ => self.inside(&name),
        }
    }

    /// A path relative to the folder, where it is in it.
    fn inside(&self, path: &str) -> Option<PathBuf> {
        Path::new(path).strip_prefix(self.folder).ok().map(Path::to_owned)
    }
}

/// Whether a call can have had its effect before it returns, and needs no result to be understood.
fn takes_effect_early(name: &str) -> bool {
    matches!(name, "write" | "pwrite64")
}

/// Whether a call changes nothing in a file.
fn is_harmless(call: &Call<'_>) -> bool {
    call.name == "fcntl" && call.arguments[1] != "F_DUPFD" && call.arguments[1] != "F_DUPFD_CLOEXEC"
}

fn descriptor(call: &Call<'_>, place: usize) -> i64 {
    call.arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(-1)
}
