//! An explorer of the embedded chain, with the API of mempool.space and Esplora.

mod answers;

use devchain::EmbeddedChain;

use super::fake_server::FakeServer;

/// Starts an explorer of this chain, which is shared with the caller.
pub async fn explorer(chain: EmbeddedChain) -> FakeServer {
    FakeServer::start(move |request| {
        let chain = chain.clone();
        async move { answers::answer(&chain, &request).await }
    })
    .await
}
