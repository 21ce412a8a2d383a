use std::sync::Arc;

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, ScriptBuf, TxOut};
use engine::chain::{ChainPosition, TxRejection};

use super::*;
use crate::capability::{Fees, HasHeight, Named, RecommendedFees};
use crate::chain::acceptance::Acceptance;
use crate::resilience::UpstreamMetrics;

/// The answer of an explorer, or its error.
type Scripted<T> = Result<T, UpstreamError>;

/// An explorer with scripted answers.
struct FakeExplorer {
    name: &'static str,
    answers: Mutex<Answers>,
}

#[derive(Clone)]
struct Answers {
    height: Scripted<u32>,
    /// The fork that it reads: forks have different hashes.
    fork: u8,
    output: Scripted<Option<Unspent>>,
    presence: Scripted<Option<ChainPosition>>,
    acceptance: Scripted<Acceptance>,
}

impl FakeExplorer {
    fn at(name: &'static str, height: u32) -> Arc<Self> {
        let (output, presence, acceptance) =
            (Ok(Some(unspent(5_000, 7))), Ok(Some(ChainPosition::InMempool)), Ok(Ok(())));
        Arc::new(Self {
            name,
            answers: Mutex::new(Answers { height: Ok(height), fork: 0, output, presence, acceptance }),
        })
    }

    /// Changes its answers from now on.
    fn change(&self, change: impl FnOnce(&mut Answers)) {
        change(&mut self.answers.lock().unwrap());
    }

    fn answers(&self) -> Answers {
        self.answers.lock().unwrap().clone()
    }
}

impl Named for FakeExplorer {
    fn name(&self) -> &str {
        self.name
    }
}

impl HasHeight for FakeExplorer {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        Box::pin(async { self.answers().height })
    }
}

impl Fees for FakeExplorer {
    fn fees(&self) -> UpstreamFuture<'_, RecommendedFees> {
        let advice =
            RecommendedFees { fastest_milli: 4_000, half_hour_milli: 3_000, hour_milli: 2_000, minimum_milli: 100 };
        Box::pin(async move { self.answers().height.map(|_| advice) })
    }
}

impl Blocks for FakeExplorer {
    fn tip(&self) -> UpstreamFuture<'_, Tip> {
        Box::pin(async {
            let Answers { height, fork, .. } = self.answers();
            height.map(|height| Tip { height, hash: hash(height, fork), median_time_seconds: 600 * height })
        })
    }

    fn block_hash(&self, height: u32) -> UpstreamFuture<'_, Option<BlockHash>> {
        Box::pin(async move {
            let Answers { height: own, fork, .. } = self.answers();
            own.map(|own| (height <= own).then(|| hash(height, fork)))
        })
    }

    fn median_time(&self, block: BlockHash) -> UpstreamFuture<'_, Option<u32>> {
        Box::pin(async move {
            let Answers { height, fork, .. } = self.answers();
            height.map(|own| (0..=own).find(|height| hash(*height, fork) == block).map(|height| 600 * height))
        })
    }

    fn transactions_of(&self, block: BlockHash) -> UpstreamFuture<'_, Option<Vec<Transaction>>> {
        Box::pin(async move { Ok(self.median_time(block).await?.map(|_| Vec::new())) })
    }

    fn transaction(&self, _: Txid) -> UpstreamFuture<'_, Option<KnownTransaction>> {
        Box::pin(async {
            Ok(self.answers().presence?.map(|position| KnownTransaction { transaction: payment(), position }))
        })
    }

    fn unspent(&self, _: OutPoint, _: Spenders) -> UpstreamFuture<'_, AsOf<Option<Unspent>>> {
        Box::pin(async {
            let Answers { height, output, .. } = self.answers();
            Ok(AsOf { height: Some(height?), value: output? })
        })
    }

    fn test<'a>(&'a self, _: &'a [Transaction]) -> UpstreamFuture<'a, Acceptance> {
        Box::pin(async { self.answers().acceptance })
    }

    fn submit<'a>(&'a self, _: &'a [Transaction]) -> UpstreamFuture<'a, Acceptance> {
        Box::pin(async { self.answers().acceptance })
    }
}

fn hash(height: u32, fork: u8) -> BlockHash {
    let mut bytes = [fork; 32];
    bytes[..4].copy_from_slice(&height.to_le_bytes());
    BlockHash::from_byte_array(bytes)
}

fn payment() -> Transaction {
    let (version, lock_time) = (bitcoin::transaction::Version::TWO, bitcoin::absolute::LockTime::ZERO);
    Transaction { version, lock_time, input: Vec::new(), output: Vec::new() }
}

fn unspent(sats: u64, confirmations: u32) -> Unspent {
    let output = TxOut { value: Amount::from_sat(sats), script_pubkey: ScriptBuf::new() };
    Unspent { output, confirmations, is_coinbase: false }
}

fn chain_with(fakes: &[Arc<FakeExplorer>], quiet_max: Duration) -> ExplorerChain {
    let member = |fake: &Arc<FakeExplorer>| -> Arc<dyn Blocks> { fake.clone() };
    let guard = HeightGuard::default();
    let upstreams =
        FallbackList::new("blocks", fakes.iter().map(member).collect(), guard, UpstreamMetrics::new().unwrap());
    ExplorerChain::with_quiet_max(upstreams, guard, quiet_max)
}

fn chain(fakes: &[Arc<FakeExplorer>]) -> ExplorerChain {
    chain_with(fakes, QUIET_MAX)
}

async fn height(chain: &ExplorerChain) -> Result<u32, ChainError> {
    chain.tip().await.map(|tip| tip.height)
}

fn reason(outcome: Result<(), ChainError>) -> String {
    match outcome {
        Err(ChainError::Rejected(TxRejection { reason, .. })) => reason,
        other => panic!("{other:?}"),
    }
}

fn refused(reason: &str) -> Acceptance {
    Err(TxRejection { txid: Txid::all_zeros(), reason: reason.to_owned() })
}

fn timeout() -> UpstreamError {
    UpstreamError::Unreachable("too slow".to_owned())
}

#[tokio::test]
async fn the_tip_never_goes_back_because_another_explorer_is_asked() {
    let (one, two) = (FakeExplorer::at("one", 100), FakeExplorer::at("two", 99));
    let chain = chain(&[one.clone(), two.clone()]);
    assert_eq!(height(&chain).await, Ok(100));
    one.change(|answers| (answers.height, answers.presence) = (Err(timeout()), Err(timeout())));
    assert_eq!(height(&chain).await, Ok(100), "two has not read it yet");
    assert!(chain.transaction(Txid::all_zeros()).await.unwrap().is_some(), "its answer is still accepted");
    two.change(|answers| answers.height = Ok(97));
    let error = height(&chain).await.unwrap_err().to_string();
    assert!(error.contains("one: no answer: too slow; two: it has read up to block 97, and block 100"), "{error}");
    assert!(matches!(chain.transaction(Txid::all_zeros()).await, Err(ChainError::Unreachable(_))));
    two.change(|answers| answers.height = Ok(101));
    assert_eq!(height(&chain).await, Ok(101));
    two.change(|answers| answers.fork = 1);
    assert_eq!(chain.tip().await.unwrap().hash, hash(101, 1), "a reorg is reported");
}

#[tokio::test]
async fn an_explorer_far_ahead_is_accepted_when_another_one_confirms_it() {
    let three = |heights: [u32; 3]| {
        let [one, two, three] = heights;
        chain(&[FakeExplorer::at("one", one), FakeExplorer::at("two", two), FakeExplorer::at("three", three)])
    };
    assert_eq!(height(&three([900, 100, 101])).await, Ok(100));
    assert_eq!(height(&three([50, 100, 101])).await, Ok(100));
    assert_eq!(height(&three([100, 101, 900])).await, Ok(100));
    // While one explorer is in sync no other is needed.
    let (one, two) = (FakeExplorer::at("one", 100), FakeExplorer::at("two", 100));
    let both = chain(&[one.clone(), two.clone()]);
    assert_eq!(height(&both).await, Ok(100));
    one.change(|answers| answers.height = Ok(900));
    assert_eq!(height(&both).await, Ok(100), "two is in sync");
    two.change(|answers| answers.height = Ok(899));
    assert_eq!(height(&both).await, Ok(900), "blocks came between two requests");
}

#[tokio::test]
async fn an_explorer_that_stopped_reading_is_detected_when_no_block_comes() {
    let (stuck, two) = (FakeExplorer::at("stuck", 100), FakeExplorer::at("two", 100));
    let chain = chain_with(&[stuck.clone(), two.clone()], Duration::from_secs(1));
    assert_eq!(height(&chain).await, Ok(100));
    two.change(|answers| answers.height = Ok(105));
    assert_eq!(height(&chain).await, Ok(100));
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(height(&chain).await, Ok(105));
    stuck.change(|answers| answers.presence = Ok(None));
    assert!(chain.transaction(Txid::all_zeros()).await.unwrap().is_some(), "the stuck one is not asked");
    stuck.change(|answers| answers.output = Ok(None));
    assert_eq!(chain.unspent(OutPoint::null()).await, Ok(Some(unspent(5_000, 7))), "its answer does not count");
}

#[tokio::test]
async fn a_reported_block_does_not_vanish() {
    let (one, two) = (FakeExplorer::at("one", 99), FakeExplorer::at("two", 100));
    let chain = chain(&[one.clone(), two.clone()]);
    assert_eq!(height(&chain).await, Ok(99));
    one.change(|answers| answers.height = Ok(100));
    assert_eq!(height(&chain).await, Ok(100));
    one.change(|answers| answers.height = Ok(99));
    assert_eq!(chain.block_hash(100).await, Ok(Some(hash(100, 0))), "two still has it");
    assert_eq!(chain.block_hash(101).await, Ok(None));
    two.change(|answers| answers.height = Ok(99));
    assert!(matches!(chain.block_hash(100).await, Err(ChainError::Unreachable(_))), "not taken for a reorg");
    // Immutable facts are known if one explorer knows them, and unknown when all say so.
    two.change(|answers| answers.fork = 1);
    assert_eq!(chain.median_time(hash(50, 1)).await, Ok(Some(30_000)));
    assert_eq!(chain.median_time(hash(50, 2)).await, Ok(None));
    one.change(|answers| answers.height = Err(timeout()));
    assert_eq!(chain.block_transactions(hash(50, 1)).await, Ok(Some(Vec::new())));
    assert!(matches!(chain.block_transactions(hash(50, 0)).await, Err(ChainError::Unreachable(_))));
}

#[tokio::test]
async fn an_output_requires_agreement_of_all_explorers() {
    let other_script = {
        let mut other = unspent(5_000, 7);
        other.output.script_pubkey = ScriptBuf::from_bytes(vec![0x51]);
        other
    };
    let reward = Unspent { is_coinbase: true, ..unspent(5_000, 7) };
    for (second, agreed) in [
        (Ok(Some(unspent(5_000, 7))), Some(Some(unspent(5_000, 7)))),
        // This one is a block behind, so it means the same block.
        (Ok(Some(unspent(5_000, 6))), Some(Some(unspent(5_000, 7)))),
        (Ok(Some(unspent(5_000, 4))), Some(Some(unspent(5_000, 5)))),
        (Ok(Some(unspent(5_000, 9))), None),
        (Err(UpstreamError::Status(500)), Some(Some(unspent(5_000, 7)))),
        (Ok(Some(unspent(5_000, 10))), None),
        (Ok(Some(unspent(5_001, 7))), None),
        (Ok(Some(other_script)), None),
        (Ok(Some(reward)), None),
        (Ok(None), None),
    ] {
        let (one, two) = (FakeExplorer::at("one", 100), FakeExplorer::at("two", 99));
        two.change(|answers| answers.output = second.clone());
        let chain = chain(&[one, two]);
        for found in [chain.unspent(OutPoint::null()).await, chain.confirmed_unspent(OutPoint::null()).await] {
            match (&found, &agreed) {
                (Ok(found), Some(agreed)) => assert_eq!(found, agreed, "{second:?}"),
                (Err(ChainError::InvalidResponse(why)), None) => {
                    assert!(why.starts_with("one and two disagree on the output 0000"), "{why}");
                }
                _ => panic!("{second:?}: {found:?}"),
            }
        }
    }
}

#[tokio::test]
async fn an_explorer_out_of_sync_does_not_count_for_an_output() {
    let (one, two) = (FakeExplorer::at("one", 100), FakeExplorer::at("behind", 97));
    two.change(|answers| answers.output = Ok(None));
    let both = chain(&[one.clone(), two.clone()]);
    assert_eq!(both.unspent(OutPoint::null()).await, Ok(Some(unspent(5_000, 7))));
    two.change(|answers| answers.height = Ok(98));
    assert!(matches!(both.unspent(OutPoint::null()).await, Err(ChainError::InvalidResponse(_))), "now it is in sync");
    two.change(|answers| answers.height = Ok(900));
    assert_eq!(both.unspent(OutPoint::null()).await, Ok(Some(unspent(5_000, 7))), "far ahead");
    for (fake, height) in [(&one, 120), (&two, 121)] {
        fake.change(|answers| answers.height = Ok(height));
    }
    two.change(|answers| answers.output = Ok(Some(unspent(5_000, 8))));
    assert_eq!(both.unspent(OutPoint::null()).await, Ok(Some(unspent(5_000, 7))), "blocks came since that report");
    for fake in [&one, &two] {
        fake.change(|answers| answers.output = Err(timeout()));
    }
    assert!(matches!(both.unspent(OutPoint::null()).await, Err(ChainError::Unreachable(_))));
    assert!(matches!(chain(&[]).unspent(OutPoint::null()).await, Err(ChainError::Unreachable(_))));
}

#[tokio::test]
async fn a_transaction_is_sent_when_one_accepts_it_and_refused_when_none_can_have() {
    let sent = async |acceptances: [Scripted<Acceptance>; 2]| {
        let fakes = [FakeExplorer::at("one", 100), FakeExplorer::at("two", 100)];
        for (fake, acceptance) in fakes.iter().zip(acceptances) {
            fake.change(|answers| answers.acceptance = acceptance);
        }
        chain(&fakes).broadcast(&[payment()]).await
    };
    assert_eq!(sent([Ok(Ok(())), Ok(refused("dust"))]).await, Ok(()));
    assert_eq!(sent([Ok(refused("dust")), Ok(Ok(()))]).await, Ok(()));
    assert_eq!(sent([Err(timeout()), Ok(Ok(()))]).await, Ok(()));
    assert_eq!(reason(sent([Ok(refused("dust")), Ok(refused("version"))]).await), "dust");
    for unsent in [
        UpstreamError::RateLimited,
        UpstreamError::CircuitOpen { remaining_ms: 1 },
        UpstreamError::Status(404),
        UpstreamError::Unauthorized,
    ] {
        assert_eq!(reason(sent([Err(unsent), Ok(refused("dust"))]).await), "dust");
    }
    for open in [timeout(), UpstreamError::Status(504), UpstreamError::InvalidResponse("another id".to_owned())] {
        let outcome = sent([Ok(refused("dust")), Err(open.clone())]).await;
        assert!(!matches!(outcome, Ok(()) | Err(ChainError::Rejected(_))), "{open}: it may have sent it: {outcome:?}");
    }
}

#[tokio::test]
async fn the_first_explorer_that_can_tests_a_transaction() {
    let (one, two) = (FakeExplorer::at("one", 100), FakeExplorer::at("two", 100));
    let chain = chain(&[one.clone(), two.clone()]);
    assert_eq!(chain.test_accept(&[payment()]).await, Ok(()));
    one.change(|answers| answers.acceptance = Err(UpstreamError::Unknown("/txs/test".to_owned())));
    two.change(|answers| answers.acceptance = Ok(refused("dust")));
    assert_eq!(reason(chain.test_accept(&[payment()]).await), "dust");
    two.change(|answers| answers.acceptance = Err(UpstreamError::Unknown("/txs/test".to_owned())));
    let error = chain.test_accept(&[payment()]).await.unwrap_err();
    let expected = "all upstreams for blocks failed: one: it does not know /txs/test; two: it does not know /txs/test";
    assert_eq!(error, ChainError::Unreachable(expected.to_owned()));
}

#[tokio::test]
async fn fees_are_those_of_the_first_explorer_that_answers() {
    let (one, two) = (FakeExplorer::at("one", 100), FakeExplorer::at("two", 100));
    let chain = chain(&[one.clone(), two]);
    one.change(|answers| answers.height = Err(timeout()));
    assert_eq!(chain.fee_rate(6).await, Ok(FeeRate::from_sat_per_kwu(500)));
}
