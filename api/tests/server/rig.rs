//! The fixture of these tests: a server for each test.

use std::ops::ControlFlow;

use bitcoin::Network;
use devchain::EmbeddedChain;
use domain::{
    AccountEvent, Bundle, CollateralType, CollectionGroup, Event, GroupId, InterestRate, Quantity, Sats, Stream,
    SubCollection, SubCollectionId, TermDays, UnitPrice,
};
use engine::journal::{Append, Batch, Journal as _};
use lienbook::app::App;
use lienbook::clock;
use lienbook::config::delivery_settings::DeliverySetup;
use lienbook::config::quotas::Quotas;
use lienbook::config::settings::Settings;
use lienbook::node::Node;
use lienbook::server::Server;
use persistence::{Options, SledJournal, WholeJournal as _};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;
use simulator::DemoMarket;
use tempfile::TempDir;

use super::described;

/// The floor of the inscriptions: 0.01 BTC.
pub const FLOOR_SATS: u64 = 1_000_000;

pub struct Rig {
    pub server: Server,
    pub folder: TempDir,
    pub base: String,
    pub http: reqwest::Client,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("none")
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.body);
        self.body
    }

    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status.as_u16(), self.code()), (status, code), "{}", self.body);
    }
}

pub fn settings(folder: &TempDir) -> Settings {
    let quotas = Quotas { sign_ins_per_minute: 100_000, writes_per_minute: 100_000, ..Quotas::default() };
    let listen = "127.0.0.1:0".parse().unwrap();
    Settings {
        listen,
        data: folder.path().to_owned(),
        workers: 1,
        quotas,
        network: Network::Regtest,
        signer_in_process: true,
        ..Settings::default()
    }
}

impl Rig {
    /// A server with three groups and their prices.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub async fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(&folder);
        change(&mut settings);
        let rig = Self::start_in(folder, settings).await;
        rig.list_groups().await;
        rig
    }

    /// The same for a market that notifies users outside of the app; the folder may have a market already.
    pub async fn start_with_delivery(folder: TempDir, settings: Settings, delivery: DeliverySetup) -> Self {
        let server = Box::pin(Server::builder(settings).delivery(delivery).node(None).start()).await.unwrap();
        let rig = Self::new(server, folder);
        if rig.app().market.groups().is_empty() {
            rig.list_groups().await;
        }
        rig
    }

    async fn list_groups(&self) {
        for group in groups() {
            let id = group.id;
            self.app().market.list_group(group).await.unwrap();
            self.app().market.move_price(id, price(id), self.app().now()).await.unwrap();
        }
    }

    pub async fn start_in(folder: TempDir, settings: Settings) -> Self {
        let server = Box::pin(Server::builder(settings).start()).await.unwrap();
        Self::new(server, folder)
    }

    /// An empty market on the test's own chain.
    pub async fn start_on(chain: EmbeddedChain) -> Self {
        Self::start_on_with(chain, |_| {}).await
    }

    pub async fn start_on_with(chain: EmbeddedChain, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let node = Some(Node::Embedded(chain.into()));
        let mut settings = settings(&folder);
        change(&mut settings);
        let server = Box::pin(Server::builder(settings).node(node).start()).await.unwrap();
        Self::new(server, folder)
    }

    /// A simulated market on its own chain.
    pub async fn start_demo(demo: DemoMarket, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(&folder);
        change(&mut settings);
        let server = Box::pin(Server::builder(settings).demo(Some(demo)).start()).await.unwrap();
        Self::new(server, folder)
    }

    /// Stops a simulated market and starts it again.
    pub async fn restart_demo(self, demo: DemoMarket, change: impl FnOnce(&mut Settings)) -> Self {
        let Self { server, folder, .. } = self;
        let mut settings = server.app().settings.clone();
        server.stop().await;
        change(&mut settings);
        let server = Box::pin(Server::builder(settings).demo(Some(demo)).start()).await.unwrap();
        Self::new(server, folder)
    }

    pub fn new(server: Server, folder: TempDir) -> Self {
        let base = format!("http://{}", server.address);
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { server, folder, base, http }
    }

    /// Stops the server and starts another on the same folder.
    pub async fn restart(self) -> Self {
        let Self { server, folder, .. } = self;
        let settings = server.app().settings.clone();
        server.stop().await;
        Self::start_in(folder, settings).await
    }

    /// Stops the server, and starts another on the same folder after an event of the accounts.
    pub async fn restart_after(self, event: AccountEvent) -> Self {
        let Self { server, folder, .. } = self;
        let settings = server.app().settings.clone();
        server.stop().await;
        let journal = SledJournal::open(folder.path(), Options::default()).unwrap();
        let after = journal.replay(Stream::Accounts, 0, &mut |_| {}).unwrap();
        let append = Append { stream: Stream::Accounts, after, events: vec![Event::Account(event)] };
        journal.append(Batch { at: clock::now(), appends: vec![append] }).await.unwrap().unwrap();
        journal.close();
        drop(journal);
        Self::start_in(folder, settings).await
    }

    pub fn app(&self) -> &App {
        self.server.app()
    }

    /// The number of events in the journal.
    pub fn events(&self) -> u64 {
        self.app().journal.replay_whole(&mut |_, _| ControlFlow::Continue(())).unwrap()
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Sends a request and checks it and the response against the API description.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let request = request.build().unwrap();
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let sent = request.body().and_then(|body| body.as_bytes()).and_then(|bytes| serde_json::from_slice(bytes).ok());
        let response = self.http.execute(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await.unwrap();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        described::check(&method, &path, sent.as_ref(), status, &body);
        Answer { status, headers, body }
    }

    /// A page of the metrics listener.
    pub async fn get_metrics(&self, path: &str) -> reqwest::Response {
        self.http.get(format!("http://{}{path}", self.server.metrics_address)).send().await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }
}

pub fn price(id: GroupId) -> UnitPrice {
    match id.0 {
        1 => UnitPrice::from_sats(Sats::new(FLOOR_SATS)).unwrap(),
        // 0.5 sats a rune and 20 sats a BRC-20 token.
        2 => UnitPrice::from_scaled(50_000_000),
        _ => UnitPrice::from_scaled(2_000_000_000),
    }
}

pub fn groups() -> Vec<CollectionGroup> {
    let rune =
        CollateralType::Rune { rune_id: "840000:1".to_owned(), rune_name: "FROG•POND".to_owned(), decimals: 2 };
    let brc20 = CollateralType::Brc20 { ticker: "newt".to_owned(), decimals: 18 };
    let one = Bundle::Fixed(Quantity::inscriptions(1));
    let runes = Bundle::Fixed(Quantity::tokens(100_000_000, 2));
    let newts = Bundle::Fixed(Quantity::tokens(10_000_000_000_000_000_000_000, 18));
    vec![
        group(1, "paper-frogs", CollateralType::Inscription, &[("7d", one, true, true), ("30d", one, true, true)]),
        group(2, "frog-pond", rune, &[("bundle", runes, true, false), ("open", Bundle::Open, false, true)]),
        group(3, "newt", brc20, &[("bundle", newts, true, false)]),
    ]
}

fn group(id: u32, slug: &str, collateral: CollateralType, places: &[(&str, Bundle, bool, bool)]) -> CollectionGroup {
    let place = |(index, (name, bundle, manual, instant)): (usize, &(&str, Bundle, bool, bool))| SubCollection {
        id: SubCollectionId(u16::try_from(index).unwrap()),
        slug: format!("{slug}-{name}").parse().unwrap(),
        term: TermDays(if index == 0 { 7 } else { 30 }),
        interest: InterestRate::from_basis_points(120),
        bundle: *bundle,
        manual: *manual,
        instant: *instant,
    };
    CollectionGroup {
        id: GroupId(id),
        slug: slug.parse().unwrap(),
        name: slug.replace('-', " ").into(),
        symbol: slug.to_uppercase().into(),
        image: format!("/collection-images/{slug}.svg").into(),
        external_link: None,
        collateral,
        points_multiplier: 10,
        is_lending_allowed: true,
        sub_collections: places.iter().enumerate().map(place).collect(),
    }
}
