//! The fixture of these tests: the server with Bitcoin Core and ord, a lender and a borrower with money, and their
//! actions over HTTP.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bitcoin::{Amount, Txid};
use domain::{CollateralType, Inscription, LoanId, LoanStage};
use engine::asset_index::InscriptionId;
use lienbook::config::settings::Settings;
use ordinals::{Rune, RuneId};
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{FLOOR_SATS, Rig, groups, price, settings};
use super::users::{BORROWER, LENDER, addresses, sign};
use testkit::inscriber;
use testkit::real_world::CoreAndOrd;
use testkit::test_wallet::TestWallet;
use testkit::world::World;

/// The time limit for the server to see a change, on a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(90);
/// The value of a coin that holds collateral.
pub const POSTAGE_SATS: u64 = 10_000;
/// The principal, and its interest for seven days.
pub const PRINCIPAL_SATS: u64 = FLOOR_SATS / 2;
pub const INTEREST_SATS: u64 = PRINCIPAL_SATS * 12 / 1_000;
pub const PLATFORM_SATS: u64 = INTEREST_SATS / 5;
/// A day in seconds.
pub const DAY: u32 = 86_400;

pub struct MarketFixture<W = CoreAndOrd> {
    pub rig: Rig,
    pub lender: TestUser,
    pub borrower: TestUser,
    pub world: W,
}

/// The time of the system clock, which the server uses.
pub fn now_seconds() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u32::try_from(since.as_secs()).unwrap()
}

impl MarketFixture {
    /// A chain whose clock is the system's.
    pub async fn new() -> Self {
        Self::starting_at(now_seconds()).await
    }

    /// A chain whose clock starts at this time.
    pub async fn starting_at(clock_seconds: u32) -> Self {
        let world = CoreAndOrd::start_at(clock_seconds).await;
        fund_users(&world).await;
        Self::on(world, None).await
    }

    /// A server on an existing chain, with its groups; with a rune's group if there is a rune.
    pub async fn on(world: CoreAndOrd, rune: Option<RuneId>) -> Self {
        let (node_url, cookie) = world.node_access().await;
        let ord_url = world.ord_url().await;
        let configure = |settings: &mut Settings| {
            (settings.node_url, settings.node_cookie) = (Some(node_url), Some(cookie));
            settings.ord_url = Some(ord_url);
        };
        Self::with_settings(world, configure, rune).await
    }
}

/// Funds both users.
pub async fn fund_users(world: &impl World) {
    for seed in [LENDER, BORROWER] {
        for _ in 0..2 {
            world.fund(&TestWallet::new(seed).payment_script(), Amount::from_sat(1_000_000)).await;
        }
    }
}

impl<W: World> MarketFixture<W> {
    /// A server whose settings `configure` adapts to this chain.
    pub async fn with_settings(world: W, configure: impl FnOnce(&mut Settings), rune: Option<RuneId>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(&folder);
        configure(&mut settings);
        let rig = Rig::start_in(folder, settings).await;
        for mut group in groups() {
            if let (CollateralType::Rune { rune_id, rune_name, .. }, Some(rune)) = (&mut group.collateral, rune) {
                // It was etched without a name, and has the reserved one.
                (*rune_id, *rune_name) = (rune.to_string(), Rune::reserved(rune.block, rune.tx).to_string());
            }
            let id = group.id;
            rig.app().market.list_group(group).await.unwrap();
            rig.app().market.move_price(id, price(id), rig.app().now()).await.unwrap();
        }
        let (lender, borrower) = (TestUser::sign_in(&rig, LENDER).await, TestUser::sign_in(&rig, BORROWER).await);
        Self { rig, lender, borrower, world }
    }

    /// An inscription of the borrower that the operator has listed.
    pub async fn frog(&self) -> InscriptionId {
        let (id, _) = inscriber::inscribe(&self.world, &TestWallet::new(BORROWER), 0, POSTAGE_SATS).await;
        let listed: [Inscription; 1] = [id.into()];
        self.rig.app().market.list_inscriptions(groups()[0].id, &listed).await.unwrap();
        id
    }

    /// A loan against it that the borrower has accepted.
    pub async fn accepted(&self, frog: InscriptionId) -> Value {
        let offers = self.lender.quote(&self.rig, "paper-frogs-7d", PRINCIPAL_SATS, 1).await;
        let request_body = json!({"offerId": offers[0], "inscriptionId": frog.to_string(), "feeRate": 3});
        let request_body = addresses(&self.borrower, request_body);
        let prepared = self.borrower.post(&self.rig, "/api/v1/loans/manual/prepare", &request_body).await.ok();
        let signed = sign(&self.borrower, &prepared);
        let body = json!({"acceptRequest": prepared["offerAcceptRequestId"], "walletName": "test", "base64": signed});
        self.borrower.post(&self.rig, "/api/v1/loans/manual/accept", &body).await.ok();
        prepared
    }

    /// The lender counter-signs the loan, and it is broadcast.
    pub async fn countersign(&self, loan: &str) -> Value {
        let path = format!("/api/v1/loans/{loan}/countersignature");
        let asked = self.lender.get(&self.rig, &path).await.ok();
        let payouts = asked["payouts"].as_array().unwrap().iter();
        let payouts: Vec<String> = payouts.map(|payout| sign(&self.lender, payout)).collect();
        let body = json!({"walletName": "test", "base64": sign(&self.lender, &asked), "payouts": payouts});
        self.lender.post(&self.rig, &path, &body).await.ok()["transactionId"].clone()
    }

    /// A manual loan with an unconfirmed origination: its id, and the txid.
    pub async fn sent(&self, frog: InscriptionId) -> (String, Value) {
        let prepared = self.accepted(frog).await;
        let loan = prepared["loanId"].as_str().unwrap().to_owned();
        let txid = self.countersign(&loan).await;
        (loan, txid)
    }

    /// The same, confirmed in a block that the server has seen.
    pub async fn begun(&self, frog: InscriptionId) -> (String, Value) {
        let (loan, txid) = self.sent(frog).await;
        self.world.mine(1).await;
        self.until(&loan, &[LoanStage::Active, LoanStage::Expired]).await;
        (loan, txid)
    }

    /// The borrower repays the loan; the repayment is unconfirmed.
    pub async fn repay(&self, loan: &str) -> Value {
        let asked = json!({"loanIds": [loan], "feeRate": 3});
        let path = "/api/v1/loans/repayment";
        let ending = self.borrower.post(&self.rig, &format!("{path}/prepare"), &asked).await.ok();
        let body = json!({"loanIds": [loan], "walletName": "test", "base64": sign(&self.borrower, &ending)});
        let sent = self.borrower.post(&self.rig, path, &body).await.ok();
        assert_eq!(sent["transactionId"], ending["transactionId"]);
        sent["transactionId"].clone()
    }

    /// Waits until the server has seen the blocks that bring a loan to one of these stages.
    pub async fn until(&self, loan: &str, stages: &[LoanStage]) {
        let id: LoanId = loan.parse().unwrap();
        let begun = Instant::now();
        loop {
            let stage = self.rig.app().market.loan(id).await.unwrap().stage;
            if stages.contains(&stage) {
                return;
            }
            assert!(begun.elapsed() < TIMEOUT, "{loan} is {stage} and never {stages:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the transaction is in the node's mempool again.
    pub async fn until_in_mempool(&self, txid: &Value) {
        let txid: Txid = txid.as_str().unwrap().parse().unwrap();
        let begun = Instant::now();
        while !self.world.waiting().await.contains(&txid) {
            assert!(begun.elapsed() < TIMEOUT, "{txid} was not broadcast again");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The state of a loan that a user reads.
    pub async fn state(&self, user: &TestUser, loan: &str) -> Value {
        user.get(&self.rig, &format!("/api/v1/me/loans/{loan}")).await.ok()["state"].clone()
    }
}
