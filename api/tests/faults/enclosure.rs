//! The enclosure of a run: processes, mounts and a network of its own, which the kernel removes with the harness.
//!
//! The test starts itself again as the first process of new namespaces. When that one ends, however it does, the kernel
//! kills every process inside, and with them go the network and the folder in memory. It ends with the test that started
//! it, even if that is killed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const INSIDE: &str = "LIENBOOK_FAULTS_INSIDE";

/// The folder of a run: a file system in memory, which only the processes of the enclosure see.
pub const FOLDER: &str = "/mnt";

/// The programs that a run needs, beside those of PostgreSQL, with the Debian packages that have them.
const PROGRAMS: [(&str, &str); 7] = [
    ("unshare", "util-linux"),
    ("nsenter", "util-linux"),
    ("setpriv", "util-linux"),
    ("ip", "iproute2"),
    ("tc", "iproute2"),
    ("nft", "nftables"),
    ("nats-server", "nats-server"),
];

/// Folders of programs that are not on the path of every user.
const SYSTEM_FOLDERS: [&str; 2] = ["/usr/sbin", "/sbin"];

/// Returns whether this process is inside.
pub fn is_inside() -> bool {
    env::var_os(INSIDE).is_some()
}

/// Runs a test of this program inside, and fails as it does. `is_live` shows its output as it comes.
///
/// # Panics
/// If the test fails, or this machine does not permit the namespaces.
pub fn run(test: &str, is_live: bool) {
    for (program, package) in PROGRAMS {
        assert!(find(program).is_some(), "{program} is missing; it is in Debian's package {package} (`make tools`)");
    }
    let probe = namespaces().arg("true").output().unwrap();
    assert!(
        probe.status.success(),
        "this test needs namespaces of its own, which this machine refuses: run it as root, or permit user namespaces \
         ({})",
        String::from_utf8_lossy(&probe.stderr).trim()
    );
    // The kernel kills it when this thread ends.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).args(words(&namespaces()));
    command.arg(env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
    command.env(INSIDE, "1").env("PATH", path());
    if is_live {
        assert!(command.status().unwrap().success(), "the run has failed");
    } else {
        let Output { status, stdout, stderr } = command.output().unwrap();
        print!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "the run has failed");
    }
}

/// Mounts the folder of the run, and one for the names of its networks.
pub fn mount() {
    for (folder, options) in [(FOLDER, "mode=755,size=4g"), ("/run", "mode=755,size=64m")] {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs", folder]).output().unwrap();
        assert!(mounted.status.success(), "{}", String::from_utf8_lossy(&mounted.stderr));
    }
    fs::create_dir(logs()).unwrap();
}

/// The folder of the logs of all processes.
pub fn logs() -> PathBuf {
    Path::new(FOLDER).join("logs")
}

/// The folder of a run that outlives it.
pub fn kept(seed: u64) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{seed}"))
}

/// Copies the logs of all processes to a folder.
pub fn keep_logs(kept: &Path) {
    for entry in fs::read_dir(logs()).unwrap().flatten() {
        fs::copy(entry.path(), kept.join(entry.file_name())).unwrap();
    }
}

fn namespaces() -> Command {
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command
}

fn words(command: &Command) -> Vec<String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_str().unwrap().to_owned()).collect()
}

fn path() -> String {
    format!("{}:{}", env::var("PATH").unwrap_or_default(), SYSTEM_FOLDERS.join(":"))
}

fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&path()).map(|folder| folder.join(program)).find(|file| file.exists())
}
