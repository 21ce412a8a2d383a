//! The server's end: a Unix socket that only its owner can open.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::Market;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};

use super::request::{self, LINE_LENGTH_MAX, Reply, SOCKET_NAME};
use crate::failure::Failure;

/// An operator who says nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The listening socket; its file goes when this is dropped.
pub struct OperatorSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl OperatorSocket {
    /// Listens in the data folder, which the caller holds locked: so what is left there is of a server that is gone.
    ///
    /// `None` when the folder's path is too long for a socket: everything but the operator's acts works without it.
    ///
    /// # Errors
    /// When the socket cannot be made.
    pub fn open(data: &Path) -> Result<Option<Self>, Failure> {
        let path = data.join(SOCKET_NAME);
        let unfinished = data.join("operator.sock.new");
        let cannot = |error| Failure::new(format!("cannot listen on {}: {error}", path.display()));
        for left in [&path, &unfinished] {
            if left.exists() {
                fs::remove_file(left).map_err(cannot)?;
            }
        }
        // Under its own name the socket never has wider permissions than its owner's.
        let listener = match UnixListener::bind(&unfinished) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                tracing::warn!(%error, path = %path.display(), "operators cannot reach this server while it runs");
                return Ok(None);
            }
            bound => bound.map_err(cannot)?,
        };
        fs::set_permissions(&unfinished, Permissions::from_mode(0o600)).map_err(cannot)?;
        fs::rename(&unfinished, &path).map_err(cannot)?;
        Ok(Some(Self { listener, path }))
    }

    /// Answers operators until it is dropped.
    pub async fn serve(self, market: Market) {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let market = market.clone();
                    actix_web::rt::spawn(async move {
                        if tokio::time::timeout(PATIENCE, converse(stream, &market)).await.is_err() {
                            tracing::warn!("an operator said nothing");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot hear the operator");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
}

impl Drop for OperatorSocket {
    fn drop(&mut self) {
        // A file that stays is removed by the next start.
        let _ = fs::remove_file(&self.path);
    }
}

async fn converse(stream: UnixStream, market: &Market) {
    let (reader, mut writer) = stream.into_split();
    let mut line = String::new();
    let read = BufReader::new(reader.take(LINE_LENGTH_MAX)).read_line(&mut line).await;
    let reply = match read.map_err(Failure::new).and_then(|_| serde_json::from_str(&line).map_err(Failure::new)) {
        Ok(request) => request::answer(market, request).await,
        Err(failure) => Reply::Refused { reason: format!("the request is not understood: {failure}") },
    };
    let mut text = serde_json::to_string(&reply).unwrap_or_default();
    text.push('\n');
    if let Err(error) = writer.write_all(text.as_bytes()).await {
        tracing::warn!(%error, "the operator did not wait for the answer");
    }
}
