//! An explorer of the embedded chain, as mempool.space and Esplora answer.

mod answers;

use devnet::chain::EmbeddedChain;

use super::stand::Stand;

/// Starts one that shows this chain, of which a clone goes on being used.
pub(crate) async fn explorer(chain: EmbeddedChain) -> Stand {
    Stand::start(move |request| {
        let chain = chain.clone();
        async move { answers::answer(&chain, &request).await }
    })
    .await
}
