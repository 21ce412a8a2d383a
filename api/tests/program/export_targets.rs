//! Tests of the targets of an export: existing files are replaced only on request.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use super::process::{Served, failure, lienbook, run};

/// A data folder with an empty journal, inside a folder for exports.
struct ExportFolder {
    folder: tempfile::TempDir,
}

impl ExportFolder {
    fn new() -> Self {
        let folder = Self { folder: tempfile::tempdir().unwrap() };
        Served::start(&folder.path("data"), &[]).terminate();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn export(&self, to: &Path, more: &[&str]) -> Output {
        let data = self.path("data");
        run(&[&["export", to.to_str().unwrap(), "--data", data.to_str().unwrap()], more].concat())
    }

    fn printed(&self) -> String {
        let output = run(&["export", "--data", self.path("data").to_str().unwrap()]);
        String::from_utf8(output.stdout).unwrap()
    }

    /// The names in the folder for exports.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }
}

#[track_caller]
fn succeeded(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_pipe_is_written_to_and_stays_a_pipe() {
    let folder = ExportFolder::new();
    let [pipe, read] = ["pipe", "read"].map(|name| folder.path(name));
    assert!(Command::new("mkfifo").args([&pipe, &read]).status().unwrap().success());
    // Open at both ends, so that neither side blocks.
    let reader = File::options().read(true).write(true).open(&pipe).unwrap();
    let expected = folder.printed();
    let output = folder.export(&pipe, &[]);
    succeeded(&output);
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    drop(reader);
    // A pipe of its own: a process that another test starts meanwhile holds the end above until it has executed its
    // program, and a reader that met it would see the end of that writer's output.
    let reading = thread::spawn({
        let read = read.clone();
        move || fs::read_to_string(read).unwrap()
    });
    succeeded(&folder.export(&read, &[]));
    assert_eq!(reading.join().unwrap(), expected);
    assert_eq!(folder.names(), ["data", "pipe", "read"]);
}

#[test]
fn standard_output_by_its_device_name_is_written_to() {
    let folder = ExportFolder::new();
    let file = folder.path("redirected");
    let made = File::create(&file).unwrap();
    let before = fs::metadata(&file).unwrap().ino();
    let data = folder.path("data");
    let output = lienbook(&["export", "/proc/self/fd/1", "--data", data.to_str().unwrap()])
        .stdout(Stdio::from(made))
        .stderr(Stdio::piped())
        .output();
    succeeded(&output.unwrap());
    assert_eq!(fs::read_to_string(&file).unwrap(), folder.printed());
    assert_eq!(fs::metadata(&file).unwrap().ino(), before);
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let folder = ExportFolder::new();
    let (file, alias) = (folder.path("export.jsonl"), folder.path("latest"));
    succeeded(&folder.export(&file, &[]));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "only the owner can read a journal");
    fs::write(&file, "precious").unwrap();
    symlink("export.jsonl", &alias).unwrap();
    for taken in [&file, &alias] {
        let line = failure(&folder.export(taken, &[]));
        assert!(line.contains(taken.to_str().unwrap()) && line.contains("--force"), "{line}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    succeeded(&folder.export(&alias, &["--force"]));
    assert_eq!(fs::read_to_string(&file).unwrap(), folder.printed());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_link(&alias).unwrap(), Path::new("export.jsonl"), "the link still points to the file");
    let line = failure(&folder.export(&folder.path("data"), &["--force"]));
    assert!(line.contains("is a folder"), "{line}");
    let nowhere = folder.path("nowhere");
    symlink("not/there", &nowhere).unwrap();
    let line = failure(&folder.export(&nowhere, &["--force"]));
    assert!(line.contains("leads nowhere"), "{line}");
    assert_eq!(folder.names(), ["data", "export.jsonl", "latest", "nowhere"]);
}

#[test]
fn leftovers_of_an_interrupted_export_do_no_harm() {
    let folder = ExportFolder::new();
    let file = folder.path("export.jsonl");
    for left in ["export.jsonl.unfinished", "export.jsonl.unfinished-0"] {
        fs::write(folder.path(left), "half").unwrap();
    }
    succeeded(&folder.export(&file, &[]));
    assert_eq!(fs::read_to_string(&file).unwrap(), folder.printed());
    assert_eq!(folder.names().len(), 4);
}
