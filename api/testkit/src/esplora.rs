//! An explorer of the embedded chain, with the API of mempool.space and Esplora.

mod answers;

use devchain::EmbeddedChain;
use tokio::net::TcpListener;

use super::fake_server::FakeServer;

/// Starts an explorer of this chain, which is shared with the caller.
pub async fn explorer(chain: EmbeddedChain) -> FakeServer {
    explorer_on(TcpListener::bind("127.0.0.1:0").await.unwrap(), chain)
}

/// The same on a listener, which may be on another host of a test's network.
pub fn explorer_on(listener: TcpListener, chain: EmbeddedChain) -> FakeServer {
    FakeServer::start_on(listener, move |request| {
        let chain = chain.clone();
        async move { answers::answer(&chain, &request).await }
    })
}
