use std::sync::Mutex;
use std::time::Duration;

use engine::asset_index::Inscribed;
use ordinals::RuneId;

use super::*;
use crate::capability::{AsOf, HasHeight, Inscriptions, Named};
use crate::resilience::{HeightGuard, UpstreamMetrics};

/// An indexer with scripted answers.
#[derive(Clone)]
struct FakeIndexer(Arc<FakeIndexerState>);

struct FakeIndexerState {
    name: &'static str,
    is_self_hosted: bool,
    height: Mutex<Result<u32, UpstreamError>>,
    /// The number of sats before the inscription in the output; `None` when there is no inscription.
    offset: Mutex<Result<Option<u64>, UpstreamError>>,
    runes: Mutex<Vec<(RuneId, u128)>>,
    /// The block that its answers are reported to be of.
    as_of: Option<u32>,
    asked: Mutex<u32>,
    height_requests: Mutex<u32>,
}

const RUNE: RuneId = RuneId { block: 1, tx: 0 };

fn fake_indexer(name: &'static str, height: u32) -> FakeIndexer {
    FakeIndexer(Arc::new(FakeIndexerState {
        name,
        is_self_hosted: name == "ord",
        height: Mutex::new(Ok(height)),
        offset: Mutex::new(Ok(Some(7))),
        runes: Mutex::new(vec![(RUNE, 5)]),
        as_of: None,
        asked: Mutex::new(0),
        height_requests: Mutex::new(0),
    }))
}

impl FakeIndexer {
    fn has_read(&self, height: u32) {
        *self.0.height.lock().unwrap() = Ok(height);
    }

    /// Makes it give no more answers.
    fn go_down(&self) {
        *self.0.height.lock().unwrap() = Err(UpstreamError::Status(500));
        *self.0.offset.lock().unwrap() = Err(UpstreamError::Status(500));
    }

    /// The number of times that its height was requested.
    fn height_requests(&self) -> u32 {
        *self.0.height_requests.lock().unwrap()
    }

    /// The number of times that it was asked about outputs and inscriptions.
    fn asked(&self) -> u32 {
        *self.0.asked.lock().unwrap()
    }
}

impl Named for FakeIndexer {
    fn name(&self) -> &str {
        self.0.name
    }

    fn is_self_hosted(&self) -> bool {
        self.0.is_self_hosted
    }
}

impl HasHeight for FakeIndexer {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        *self.0.height_requests.lock().unwrap() += 1;
        let height = self.0.height.lock().unwrap().clone();
        Box::pin(async { height })
    }
}

impl Inscriptions for FakeIndexer {
    fn inscription(&self, id: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>> {
        *self.0.asked.lock().unwrap() += 1;
        let offset = self.0.offset.lock().unwrap().clone();
        let seen =
            move |offset| InscriptionDetails { offset_sats: Some(offset), ..InscriptionDetails::at(id, outpoint()) };
        Box::pin(async move { Ok(offset?.map(seen)) })
    }
}

impl Runes for FakeIndexer {
    fn runes_in(&self, _: OutPoint) -> UpstreamFuture<'_, AsOf<Vec<(RuneId, u128)>>> {
        *self.0.asked.lock().unwrap() += 1;
        let (height, value) = (self.0.as_of, self.0.runes.lock().unwrap().clone());
        Box::pin(async move { Ok(AsOf { height, value }) })
    }
}

impl Assets for FakeIndexer {
    fn carried_by(&self, _: OutPoint) -> UpstreamFuture<'_, Option<OutputAssets>> {
        let asked = self.inscription(id());
        Box::pin(async move { Ok(asked.await?.map(|_| carried())) })
    }

    fn rune(&self, _: SpacedRune) -> UpstreamFuture<'_, Option<RuneEntry>> {
        Box::pin(async { Ok(None) })
    }
}

fn outpoint() -> OutPoint {
    format!("{}:0", "1".repeat(64)).parse().unwrap()
}

fn id() -> InscriptionId {
    format!("{}i0", "2".repeat(64)).parse().unwrap()
}

fn carried() -> OutputAssets {
    OutputAssets { inscriptions: vec![Inscribed { id: id(), offset: Amount::from_sat(7) }], runes: vec![(RUNE, 5)] }
}

/// The indexers are asked in this order; all but our own can also cross-check.
fn indexers(fakes: &[&FakeIndexer]) -> AssetIndexers {
    let guard = HeightGuard { wait: Duration::from_millis(5), ..HeightGuard::default() };
    let meters = UpstreamMetrics::new().unwrap();
    let external = || fakes.iter().filter(|fake| !fake.is_self_hosted());
    let ordered = fakes.iter().map(|fake| -> Arc<dyn Assets> { Arc::new((*fake).clone()) }).collect();
    let inscriptions = external().map(|fake| -> Arc<dyn InscriptionIndex> { Arc::new((*fake).clone()) });
    let runes = external().map(|fake| -> Arc<dyn Runes> { Arc::new((*fake).clone()) });
    AssetIndexers::new(
        FallbackList::new("all", ordered, guard, meters.clone()),
        FallbackList::new("inscriptions", inscriptions.collect(), guard, meters.clone()),
        FallbackList::new("runes", runes.collect(), guard, meters),
    )
}

async fn height(indexers: &AssetIndexers, tip: u32) -> Result<u32, AssetError> {
    indexers.height(|| async move { Ok(tip) }).await
}

#[tokio::test]
async fn the_first_indexer_answers_and_no_other_is_asked() {
    let (ord, unisat) = (fake_indexer("ord", 100), fake_indexer("unisat", 100));
    let indexers = indexers(&[&ord, &unisat]);
    assert_eq!(height(&indexers, 101).await, Ok(100));
    assert_eq!(indexers.carried_by(outpoint()).await, Ok(Some(carried())));
    assert_eq!(indexers.place_of(id()).await, Ok(Some((outpoint(), Amount::from_sat(7)))));
    assert_eq!((ord.asked(), unisat.asked()), (2, 0));
}

#[tokio::test]
async fn the_next_indexer_replaces_one_that_is_down_or_behind() {
    let (ord, unisat) = (fake_indexer("ord", 100), fake_indexer("unisat", 103));
    let indexers = indexers(&[&ord, &unisat]);
    assert_eq!(height(&indexers, 103).await, Ok(103));
    assert_eq!(indexers.carried_by(outpoint()).await, Ok(Some(carried())));
    assert_eq!((ord.asked(), unisat.asked()), (0, 1), "an indexer at 100 is not asked about block 103");
    ord.has_read(103);
    assert_eq!(height(&indexers, 103).await, Ok(103));
    ord.go_down();
    assert_eq!(indexers.carried_by(outpoint()).await, Ok(Some(carried())));
    assert_eq!((ord.asked(), unisat.asked()), (1, 2));
    assert_eq!(height(&indexers, 103).await, Ok(103));
    assert_eq!(indexers.first_height().await, Some(103));
}

#[tokio::test]
async fn of_several_indexers_that_lag_the_height_of_the_furthest_counts() {
    let (ord, unisat) = (fake_indexer("ord", 90), fake_indexer("unisat", 95));
    let both = indexers(&[&ord, &unisat]);
    assert_eq!(height(&both, 103).await, Ok(95));
    assert_eq!(indexers(&[&ord]).height(|| async { panic!("the node is not asked") }).await, Ok(90));
}

#[tokio::test]
async fn an_indexer_ahead_of_the_node_is_skipped() {
    let (unisat, other) = (fake_indexer("unisat", 110), fake_indexer("other", 99));
    let both = indexers(&[&unisat, &other]);
    assert_eq!(height(&both, 100).await, Ok(99));
    let alone = indexers(&[&unisat]);
    assert!(matches!(height(&alone, 100).await, Err(AssetError::InvalidResponse(_))));
}

#[tokio::test]
async fn no_answer_is_an_error_that_names_the_indexers_asked() {
    let (ord, unisat) = (fake_indexer("ord", 100), fake_indexer("unisat", 100));
    ord.go_down();
    let alone = indexers(&[&ord]);
    assert_eq!(alone.carried_by(outpoint()).await, Err(AssetError::Unreachable("it answers 500".to_owned())));
    unisat.go_down();
    let both = indexers(&[&ord, &unisat]);
    let why = AssetError::Unreachable("all indexers failed: ord: it answers 500; unisat: it answers 500".to_owned());
    assert_eq!(height(&both, 100).await, Err(why.clone()));
    assert_eq!(both.carried_by(outpoint()).await, Err(why));
    assert_eq!(both.first_height().await, None);
    assert!(matches!(indexers(&[]).carried_by(outpoint()).await, Err(AssetError::Unreachable(_))));
}

#[tokio::test]
async fn all_other_indexers_cross_check() {
    let (ord, unisat, other) = (fake_indexer("ord", 100), fake_indexer("unisat", 100), fake_indexer("other", 100));
    let all = indexers(&[&ord, &unisat, &other]);
    height(&all, 100).await.unwrap();
    assert_eq!(all.cross_check(100, outpoint(), &carried()).await, Ok(()));
    assert_eq!((ord.asked(), unisat.asked(), other.asked()), (0, 2, 2));
    // Agreement of one indexer is not enough when another one disagrees.
    other.0.runes.lock().unwrap().clear();
    assert!(matches!(all.cross_check(100, outpoint(), &carried()).await, Err(AssetError::InvalidResponse(_))));
}

#[tokio::test]
async fn no_answer_is_older_than_a_height_that_was_reported() {
    let (ord, unisat) = (fake_indexer("ord", 100), fake_indexer("unisat", 98));
    let both = indexers(&[&ord, &unisat]);
    assert_eq!(height(&both, 100).await, Ok(100));
    ord.go_down();
    assert_eq!(height(&both, 100).await, Ok(98));
    assert!(both.carried_by(outpoint()).await.is_err(), "block 100 was reported");
    assert_eq!(height(&both, 98).await, Ok(98), "the node has disconnected blocks");
    assert_eq!(both.carried_by(outpoint()).await, Ok(Some(carried())));
}

#[tokio::test]
async fn a_lagging_indexer_is_waited_for_once_however_much_is_pledged() {
    let (ord, unisat) = (fake_indexer("ord", 100), fake_indexer("unisat", 97));
    let both = indexers(&[&ord, &unisat]);
    height(&both, 100).await.unwrap();
    let heights = unisat.height_requests();
    for _ in 0..5 {
        assert_eq!(both.cross_check(100, outpoint(), &carried()).await, Ok(()));
    }
    // Inscriptions and runes: one request and two retries each.
    assert_eq!((unisat.height_requests() - heights, unisat.asked()), (6, 0));
}

#[tokio::test]
async fn a_disagreement_between_indexers_is_an_error() {
    type Change = fn(&FakeIndexer);
    let changes: [(&str, Change); 4] = [
        ("nowhere", |it| *it.0.offset.lock().unwrap() = Ok(None)),
        ("another sat", |it| *it.0.offset.lock().unwrap() = Ok(Some(8))),
        ("no runes", |it| it.0.runes.lock().unwrap().clear()),
        ("less", |it| it.0.runes.lock().unwrap()[0].1 = 4),
    ];
    for (what, change) in changes {
        let (ord, unisat) = (fake_indexer("ord", 100), fake_indexer("unisat", 100));
        change(&unisat);
        let both = indexers(&[&ord, &unisat]);
        height(&both, 100).await.unwrap();
        let checked = both.cross_check(100, outpoint(), &carried()).await;
        assert!(matches!(checked, Err(AssetError::InvalidResponse(_))), "{what}: {checked:?}");
    }
}

#[tokio::test]
async fn without_a_cross_check_the_answer_of_one_indexer_stands() {
    let (ord, unisat) = (fake_indexer("ord", 100), fake_indexer("unisat", 90));
    unisat.0.runes.lock().unwrap().clear();
    let both = indexers(&[&ord, &unisat]);
    height(&both, 100).await.unwrap();
    assert_eq!(both.cross_check(100, outpoint(), &carried()).await, Ok(()), "it is behind");
    let parts = FakeIndexerState {
        as_of: Some(99),
        name: "behind",
        is_self_hosted: false,
        height: Mutex::new(Ok(100)),
        offset: Mutex::new(Ok(Some(7))),
        runes: Mutex::default(),
        asked: Mutex::default(),
        height_requests: Mutex::default(),
    };
    let behind = FakeIndexer(Arc::new(parts));
    let both = indexers(&[&ord, &behind]);
    height(&both, 100).await.unwrap();
    assert_eq!(both.cross_check(100, outpoint(), &carried()).await, Ok(()), "one of its machines is behind");
    assert!(!indexers(&[&ord]).can_cross_check());
}
