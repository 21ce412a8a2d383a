//! The versions of the programs of the real world.

use std::io::Write as _;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use testkit::bitcoind::Bitcoind;
use testkit::tools::Tools;
use testkit::world::START_SECONDS;

/// Reports the versions for `make test`: written past the test harness, which captures the output of passing tests.
#[tokio::test]
async fn the_versions_of_the_programs_are_reported() {
    let folder = TempDir::new().unwrap();
    let bitcoind = Bitcoind::start(folder.path(), START_SECONDS, None).await;
    let network = bitcoind.call("getnetworkinfo", json!([])).await;
    let node = network["subversion"].as_str().unwrap();
    assert!(node.starts_with("/Satoshi:31."), "{node}");
    let ord = Command::new(&Tools::find().ord).arg("--version").output().unwrap();
    let ord = String::from_utf8(ord.stdout).unwrap();
    assert!(ord.starts_with("ord 0.29."), "{ord}");
    writeln!(std::io::stderr(), "The conformance suite runs Bitcoin Core {node} and {}", ord.trim_end()).unwrap();
}
