//! The fixture of the market tests: a market with groups, prices and lenders.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Ltv, Nonce, ProcessType, Quantity, Sats,
    SubCollection, SubCollectionId, TermDays, UnitPrice, UnixMs, UserId, WalletAddresses,
};
use engine::{FailStop, Market, NonceUse, Settings, clock::ManualClock, journal::SharedJournal};
use tokio::{task::JoinHandle, time::timeout};

use crate::{fake_journal::FakeJournal, follower::Follower};

/// An arbitrary noon.
pub(crate) const NOON: UnixMs = UnixMs(1_700_049_600_000);
pub(crate) const FROGS: GroupId = GroupId(1);
pub(crate) const GOLD: GroupId = GroupId(2);
pub(crate) const FLOOR: Sats = Sats::new(1_000_000);

/// A running market with its journal and clock.
pub(crate) struct Fixture {
    pub(crate) market: Market,
    pub(crate) journal: FakeJournal,
    pub(crate) clock: Arc<ManualClock>,
    /// The reasons for which the process would have ended.
    pub(crate) ends: Arc<Mutex<Vec<String>>>,
    nonces: AtomicU64,
}

fn sub(id: u16, slug: &str, days: u16, bundle: Bundle, manual: bool) -> SubCollection {
    SubCollection {
        id: SubCollectionId(id),
        slug: slug.parse().unwrap(),
        term: TermDays(days),
        interest: InterestRate::from_basis_points(100 + u32::from(id) * 50),
        bundle,
        manual,
        instant: true,
    }
}

/// Inscriptions in two terms.
pub(crate) fn frogs() -> CollectionGroup {
    let one = Bundle::Fixed(Quantity::inscriptions(1));
    CollectionGroup {
        id: FROGS,
        slug: "frogs".parse().unwrap(),
        name: "Frogs".into(),
        symbol: "FROG".into(),
        image: "/frogs.svg".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![sub(0, "frogs-7d", 7, one, true), sub(1, "frogs-30d", 30, one, true)],
    }
}

/// The same terms in another collection.
pub(crate) fn frogs_named(id: GroupId, name: &str) -> CollectionGroup {
    let slug = name.to_lowercase();
    let mut group = frogs();
    (group.id, group.slug, group.name) = (id, slug.parse().unwrap(), name.into());
    for sub in &mut group.sub_collections {
        sub.slug = sub.slug.to_string().replace("frogs", &slug).parse().unwrap();
    }
    group
}

/// A rune with an open bundle.
pub(crate) fn gold() -> CollectionGroup {
    CollectionGroup {
        id: GOLD,
        slug: "gold".parse().unwrap(),
        name: "Gold".into(),
        symbol: "GOLD".into(),
        image: "/gold.svg".into(),
        external_link: None,
        collateral: CollateralType::Rune {
            rune_id: "840000:1".to_owned(),
            rune_name: "MORE•GOLD".to_owned(),
            decimals: 2,
        },
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![sub(0, "gold-14d", 14, Bundle::Open, false)],
    }
}

/// The price of a group with a floor of `FLOOR`, times `percent` / 100.
pub(crate) fn price(group: GroupId, percent: u64) -> UnitPrice {
    let scaled = if group == FROGS { FLOOR.get() * UnitPrice::ONE_SAT } else { 10 * UnitPrice::ONE_SAT };
    UnitPrice::from_scaled(scaled / 100 * percent)
}

pub(crate) fn addresses(number: u64) -> WalletAddresses {
    WalletAddresses {
        payment_address: format!("bcrt1qlender{number}"),
        payment_pubkey: "02".repeat(33),
        ordinal_address: format!("bcrt1plender{number}"),
        ordinal_pubkey: "ab".repeat(32),
    }
}

/// Settings for tests: the defaults, without delays before publication.
pub(crate) fn settings() -> Settings {
    Settings { epoch: "epoch-1".to_owned(), rank_interval_ms: 0, market_interval_ms: 0, ..Settings::default() }
}

impl Fixture {
    /// Starts a market on a journal with its current contents.
    pub(crate) fn on(journal: FakeJournal, clock: Arc<ManualClock>, settings: Settings) -> Self {
        let ends = Arc::new(Mutex::new(Vec::new()));
        let reasons = Arc::clone(&ends);
        let fail_stop = FailStop::calling(move |reason| reasons.lock().unwrap().push(reason.to_owned()));
        let settings = Settings { fail_stop, ..settings };
        let market = Market::start(Arc::new(journal.clone()), clock.clone(), settings).unwrap();
        Self { market, journal, clock, ends, nonces: AtomicU64::new(1) }
    }

    /// Starts a market that follows the one on a journal.
    pub(crate) fn following(journal: &FakeJournal, clock: Arc<ManualClock>, settings: Settings) -> (Self, Follower) {
        let ends = Arc::new(Mutex::new(Vec::new()));
        let reasons = Arc::clone(&ends);
        let fail_stop = FailStop::calling(move |reason| reasons.lock().unwrap().push(reason.to_owned()));
        let follower = Follower::of(journal);
        let shared: Arc<dyn SharedJournal> = Arc::new(follower.clone());
        let settings = Settings { fail_stop, ..settings };
        let market = Market::start_following(shared, clock.clone(), settings).unwrap();
        let nonces = AtomicU64::new(1 << 32);
        (Self { market, journal: journal.clone(), clock, ends, nonces }, follower)
    }

    /// Starts a new market with two groups and their prices.
    pub(crate) async fn new() -> Self {
        Self::with(settings()).await
    }

    pub(crate) async fn with(settings: Settings) -> Self {
        let fixture = Self::on(FakeJournal::default(), Arc::new(ManualClock::new(NOON)), settings);
        for group in [frogs(), gold()] {
            let id = group.id;
            fixture.market.list_group(group).await.unwrap();
            fixture.market.move_price(id, price(id, 100), NOON).await.unwrap();
        }
        fixture
    }

    /// Restarts the market on the same journal and clock.
    pub(crate) async fn restarted(self) -> Self {
        self.market.stop().await;
        Self::on(self.journal, self.clock, settings())
    }

    /// Returns an unused nonce.
    pub(crate) fn nonce(&self) -> NonceUse {
        let nonce = Nonce(u128::from(self.nonces.fetch_add(1, Ordering::Relaxed)));
        NonceUse { nonce, expires_at: engine::clock::Clock::now(&*self.clock).plus_ms(600_000) }
    }

    /// Signs a user in.
    pub(crate) async fn user(&self, number: u64) -> UserId {
        self.market.sign_in(&addresses(number), self.nonce()).await.unwrap().user
    }

    /// Signs a lender in and fills the vault.
    pub(crate) async fn lender(&self, number: u64, vault: u64) -> UserId {
        let user = self.user(number).await;
        self.market.credit_vault(user, Sats::new(vault)).await.unwrap();
        user
    }
}

/// The public state of a market as text: two markets with equal texts are in the same state.
pub(crate) async fn shown(market: &Market, users: &[UserId]) -> Vec<String> {
    let mut texts = Vec::new();
    for row in market.rows() {
        texts.push(serde_json::to_string(&*row).unwrap());
        let book = market.book(row.id.0).await.unwrap();
        texts.push(format!("{} {}", row.id.0, book.seq));
        texts.push(serde_json::to_string(&(&book.offers, &book.loans)).unwrap());
        for range in engine::PriceRange::ALL {
            texts.push(serde_json::to_string(&market.price_history(row.id.0, range).await.unwrap()).unwrap());
        }
    }
    for user in users {
        texts.push(serde_json::to_string(&market.my_offers(*user).await.unwrap()).unwrap());
        texts.push(format!("{:?} {:?}", market.account(*user).await, market.vault(*user).await));
    }
    texts
}

/// Runs work concurrently with the test.
pub(crate) fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    tokio::spawn(work)
}

/// Waits long enough for background work to happen; used only to show that something does not.
pub(crate) async fn short_delay() {
    tokio::time::sleep(Duration::from_millis(30)).await;
}

/// Waits for a condition that must become true.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    until_read(what, async || is_so()).await;
}

/// Waits until a read of the market shows something.
pub(crate) async fn until_read(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(timeout(Duration::from_secs(90), wait).await.is_ok(), "timed out waiting until {what}");
}

pub(crate) const fn percent(percent: u32) -> Ltv {
    Ltv::from_basis_points(percent * 100)
}

pub(crate) const MANUAL: ProcessType = ProcessType::Manual;
pub(crate) const INSTANT: ProcessType = ProcessType::Instant;
