//! The machine of a measurement, and its load by other processes.

use std::{fs, thread, time::Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use crate::number::float;

/// The class of machine that a figure was measured on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The model of the processor.
    pub processor: String,
    /// The number of cores that this process may use.
    pub cores: usize,
    /// The main memory in GiB.
    pub memory_gib: u64,
    /// The kernel release.
    pub kernel: String,
}

impl Machine {
    /// Describes the current machine.
    #[must_use]
    pub fn here() -> Self {
        let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let memory_kib =
            field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        Self {
            processor,
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_gib: memory_kib.unwrap_or_default().div_ceil(1_024 * 1_024),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned(),
        }
    }
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Measures the processor time of other processes during a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    start: Instant,
    busy: Ticks,
}

/// Processor time in clock ticks of 10 ms.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    all: u64,
    own: u64,
}

const TICKS_A_SECOND: f64 = 100.0;

impl Watch {
    /// Starts the measurement.
    #[must_use]
    pub fn start() -> Self {
        Self { start: Instant::now(), busy: Ticks::now() }
    }

    /// The average number of cores busy since then with anything but this process and its children.
    #[must_use]
    pub fn others_cores(&self) -> f64 {
        let now = Ticks::now();
        let (all, own) = (now.all.saturating_sub(self.busy.all), now.own.saturating_sub(self.busy.own));
        float(all.saturating_sub(own)) / TICKS_A_SECOND / self.start.elapsed().as_secs_f64().max(0.01)
    }
}

impl Ticks {
    fn now() -> Self {
        let all = fs::read_to_string("/proc/stat").unwrap_or_default();
        // user, nice, system, (idle, iowait, irq, softirq), steal. Interrupts belong to no process: most of them here are
        // the packets that this process and its servers send to each other.
        let of =
            |place: usize| all.split_whitespace().nth(place).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let all = [1, 2, 3, 8].map(of).iter().sum();
        let own = std::process::id();
        // A child that has ended is in this process's figure.
        Self { all, own: own_ticks(own) + children(own).map(own_ticks).sum::<u64>() }
    }
}

/// The children of a process.
fn children(parent: u32) -> impl Iterator<Item = u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // The state, then the parent.
    let parent = parent.to_string();
    ids.filter(move |id| stat(*id).split_whitespace().nth(1) == Some(parent.as_str()))
}

/// The fields of a process after its name; none if it has ended.
fn stat(process: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name is in parentheses, and may contain spaces and more parentheses.
    stat.rsplit_once(')').map_or_else(String::new, |(_, rest)| rest.to_owned())
}

/// The processor time of a process and of the children it has waited for, in ticks; 0 if it has ended.
#[must_use]
pub fn own_ticks(process: u32) -> u64 {
    // utime, stime, cutime and cstime are the 12th to 15th fields after the name.
    stat(process).split_whitespace().skip(11).take(4).filter_map(|text| text.parse::<u64>().ok()).sum()
}

/// The processor time of a process in seconds.
#[must_use]
pub fn cpu_seconds(process: u32) -> f64 {
    float(own_ticks(process)) / TICKS_A_SECOND
}

/// Lets this process and those that it starts open this many files, as far as that is permitted: more than the hard limit
/// take a privilege. Returns the number that they can open.
#[must_use]
pub fn raise_open_files(files: u64) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let maximum = limit.maximum.map(|maximum| maximum.max(files));
    let raised = Rlimit { current: Some(files), maximum };
    if limit.current.is_none_or(|current| current >= files) || setrlimit(Resource::Nofile, raised).is_ok() {
        return files;
    }
    let within = Rlimit { current: limit.maximum, maximum: limit.maximum };
    match setrlimit(Resource::Nofile, within) {
        Ok(()) => limit.maximum.unwrap_or(files),
        Err(_) => limit.current.unwrap_or(files),
    }
}

/// The resident memory of a process in bytes; 0 if it has ended.
#[must_use]
pub fn memory_bytes(process: u32) -> u64 {
    let kib = field(&format!("/proc/{process}/status"), "VmRSS");
    kib.and_then(|text| text.split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) * 1_024
}
