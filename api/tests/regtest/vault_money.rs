//! Tests of deposits into a vault and withdrawals from it.

use std::time::{Duration, Instant};

use bitcoin::Address;
use bitcoin::address::NetworkUnchecked;
use serde_json::{Value, json};

use super::fixture::{MarketFixture, TIMEOUT};
use super::users::{LENDER, sign};
use testkit::world::World;

const ME: &str = "/api/v1/vaults/me";

impl<W: World> MarketFixture<W> {
    /// The lender opens a vault and pays into it, in a block that the server has seen; returns the deposit's id.
    pub async fn deposit_to_vault(&self, sats: u64) -> Value {
        self.lender.open_vault(&self.rig).await;
        let asked = json!({"sats": sats, "fee_rate": 2});
        let prepared = self.lender.post(&self.rig, &format!("{ME}/deposits/prepare"), &asked).await.ok();
        let body = json!({"signed_psbt": sign(&self.lender, &prepared)});
        let sent = self.lender.post(&self.rig, &format!("{ME}/deposits"), &body).await.ok();
        self.world.mine(1).await;
        self.until_balance(sats).await;
        sent["transactionId"].clone()
    }

    /// Waits until the vault has this balance.
    pub async fn until_balance(&self, sats: u64) {
        let begun = Instant::now();
        loop {
            let shown = self.lender.get(&self.rig, ME).await.ok()["balanceSats"].as_u64().unwrap();
            if shown == sats {
                return;
            }
            assert!(begun.elapsed() < TIMEOUT, "the vault holds {shown} sats and never {sats}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// The confirmed unspent sats in the vault.
    pub async fn vault_balance(&self) -> u64 {
        let address: Address<NetworkUnchecked> = self.lender.vault().parse().unwrap();
        self.sats_at(&address.assume_checked().script_pubkey()).await
    }
}

#[actix_web::test]
async fn money_is_deposited_and_partly_withdrawn() {
    let fixture = MarketFixture::new().await;
    let before = fixture.balance(LENDER).await;
    let deposit = fixture.deposit_to_vault(700_000).await;
    let deposit = fixture.confirmed_transaction(&deposit).await;
    let paid = fixture.fee(&deposit).await;
    assert_eq!(fixture.vault_balance().await, 700_000);
    assert_eq!(fixture.balance(LENDER).await, before - 700_000 - paid);

    let request_body = json!({"sats": 250_000, "fee_rate": 2});
    let prepared = fixture.lender.post(&fixture.rig, &format!("{ME}/withdrawals/prepare"), &request_body).await.ok();
    let message = prepared["message"].as_str().unwrap();
    let signature = fixture.lender.wallet.sign_bip322(fixture.lender.kind, message).unwrap();
    let order = json!({"fee_rate": 2, "signature": signature, "message": message,
        "signature_timestamp": prepared["signatureTimestamp"]});
    let sent = fixture.lender.post(&fixture.rig, &format!("{ME}/withdrawals"), &order).await.ok();
    assert_eq!(sent["isSent"], true, "{sent}");
    fixture.world.mine(1).await;
    fixture.until_balance(450_000).await;
    let withdrawal = fixture.confirmed_transaction(&sent["transactionId"]).await;
    let arrives = 250_000 - fixture.fee(&withdrawal).await;
    assert_eq!(prepared["arrivesSats"], arrives);
    assert_eq!(fixture.vault_balance().await, 450_000);
    assert_eq!(fixture.balance(LENDER).await, before - 700_000 - paid + arrives);
    fixture.rig.server.stop().await;
}
