use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::capability::{HasHeight, Named};
use crate::resilience::{HeightGuard, UpstreamMetrics};

/// An indexer with scripted answers.
struct FakeIndexer {
    name: &'static str,
    /// The heights that it will report in turn; the last one is repeated.
    heights: Mutex<Vec<Result<u32, UpstreamError>>>,
    as_of: Option<u32>,
    available: Result<u128, UpstreamError>,
}

impl FakeIndexer {
    fn new(name: &'static str, heights: &[u32], available: u128) -> Self {
        let heights = Mutex::new(heights.iter().rev().copied().map(Ok).collect());
        Self { name, heights, as_of: None, available: Ok(available) }
    }

    fn broken(name: &'static str) -> Self {
        let heights = Mutex::new(vec![Err(UpstreamError::Status(500))]);
        Self { heights, ..Self::new(name, &[], 0) }
    }
}

impl Named for FakeIndexer {
    fn name(&self) -> &str {
        self.name
    }
}

impl HasHeight for FakeIndexer {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        let mut heights = self.heights.lock().unwrap();
        let height = if heights.len() > 1 { heights.pop().unwrap() } else { heights[0].clone() };
        Box::pin(async { height })
    }
}

impl Brc20 for FakeIndexer {
    fn balance<'a>(&'a self, _: &'a ScriptBuf, _: &'a str) -> UpstreamFuture<'a, AsOf<Brc20Balance>> {
        let balance = self.available.clone().map(|available| Brc20Balance { available, transferable: 0 });
        Box::pin(async { Ok(AsOf { height: self.as_of, value: balance? }) })
    }

    fn note(&self, _: InscriptionId) -> UpstreamFuture<'_, AsOf<Option<TransferInscription>>> {
        let owner = ScriptBuf::from_bytes(vec![u8::try_from(*self.available.as_ref().unwrap()).unwrap()]);
        let note = TransferInscription { ticker: "ordi".to_owned(), amount: 1, owner, is_used: false };
        Box::pin(async { Ok(AsOf { height: self.as_of, value: Some(note) }) })
    }
}

fn quorum(fakes: Vec<FakeIndexer>) -> Brc20Quorum {
    let member = |fake| -> Arc<dyn Brc20> { Arc::new(fake) };
    let members = fakes.into_iter().map(member).collect();
    let guard = HeightGuard { wait: Duration::from_millis(5), ..HeightGuard::default() };
    Brc20Quorum::new(FallbackList::new("BRC-20", members, guard, UpstreamMetrics::new().unwrap()))
}

async fn available(quorum: &Brc20Quorum) -> Result<u128, String> {
    let balance = quorum.balance(100, &ScriptBuf::new(), "ordi").await;
    balance.map(|balance| balance.available).map_err(|error| error.to_string())
}

#[tokio::test]
async fn ownership_of_collateral_requires_agreement_of_all_indexers() {
    let same = quorum(vec![FakeIndexer::new("one", &[100], 5), FakeIndexer::new("two", &[100], 5)]);
    assert_eq!(available(&same).await, Ok(5));
    let disagreeing = quorum(vec![FakeIndexer::new("one", &[100], 5), FakeIndexer::new("two", &[100], 6)]);
    let error = available(&disagreeing).await.unwrap_err();
    assert!(error.contains("one and two disagree on the ordi"), "{error}");
    let id = format!("{}i0", "2".repeat(64)).parse().unwrap();
    assert!(
        matches!(disagreeing.note(100, id).await, Err(AssetError::InvalidResponse(_))),
        "two owners of one transfer inscription"
    );
    assert!(same.note(100, id).await.unwrap().is_some());
}

#[tokio::test]
async fn an_indexer_without_an_answer_is_left_out() {
    let one = quorum(vec![FakeIndexer::broken("one"), FakeIndexer::new("two", &[100], 6)]);
    assert_eq!((one.height(100).await, available(&one).await), (Ok(100), Ok(6)));
    let silent = FakeIndexer { available: Err(UpstreamError::RateLimited), ..FakeIndexer::new("two", &[100], 0) };
    let none = quorum(vec![FakeIndexer::broken("one"), silent]);
    let error = available(&none).await.unwrap_err();
    assert!(error.contains("one: it answers 500; two: its rate limit is reached"), "{error}");
    assert!(available(&quorum(Vec::new())).await.unwrap_err().contains("no BRC-20 indexer is configured"));
}

#[tokio::test]
async fn a_lagging_indexer_is_waited_for_and_then_left_out() {
    let slow = quorum(vec![FakeIndexer::new("slow", &[97, 97, 98], 6), FakeIndexer::new("two", &[100], 5)]);
    assert!(available(&slow).await.unwrap_err().contains("disagree"), "it caught up, and its answer counted");
    let late = quorum(vec![FakeIndexer::new("late", &[97], 6), FakeIndexer::new("two", &[100], 5)]);
    assert_eq!(available(&late).await, Ok(5));
    let ahead = quorum(vec![FakeIndexer::new("ahead", &[103], 6), FakeIndexer::new("two", &[100], 5)]);
    assert_eq!((ahead.height(100).await, available(&ahead).await), (Ok(100), Ok(5)));
}

#[tokio::test]
async fn no_answer_is_older_than_the_reported_height() {
    // A lag of two blocks is tolerated as long as no later block was reported.
    let slow = || FakeIndexer::new("slow", &[99], 6);
    let alone = quorum(vec![slow()]);
    assert_eq!((alone.height(100).await, available(&alone).await), (Ok(99), Ok(6)));
    let beside = quorum(vec![slow(), FakeIndexer::new("two", &[100], 5)]);
    assert_eq!((beside.height(100).await, available(&beside).await), (Ok(100), Ok(5)));
    // One of several machines behind one host name reports which block it knows.
    let lagging = FakeIndexer { as_of: Some(99), ..FakeIndexer::new("one", &[100], 6) };
    let several = quorum(vec![lagging, FakeIndexer::new("two", &[100], 5)]);
    assert_eq!((several.height(100).await, available(&several).await), (Ok(100), Ok(5)));
}

#[tokio::test]
async fn an_indexer_that_has_read_enough_is_not_asked_for_its_height_again() {
    let once = quorum(vec![FakeIndexer {
        heights: Mutex::new(vec![Err(UpstreamError::RateLimited), Ok(100)]),
        ..FakeIndexer::new("one", &[], 5)
    }]);
    assert_eq!(once.height(100).await, Ok(100));
    for _ in 0..3 {
        assert_eq!(available(&once).await, Ok(5));
    }
}
