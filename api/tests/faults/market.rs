//! The market of a run: its collection, the chain that the nodes see, and the signer's files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bitcoin::Amount;
use devchain::EmbeddedChain;
use domain::{
    Bundle, CollateralType, CollectionGroup, InterestRate, Quantity, Sats, SubCollection, SubCollectionId, TermDays,
    UnitPrice,
};
use lienbook::config::settings::Settings;
use lienbook::server::Server;
use persistence::{Options, PostgresOptions, SledJournal, SynchronousStandbys, export, restore_postgres};
use testkit::embedded_world::Embedded;
use testkit::fake_server::FakeServer;
use testkit::inscriber;
use testkit::test_wallet::TestWallet;
use testkit::world::World as _;
use testkit::{esplora, unisat};

use super::enclosure;
use super::network::Host;
use super::record::Record;
use super::replay::GROUP;

/// The seeds of the wallets of each kind of user.
pub const QUOTERS: std::ops::Range<u8> = 1..5;
pub const VAULT_LENDERS: std::ops::Range<u8> = 11..13;
pub const BORROWERS: std::ops::Range<u8> = 21..24;

/// The deposit into each vault.
pub const DEPOSIT_SATS: u64 = 20_000_000;

/// The price of the collection.
const FLOOR_SATS: u64 = 1_000_000;

/// The value of a coin that holds an inscription.
const POSTAGE_SATS: u64 = 10_000;

/// The number of inscriptions of each borrower.
const INSCRIPTIONS: usize = 3;

/// The address of the platform.
pub const PLATFORM: &str = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

/// The domain in signed messages.
pub const DOMAIN: &str = "lienbook.test";

const POLICY: &str = r#"
network = "regtest"
domain = "lienbook.test"
platform_address = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
platform_fee_max_bps = 2000
grace_seconds = 86400
claim_slack_seconds = 3600
fee_rate_min_sat_per_kwu = 25
fee_rate_max_sat_per_kwu = 250000
offer_age_max_seconds = 2592000

[limits]
loan_max_sats = 10000000
hour_max_sats = 100000000000
hour_max_count = 100000
vault_hour_max_sats = 100000000000
"#;

const TERMS: &str = "
[paper-frogs-7d]
days = 7
interest_bps = 120
";

/// The chain, with the inscriptions of each borrower.
pub struct Market {
    world: Arc<Embedded>,
    pub inscriptions: Vec<Vec<String>>,
}

impl Market {
    /// Creates the chain, and a journal with the collection in a folder.
    pub async fn create(folder: &Path) -> Self {
        let world = Embedded::start_at(now_seconds());
        for (seeds, coins, sats) in
            [(QUOTERS, 4, 20_000_000), (VAULT_LENDERS, 3, DEPOSIT_SATS + 5_000_000), (BORROWERS, 8, 2_000_000)]
        {
            for seed in seeds {
                for _ in 0..coins {
                    world.fund(&TestWallet::new(seed).payment_script(), Amount::from_sat(sats)).await;
                }
            }
        }
        let (mut inscriptions, mut listed) = (Vec::new(), Vec::new());
        for seed in BORROWERS {
            let mut own = Vec::new();
            for _ in 0..INSCRIPTIONS {
                let (id, _) = inscriber::inscribe(&world, &TestWallet::new(seed), 0, POSTAGE_SATS).await;
                own.push(id.to_string());
                listed.push(id.into());
            }
            inscriptions.push(own);
        }
        let any = "127.0.0.1:0".parse().unwrap();
        let settings = Settings { listen: any, data: folder.to_owned(), workers: 1, ..Settings::default() };
        let server = Server::builder(settings).start().await.unwrap();
        let market = server.app().market.clone();
        market.list_group(group()).await.unwrap();
        let price = UnitPrice::from_sats(Sats::new(FLOOR_SATS)).unwrap();
        market.move_price(GROUP, price, server.app().now()).await.unwrap();
        market.list_inscriptions(GROUP, &listed).await.unwrap();
        server.stop().await;
        Self { world: Arc::new(world), inscriptions }
    }

    fn chain(&self) -> EmbeddedChain {
        self.world.node().clone()
    }

    /// Starts the explorers and the indexer that a node asks, on its own loopback; the returned servers end when they are
    /// dropped. The second part is the configuration of the node.
    pub fn serve_chain(&self, node: Host) -> (Vec<FakeServer>, String) {
        let listen = || {
            let listener = node.listen_on_loopback();
            listener.set_nonblocking(true).unwrap();
            tokio::net::TcpListener::from_std(listener).unwrap()
        };
        let servers = vec![
            esplora::explorer_on(listen(), self.chain()),
            esplora::explorer_on(listen(), self.chain()),
            unisat::indexer_on(listen(), self.chain()),
        ];
        let named = servers.iter().zip([("mempool", "first"), ("mempool", "second"), ("unisat", "indexer")]);
        let upstreams = named.map(|(server, (kind, name))| {
            let url = server.url();
            format!("[[upstreams]]\nkind = \"{kind}\"\nname = \"{name}\"\nurl = \"{url}\"\nper_minute = 1000000\n")
        });
        let configuration = upstreams.collect();
        (servers, configuration)
    }

    /// Mines a block whenever transactions wait, until the run is over.
    pub async fn mine(&self, record: &Record) {
        let mut ticks = tokio::time::interval(Duration::from_millis(1_500));
        while !record.is_over.load(Ordering::SeqCst) {
            ticks.tick().await;
            if !self.world.waiting().await.is_empty() {
                self.world.set_time(now_seconds()).await;
                self.world.mine(1).await;
            }
        }
    }
}

/// Copies the journal of a folder into a database that has no standby yet.
pub fn copy_journal(folder: &Path, url: &str) {
    let mut lines = Vec::new();
    export(&SledJournal::open(folder, Options::default()).unwrap(), &mut lines).unwrap();
    let options = PostgresOptions { standbys: SynchronousStandbys::NotRequired, ..PostgresOptions::default() };
    restore_postgres(&url.parse().unwrap(), &options, &mut lines.as_slice(), &mut |_| {}).unwrap();
}

/// The files of the vault signer.
pub struct SignerFiles(PathBuf);

impl SignerFiles {
    /// Writes them, with new keys made by the program `lienbook`.
    pub fn create(lienbook: &Path) -> Self {
        let files = Self(Path::new(enclosure::FOLDER).join("signer"));
        fs::create_dir(&files.0).unwrap();
        fs::write(files.path("policy.toml"), POLICY).unwrap();
        fs::write(files.path("terms.toml"), TERMS).unwrap();
        let mut init = Command::new(lienbook);
        init.args(["signer", "init", "--keys"]).arg(files.path("vault.keys"));
        init.arg("--identity-file").arg(files.path("identity.txt"));
        let made = init.output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The socket.
    pub fn socket(&self) -> PathBuf {
        self.path("signer.sock")
    }

    /// Returns the command that serves it; `lienbook` is the program.
    pub fn serve(&self, lienbook: Command) -> Command {
        let mut command = lienbook;
        command.arg("signer").env_remove("LIENBOOK_SIGNER_PASSPHRASE");
        for (flag, name) in [
            ("--socket", "signer.sock"),
            ("--keys", "vault.keys"),
            ("--record", "signed.jsonl"),
            ("--policy", "policy.toml"),
            ("--terms", "terms.toml"),
            ("--identity-file", "identity.txt"),
        ] {
            command.arg(flag).arg(self.path(name));
        }
        command
    }
}

/// The collection.
pub fn group() -> CollectionGroup {
    let place = SubCollection {
        id: SubCollectionId(0),
        slug: "paper-frogs-7d".parse().unwrap(),
        term: TermDays(7),
        interest: InterestRate::from_basis_points(120),
        bundle: Bundle::Fixed(Quantity::inscriptions(1)),
        manual: true,
        instant: true,
    };
    CollectionGroup {
        id: GROUP,
        slug: "paper-frogs".parse().unwrap(),
        name: "Paper Frogs".into(),
        symbol: "FROG".into(),
        image: "/frogs.svg".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![place],
    }
}

fn now_seconds() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u32::try_from(since.as_secs()).unwrap()
}
