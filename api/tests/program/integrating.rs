//! Test of the script in INTEGRATING.md, run as it is printed.

use std::path::Path;
use std::process::Command;

use super::process::Served;

const INTEGRATING: &str = include_str!("../../INTEGRATING.md");

/// The first block of shell under a heading.
fn script(heading: &str) -> &'static str {
    let (_, section) = INTEGRATING.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let (_, block) = section.split_once("```sh\n").expect("a block of shell");
    block.split_once("```").expect("its end").0
}

#[test]
fn the_script_lends_borrows_and_repays() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let arguments = ["demo", "--data", data, "--listen", "127.0.0.1:0", "--log", "warn", "--set", "demo_lenders=0"];
    let (demo, _) = Served::launch(&arguments, "Open ");
    let built = Path::new(env!("CARGO_BIN_EXE_lienbook")).parent().unwrap();
    let path = format!("{}:{}", built.display(), std::env::var("PATH").unwrap());
    let ran = Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", script("Lend and borrow from the command line")])
        .envs([("PATH", path.as_str()), ("LIENBOOK_URL", &demo.base), ("TMPDIR", data)])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.ends_with("The loan is active.\nThe loan is repaid.\n"), "{said}");
    demo.terminate();
}
