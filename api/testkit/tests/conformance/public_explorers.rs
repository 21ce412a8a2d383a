//! Scenarios of several explorers that replace each other.

use bitcoin::Amount;
use devchain::EmbeddedChain;
use engine::chain::{Chain as _, ChainError};

use crate::public_world::node_of;
use crate::test_wallet::TestWallet;
use crate::world::START_SECONDS;
use testkit::esplora::explorer;

#[tokio::test]
async fn an_unavailable_explorer_is_replaced_by_another() {
    let chain = EmbeddedChain::new(START_SECONDS).unwrap();
    let (first, second) = (explorer(chain.clone()).await, explorer(chain.clone()).await);
    let node = node_of(&[&first, &second]);
    assert_eq!(node.tip().await, chain.tip().await);
    first.set_unavailable(true);
    let coin = chain.fund(&TestWallet::new(1).payment_script(), Amount::from_sat(50_000)).unwrap();
    assert_eq!(node.tip().await, chain.tip().await);
    assert_eq!(node.unspent(coin).await, chain.unspent(coin).await);
    second.set_unavailable(true);
    let unanswered = node.tip().await;
    assert!(matches!(unanswered, Err(ChainError::Unreachable(_))), "{unanswered:?}");
    second.set_unavailable(false);
    assert_eq!(node.tip().await, chain.tip().await, "it is back");
}

#[tokio::test]
async fn a_disagreement_between_explorers_is_an_error() {
    let chain = EmbeddedChain::new(START_SECONDS).unwrap();
    let fork = EmbeddedChain::new(START_SECONDS + 1).unwrap();
    let (first, second) = (explorer(chain.clone()).await, explorer(fork).await);
    let node = node_of(&[&first, &second]);
    let coin = chain.fund(&TestWallet::new(1).payment_script(), Amount::from_sat(50_000)).unwrap();
    assert_eq!(node.tip().await, chain.tip().await, "the first explorer is trusted for the tip");
    let found = node.unspent(coin).await;
    assert!(matches!(found, Err(ChainError::InvalidResponse(_))), "{found:?}");
}
