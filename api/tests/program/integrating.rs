//! Test of the scripts in INTEGRATING.md, run as they are printed.

use std::path::Path;
use std::process::Command;

use super::process::Served;

const INTEGRATING: &str = include_str!("../../INTEGRATING.md");

/// The blocks of shell under a heading, one after another.
fn script(heading: &str) -> String {
    let (_, section) = INTEGRATING.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = section.split("\n## ").next().expect("text");
    let blocks = section.split("```sh\n").skip(1).map(|block| block.split_once("```").expect("its end").0);
    let blocks: Vec<&str> = blocks.collect();
    assert_eq!(blocks.len(), 3);
    blocks.concat()
}

#[test]
fn the_scripts_lend_borrow_repay_ask_and_negotiate() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let arguments = ["demo", "--data", data, "--listen", "127.0.0.1:0", "--log", "warn", "--set", "demo_lenders=0"];
    let (demo, _) = Served::launch(&arguments, "Open ");
    let built = Path::new(env!("CARGO_BIN_EXE_lienbook")).parent().unwrap();
    let path = format!("{}:{}", built.display(), std::env::var("PATH").unwrap());
    let ran = Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", &script("Lend and borrow from the command line")])
        .envs([("PATH", path.as_str()), ("LIENBOOK_URL", &demo.base), ("TMPDIR", data)])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    let (repaid, asked) = said.split_once("The loan is active.\nThe loan is repaid.\n").expect("a repaid loan");
    assert!(repaid.starts_with("The lender offers"), "{said}");
    let (filled, agreed) = asked.split_once('\n').expect("two lines");
    assert!(filled.starts_with("For the borrower: of_") && filled.contains(" fills rq_"), "{said}");
    assert_eq!(agreed, "Agreed: 1.2 % for 11 days\n");
    demo.terminate();
}
