//! A process on a host, with its log.

use std::fs::{self, File};
use std::io::Write as _;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};

use super::enclosure;

/// A process, which is killed when this is dropped.
pub struct HostProcess(Child);

impl HostProcess {
    /// Starts a process that appends its output to the log of a name.
    pub fn start(command: &mut Command, name: &str) -> Self {
        let path = enclosure::logs().join(format!("{name}.log"));
        let mut log = File::options().create(true).append(true).open(path).unwrap();
        writeln!(log, "-- started").unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log);
        Self(command.spawn().unwrap_or_else(|error| panic!("{name} cannot be started: {error}")))
    }

    /// Sends a signal to this process and its children.
    pub fn signal(&self, signal: Signal) {
        let id = self.0.id();
        let children = children(id);
        send(id, signal);
        for child in children {
            send(child, signal);
        }
    }

    /// Stops it with its children, as a machine that hangs.
    pub fn freeze(&self) {
        // A stopped parent starts no children meanwhile.
        send(self.0.id(), Signal::STOP);
        self.signal(Signal::STOP);
    }

    /// Continues it.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Kills it with its children, as a machine that loses its power.
    pub fn kill(&mut self) {
        send(self.0.id(), Signal::STOP);
        self.signal(Signal::KILL);
        self.0.wait().unwrap();
    }

    /// Sends a signal to this process alone.
    pub fn ask_to_end(&self) {
        send(self.0.id(), Signal::TERM);
    }

    /// Returns its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().unwrap()
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.kill();
        }
    }
}

fn children(parent: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Sends a signal; a process that has ended is left alone.
fn send(process: u32, signal: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let _ = process.map(|process| kill_process(process, signal));
}
