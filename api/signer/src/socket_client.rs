//! A signer as a process of its own: the end that asks.

use std::path::PathBuf;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::frame;
use crate::request::{Answer, Request};
use crate::vault_signer::{SignerError, VaultSigner};

/// How long an answer may take: it has to become durable, after those before it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks a signer at a socket, over a connection for each question.
#[derive(Clone, Debug)]
pub struct SocketClient {
    path: PathBuf,
    patience: Duration,
}

impl SocketClient {
    /// A client of the signer that listens there.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), patience: PATIENCE }
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}

impl VaultSigner for SocketClient {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        let unreachable = |reason: String| SignerError::Unreachable { reason };
        let asked = frame::encode(&request).map_err(|error| unreachable(error.to_string()))?;
        let mut stream = UnixStream::connect(&self.path).await.map_err(|error| unreachable(error.to_string()))?;
        let conversation = async {
            // Whoever is turned away is told so without being listened to, so a failure to ask may hide an answer.
            let told = frame::write(&mut stream, &asked).await;
            frame::read(&mut stream).await.map_err(|error| told.err().unwrap_or(error))
        };
        let unanswered = |reason: String| SignerError::Unanswered { reason };
        match timeout(self.patience, conversation).await {
            Err(_) => Err(unanswered(format!("it was silent for {} ms", self.patience.as_millis()))),
            Ok(Err(error)) => Err(unanswered(error.to_string())),
            Ok(Ok(bytes)) => serde_json::from_slice(&bytes).map_err(|_| SignerError::Nonsense),
        }
    }
}
