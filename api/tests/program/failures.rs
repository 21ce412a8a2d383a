//! Tests of failed starts: each is reported in one line.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use lienbook::config::server_key::SESSION;

use super::process::{Served, failure, failures, lienbook, prepare, run};

#[test]
fn a_taken_port_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for command in ["serve", "demo"] {
        let line = failure(&run(&[command, "--data", data, "--listen", &address]));
        assert!(line.contains(&address) && line.contains("--listen"), "{line}");
    }
    assert!(!folder.path().join("journal").exists(), "nothing was created before the port was bound");
}

#[test]
fn a_second_process_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let served = Served::start(folder.path(), &[]);
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["check"], &["export"]] {
        let line = failure(&run(&[command, &["--data", data]].concat()));
        assert!(line.contains("another lienbook is running on"), "{line}");
    }
    served.terminate();
    assert!(run(&["check", "--data", data]).status.success());
}

#[test]
fn an_unusable_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let data = file.join("data");
    let line = failure(&run(&["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()]));
    assert!(line.contains("cannot write to the data folder"), "{line}");
    let empty = folder.path().join("empty");
    let acts = [&["vault", "credit", "bcrt1q", "5"][..], &["price", "set", "frogs", "5"]];
    for command in [&["check"][..], &["export"]].into_iter().chain(acts) {
        let line = failure(&run(&[command, &["--data", empty.to_str().unwrap()]].concat()));
        assert!(line.contains("has no journal"), "{line}");
    }
}

#[test]
fn invalid_settings_are_named_with_their_position() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lienbook.toml");
    fs::write(&file, "lissten = \"127.0.0.1:1\"").unwrap();
    let line = failure(&run(&["serve", "--config", file.to_str().unwrap()]));
    assert!(line.contains("lissten") && line.contains("lienbook.toml"), "{line}");
    let line = failure(&run(&["serve", "--set", "limits.max_ofer_sats=1"]));
    assert!(line.contains("max_ofer_sats") && line.contains("command line"), "{line}");
    let line = failure(&run(&["serve", "--listen", "nowhere"]));
    assert!(line.contains("listen"), "{line}");
    let line = failure(&run(&["serve", "--config", "/nonexistent/lienbook.toml"]));
    assert!(line.contains("/nonexistent/lienbook.toml"), "{line}");
    let data = folder.path().join("data");
    let output = lienbook(&["serve", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0"])
        .env(SESSION.variable, "secret-but-short")
        .output()
        .unwrap();
    let line = failure(&output);
    assert!(line.contains("LIENBOOK_SESSION_KEY") && !line.contains("secret-but-short"), "{line}");
}

#[test]
fn all_errors_of_the_settings_are_reported_together_and_nothing_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let faults = [
        "workers=100000",
        "demo_lenders=1000000000",
        "network=bitcoin",
        "limits.min_offer_rune_sats=3000000000",
        "limits.count_max=0",
        "quotas.reads_per_minute=0",
    ];
    let settings: Vec<_> = faults.iter().flat_map(|fault| ["--set", fault]).collect();
    let common = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let lines = failures(&run(&[&common, &settings[..]].concat()));
    assert_eq!(lines.len(), faults.len(), "{lines:?}");
    for fault in faults {
        let (key, _) = fault.split_once('=').unwrap();
        assert!(lines.iter().any(|line| line.contains(key)), "{key} is missing: {lines:?}");
    }
    let line = failure(&run(&[&common[..], &["--public-url", "https://:::[]"]].concat()));
    assert!(line.contains("public_url") && line.contains("https://name"), "{line}");
    assert!(!data.exists());
}

#[test]
fn a_folder_with_a_long_name_is_served_without_the_operators_socket() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("x".repeat(120));
    let served = Served::start(&deep, &[]);
    let line = failure(&run(&["vault", "credit", "bcrt1q", "5", "--data", deep.to_str().unwrap()]));
    assert!(line.contains("another lienbook is running on"), "{line}");
    served.terminate();
}

#[test]
fn a_new_data_folder_is_private_and_an_open_one_causes_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("between/made");
    Served::start(&data, &[]).terminate();
    let mode = |folder: &Path| fs::metadata(folder).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    let serve = |data: &Path| {
        // A server that cannot create its session key stops as soon as it has opened the folder.
        let data = data.to_str().unwrap();
        let output =
            lienbook(&["serve", "--listen", "127.0.0.1:0", "--data", data]).env(SESSION.variable, "no key").output();
        let output = output.unwrap();
        failure(&output);
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(!serve(&data).contains("chmod"));
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    let said = serve(&data);
    assert!(said.contains("WARN") && said.contains("is open to other users") && said.contains("chmod 700"), "{said}");
    assert_eq!(mode(&data), 0o755, "the mode of an existing folder is not changed");
}

#[test]
fn a_session_key_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]);
    let key = folder.path().join("session.key");
    let socket = folder.path().join("operator.sock");
    for private in [&key, &socket] {
        assert_eq!(fs::metadata(private).unwrap().permissions().mode() & 0o777, 0o600, "{}", private.display());
    }
    served.terminate();
    assert!(!socket.exists());
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let data = folder.path().to_str().unwrap();
    let line = failure(&run(&["serve", "--data", data, "--listen", "127.0.0.1:0"]));
    assert!(line.contains("chmod 600"), "{line}");
}

#[actix_web::test]
async fn a_damaged_journal_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path()).await;
    let log = folder.path().join("journal/db");
    let mut bytes = fs::read(&log).unwrap();
    let needle = b"paper-frogs";
    let mut damaged = 0;
    for at in 0..bytes.len().saturating_sub(needle.len()) {
        if &bytes[at..at + needle.len()] == needle {
            bytes[at] ^= 1;
            damaged += 1;
        }
    }
    assert!(damaged > 0, "no bytes were damaged");
    fs::write(&log, bytes).unwrap();
    let data = folder.path().to_str().unwrap();
    let line = failure(&run(&["serve", "--data", data, "--listen", "127.0.0.1:0"]));
    assert!(line.contains("restore") || line.contains("lost"), "{line}");
    assert!(!run(&["check", "--data", data]).status.success());
}

#[actix_web::test]
async fn a_report_that_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path()).await;
    let check = || {
        let mut check = lienbook(&["check", "--data", folder.path().to_str().unwrap()]);
        check.stderr(Stdio::piped());
        check
    };
    let full = File::options().write(true).open("/dev/full").unwrap();
    let line = failure(&check().stdout(full).output().unwrap());
    assert!(line.contains("cannot write to standard output"), "{line}");
    // A reader that closes the pipe early is not an error.
    let mut child = check().stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_help_begins_with_a_description() {
    let said = String::from_utf8(run(&["--help"]).stdout).unwrap();
    assert!(said.starts_with("Lienbook: a peer-to-peer Bitcoin lending marketplace"), "{said}");
}
