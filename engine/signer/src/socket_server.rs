//! The server of a signer in a process of its own, which holds the keys.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::frame;
use crate::in_process::InProcess;
use crate::refusal::Refusal;
use crate::request::Answer;
use crate::vault_signer::VaultSigner as _;

/// The maximum number of concurrent connections; further clients are refused as busy.
pub const CONNECTIONS_MAX: usize = 16;

/// The timeout for a client to send its request, or to receive the answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The reason why there is no socket.
#[derive(Debug, Error)]
pub enum SocketError {
    /// A file with this name exists and is not a socket; it is not removed.
    #[error("{path} is there already, and is no socket")]
    Occupied {
        /// The path.
        path: PathBuf,
    },
    /// The socket cannot be created.
    #[error("cannot listen on {path}: {source}")]
    Listen {
        /// The path.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
}

/// A listening socket that only its owner, and one other user if named, can open; its file is removed on drop.
#[derive(Debug)]
pub struct SignerSocket {
    listener: UnixListener,
    path: PathBuf,
    /// The user id of the server, if it is not that of this process.
    client: Option<u32>,
    timeout: Duration,
}

impl SignerSocket {
    /// Listens at `path`. An existing socket is of a signer that has ended: the caller holds the log, which is
    /// exclusive.
    pub fn open(path: &Path) -> Result<Self, SocketError> {
        Self::open_to(path, None)
    }

    /// Listens as [`SignerSocket::open`] does, and serves the user with the id `client` too. That user has to be in
    /// the group of this process, which the socket is open to.
    pub fn open_to(path: &Path, client: Option<u32>) -> Result<Self, SocketError> {
        let cannot = |source| SocketError::Listen { path: path.to_owned(), source };
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".new");
        let unfinished = PathBuf::from(unfinished);
        for existing in [path, &unfinished] {
            match fs::symlink_metadata(existing) {
                Ok(found) if found.file_type().is_socket() => fs::remove_file(existing).map_err(cannot)?,
                Ok(_) => return Err(SocketError::Occupied { path: existing.to_owned() }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(cannot(error)),
            }
        }
        let mode = if client.is_some() { 0o660 } else { 0o600 };
        // Under its final name the socket never has wider permissions than these.
        let listener = UnixListener::bind(&unfinished).map_err(cannot)?;
        fs::set_permissions(&unfinished, Permissions::from_mode(mode)).map_err(cannot)?;
        fs::rename(&unfinished, path).map_err(cannot)?;
        Ok(Self { listener, path: path.to_owned(), client, timeout: TIMEOUT })
    }

    /// Returns the same socket with another timeout.
    #[must_use]
    pub fn with_timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Serves requests until it is dropped.
    pub async fn serve(self, signer: InProcess) {
        let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        loop {
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    sleep(Duration::from_secs(1)).await;
                    continue;
                }
            };
            if !is_permitted(&stream, self.client) {
                tracing::warn!("a connection from another user's process was refused");
                continue;
            }
            let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
                refuse_busy(&stream);
                continue;
            };
            let (signer, limit) = (signer.clone(), self.timeout);
            tokio::spawn(async move {
                serve_connection(stream, &signer, limit).await;
                drop(permit);
            });
        }
    }
}

impl Drop for SignerSocket {
    fn drop(&mut self) {
        // A file that remains is removed by the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns whether the peer is the same user, root or the named client: others may be in the group, or have connected
/// before the permissions were restricted.
fn is_permitted(stream: &UnixStream, client: Option<u32>) -> bool {
    let own = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| [Some(own), Some(0), client].contains(&Some(peer.uid())))
}

fn refuse_busy(stream: &UnixStream) {
    tracing::warn!("too many concurrent connections");
    if let Ok(frame) = frame::encode(&Answer::Refused(Refusal::Busy)) {
        // The buffer of a fresh socket takes this much at once; a peer that does not receive it sees the connection
        // close.
        let _ = stream.try_write(&frame);
    }
}

/// Serves one connection: one request, one answer.
async fn serve_connection(mut stream: UnixStream, signer: &InProcess, limit: Duration) {
    let answer = match timeout(limit, frame::read(&mut stream)).await {
        Err(_) => {
            tracing::warn!("a client sent no request in time");
            return;
        }
        Ok(Err(frame::FrameError::Io(error))) => {
            tracing::debug!(%error, "a client disconnected");
            return;
        }
        Ok(Err(error)) => unreadable(&error),
        Ok(Ok(bytes)) => match serde_json::from_slice(&bytes) {
            Err(error) => unreadable(&error),
            Ok(request) => match signer.ask(request).await {
                Ok(answer) => answer,
                Err(error) => {
                    tracing::error!(%error, "the signer gives no answer");
                    return;
                }
            },
        },
    };
    let written = match frame::encode(&answer) {
        Ok(frame) => timeout(limit, async { frame::write(&mut stream, &frame).await }).await,
        Err(error) => Ok(Err(error)),
    };
    if !matches!(written, Ok(Ok(()))) {
        tracing::warn!("the answer could not be delivered");
    }
}

fn unreadable(error: &dyn std::error::Error) -> Answer {
    Answer::Refused(Refusal::RequestUnreadable { reason: error.to_string() })
}
