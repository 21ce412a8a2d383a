//! The programs of PostgreSQL.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

/// The folder of Debian's versions.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The user that Debian's package creates for its servers.
const USER: &str = "postgres";

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let numbered = versions.filter_map(|entry| {
        let version = entry.file_name().to_str()?.parse::<u32>().ok()?;
        Some((version, entry.path().join("bin")))
    });
    let newest = numbered.filter(|(_, folder)| folder.join("initdb").exists()).max();
    let on_path = || env::split_paths(&env::var_os("PATH")?).find(|folder| folder.join("initdb").exists());
    newest.map(|(_, folder)| folder).or_else(on_path).expect("PostgreSQL is missing; `make tools` installs it")
});

/// Returns the path of a program of PostgreSQL.
///
/// # Panics
/// If PostgreSQL is not installed.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    FOLDER.join(name)
}

/// Returns the command for a program of PostgreSQL, without output, as the user that may run servers.
pub(crate) fn command(program: &str) -> Command {
    let path = self::program(program);
    let mut command = if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", USER, "--regid", USER, "--clear-groups", "--"]).arg(path);
        command
    } else {
        Command::new(path)
    };
    command.stdin(Stdio::null()).current_dir("/");
    for (name, _) in env::vars().filter(|(name, _)| name.starts_with("PG")) {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C");
    command
}

/// Runs a program to its end and returns its output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {errors}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Gives a folder to the user that may run servers.
pub(crate) fn give_to_server(folder: &Path) {
    if is_root() {
        run(Command::new("chown").arg("-R").arg(format!("{USER}:{USER}")).arg(folder));
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
