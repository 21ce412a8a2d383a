//! A signer as a process of its own: the end that holds the keys.

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

/// So many are listened to at once; the next is told to come back.
pub const CONNECTIONS_MAX: usize = 16;

/// Whoever takes longer to ask, or to take the answer, is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no socket.
#[derive(Debug, Error)]
pub enum SocketError {
    /// Something that is no socket has this name, and is left alone.
    #[error("{path} is there already, and is no socket")]
    Occupied {
        /// Which name.
        path: PathBuf,
    },
    /// The socket cannot be made.
    #[error("cannot listen on {path}: {source}")]
    Listen {
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// A listening socket that only its owner can open; its file goes when this is dropped.
#[derive(Debug)]
pub struct SignerSocket {
    listener: UnixListener,
    path: PathBuf,
    patience: Duration,
}

impl SignerSocket {
    /// Listens. What is left there is of a signer that is gone: the caller holds the log, which no two can.
    pub fn open(path: &Path) -> Result<Self, SocketError> {
        let cannot = |source| SocketError::Listen { path: path.to_owned(), source };
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".new");
        let unfinished = PathBuf::from(unfinished);
        for left in [path, &unfinished] {
            match fs::symlink_metadata(left) {
                Ok(found) if found.file_type().is_socket() => fs::remove_file(left).map_err(cannot)?,
                Ok(_) => return Err(SocketError::Occupied { path: left.to_owned() }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(cannot(error)),
            }
        }
        // Under its own name the socket never has wider permissions than its owner's.
        let listener = UnixListener::bind(&unfinished).map_err(cannot)?;
        fs::set_permissions(&unfinished, Permissions::from_mode(0o600)).map_err(cannot)?;
        fs::rename(&unfinished, path).map_err(cannot)?;
        Ok(Self { listener, path: path.to_owned(), patience: PATIENCE })
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Answers until it is dropped.
    pub async fn serve(self, signer: InProcess) {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        loop {
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "nobody can be heard");
                    sleep(Duration::from_secs(1)).await;
                    continue;
                }
            };
            if !is_of_owner(&stream) {
                tracing::warn!("somebody else's process asked");
                continue;
            }
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                turn_away(&stream);
                continue;
            };
            let (signer, patience) = (signer.clone(), self.patience);
            tokio::spawn(async move {
                converse(stream, &signer, patience).await;
                drop(place);
            });
        }
    }
}

impl Drop for SignerSocket {
    fn drop(&mut self) {
        // A file that stays is removed by the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whoever connected before the permissions were narrowed is found out here.
fn is_of_owner(stream: &UnixStream) -> bool {
    let own = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

fn turn_away(stream: &UnixStream) {
    tracing::warn!("too many ask at once");
    if let Ok(frame) = frame::encode(&Answer::Refused(Refusal::Busy)) {
        // A fresh socket's buffer takes so little at once; whoever does not get it sees that it was hung up.
        let _ = stream.try_write(&frame);
    }
}

/// One request, one answer.
async fn converse(mut stream: UnixStream, signer: &InProcess, patience: Duration) {
    let answer = match timeout(patience, frame::read(&mut stream)).await {
        Err(_) => {
            tracing::warn!("somebody asked nothing");
            return;
        }
        Ok(Err(frame::FrameError::Io(error))) => {
            tracing::debug!(%error, "somebody hung up");
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
        Ok(frame) => timeout(patience, async { frame::write(&mut stream, &frame).await }).await,
        Err(error) => Ok(Err(error)),
    };
    if !matches!(written, Ok(Ok(()))) {
        tracing::warn!("somebody did not wait for the answer");
    }
}

fn unreadable(error: &dyn std::error::Error) -> Answer {
    Answer::Refused(Refusal::RequestUnreadable { reason: error.to_string() })
}
