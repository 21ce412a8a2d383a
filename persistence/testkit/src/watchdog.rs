//! The end of a server whose test has ended, however it did.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

/// Waits for the end of the standard input, which is that of the test process; then kills the server of every data
/// folder with its children, and removes the folder.
///
/// Signals to the process group of the test, such as that of the terminal's interrupt key, do not end it.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
read -r _
for file in "$0"/*/postmaster.pid; do
  [ -e "$file" ] || continue
  read -r server < "$file"
  case $(readlink "/proc/$server/cwd") in "$0"/*) ;; *) continue ;; esac
  children=$(cat "/proc/$server/task/$server/children")
  kill -KILL "$server" $children
done 2>/dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$0" 2>/dev/null && break
  sleep 0.2
done
"#;

/// The shell that waits for the end of this process.
#[derive(Debug)]
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Guards the servers whose data folders are in `folder`.
    pub(crate) fn start(folder: &Path) -> Self {
        let mut command = Command::new("sh");
        command.arg("-c").arg(SCRIPT).arg(folder).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("sh can be started"))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // Its work is done when it ends; a failure leaves a temporary folder.
        let _ = self.0.wait();
    }
}
