//! Test of the vault signer as a process of its own, behind a socket, that is killed and restarted.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use signer::request::OfferStatus;
use tempfile::TempDir;

use super::instant_offers::create_ordinal;
use super::lender::TestUser;
use super::rig::Rig;
use super::vaults::offer_status;

const POLICY: &str = r#"
network = "regtest"
domain = "lienbook.example"
platform_address = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
platform_fee_max_bps = 2000
grace_seconds = 86400
claim_slack_seconds = 7200
fee_rate_min_sat_per_kwu = 25
fee_rate_max_sat_per_kwu = 250000
offer_age_max_seconds = 2592000
limits = { loan_max_sats = 10000000, hour_max_sats = 50000000, hour_max_count = 100, vault_hour_max_sats = 20000000 }
"#;

const TERMS: &str = "[paper-frogs-7d]\ndays = 7\ninterest_bps = 120\n";

/// `lienbook signer` in a folder of its own; killed when dropped.
pub struct SignerProcess(Child);

impl SignerProcess {
    fn prepare(folder: &TempDir) {
        fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
        fs::write(folder.path().join("terms.toml"), TERMS).unwrap();
        let made = Self::program(folder, &["signer", "init", "--keys", "k", "--identity-file", "i"]).status().unwrap();
        assert!(made.success());
    }

    fn program(folder: &TempDir, arguments: &[&str]) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_lienbook"));
        program.args(arguments).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        program
    }

    pub fn start(folder: &TempDir) -> Self {
        let flags = "signer --socket s --keys k --identity-file i --record r --policy policy.toml --terms terms.toml";
        let child = Self::program(folder, &flags.split(' ').collect::<Vec<_>>()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(90);
        // The socket file of a killed process does not mean that it is running.
        while std::os::unix::net::UnixStream::connect(folder.path().join("s")).is_err() {
            assert!(Instant::now() < deadline, "no signer started in time");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self(child)
    }
}

/// A server whose signer is, or will be, a process in a folder.
pub async fn rig_beside_signer(folder: &TempDir) -> Rig {
    SignerProcess::prepare(folder);
    let socket = folder.path().join("s");
    Rig::start_with(|settings| {
        settings.signer_in_process = false;
        settings.signer_socket = Some(socket);
        settings.public_url = Some("http://lienbook.example".parse().unwrap());
    })
    .await
}

impl Drop for SignerProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[actix_web::test]
async fn instant_offers_are_funded_by_a_signer_process_and_wait_while_it_is_down() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig_beside_signer(&folder).await;
    // The server starts before its signer.
    assert_eq!(rig.get("/api/v1/config").await.ok()["vaultSignerId"], json!(null));
    let process = SignerProcess::start(&folder);
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let id = create_ordinal(&rig, &lender, 500_000).await;
    assert_eq!(offer_status(&rig, &id).await, Some(OfferStatus::Open));

    drop(process);
    let (path, body) = super::signed_requests::create_ordinal(&rig, &lender, 400_000).await;
    let answer = lender.post(&rig, &path, &body).await;
    answer.refused(503, "signer_unavailable");
    assert!(answer.headers.contains_key("retry-after"));
    let (path, edit) = super::signed_requests::edit_ordinal(&rig, &lender, &id, 300_000).await;
    lender.post(&rig, &path, &edit).await.refused(503, "signer_unavailable");
    let mine = lender.get(&rig, "/api/v1/offers").await.ok();
    assert_eq!((mine["data"].as_array().unwrap().len(), &mine["data"][0]["offerId"]), (1, &json!(id)));

    // It restarts with its log, and what was signed is still valid.
    let _process = SignerProcess::start(&folder);
    assert_eq!(offer_status(&rig, &id).await, Some(OfferStatus::Open));
    let created = lender.post(&rig, "/api/v1/offers/instant/ordinals", &body).await.ok();
    let second = created["offer"]["offerId"].as_str().unwrap();
    assert_eq!(offer_status(&rig, second).await, Some(OfferStatus::Open));
    rig.server.stop().await;
}
