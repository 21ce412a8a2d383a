//! Tests of `lienbook build-info`, and of the commands in VERIFYING.md, run as they are printed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use bitcoin::hashes::{Hash as _, sha256};

use super::process::{Served, run};

const VERIFYING: &str = include_str!("../../VERIFYING.md");

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn build_info_prints_the_hashes_of_the_program_and_of_its_web_app() {
    let files = stdout(&run(&["build-info", "--web-files"]));
    let info = stdout(&run(&["build-info"]));
    let program = sha256::Hash::hash(&fs::read(env!("CARGO_BIN_EXE_lienbook")).unwrap());
    assert!(info.contains(&format!("version  {}\n", env!("CARGO_PKG_VERSION"))), "{info}");
    assert!(info.contains(&format!("program  sha256 {program}\n")), "{info}");
    assert!(info.contains(&format!("web app  sha256 {} of", sha256::Hash::hash(files.as_bytes()))), "{info}");
    // The built web app, checked by another program.
    let list = tempfile::NamedTempFile::new().unwrap();
    fs::write(list.path(), &files).unwrap();
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist");
    let mut checked = Command::new("sha256sum");
    checked.args(["--check", "--strict", "--quiet"]).arg(list.path()).current_dir(dist);
    stdout(&checked.output().unwrap());
}

/// Runs the commands under "Check a running server" on one that is tested; returns what they print.
fn check(base: &str, folder: &Path) -> String {
    let (_, section) = VERIFYING.split_once("\n### Check a running server\n").expect("the heading");
    let (_, script) = section.split_once("```sh\n").expect("a script");
    let (script, _) = script.split_once("```").expect("its end");
    let mut command = Command::new("bash");
    command.args(["-uo", "pipefail", "-c", script]).env("SERVER", base).current_dir(folder);
    stdout(&command.output().unwrap())
}

#[test]
fn the_commands_that_check_a_running_server_find_a_file_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let files = stdout(&run(&["build-info", "--web-files"]));
    let list = folder.path().join("web.sha256");
    fs::write(&list, &files).unwrap();
    let data = folder.path().join("data");
    let served = Served::start(&data, &[]);
    // Every file, and two addresses of the page.
    let all = files.lines().count() + 2;
    let said = check(&served.base, folder.path());
    assert!(said.contains(&format!("{all} of {all} are the same\n")), "{said}");
    assert!(!said.contains("DIFFERENT"), "{said}");
    assert!(said.ends_with(&format!("{}\n", sha256::Hash::hash(files.as_bytes()))), "{said}");
    // A published list with another hash of one file, and one of a file that the server does not have.
    let script = files.lines().find(|line| line.ends_with("  sw.js")).unwrap();
    let other = format!("{}  sw.js", sha256::Hash::hash(b"another"));
    fs::write(&list, files.replace(script, &format!("{other}\n{}  gone.js", sha256::Hash::hash(b"")))).unwrap();
    let said = check(&served.base, folder.path());
    for differing in ["DIFFERENT OR MISSING sw.js\n", "DIFFERENT OR MISSING gone.js\n"] {
        assert!(said.contains(differing), "{said}");
    }
    assert!(said.contains(&format!("{} of {} are the same", all - 1, all + 1)), "{said}");
    served.terminate();
}
