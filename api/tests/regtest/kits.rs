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
use super::lender::Lender;
use super::people::{BORROWER, LENDER};
use super::rig::Rig;
use super::stage::{INTEREST_SATS, PRINCIPAL_SATS, Stage};
use super::worlds::person::Person;
use super::worlds::real_world::CoreAndOrd;
use super::worlds::world::World as _;

/// A user with a kit in a folder of their own, after the server has stopped.
struct Alone {
    world: CoreAndOrd,
    person: Lender,
    folder: TempDir,
}

impl Alone {
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
    async fn act(&self, words: &[&str]) -> Txid {
        let words = [&[words[0], "kit.json"], &words[1..], &["--fee-rate", "3"]].concat();
        self.kit(&words).await.unwrap();
        let unsigned = fs::read_to_string(self.folder.path().join("unsigned.psbt")).unwrap();
        let signed = self.person.wallet.sign_psbt(unsigned.trim()).unwrap();
        fs::write(self.folder.path().join("signed.psbt"), signed).unwrap();
        let said = self.kit(&["send", "kit.json", "signed.psbt"]).await.unwrap();
        let txid: Txid = said.lines().find_map(|line| line.strip_prefix("Sent ")).unwrap().parse().unwrap();
        assert!(self.world.waiting().await.contains(&txid));
        self.world.mine(1).await;
        txid
    }
}

impl Stage {
    /// A user's download, as the browser would save it.
    async fn download(&self, person: &Lender, path: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let request = self.rig.request(Method::GET, path).bearer_auth(&person.token);
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        fs::write(folder.path().join("kit.json"), answer.bytes().await.unwrap()).unwrap();
        folder
    }

    /// Stops the server for good, and leaves the lender with a file.
    async fn gone(self, folder: TempDir) -> Alone {
        let Self { rig, lender, world, .. } = self;
        rig.server.stop().await;
        Alone { world, person: lender, folder }
    }
}

#[actix_web::test]
async fn a_borrower_repays_with_only_the_kit_and_the_server_sees_it_after_a_restart() {
    let stage = Stage::new().await;
    let frog = stage.frog().await;
    let before = stage.purse(LENDER).await;
    let (loan, _) = stage.begun(frog).await;
    let lent = before - stage.purse(LENDER).await;
    let folder = stage.download(&stage.borrower, &format!("/api/v1/loans/{loan}/kit")).await;
    let Stage { rig, lender, borrower, world } = stage;
    let settings = rig.app().settings.clone();
    let Rig { server, folder: data, .. } = rig;
    server.stop().await;
    let alone = Alone { world, person: borrower, folder };
    let txid = alone.act(&["repay"]).await;
    let Alone { world, person: borrower, .. } = alone;
    let rig = Rig::start_in(data, settings).await;
    let stage = Stage { rig, lender, borrower, world };
    stage.until(&loan, &[LoanStage::Repaid]).await;
    assert!(stage.is_home(BORROWER, frog).await);
    assert_eq!(stage.mined(&json!(txid.to_string())).await.compute_txid(), stage.place(frog).await.txid);
    assert_eq!(stage.purse(LENDER).await, before - lent + PRINCIPAL_SATS + INTEREST_SATS);
    stage.rig.server.stop().await;
}

#[actix_web::test]
async fn a_lender_claims_with_only_the_kit() {
    let stage = Stage::late().await;
    let frog = stage.frog().await;
    let (loan, _) = stage.begun(frog).await;
    let folder = stage.download(&stage.lender, &format!("/api/v1/loans/{loan}/kit")).await;
    let alone = stage.gone(folder).await;
    let early = alone.kit(&["claim", "kit.json"]).await.unwrap_err();
    assert!(early.contains("too early"), "{early}");
    pass_claim_time(&alone.world).await;
    let txid = alone.act(&["claim"]).await;
    let place = alone.world.indexer().place_of(frog).await.unwrap().unwrap().0;
    assert_eq!(place.txid, txid);
    let claim = alone.world.node().transaction(txid).await.unwrap().unwrap().transaction;
    assert_eq!(claim.output[0].script_pubkey, Person::new(LENDER).home());
}

#[actix_web::test]
async fn a_lender_exits_the_vault_with_only_the_kit_after_144_blocks() {
    let stage = Stage::new().await;
    stage.pay_in(700_000).await;
    let folder = stage.download(&stage.lender, "/api/v1/vaults/me/kit").await;
    let alone = stage.gone(folder).await;
    alone.world.mine(u32::from(EXIT_BLOCKS) - 2).await;
    let early = alone.kit(&["exit", "kit.json"]).await.unwrap_err();
    assert!(early.contains("may leave: 1"), "{early}");
    alone.world.mine(1).await;
    let txid = alone.act(&["exit"]).await;
    let left = alone.world.node().transaction(txid).await.unwrap().unwrap().transaction;
    assert_eq!(left.output.len(), 1);
    assert_eq!(left.output[0].script_pubkey, Person::new(LENDER).home());
    assert!((698_000..700_000).contains(&left.output[0].value.to_sat()), "{}", left.output[0].value);
}
