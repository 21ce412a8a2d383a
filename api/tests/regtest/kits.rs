//! Tests of downloaded kits after the server is gone, with only a wallet and a node.

use std::fs;
use std::process::{Command, Stdio};

use bitcoin::Txid;
use domain::LoanStage;
use engine::asset_index::AssetIndex as _;
use engine::chain::Chain as _;
use escrow::contract::vault::EXIT_BLOCKS;
use reqwest::Method;
use serde_json::json;
use tempfile::TempDir;

use super::claims::pass_claim_time;
use super::fixture::{INTEREST_SATS, MarketFixture, PRINCIPAL_SATS};
use super::lender::TestUser;
use super::rig::Rig;
use super::users::{BORROWER, LENDER};
use testkit::real_world::CoreAndOrd;
use testkit::test_wallet::TestWallet;
use testkit::world::World as _;

/// A user with a kit in a folder of their own, after the server has stopped.
struct KitUser {
    world: CoreAndOrd,
    user: TestUser,
    folder: TempDir,
}

impl KitUser {
    /// Runs `lienbook kit` on the node; returns its output.
    async fn kit(&self, words: &[&str]) -> Result<String, String> {
        let (url, cookie) = self.world.node_access().await;
        let output = Command::new(env!("CARGO_BIN_EXE_lienbook"))
            .arg("kit")
            .args(words)
            .args(["--node", &url, "--cookie", cookie.to_str().unwrap()])
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        if output.status.success() { Ok(out) } else { Err(err) }
    }

    /// Builds, signs, broadcasts and mines a transaction; returns its id.
    async fn execute(&self, words: &[&str]) -> Txid {
        let words = [&[words[0], "kit.json"], &words[1..], &["--fee-rate", "3"]].concat();
        self.kit(&words).await.unwrap();
        let unsigned = fs::read_to_string(self.folder.path().join("unsigned.psbt")).unwrap();
        let signed = self.user.wallet.sign_psbt(unsigned.trim()).unwrap();
        fs::write(self.folder.path().join("signed.psbt"), signed).unwrap();
        let output = self.kit(&["send", "kit.json", "signed.psbt"]).await.unwrap();
        let txid: Txid = output.lines().find_map(|line| line.strip_prefix("Sent ")).unwrap().parse().unwrap();
        assert!(self.world.waiting().await.contains(&txid));
        self.world.mine(1).await;
        txid
    }
}

impl MarketFixture {
    /// A user's download, as the browser would save it.
    async fn download(&self, user: &TestUser, path: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let request = self.rig.request(Method::GET, path).bearer_auth(&user.token);
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        fs::write(folder.path().join("kit.json"), answer.bytes().await.unwrap()).unwrap();
        folder
    }

    /// Stops the server for good, and leaves the lender with a file.
    async fn stop_server(self, folder: TempDir) -> KitUser {
        let Self { rig, lender, world, .. } = self;
        rig.server.stop().await;
        KitUser { world, user: lender, folder }
    }
}

#[actix_web::test]
async fn a_borrower_repays_with_only_the_kit_and_the_server_sees_it_after_a_restart() {
    let fixture = MarketFixture::new().await;
    let frog = fixture.frog().await;
    let before = fixture.balance(LENDER).await;
    let (loan, _) = fixture.begun(frog).await;
    let lent = before - fixture.balance(LENDER).await;
    let folder = fixture.download(&fixture.borrower, &format!("/api/v1/loans/{loan}/kit")).await;
    let MarketFixture { rig, lender, borrower, world } = fixture;
    let settings = rig.app().settings.clone();
    let Rig { server, folder: data, .. } = rig;
    server.stop().await;
    let kit_user = KitUser { world, user: borrower, folder };
    let txid = kit_user.execute(&["repay"]).await;
    let KitUser { world, user: borrower, .. } = kit_user;
    let rig = Rig::start_in(data, settings).await;
    let fixture = MarketFixture { rig, lender, borrower, world };
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    assert!(fixture.owns_inscription(BORROWER, frog).await);
    assert_eq!(
        fixture.confirmed_transaction(&json!(txid.to_string())).await.compute_txid(),
        fixture.location(frog).await.txid
    );
    assert_eq!(fixture.balance(LENDER).await, before - lent + PRINCIPAL_SATS + INTEREST_SATS);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_lender_claims_with_only_the_kit() {
    let fixture = MarketFixture::late().await;
    let frog = fixture.frog().await;
    let (loan, _) = fixture.begun(frog).await;
    let folder = fixture.download(&fixture.lender, &format!("/api/v1/loans/{loan}/kit")).await;
    let kit_user = fixture.stop_server(folder).await;
    let early = kit_user.kit(&["claim", "kit.json"]).await.unwrap_err();
    assert!(early.contains("too early"), "{early}");
    pass_claim_time(&kit_user.world).await;
    let txid = kit_user.execute(&["claim"]).await;
    let place = kit_user.world.indexer().sat_point(frog).await.unwrap().unwrap().0;
    assert_eq!(place.txid, txid);
    let claim = kit_user.world.node().transaction(txid).await.unwrap().unwrap().transaction;
    assert_eq!(claim.output[0].script_pubkey, TestWallet::new(LENDER).ordinals_script());
}

#[actix_web::test]
async fn a_lender_exits_the_vault_with_only_the_kit_after_144_blocks() {
    let fixture = MarketFixture::new().await;
    fixture.deposit_to_vault(700_000).await;
    let folder = fixture.download(&fixture.lender, "/api/v1/vaults/me/kit").await;
    let kit_user = fixture.stop_server(folder).await;
    kit_user.world.mine(u32::from(EXIT_BLOCKS) - 2).await;
    let early = kit_user.kit(&["exit", "kit.json"]).await.unwrap_err();
    assert!(early.contains("may leave: 1"), "{early}");
    kit_user.world.mine(1).await;
    let txid = kit_user.execute(&["exit"]).await;
    let left = kit_user.world.node().transaction(txid).await.unwrap().unwrap().transaction;
    assert_eq!(left.output.len(), 1);
    assert_eq!(left.output[0].script_pubkey, TestWallet::new(LENDER).ordinals_script());
    assert!((698_000..700_000).contains(&left.output[0].value.to_sat()), "{}", left.output[0].value);
}
