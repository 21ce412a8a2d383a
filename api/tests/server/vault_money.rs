//! Tests of deposits into vaults and withdrawals, over HTTP and on a chain.

use bitcoin::{Amount, Network, Psbt};
use devchain::EmbeddedChain;
use engine::chain::Chain as _;
use escrow::action::Action;
use escrow::address::{AddressKind, WalletAddress};
use escrow::kit::Kit;
use lending::lookups::confirmations::SETTLEMENT_CONFIRMATIONS;
use lienbook::config::settings::Settings;
use lienbook::node::Node;
use lienbook::server::Server;
use serde_json::{Value, json};

use super::lender::{TestUser, vault_signer};
use super::rig::Rig;

const START_SECONDS: u32 = 1_800_000_000;
const ME: &str = "/api/v1/vaults/me";

/// A lender with a vault, on a chain of the test.
pub struct VaultFixture {
    pub rig: Rig,
    chain: EmbeddedChain,
    pub lender: TestUser,
}

impl VaultFixture {
    /// A lender with an empty vault and `sats` at the payment address.
    pub async fn new(kind: AddressKind, sats: u64) -> Self {
        let chain = EmbeddedChain::new(START_SECONDS).unwrap();
        let rig = Rig::start_on(chain.clone()).await;
        let lender = TestUser::sign_in_with(&rig, 1, kind).await;
        lender.open_vault(&rig).await;
        chain.fund(&lender.wallet.address(kind).script_pubkey(), Amount::from_sat(sats)).unwrap();
        Self { rig, chain, lender }
    }

    pub async fn post(&self, path: &str, body: &Value) -> super::rig::Answer {
        self.lender.post(&self.rig, &format!("{ME}/{path}"), body).await
    }

    /// The same after a restart with other settings.
    pub async fn restarted_with(self, change: impl FnOnce(&mut Settings)) -> Self {
        let Self { rig, chain, lender } = self;
        let Rig { server, folder, .. } = rig;
        let mut settings = server.app().settings.clone();
        // Messages and policies name the domain, which is that of the listener otherwise.
        settings.public_url.get_or_insert_with(|| server.app().public_url.clone());
        server.stop().await;
        change(&mut settings);
        let node = Some(Node::Embedded(chain.clone().into()));
        let server = Box::pin(Server::builder(settings).node(node).start()).await.unwrap();
        Self { rig: Rig::new(server, folder), chain, lender }
    }

    /// Pays to an address in a block.
    pub fn pay_to(&self, address: &str, sats: u64) {
        let script = WalletAddress::parse(address, Network::Regtest).unwrap().script_pubkey();
        self.chain.fund(&script, Amount::from_sat(sats)).unwrap();
    }

    pub async fn get(&self, path: &str) -> Value {
        self.lender.get(&self.rig, &format!("{ME}{path}")).await.ok()
    }

    /// Mines blocks, and waits until the server has seen them.
    pub async fn mine(&self, blocks: u32) {
        self.chain.mine(blocks).unwrap();
        let watch = self.rig.app().vault_watch.as_ref().unwrap();
        assert_eq!(watch.round().await.unwrap().failed, []);
    }

    async fn balance(&self) -> u64 {
        self.get("").await["balanceSats"].as_u64().unwrap()
    }

    async fn prepared_deposit(&self, sats: u64) -> Value {
        self.post("deposits/prepare", &json!({"sats": sats, "fee_rate": 1.5})).await.ok()
    }

    fn signed(&self, prepared: &Value) -> String {
        self.lender.wallet.sign_psbt(prepared["transactionBase64"].as_str().unwrap()).unwrap()
    }

    pub async fn deposit(&self, sats: u64) -> Value {
        let signed = self.signed(&self.prepared_deposit(sats).await);
        let sent = self.post("deposits", &json!({"signed_psbt": signed})).await;
        assert_eq!(sent.status, 201, "{}", sent.body);
        assert_eq!(self.post("deposits", &json!({"signed_psbt": signed})).await.ok(), sent.body);
        sent.body
    }

    /// The submission of a prepared withdrawal, signed.
    pub fn order(&self, prepared: &Value) -> Value {
        let message = prepared["message"].as_str().unwrap();
        let signature = self.lender.wallet.sign_bip322(self.lender.kind, message).unwrap();
        json!({"fee_rate": 1.5, "signature": signature, "message": message,
            "signature_timestamp": prepared["signatureTimestamp"]})
    }
}

#[actix_web::test]
async fn money_is_deposited_and_withdrawn_and_every_step_is_shown() {
    for kind in [AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
        let fixture = VaultFixture::new(kind, 1_000_000).await;
        let prepared = fixture.prepared_deposit(600_000).await;
        assert_eq!(prepared["sides"].as_array().unwrap().len(), 1);
        let [fee, change] = ["feeSats", "changeSats"].map(|field| prepared[field].as_u64().unwrap());
        assert_eq!(fee + change, 400_000);
        let deposit = fixture.deposit(600_000).await["transactionId"].clone();
        assert_eq!(fixture.balance().await, 0);
        fixture.mine(1).await;
        assert_eq!(fixture.balance().await, 600_000);
        let outputs = fixture.get("/outputs").await;
        let own = json!([{"transactionId": deposit, "vout": 0, "sats": 600_000, "state": "usable"}]);
        assert_eq!((&outputs["outputs"], &outputs["departures"]), (&own, &json!([])));

        let request_body = json!({"sats": 250_000, "fee_rate": 1.5});
        let prepared = fixture.post("withdrawals/prepare", &request_body).await.ok();
        let [fee, arrives] = ["feeSats", "arrivesSats"].map(|field| prepared[field].as_u64().unwrap());
        assert_eq!((fee + arrives, prepared["backSats"].as_u64()), (250_000, Some(350_000)));
        assert_eq!(prepared["paymentAddress"], fixture.lender.address());
        let order = fixture.order(&prepared);
        let done = fixture.post("withdrawals", &order).await;
        assert_eq!((done.status.as_u16(), &done.body["isSent"]), (201, &json!(true)), "{}", done.body);
        assert_eq!(fixture.post("withdrawals", &order).await.ok(), done.body, "the same message, the same answer");
        let txid = done.body["transactionId"].clone();
        let leaving = json!([{"transactionId": txid, "kind": "withdrawal", "sats": 250_000, "isSigned": true}]);
        assert_eq!(fixture.get("/outputs").await["departures"], leaving);
        fixture.mine(SETTLEMENT_CONFIRMATIONS).await;
        assert_eq!(fixture.balance().await, 350_000);
        let seen = fixture.chain.transaction(txid.as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
        let payment = seen.transaction.output.last().unwrap();
        assert_eq!(payment.script_pubkey, fixture.lender.wallet.address(kind).script_pubkey());
        assert_eq!(payment.value.to_sat(), arrives);

        let mut reported = Vec::new();
        let mut page = fixture.get("/history?limit=2").await;
        loop {
            reported.extend(
                page["data"].as_array().unwrap().iter().map(|line| (line["kind"].clone(), line["sats"].clone())),
            );
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            page = fixture.get(&format!("/history?limit=2&cursor={cursor}")).await;
        }
        let expected = [("settled", 250_000), ("came_back", 350_000), ("withdrawing", 250_000), ("paid_in", 600_000)];
        assert_eq!(reported, expected.map(|(kind, sats)| (json!(kind), json!(sats))));
        fixture.rig.server.stop().await;
    }
}

#[actix_web::test]
async fn the_kit_of_a_vault_is_a_file_that_works_without_the_server() {
    let fixture = VaultFixture::new(AddressKind::P2wpkh, 1_000_000).await;
    let request = fixture.rig.request(reqwest::Method::GET, &format!("{ME}/kit")).bearer_auth(&fixture.lender.token);
    let response = request.send().await.unwrap();
    let disposition = response.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert_eq!(disposition, format!("attachment; filename=\"lienbook-vault-{}.json\"", fixture.lender.id));
    let text = response.text().await.unwrap();
    let Kit::Vault(kit) = Kit::read(&text).unwrap() else { panic!("not a vault's kit") };
    let address = kit.vault().output().address(bitcoin::Network::Regtest).to_string();
    assert_eq!(fixture.get("").await["vaultAddress"], address);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn every_fault_of_a_deposit_has_a_code() {
    let fixture = VaultFixture::new(AddressKind::P2wpkh, 1_000_000).await;
    let prepare =
        async |sats: u64, rate: f64| fixture.post("deposits/prepare", &json!({"sats": sats, "fee_rate": rate})).await;
    prepare(2_000_000, 1.0).await.refused(422, "insufficient_funds");
    prepare(500_000, 4.0).await.refused(422, "fee_rate_out_of_range");
    prepare(500_000, 0.05).await.refused(422, "fee_rate_out_of_range");
    prepare(500_000, 1.000_5).await.refused(422, "invalid_field");
    prepare(100, 1.0).await.refused(422, "invalid_field");
    let prepared = fixture.prepared_deposit(500_000).await;
    let submit = async |text: String| fixture.post("deposits", &json!({"signed_psbt": text})).await;
    submit("money".to_owned()).await.refused(422, "psbt_not_text");
    let unsigned = prepared["transactionBase64"].as_str().unwrap();
    submit(unsigned.to_owned()).await.refused(422, "psbt_signature_missing");
    let mut psbt: Psbt = unsigned.parse().unwrap();
    psbt.unsigned_tx.output[0].value = Amount::from_sat(499_000);
    psbt.unsigned_tx.output.pop();
    psbt.outputs.pop();
    let burning = fixture.lender.wallet.sign_psbt(&psbt.to_string()).unwrap();
    submit(burning).await.refused(422, "fee_rate_out_of_range");
    let mut psbt: Psbt = unsigned.parse().unwrap();
    psbt.unsigned_tx.output[1].script_pubkey = psbt.unsigned_tx.output[0].script_pubkey.clone();
    let altered = fixture.lender.wallet.sign_psbt(&psbt.to_string()).unwrap();
    submit(altered).await.refused(422, "psbt_other_transaction");
    assert_eq!(fixture.chain.mempool_txids(), []);
    let user_without_vault = TestUser::sign_in(&fixture.rig, 7).await;
    let body = json!({"sats": 1_000, "fee_rate": 1});
    user_without_vault
        .post(&fixture.rig, &format!("{ME}/deposits/prepare"), &body)
        .await
        .refused(404, "vault_not_found");
    for path in ["outputs", "history", "kit"] {
        user_without_vault.get(&fixture.rig, &format!("{ME}/{path}")).await.refused(404, "vault_not_found");
        fixture.rig.get(&format!("{ME}/{path}")).await.refused(401, "unauthenticated");
    }
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn every_fault_of_a_withdrawal_has_a_code_and_no_effect() {
    let fixture = VaultFixture::new(AddressKind::P2wpkh, 1_000_000).await;
    fixture.deposit(500_000).await;
    fixture.mine(1).await;
    let prepare = async |body: Value| fixture.post("withdrawals/prepare", &body).await;
    prepare(json!({"sats": 500_001, "fee_rate": 1})).await.refused(422, "insufficient_vault_balance");
    prepare(json!({"sats": 300, "fee_rate": 1})).await.refused(422, "invalid_field");
    prepare(json!({"fee_rate": 500.1})).await.refused(422, "fee_rate_out_of_range");
    let prepared = prepare(json!({"fee_rate": 1.5})).await.ok();
    assert_eq!((prepared["sats"].as_u64(), prepared["outputs"].as_u64()), (Some(500_000), Some(1)));
    let good = fixture.order(&prepared);
    let before = fixture.rig.events();
    let altered = async |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        fixture.post("withdrawals", &body).await
    };
    altered("signature", json!("AAAA")).await.refused(422, "signature_malformed");
    altered("signature_timestamp", json!(1)).await.refused(422, "message_field_mismatch");
    altered("fee_rate", json!(9)).await.refused(422, "fee_rate_out_of_range");
    let more = good["message"].as_str().unwrap().replace("Withdraw sats: 500000", "Withdraw sats: 400000");
    let answer = altered("message", json!(more)).await;
    assert!(["signature_wrong_key", "signature_invalid"].contains(&answer.code()), "{}", answer.body);
    let signed = async |action: Action| {
        let signed = fixture.lender.sign_fresh(&fixture.rig, action).await;
        let body = json!({"fee_rate": 1, "signature": signed.signature, "message": signed.text,
            "signature_timestamp": signed.issued_s});
        fixture.post("withdrawals", &body).await
    };
    let (vault, to) = (vault_signer(&fixture.rig).await, fixture.lender.address());
    let thief = fixture.lender.wallet.ordinals_address().to_string();
    let fee_max_sats = Some(10_000);
    let elsewhere = Action::Withdraw { sats: 1_000, to: thief, fee_max_sats, vault: vault.clone() };
    signed(elsewhere).await.refused(422, "message_field_mismatch");
    let foreign = Action::Withdraw { sats: 1_000, to: to.clone(), fee_max_sats, vault: "another".to_owned() };
    signed(foreign).await.refused(403, "not_your_vault");
    signed(Action::PauseOffer { offer_id: "of_1".to_owned() }).await.refused(422, "message_wrong_action");
    let unsaid = Action::Withdraw { sats: 1_000, to: to.clone(), fee_max_sats: None, vault: vault.clone() };
    signed(unsaid).await.refused(422, "message_field_mismatch");
    let tight = Action::Withdraw { sats: 400_000, to: to.clone(), fee_max_sats: Some(1), vault: vault.clone() };
    let refused = signed(tight).await;
    refused.refused(422, "withdrawal_fee_too_high");
    assert_eq!(refused.body["values"]["max_sats"], json!(1));
    signed(Action::Withdraw { sats: 500_001, to, fee_max_sats, vault })
        .await
        .refused(422, "insufficient_vault_balance");
    assert_eq!(fixture.rig.events(), before);
    fixture.post("withdrawals", &good).await.ok();
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_server_without_a_node_shows_vaults_and_moves_no_money() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 5_000).await;
    let body = json!({"sats": 1_000, "fee_rate": 1});
    for path in ["deposits/prepare", "withdrawals/prepare"] {
        lender.post(&rig, &format!("{ME}/{path}"), &body).await.refused(503, "node_unavailable");
    }
    let history = lender.get(&rig, &format!("{ME}/history")).await.ok();
    assert_eq!((&history["data"][0]["kind"], &history["data"][0]["sats"]), (&json!("credited"), &json!(5_000)));
    rig.server.stop().await;
}
