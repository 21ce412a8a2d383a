//! Tests of the server without its own node and ord: on two public explorers and a public indexer.

use std::num::NonZeroU32;

use bitcoin::Amount;
use lienbook::config::settings::Settings;
use lienbook::config::upstream_settings::{UpstreamKind, UpstreamSettings};
use ordinals::RuneId;
use serde_json::json;

use super::fixture::{MarketFixture, PRINCIPAL_SATS, fund_users, now_seconds};
use super::instant_loans::lend_against_runes;
use super::manual_loans::lend_against_a_frog;
use super::transfer_inscription_loans::lend_against_a_transfer_inscription;
use super::users::{BORROWER, LENDER, addresses};
use testkit::embedded_world::Embedded;
use testkit::fake_server::FakeServer;
use testkit::test_wallet::TestWallet;
use testkit::world::World as _;
use testkit::{esplora, etcher, unisat};

/// Public upstreams that show one chain.
struct PublicUpstreams {
    explorers: [FakeServer; 2],
    indexer: FakeServer,
}

impl PublicUpstreams {
    async fn of(world: &Embedded) -> Self {
        let chain = world.node();
        let explorers = [esplora::explorer(chain.clone()).await, esplora::explorer(chain.clone()).await];
        Self { explorers, indexer: unisat::indexer(chain.clone()).await }
    }

    /// Configures a server to use them, and nothing else.
    fn configure(&self, settings: &mut Settings) {
        let [mempool, own] = &self.explorers;
        let of = |kind, name: &str, stand: &FakeServer| UpstreamSettings {
            kind,
            name: Some(name.to_owned()),
            url: Some(stand.url()),
            key_variable: None,
            per_minute: NonZeroU32::new(1_000_000),
        };
        settings.upstreams = vec![
            of(UpstreamKind::Mempool, "first", mempool),
            of(UpstreamKind::Mempool, "second", own),
            of(UpstreamKind::Unisat, "indexer", &self.indexer),
        ];
    }
}

/// A server on public upstreams, and users with money.
async fn fixture() -> (PublicUpstreams, MarketFixture<Embedded>) {
    let world = Embedded::start_at(now_seconds());
    fund_users(&world).await;
    fixture_on(world, None).await
}

async fn fixture_on(world: Embedded, rune: Option<RuneId>) -> (PublicUpstreams, MarketFixture<Embedded>) {
    let upstreams = PublicUpstreams::of(&world).await;
    let fixture = MarketFixture::with_settings(world, |settings| upstreams.configure(settings), rune).await;
    (upstreams, fixture)
}

#[actix_web::test]
async fn a_loan_against_an_inscription_is_repaid_without_a_node() {
    let (_upstreams, fixture) = Box::pin(fixture()).await;
    Box::pin(lend_against_a_frog(fixture)).await;
}

#[actix_web::test]
async fn a_loan_against_a_note_is_repaid_without_a_node() {
    let (_upstreams, fixture) = Box::pin(fixture()).await;
    Box::pin(lend_against_a_transfer_inscription(fixture)).await;
}

#[actix_web::test]
async fn a_loan_against_runes_is_repaid_without_a_node() {
    let world = Embedded::start_at(now_seconds());
    let (gold, _) = etcher::etch(&world, &TestWallet::new(BORROWER), [70_000_000, 50_000_000]).await;
    for seed in [LENDER, BORROWER] {
        world.fund(&TestWallet::new(seed).payment_script(), Amount::from_sat(1_000_000)).await;
    }
    let (_upstreams, fixture) = Box::pin(fixture_on(world, Some(gold))).await;
    Box::pin(lend_against_runes(fixture, gold)).await;
}

#[actix_web::test]
async fn one_explorer_replaces_the_other_and_the_only_indexer_has_no_replacement() {
    let (upstreams, fixture) = Box::pin(fixture()).await;
    let frog = fixture.frog().await;
    let offers = fixture.lender.quote(&fixture.rig, "paper-frogs-7d", PRINCIPAL_SATS, 1).await;
    let request_body = json!({"offerId": offers[0], "inscriptionId": frog.to_string(), "feeRate": 3});
    let request_body = addresses(&fixture.borrower, request_body);
    let prepare = async || fixture.borrower.post(&fixture.rig, "/api/v1/loans/manual/prepare", &request_body).await;
    upstreams.indexer.set_unavailable(true);
    prepare().await.refused(503, "indexer_unavailable");
    upstreams.indexer.set_unavailable(false);
    for explorer in &upstreams.explorers {
        explorer.set_unavailable(true);
    }
    prepare().await.refused(503, "node_unavailable");
    upstreams.explorers[1].set_unavailable(false);
    // The circuit breaker stays open for a while after failures.
    let started = std::time::Instant::now();
    loop {
        let answer = prepare().await;
        if answer.status.is_success() {
            break;
        }
        assert!(started.elapsed() < super::fixture::TIMEOUT, "{} {}", answer.status, answer.body);
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
    fixture.rig.server.stop().await;
}
