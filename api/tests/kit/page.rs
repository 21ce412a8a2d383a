//! `lienbook kit page`, which needs no node.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::{failure, success};

fn page(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lienbook"))
        .args(["kit", "page"])
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn the_offline_page_is_one_file_that_may_connect_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = success(&page(folder.path(), &[]));
    assert!(out.contains("lienbook-kit.html is written"), "{out}");
    let path = folder.path().join("lienbook-kit.html");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("default-src 'none'; script-src 'sha256-"));
    for absent in ["connect-src", "unsafe-inline", "src=\"/", "href=\"/"] {
        assert!(!text.contains(absent), "{absent}");
    }

    fs::write(&path, "kept").unwrap();
    let line = failure(&page(folder.path(), &[]));
    assert!(line.contains("is there already"), "{line}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    success(&page(folder.path(), &["--force"]));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    success(&page(folder.path(), &["--out", "other.html"]));
    assert_eq!(fs::read_to_string(folder.path().join("other.html")).unwrap(), text);
}
