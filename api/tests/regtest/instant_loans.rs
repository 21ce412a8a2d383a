//! Tests of loans that a vault funds at once.

use std::time::{Duration, Instant};

use bitcoin::Amount;
use domain::{LoanStage, OfferId};
use escrow::action::Action;
use ordinals::RuneId;
use serde_json::{Value, json};

use super::fixture::{INTEREST_SATS, MarketFixture, PLATFORM_SATS, POSTAGE_SATS, PRINCIPAL_SATS, TIMEOUT, now_seconds};
use super::lender::{instant, instant_body, vault_signer};
use super::users::{BORROWER, LENDER, PLATFORM, addresses, sign};
use testkit::etcher;
use testkit::real_world::CoreAndOrd;
use testkit::test_wallet::TestWallet;
use testkit::world::World;

const DEPOSITED: u64 = 800_000;

impl<W: World> MarketFixture<W> {
    /// An instant offer of the lender: the kind of its collateral, and the raw units of a rune.
    async fn offer(&self, kind: &str, slug: &str, principal_sats: u64, raw: Option<u128>) -> String {
        let offer = instant(slug, principal_sats, raw, 7_500, &vault_signer(&self.rig).await);
        let signed = self.lender.sign_fresh(&self.rig, Action::CreateOffer(offer.clone())).await;
        let body = instant_body(&self.lender, &offer, &signed);
        let created = self.lender.post(&self.rig, &format!("/api/v1/offers/instant/{kind}"), &body).await.ok();
        let offer = created["offer"]["offerId"].as_str().unwrap().to_owned();
        self.until_live(&offer).await;
        offer
    }

    /// Waits until the offer is ranked: the effect of a block on a vault reaches the book asynchronously.
    async fn until_live(&self, offer: &str) {
        let id: OfferId = offer.parse().unwrap();
        let begun = Instant::now();
        while !self.rig.app().market.offer(id).await.unwrap().is_some_and(|offer| offer.is_live()) {
            assert!(begun.elapsed() < TIMEOUT, "{offer} is never live");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The borrower takes the offer; returns the loan's id and its origination's txid.
    async fn take(&self, kind: &str, offer: &str, pledged: Value) -> (String, Value) {
        let path = format!("/api/v1/offers/instant/{kind}/{offer}");
        let request_body = addresses(&self.borrower, pledged);
        let prepared = self.borrower.post(&self.rig, &format!("{path}/prepare-accept"), &request_body).await.ok();
        let body = json!({"offer_accept_request_id": prepared["offerAcceptRequestId"], "wallet_name": "test",
            "signed_psbt": sign(&self.borrower, &prepared)});
        let sent = self.borrower.post(&self.rig, &format!("{path}/accept"), &body).await.ok();
        assert_eq!(self.borrower.post(&self.rig, &format!("{path}/accept"), &body).await.ok(), sent, "again");
        (prepared["loanId"].as_str().unwrap().to_owned(), sent["transactionId"].clone())
    }
}

#[actix_web::test]
async fn a_vault_lends_against_a_part_of_the_runes_and_all_of_them_return() {
    let world = CoreAndOrd::start_at(now_seconds()).await;
    let user = TestWallet::new(BORROWER);
    let (gold, _) = etcher::etch(&world, &user, [70_000_000, 50_000_000]).await;
    for seed in [LENDER, BORROWER] {
        world.fund(&TestWallet::new(seed).payment_script(), Amount::from_sat(1_000_000)).await;
    }
    lend_against_runes(MarketFixture::on(world, Some(gold)).await, gold).await;
}

/// The borrower has 120,000,000 raw units of a rune, and pledges three quarters of them.
pub async fn lend_against_runes<W: World>(fixture: MarketFixture<W>, gold: RuneId) {
    let user = TestWallet::new(BORROWER);
    let counted = fixture.borrower.get(&fixture.rig, "/api/v1/me/rune-balances").await.ok();
    let sums: Vec<&Value> = counted["runes"].as_array().unwrap().iter().collect();
    assert_eq!(sums.len(), 1, "{counted}");
    assert_eq!((&sums[0]["runeId"], &sums[0]["raw"]), (&json!(gold.to_string()), &json!("120000000")), "{counted}");
    fixture.deposit_to_vault(DEPOSITED).await;
    let before = [fixture.balance(LENDER).await, fixture.balance(BORROWER).await];
    let kept = fixture.sats_at(&user.ordinals_script()).await;
    // 200,000 sats against 1,000,000 tokens of 0.5 sats: 40 %.
    let offer = fixture.offer("runes", "frog-pond-open", 200_000, Some(100_000_000)).await;
    let pledged = json!({"fee_rate": 3, "token_amount": "900000"});
    let (loan, txid) = fixture.take("runes", &offer, pledged).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Active]).await;

    let lent = 180_000;
    let (interest, platform) = (lent * 12 / 1_000, lent * 12 / 5_000);
    let origination = fixture.confirmed_transaction(&txid).await;
    let fee = fixture.fee(&origination).await;
    assert_eq!(fixture.runes(BORROWER, gold).await, 30_000_000, "runes that are not pledged return to the borrower");
    fixture.until_balance(DEPOSITED - lent - platform).await;
    assert_eq!(fixture.vault_balance().await, DEPOSITED - lent - platform);
    assert_eq!(fixture.balance(PLATFORM).await, platform);
    assert_eq!(fixture.balance(LENDER).await, before[0], "the vault pays");
    let escrow = origination.output[0].value.to_sat();
    let has = fixture.balance(BORROWER).await + fixture.sats_at(&user.ordinals_script()).await;
    assert_eq!(has, before[1] + kept + lent - fee - escrow);

    let txid = fixture.repay(&loan).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    let fees = fee + fixture.fee(&fixture.confirmed_transaction(&txid).await).await;
    assert_eq!(fixture.runes(BORROWER, gold).await, 120_000_000);
    assert_eq!(fixture.balance(LENDER).await, before[0] + lent + interest);
    let has = fixture.balance(BORROWER).await + fixture.sats_at(&user.ordinals_script()).await;
    assert_eq!(has, before[1] + kept - interest - fees);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_vault_lends_against_an_inscription_which_returns() {
    let fixture = MarketFixture::new().await;
    let frog = fixture.frog().await;
    fixture.deposit_to_vault(DEPOSITED).await;
    let before = [fixture.balance(LENDER).await, fixture.balance(BORROWER).await];
    let offer = fixture.offer("ordinals", "paper-frogs-7d", PRINCIPAL_SATS, None).await;
    let pledged = json!({"fee_rate": 3, "inscription_id": frog.to_string()});
    let (loan, txid) = fixture.take("ordinals", &offer, pledged).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Active]).await;
    let origination = fixture.confirmed_transaction(&txid).await;
    let fee = fixture.fee(&origination).await;
    assert_eq!(fixture.location(frog).await.txid, origination.compute_txid());
    assert!(!fixture.owns_inscription(BORROWER, frog).await);
    fixture.until_balance(DEPOSITED - PRINCIPAL_SATS - PLATFORM_SATS).await;
    assert_eq!(fixture.balance(BORROWER).await, before[1] + PRINCIPAL_SATS - fee);

    let txid = fixture.repay(&loan).await;
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    assert!(fixture.owns_inscription(BORROWER, frog).await);
    assert_eq!(fixture.balance(LENDER).await, before[0] + PRINCIPAL_SATS + INTEREST_SATS);
    let fees = fee + fixture.fee(&fixture.confirmed_transaction(&txid).await).await;
    let kept = fixture.sats_at(&TestWallet::new(BORROWER).ordinals_script()).await;
    assert_eq!(fixture.balance(BORROWER).await + kept, before[1] + POSTAGE_SATS - INTEREST_SATS - fees);
    fixture.rig.server.stop().await;
}
