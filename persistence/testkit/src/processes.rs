//! The processes of a server: its first one and its children.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// The children of a process that are there now.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Sends a signal; a process that has ended already is left alone.
pub(crate) fn signal(process: u32, signal: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let _ = process.map(|process| kill_process(process, signal));
}

/// Whether a process has neither ended nor become a zombie.
pub(crate) fn is_running(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in brackets, may contain anything.
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}
