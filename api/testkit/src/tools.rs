//! The paths of Bitcoin Core and ord.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The paths of the programs.
#[derive(Debug)]
pub struct Tools {
    pub bitcoind: PathBuf,
    pub ord: PathBuf,
}

impl Tools {
    /// Returns the paths that `.ci/regtest-tools` finds. A test without them fails: none is skipped.
    pub fn find() -> &'static Self {
        static TOOLS: OnceLock<Tools> = OnceLock::new();
        TOOLS.get_or_init(|| {
            let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
            let script = above.map(|folder| folder.join(".ci/regtest-tools")).find(|script| script.exists()).unwrap();
            let found = Command::new(script).arg("where").output().unwrap();
            assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
            let text = String::from_utf8(found.stdout).unwrap();
            let [bitcoind, ord] = text.lines().map(PathBuf::from).collect::<Vec<_>>().try_into().unwrap();
            Self { bitcoind, ord }
        })
    }
}
