use std::sync::Mutex;
use std::time::Duration;

use engine::asset_index::Inscribed;
use ordinals::RuneId;

use super::*;
use crate::capability::{AsOf, Heighted, Inscriptions, Named};
use crate::fallback::{HeightGuard, Meters};

/// An indexer that says what it is told to say.
#[derive(Clone)]
struct Puppet(Arc<PuppetParts>);

struct PuppetParts {
    name: &'static str,
    is_ours: bool,
    height: Mutex<Result<u32, Trouble>>,
    /// How many sats come before the inscription in the output, or that there is none.
    offset: Mutex<Result<Option<u64>, Trouble>>,
    runes: Mutex<Vec<(RuneId, u128)>>,
    /// The block that it says its answers are of.
    as_of: Option<u32>,
    asked: Mutex<u32>,
    told_heights: Mutex<u32>,
}

const RUNE: RuneId = RuneId { block: 1, tx: 0 };

fn puppet(name: &'static str, height: u32) -> Puppet {
    Puppet(Arc::new(PuppetParts {
        name,
        is_ours: name == "ord",
        height: Mutex::new(Ok(height)),
        offset: Mutex::new(Ok(Some(7))),
        runes: Mutex::new(vec![(RUNE, 5)]),
        as_of: None,
        asked: Mutex::new(0),
        told_heights: Mutex::new(0),
    }))
}

impl Puppet {
    fn has_read(&self, height: u32) {
        *self.0.height.lock().unwrap() = Ok(height);
    }

    /// It gives no more answers.
    fn leave(&self) {
        *self.0.height.lock().unwrap() = Err(Trouble::Status(500));
        *self.0.offset.lock().unwrap() = Err(Trouble::Status(500));
    }

    /// How often it was asked how far it has read.
    fn told_heights(&self) -> u32 {
        *self.0.told_heights.lock().unwrap()
    }

    /// How often it was asked about outputs and inscriptions.
    fn asked(&self) -> u32 {
        *self.0.asked.lock().unwrap()
    }
}

impl Named for Puppet {
    fn name(&self) -> &str {
        self.0.name
    }

    fn is_ours(&self) -> bool {
        self.0.is_ours
    }
}

impl Heighted for Puppet {
    fn height(&self) -> Told<'_, u32> {
        *self.0.told_heights.lock().unwrap() += 1;
        let height = self.0.height.lock().unwrap().clone();
        Box::pin(async { height })
    }
}

impl Inscriptions for Puppet {
    fn sighting(&self, id: InscriptionId) -> Told<'_, Option<Sighting>> {
        *self.0.asked.lock().unwrap() += 1;
        let offset = self.0.offset.lock().unwrap().clone();
        let seen = move |offset| Sighting { offset_sats: Some(offset), ..Sighting::at(id, outpoint()) };
        Box::pin(async move { Ok(offset?.map(seen)) })
    }
}

impl Runes for Puppet {
    fn runes_in(&self, _: OutPoint) -> Told<'_, AsOf<Vec<(RuneId, u128)>>> {
        *self.0.asked.lock().unwrap() += 1;
        let (height, value) = (self.0.as_of, self.0.runes.lock().unwrap().clone());
        Box::pin(async move { Ok(AsOf { height, value }) })
    }
}

impl Assets for Puppet {
    fn carried_by(&self, _: OutPoint) -> Told<'_, Option<Carried>> {
        let asked = self.sighting(id());
        Box::pin(async move { Ok(asked.await?.map(|_| carried())) })
    }

    fn rune(&self, _: SpacedRune) -> Told<'_, Option<RuneEntry>> {
        Box::pin(async { Ok(None) })
    }
}

fn outpoint() -> OutPoint {
    format!("{}:0", "1".repeat(64)).parse().unwrap()
}

fn id() -> InscriptionId {
    format!("{}i0", "2".repeat(64)).parse().unwrap()
}

fn carried() -> Carried {
    Carried { inscriptions: vec![Inscribed { id: id(), offset: Amount::from_sat(7) }], runes: vec![(RUNE, 5)] }
}

/// These are believed in this order; all but ours can also look again.
fn indexers(puppets: &[&Puppet]) -> AssetIndexers {
    let guard = HeightGuard { wait: Duration::from_millis(5), ..HeightGuard::default() };
    let meters = Meters::new().unwrap();
    let strangers = || puppets.iter().filter(|puppet| !puppet.is_ours());
    let believed = puppets.iter().map(|puppet| -> Arc<dyn Assets> { Arc::new((*puppet).clone()) }).collect();
    let inscriptions = strangers().map(|puppet| -> Arc<dyn InscriptionIndex> { Arc::new((*puppet).clone()) });
    let runes = strangers().map(|puppet| -> Arc<dyn Runes> { Arc::new((*puppet).clone()) });
    AssetIndexers::new(
        Lineup::new("all", believed, guard, meters.clone()),
        Lineup::new("inscriptions", inscriptions.collect(), guard, meters.clone()),
        Lineup::new("runes", runes.collect(), guard, meters),
    )
}

async fn height(indexers: &AssetIndexers, tip: u32) -> Result<u32, AssetError> {
    indexers.height(|| async move { Ok(tip) }).await
}

#[tokio::test]
async fn the_first_is_believed_and_nobody_else_is_asked() {
    let (ord, unisat) = (puppet("ord", 100), puppet("unisat", 100));
    let indexers = indexers(&[&ord, &unisat]);
    assert_eq!(height(&indexers, 101).await, Ok(100));
    assert_eq!(indexers.carried_by(outpoint()).await, Ok(Some(carried())));
    assert_eq!(indexers.place_of(id()).await, Ok(Some((outpoint(), Amount::from_sat(7)))));
    assert_eq!((ord.asked(), unisat.asked()), (2, 0));
}

#[tokio::test]
async fn the_next_stands_in_for_one_who_is_away_or_behind() {
    let (ord, unisat) = (puppet("ord", 100), puppet("unisat", 103));
    let indexers = indexers(&[&ord, &unisat]);
    assert_eq!(height(&indexers, 103).await, Ok(103));
    assert_eq!(indexers.carried_by(outpoint()).await, Ok(Some(carried())));
    assert_eq!((ord.asked(), unisat.asked()), (0, 1), "what is told of block 103 is not asked of one who is at 100");
    ord.has_read(103);
    assert_eq!(height(&indexers, 103).await, Ok(103));
    ord.leave();
    assert_eq!(indexers.carried_by(outpoint()).await, Ok(Some(carried())));
    assert_eq!((ord.asked(), unisat.asked()), (1, 2));
    assert_eq!(height(&indexers, 103).await, Ok(103));
    assert_eq!(indexers.newest().await, Some(103));
}

#[tokio::test]
async fn of_several_that_lag_the_one_that_has_read_most_is_waited_for() {
    let (ord, unisat) = (puppet("ord", 90), puppet("unisat", 95));
    let both = indexers(&[&ord, &unisat]);
    assert_eq!(height(&both, 103).await, Ok(95));
    assert_eq!(indexers(&[&ord]).height(|| async { panic!("nobody asks the node") }).await, Ok(90));
}

#[tokio::test]
async fn one_that_has_read_what_is_not_there_yet_is_not_believed() {
    let (unisat, other) = (puppet("unisat", 110), puppet("other", 99));
    let both = indexers(&[&unisat, &other]);
    assert_eq!(height(&both, 100).await, Ok(99));
    let alone = indexers(&[&unisat]);
    assert!(matches!(height(&alone, 100).await, Err(AssetError::Nonsense(_))));
}

#[tokio::test]
async fn nobodys_answer_is_an_error_that_says_who_was_asked() {
    let (ord, unisat) = (puppet("ord", 100), puppet("unisat", 100));
    ord.leave();
    let alone = indexers(&[&ord]);
    assert_eq!(alone.carried_by(outpoint()).await, Err(AssetError::Unreachable("it answers 500".to_owned())));
    unisat.leave();
    let both = indexers(&[&ord, &unisat]);
    let why = AssetError::Unreachable("no indexer helps: ord: it answers 500; unisat: it answers 500".to_owned());
    assert_eq!(height(&both, 100).await, Err(why.clone()));
    assert_eq!(both.carried_by(outpoint()).await, Err(why));
    assert_eq!(both.newest().await, None);
    assert!(matches!(indexers(&[]).carried_by(outpoint()).await, Err(AssetError::Unreachable(_))));
}

#[tokio::test]
async fn everybody_else_looks_again() {
    let (ord, unisat, other) = (puppet("ord", 100), puppet("unisat", 100), puppet("other", 100));
    let all = indexers(&[&ord, &unisat, &other]);
    height(&all, 100).await.unwrap();
    assert_eq!(all.second_look(100, outpoint(), &carried()).await, Ok(()));
    assert_eq!((ord.asked(), unisat.asked(), other.asked()), (0, 2, 2));
    // Who sees it as the first does is not enough when the last one does not.
    other.0.runes.lock().unwrap().clear();
    assert!(matches!(all.second_look(100, outpoint(), &carried()).await, Err(AssetError::Nonsense(_))));
}

#[tokio::test]
async fn what_somebody_was_told_a_moment_ago_holds_for_everybody() {
    let (ord, unisat) = (puppet("ord", 100), puppet("unisat", 98));
    let both = indexers(&[&ord, &unisat]);
    assert_eq!(height(&both, 100).await, Ok(100));
    ord.leave();
    assert_eq!(height(&both, 100).await, Ok(98));
    assert!(both.carried_by(outpoint()).await.is_err(), "somebody was told of block 100");
    assert_eq!(height(&both, 98).await, Ok(98), "the node has taken blocks back");
    assert_eq!(both.carried_by(outpoint()).await, Ok(Some(carried())));
}

#[tokio::test]
async fn whoever_is_behind_is_waited_for_once_however_much_is_pledged() {
    let (ord, unisat) = (puppet("ord", 100), puppet("unisat", 97));
    let both = indexers(&[&ord, &unisat]);
    height(&both, 100).await.unwrap();
    let heights = unisat.told_heights();
    for _ in 0..5 {
        assert_eq!(both.second_look(100, outpoint(), &carried()).await, Ok(()));
    }
    // For inscriptions and for runes, once and twice again.
    assert_eq!((unisat.told_heights() - heights, unisat.asked()), (6, 0));
}

#[tokio::test]
async fn two_that_see_different_things_are_not_believed() {
    type Change = fn(&Puppet);
    let changes: [(&str, Change); 4] = [
        ("nowhere", |it| *it.0.offset.lock().unwrap() = Ok(None)),
        ("another sat", |it| *it.0.offset.lock().unwrap() = Ok(Some(8))),
        ("no runes", |it| it.0.runes.lock().unwrap().clear()),
        ("less", |it| it.0.runes.lock().unwrap()[0].1 = 4),
    ];
    for (what, change) in changes {
        let (ord, unisat) = (puppet("ord", 100), puppet("unisat", 100));
        change(&unisat);
        let both = indexers(&[&ord, &unisat]);
        height(&both, 100).await.unwrap();
        let look = both.second_look(100, outpoint(), &carried()).await;
        assert!(matches!(look, Err(AssetError::Nonsense(_))), "{what}: {look:?}");
    }
}

#[tokio::test]
async fn where_nobody_else_can_look_one_word_stands() {
    let (ord, unisat) = (puppet("ord", 100), puppet("unisat", 90));
    unisat.0.runes.lock().unwrap().clear();
    let both = indexers(&[&ord, &unisat]);
    height(&both, 100).await.unwrap();
    assert_eq!(both.second_look(100, outpoint(), &carried()).await, Ok(()), "it is behind");
    let parts = PuppetParts {
        as_of: Some(99),
        name: "behind",
        is_ours: false,
        height: Mutex::new(Ok(100)),
        offset: Mutex::new(Ok(Some(7))),
        runes: Mutex::default(),
        asked: Mutex::default(),
        told_heights: Mutex::default(),
    };
    let behind = Puppet(Arc::new(parts));
    let both = indexers(&[&ord, &behind]);
    height(&both, 100).await.unwrap();
    assert_eq!(both.second_look(100, outpoint(), &carried()).await, Ok(()), "one of its machines is");
    assert!(!indexers(&[&ord]).has_witnesses());
}
