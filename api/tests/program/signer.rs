//! Tests of `lienbook signer`: the vault keys in a process of their own.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use signer::key_file::{self, Lock};
use signer::quorum::Quorum;
use signer::socket_client::SocketClient;
use signer::vault_signer::VaultSigner as _;
use tempfile::TempDir;

use crate::process::{failure, lienbook};

const POLICY: &str = r#"
network = "regtest"
domain = "lienbook.example"
platform_address = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
platform_fee_max_bps = 2000
grace_seconds = 86400
claim_slack_seconds = 3600
fee_rate_min_sat_per_kwu = 25
fee_rate_max_sat_per_kwu = 250000
offer_age_max_seconds = 2592000

[limits]
loan_max_sats = 10000000
hour_max_sats = 50000000
hour_max_count = 100
vault_hour_max_sats = 20000000
"#;

const TERMS: &str = r#"
[paper-frogs-7d]
days = 7
interest_bps = 120

[dog-14d]
days = 14
interest_bps = 325
rune = "840000:3"
"#;

/// A folder with the files of a signer.
pub struct SignerFolder(TempDir);

impl SignerFolder {
    pub fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::write(folder.path("policy.toml"), POLICY).unwrap();
        fs::write(folder.path("terms.toml"), TERMS).unwrap();
        let made = folder.init().output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn init(&self) -> Command {
        let (keys, identity) = (self.text("vault.keys"), self.text("identity.txt"));
        lienbook(&["signer", "init", "--keys", &keys, "--identity-file", &identity])
    }

    fn serve(&self) -> Command {
        let flags = [
            ("--socket", "signer.sock"),
            ("--keys", "vault.keys"),
            ("--record", "signed.jsonl"),
            ("--policy", "policy.toml"),
            ("--terms", "terms.toml"),
            ("--identity-file", "identity.txt"),
        ];
        let mut command = lienbook(&["signer"]);
        command.env_remove("LIENBOOK_SIGNER_PASSPHRASE");
        for (flag, name) in flags {
            command.args([flag, &self.text(name)]);
        }
        command
    }

    fn refusal(&self) -> String {
        failure(&self.serve().output().unwrap())
    }
}

/// A signer in a process of its own, ended with the test.
pub struct Running(Child);

impl Running {
    pub fn start(folder: &SignerFolder) -> Self {
        let child = folder.serve().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let running = Self(child);
        wait_until(|| folder.path("signer.sock").exists());
        running
    }

    fn stop_by(mut self, signal: &str) -> bool {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.0.wait().unwrap().success()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn wait_until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !done() {
        assert!(Instant::now() < deadline, "nothing happened");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[actix_web::test]
async fn it_signs_for_other_processes_until_it_is_stopped() {
    let folder = SignerFolder::new();
    let client = SocketClient::new(folder.path("signer.sock"));
    let signer = Running::start(&folder);
    assert_eq!(mode(&folder.path("signer.sock")), 0o600);
    assert_eq!(mode(&folder.path("signed.jsonl")), 0o600);
    assert_eq!(mode(&folder.path("vault.keys")), 0o600);
    let described = client.describe().await.unwrap();
    let lock = Lock::identity_file(&folder.path("identity.txt")).unwrap();
    let seed = key_file::open(&folder.path("vault.keys"), &lock).unwrap();
    let fingerprint = format!("Signer: {}", seed.fingerprint());
    assert!(described.policy.lines().any(|line| line == fingerprint), "{}", described.policy);
    assert!(described.policy.contains("Vault hour max sats: 20000000"));
    let key = client.vault_signers(7).await.unwrap();
    assert_eq!(key.only(), Some(seed.vault_key(bitcoin::Network::Regtest, 7).unwrap().public_key()));
    // Two processes with one log would not see each other's signatures.
    let second = folder.refusal();
    assert!(second.contains("another signer uses"), "{second}");
    assert_eq!(client.describe().await.unwrap(), described, "the first one continues to serve");
    assert!(signer.stop_by("-TERM"));
    assert!(!folder.path("signer.sock").exists());
}

#[actix_web::test]
async fn after_a_kill_it_restarts_as_the_same_signer() {
    let folder = SignerFolder::new();
    let client = SocketClient::new(folder.path("signer.sock"));
    let signer = Running::start(&folder);
    let (described, key) = (client.describe().await.unwrap(), client.vault_signers(7).await.unwrap());
    let log = fs::read(folder.path("signed.jsonl")).unwrap();
    assert!(!signer.stop_by("-KILL"));
    assert!(folder.path("signer.sock").exists(), "the killed process left its socket");
    fs::remove_file(folder.path("signer.sock")).unwrap();
    // The kill may have cut a line that was never acknowledged.
    fs::write(folder.path("signed.jsonl"), [&log[..], b"{\"seq\":1"].concat()).unwrap();
    let _signer = Running::start(&folder);
    assert_eq!(client.describe().await.unwrap(), described);
    assert_eq!(client.vault_signers(7).await.unwrap(), key);
    assert_eq!(fs::read(folder.path("signed.jsonl")).unwrap(), log);
}

#[actix_web::test]
async fn three_processes_share_the_vaults_and_one_of_them_may_be_killed() {
    let folders = [(); 3].map(|()| SignerFolder::new());
    let identities = folders.each_ref().map(|folder| {
        let lock = Lock::identity_file(&folder.path("identity.txt")).unwrap();
        let seed = key_file::open(&folder.path("vault.keys"), &lock).unwrap();
        seed.identity().unwrap().public_key().to_string()
    });
    let shared = format!("{POLICY}\n[signers]\nrequired = 2\nidentities = {identities:?}\n");
    for folder in &folders {
        fs::write(folder.path("policy.toml"), &shared).unwrap();
    }
    let quorum = Quorum::new(2, folders.iter().map(|folder| SocketClient::new(folder.path("signer.sock"))).collect());
    let [first, second, third] = folders.each_ref().map(Running::start);
    let described = quorum.describe().await.unwrap();
    let signers = format!("Signers: 2 of {}", sorted(&identities).join(" "));
    assert!(described.policy.lines().any(|line| line == signers), "{}", described.policy);
    let vault = quorum.vault_signers(7).await.unwrap();
    assert_eq!((vault.required(), vault.keys().len()), (2, 3));
    assert!(!second.stop_by("-KILL"));
    assert_eq!(quorum.describe().await.unwrap(), described);
    assert_eq!(quorum.offer_status(Vec::new()).await, Ok(Vec::new()));
    assert!(quorum.vault_signers(7).await.is_err(), "each key is in the script of a new vault");
    // A killed process leaves its socket, which its service manager removes.
    fs::remove_file(folders[1].path("signer.sock")).unwrap();
    let _second = Running::start(&folders[1]);
    assert_eq!(quorum.vault_signers(7).await, Ok(vault));
    assert!(first.stop_by("-TERM") && third.stop_by("-TERM"));
    assert!(quorum.describe().await.is_err(), "one of three is too few");
    // A signer that the policy does not name does not start with it.
    let foreign = SignerFolder::new();
    fs::write(foreign.path("policy.toml"), &shared).unwrap();
    let refusal = foreign.refusal();
    assert!(refusal.contains("signers.identities does not name this signer"), "{refusal}");
}

fn sorted(texts: &[String]) -> Vec<String> {
    let mut texts = texts.to_vec();
    texts.sort();
    texts
}

#[test]
fn a_key_file_is_created_once() {
    let folder = SignerFolder::new();
    let sealed = fs::read(folder.path("vault.keys")).unwrap();
    let refusal = failure(&folder.init().output().unwrap());
    assert!(refusal.contains("never written over"), "{refusal}");
    assert_eq!(fs::read(folder.path("vault.keys")).unwrap(), sealed);
}

#[test]
fn it_does_not_start_with_secrets_that_others_can_read() {
    let folder = SignerFolder::new();
    for name in ["vault.keys", "identity.txt"] {
        fs::set_permissions(folder.path(name), Permissions::from_mode(0o640)).unwrap();
        let refusal = folder.refusal();
        assert!(refusal.contains("chmod 600") && refusal.contains(name), "{refusal}");
        fs::set_permissions(folder.path(name), Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn it_does_not_start_with_an_invalid_policy_or_log() {
    let folder = SignerFolder::new();
    for (name, good, from, to, said) in [
        ("policy.toml", POLICY, "hour_max_count", "hours_max_count", "hours_max_count"),
        ("policy.toml", POLICY, "bcrt1q", "bc1q", "platform_address"),
        ("policy.toml", POLICY, "= 2000\n", "= 20000\n", "platform_fee_max_bps"),
        ("policy.toml", POLICY, "min_sat_per_kwu = 25", "min_sat_per_kwu = 250001", "fee rates"),
        ("policy.toml", POLICY, "lienbook.example", "", "domain"),
        ("terms.toml", TERMS, "840000:3", "DOG", "terms.toml"),
        ("terms.toml", TERMS, "days = 7", "weeks = 1", "weeks"),
    ] {
        fs::write(folder.path(name), good.replacen(from, to, 1)).unwrap();
        let refusal = folder.refusal();
        assert!(refusal.contains(said), "{to}: {refusal}");
        fs::write(folder.path(name), good).unwrap();
    }
    let mut command = folder.serve();
    let refusal = failure(&command.args(["--client-user", "no-such-user"]).output().unwrap());
    assert!(refusal.contains("no user called no-such-user"), "{refusal}");
    fs::write(folder.path("signed.jsonl"), "invalid content\n").unwrap();
    let refusal = folder.refusal();
    assert!(refusal.contains("line 1") && refusal.contains("signed.jsonl"), "{refusal}");
}

#[test]
fn the_passphrase_is_read_from_a_variable_and_never_printed() {
    const PASSPHRASE: &str = "a passphrase of no vault";
    let folder = SignerFolder::new();
    let keys = folder.text("other.keys");
    let init = |passphrase: Option<&str>| -> Output {
        let mut command = lienbook(&["signer", "init", "--keys", &keys]);
        command.env_remove("LIENBOOK_SIGNER_PASSPHRASE");
        command.envs(passphrase.map(|text| ("LIENBOOK_SIGNER_PASSPHRASE", text)));
        command.output().unwrap()
    };
    let refusal = failure(&init(None));
    assert!(refusal.contains("LIENBOOK_SIGNER_PASSPHRASE"), "{refusal}");
    let refusal = failure(&init(Some("short")));
    assert!(refusal.contains("at least 16"), "{refusal}");
    let made = init(Some(PASSPHRASE));
    let said = format!("{}{}", String::from_utf8_lossy(&made.stdout), String::from_utf8_lossy(&made.stderr));
    assert!(made.status.success() && !said.contains(PASSPHRASE), "{said}");
    assert!(key_file::open(Path::new(&keys), &Lock::passphrase(PASSPHRASE).unwrap()).is_ok());
}
