//! Journals of earlier versions: they verify, export the same bytes, replay, and continue.
//!
//! The pieces in `journals` have the blocks that the program of their day wrote in a demo of about a minute; of each the
//! last line of that program's own export is kept here. That every kind of event is read as ever is tested by the golden samples of `persistence`.
//!
//! `earlier_version.tar.gz` is the folder of a demo with one simulated lender after ten seconds, written by version 0.1.0
//! of November 2026 before its types were renamed. Its keys are those of a regtest that ended with it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::process::{Served, lienbook, run};

const ARCHIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/earlier_version.tar.gz");
/// The last line of the export by the version that wrote the folder: the number of events, and the hash of all lines.
const END: &str = r#"{"end":{"events":14136,"streams":54,"blake3":"d655bf2524edfdea27349365e07c02235ebd13468d52d253a64076b172cfa352"}}"#;

/// The journals: the day, the number of commits, and the end of the export by the version that wrote it.
const JOURNALS: [(&str, &str, &str); 3] = [
    // Manual and instant offers, vaults and sessions by one address; before loans were simulated.
    (
        "2026-11-21",
        "641",
        r#"{"end":{"events":14659,"streams":50,"blake3":"053fb85c6d493d19cb437ee08e86eb716843d60219da85ecd69818f4e9ee1a4f"}}"#,
    ),
    // Loans, some of which have ended; sessions by both addresses; offers paused for missing funds.
    (
        "2026-11-23",
        "686",
        r#"{"end":{"events":14790,"streams":65,"blake3":"964e1430ed56af7360cb93db58a09f7e319ba295a131d099833f0ee5e80a2bf8"}}"#,
    ),
    // Loans that are prepared without a reservation, and borrow requests.
    (
        "2026-11-25",
        "574",
        r#"{"end":{"events":14652,"streams":64,"blake3":"f48e23b73161d072d207835e0ef452c3d5432a925b32fa4af0dbac932303b98e"}}"#,
    ),
];

#[test]
fn a_journal_of_every_earlier_version_verifies_replays_and_exports_the_same() {
    for (day, commits, end) in JOURNALS {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let data = data.to_str().unwrap();
        let piece = format!("{}/tests/program/journals/{day}.lienbook-piece", env!("CARGO_MANIFEST_DIR"));
        let from_piece = |arguments: &[&str]| {
            let output = lienbook(arguments).stdin(File::open(&piece).unwrap()).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "{day}: {said}{}", String::from_utf8_lossy(&output.stderr));
            said
        };
        let drilled = from_piece(&["drill", "--from", "-"]);
        assert!(drilled.contains(&format!("The drill passed: 1 pieces, commit {commits}, ")), "{day}: {drilled}");
        assert!(drilled.contains("  collections  40\n"), "{day}: {drilled}");
        let restored = from_piece(&["restore", "--from", "-", "--data", data]);
        assert!(restored.contains(&format!("  last commit  {commits}\n")), "{day}: {restored}");
        let checked = run(&["check", "--data", data]);
        let report = String::from_utf8(checked.stdout).unwrap();
        assert!(checked.status.success() && report.contains("Every record is as it was written."), "{day}: {report}");
        let exported = String::from_utf8(run(&["export", "--data", data]).stdout).unwrap();
        assert_eq!(exported.lines().last(), Some(end), "{day}");
    }
}

fn unpacked(folder: &Path) -> PathBuf {
    let status = Command::new("tar").args(["-xzf", ARCHIVE, "-C"]).arg(folder).status().unwrap();
    assert!(status.success());
    folder.join("earlier-version")
}

#[actix_web::test]
async fn a_data_folder_of_an_earlier_version_verifies_exports_the_same_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    let data = unpacked(folder.path());
    let data = data.to_str().unwrap();

    let checked = run(&["check", "--data", data]);
    let report = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success() && report.contains("Every record is as it was written."), "{report}");

    let exported = String::from_utf8(run(&["export", "--data", data]).stdout).unwrap();
    assert_eq!(exported.lines().last(), Some(END));

    let arguments = ["demo", "--data", data, "--listen", "127.0.0.1:0", "--seed", "3", "--set", "demo_lenders=1"];
    let (demo, said) = Served::launch(&arguments, "Open ");
    assert!(said.contains("Continuing the market of 40 collections"), "{said}");
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let page = http.get(format!("{}/api/v1/collections", demo.base)).send().await.unwrap();
    let page: Value = page.json().await.unwrap();
    let loans = page["data"].as_array().unwrap().iter().map(|row| row["totalLoans"].as_u64().unwrap_or(0)).sum::<u64>();
    assert!(loans > 0, "the loans of the earlier version are shown: {page}");
    demo.stop_by("-TERM");

    let checked = run(&["check", "--data", data]);
    let report = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success() && report.contains("Every record is as it was written."), "{report}");
}
