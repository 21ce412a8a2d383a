//! A data folder of an earlier version: it verifies, exports the same bytes, and continues.
//!
//! `earlier_version.tar.gz` is the folder of a demo with one simulated lender after ten seconds, written by version 0.1.0
//! of November 2026 before its types were renamed. Its keys are those of a regtest that ended with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::process::{Served, run};

const ARCHIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/earlier_version.tar.gz");
/// The last line of the export by the version that wrote the folder: the number of events, and the hash of all lines.
const END: &str = r#"{"end":{"events":14136,"streams":54,"blake3":"d655bf2524edfdea27349365e07c02235ebd13468d52d253a64076b172cfa352"}}"#;

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
