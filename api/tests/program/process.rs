//! The binary as a child process, and a data folder with a market.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Quantity, Sats, SubCollection, SubCollectionId,
    TermDays, UnitPrice,
};
use lienbook::config::settings::Settings;
use lienbook::server::Server;

pub fn lienbook(arguments: &[&str]) -> Command {
    let mut command = Command::new(built());
    command.args(arguments).env_remove("LIENBOOK_SESSION_KEY").stdin(Stdio::null());
    command
}

/// Cargo names the binary to tests. For an example it is in the folder above.
fn built() -> PathBuf {
    match option_env!("CARGO_BIN_EXE_lienbook") {
        Some(path) => path.into(),
        None => std::env::current_exe().unwrap().parent().unwrap().with_file_name("lienbook"),
    }
}

pub fn run(arguments: &[&str]) -> Output {
    lienbook(arguments).output().unwrap()
}

/// The error of a failed run: exactly one line on standard error.
#[track_caller]
pub fn failure(output: &Output) -> String {
    let mut lines = failures(output);
    assert_eq!(lines.len(), 1, "not one line: {lines:?}");
    lines.remove(0)
}

/// The errors of a run that failed for several reasons: a line for each.
#[track_caller]
pub fn failures(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{}{text}", String::from_utf8_lossy(&output.stdout));
    assert!(!text.contains("panicked"), "{text}");
    text.lines().filter(|line| line.starts_with("lienbook: ")).map(str::to_owned).collect()
}

/// A server in a process of its own.
pub struct Served {
    pub child: Child,
    pub base: String,
    /// Kept open, so that the server can continue to write.
    stdout: BufReader<ChildStdout>,
}

impl Served {
    /// Starts `lienbook serve` on any port and waits until it prints its address.
    pub fn start(data: &Path, more: &[&str]) -> Self {
        let arguments = ["serve", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0", "--log", "warn"];
        Self::launch(&[&arguments, more].concat(), "Serving ").0
    }

    /// Starts the binary and waits until it prints `marker` and an address; returns its output up to there.
    pub fn launch(arguments: &[&str], marker: &str) -> (Self, String) {
        Self::launch_command(&mut lienbook(arguments), marker)
    }

    /// The same for a command with an environment of its own.
    pub fn launch_command(command: &mut Command, marker: &str) -> (Self, String) {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut served = Self { child, base: String::new(), stdout };
        let mut said = String::new();
        while served.base.is_empty() {
            let before = said.len();
            assert_ne!(served.stdout.read_line(&mut said).unwrap(), 0, "the server ended: {said}");
            if let Some((_, rest)) = said[before..].split_once(marker) {
                served.base = rest.split([',', ';', ' ', '\n']).next().unwrap().into();
            }
        }
        (served, said)
    }

    /// Kills it, which to the process is like a power failure.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn terminate(self) {
        self.stop_by("-TERM");
    }

    /// Stops it by a signal, after which it must exit successfully.
    pub fn stop_by(mut self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // A failed test leaves no server behind; a successful one has ended it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Creates a folder with one group and its price.
pub async fn prepare(data: &Path) {
    let listen = "127.0.0.1:0".parse().unwrap();
    let settings = Settings { listen, data: data.to_owned(), workers: 1, ..Settings::default() };
    let server = Server::builder(settings).start().await.unwrap();
    let (market, group) = (server.app().market.clone(), group());
    let id = group.id;
    market.list_group(group).await.unwrap();
    let price = UnitPrice::from_sats(Sats::new(1_000_000)).unwrap();
    market.move_price(id, price, server.app().now()).await.unwrap();
    server.stop().await;
}

fn group() -> CollectionGroup {
    let place = SubCollection {
        id: SubCollectionId(0),
        slug: "paper-frogs-7d".parse().unwrap(),
        term: TermDays(7),
        interest: InterestRate::from_basis_points(120),
        bundle: Bundle::Fixed(Quantity::inscriptions(1)),
        manual: true,
        instant: true,
    };
    CollectionGroup {
        id: GroupId(1),
        slug: "paper-frogs".parse().unwrap(),
        name: "Paper Frogs".into(),
        symbol: "FROG".into(),
        image: "/frogs.svg".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![place],
    }
}
