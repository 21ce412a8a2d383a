//! Explorers that stand in for each other.

use bitcoin::Amount;
use devnet::chain::EmbeddedChain;
use engine::chain::{Chain as _, ChainError};

use crate::person::Person;
use crate::public_world::node_of;
use crate::world::START_SECONDS;
use crate::worlds::esplora::explorer;

#[tokio::test]
async fn one_explorer_stands_in_for_another_that_is_away() {
    let chain = EmbeddedChain::new(START_SECONDS).unwrap();
    let (first, second) = (explorer(chain.clone()).await, explorer(chain.clone()).await);
    let node = node_of(&[&first, &second]);
    assert_eq!(node.tip().await, chain.tip().await);
    first.set_away(true);
    let coin = chain.fund(&Person::new(1).purse(), Amount::from_sat(50_000)).unwrap();
    assert_eq!(node.tip().await, chain.tip().await);
    assert_eq!(node.unspent(coin).await, chain.unspent(coin).await);
    second.set_away(true);
    let nobody = node.tip().await;
    assert!(matches!(nobody, Err(ChainError::Unreachable(_))), "{nobody:?}");
    second.set_away(false);
    assert_eq!(node.tip().await, chain.tip().await, "it is back");
}

#[tokio::test]
async fn explorers_of_two_chains_are_not_believed() {
    let chain = EmbeddedChain::new(START_SECONDS).unwrap();
    let fork = EmbeddedChain::new(START_SECONDS + 1).unwrap();
    let (first, second) = (explorer(chain.clone()).await, explorer(fork).await);
    let node = node_of(&[&first, &second]);
    let coin = chain.fund(&Person::new(1).purse(), Amount::from_sat(50_000)).unwrap();
    assert_eq!(node.tip().await, chain.tip().await, "which chain it is only one can say, and the first is trusted");
    let found = node.unspent(coin).await;
    assert!(matches!(found, Err(ChainError::Nonsense(_))), "{found:?}");
}
