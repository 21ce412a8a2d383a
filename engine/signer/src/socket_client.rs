//! The client of a signer in a process of its own.

use std::path::PathBuf;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::frame;
use crate::request::{Answer, Request};
use crate::vault_signer::{SignerError, VaultSigner};

/// The timeout for an answer, which has to become durable after those before it.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A client that sends requests to a signer's socket, over a connection for each request.
#[derive(Clone, Debug)]
pub struct SocketClient {
    path: PathBuf,
    timeout: Duration,
}

impl SocketClient {
    /// Creates a client of the signer that listens at `path`.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), timeout: TIMEOUT }
    }

    /// Returns the same client with another timeout.
    #[must_use]
    pub fn with_timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }
}

impl VaultSigner for SocketClient {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        let unreachable = |reason: String| SignerError::Unreachable { reason };
        let asked = frame::encode(&request).map_err(|error| unreachable(error.to_string()))?;
        let mut stream = UnixStream::connect(&self.path).await.map_err(|error| unreachable(error.to_string()))?;
        let conversation = async {
            // A busy signer answers without reading the request, so a failed write may hide an answer.
            let written = frame::write(&mut stream, &asked).await;
            frame::read(&mut stream).await.map_err(|error| written.err().unwrap_or(error))
        };
        let unanswered = |reason: String| SignerError::Unanswered { reason };
        match timeout(self.timeout, conversation).await {
            Err(_) => Err(unanswered(format!("it was silent for {} ms", self.timeout.as_millis()))),
            Ok(Err(error)) => Err(unanswered(error.to_string())),
            Ok(Ok(bytes)) => serde_json::from_slice(&bytes).map_err(|_| SignerError::Nonsense),
        }
    }
}
