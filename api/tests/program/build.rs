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

/// The commands under "Check a running server", with the address of one that is tested.
fn check(base: &str, folder: &Path) -> Output {
    let (_, section) = VERIFYING.split_once("\n### Check a running server\n").expect("the heading");
    let (_, script) = section.split_once("```sh\n").expect("a script");
    let (script, _) = script.split_once("```").expect("its end");
    assert!(script.starts_with("SERVER=https://lienbook.example\n"), "{script}");
    let script = script.replacen("https://lienbook.example", base, 1);
    Command::new("bash").args(["-euo", "pipefail", "-c", &script]).current_dir(folder).output().unwrap()
}

#[test]
fn the_commands_that_check_a_running_server_find_a_file_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let files = stdout(&run(&["build-info", "--web-files"]));
    let list = folder.path().join("web.sha256");
    fs::write(&list, &files).unwrap();
    let data = folder.path().join("data");
    let served = Served::start(&data, &[]);
    let said = stdout(&check(&served.base, folder.path()));
    assert!(said.contains("The server serves the published web app."), "{said}");
    // A published list with another hash of one file.
    let script = files.lines().find(|line| line.ends_with("  sw.js")).unwrap();
    let other = format!("{}  sw.js", sha256::Hash::hash(b"another"));
    fs::write(&list, files.replace(script, &other)).unwrap();
    let differs = check(&served.base, folder.path());
    let said = String::from_utf8_lossy(&differs.stdout);
    assert!(!differs.status.success() && said.contains("sw.js"), "{said}");
    assert!(!said.contains("The server serves the published web app."), "{said}");
    served.terminate();
}
