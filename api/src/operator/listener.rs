//! The server's end of the operator's socket, a Unix socket that only its owner can open.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use engine::Market;
use persistence::SledJournal;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::commit_server;
use super::request::{self, JOURNAL_ELSEWHERE, LINE_LENGTH_MAX, Reply, Request, SOCKET_NAME};
use crate::cluster::{Cluster, WriterNode};
use crate::failure::Failure;

/// The timeout for sending a request and for receiving its answer. The execution has no timeout: the change is on its
/// way to disk, and an operator without an answer would repeat the request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of backups that are connected at a time.
const BACKUPS_MAX: usize = 4;

/// The listening socket; its file is removed when this is dropped.
pub struct OperatorSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl OperatorSocket {
    /// Listens in the data folder, whose lock the caller holds, so that a socket left there belongs to a process that
    /// has ended.
    ///
    /// Returns `None` when the folder's path is too long for a socket: everything but the operator's commands works
    /// without it.
    ///
    /// # Errors
    /// Fails if the socket cannot be created.
    pub fn open(data: &Path) -> Result<Option<Self>, Failure> {
        let path = data.join(SOCKET_NAME);
        let unfinished = data.join("operator.sock.new");
        let cannot = |error| Failure::new(format!("cannot listen on {}: {error}", path.display()));
        for stale in [&path, &unfinished] {
            if stale.exists() {
                fs::remove_file(stale).map_err(cannot)?;
            }
        }
        // The socket gets its final name only after its permissions are restricted to the owner.
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

    /// Serves operators until it is dropped. In a cluster changes are refused by all nodes but the one that decides.
    /// `journal` is that of the data folder.
    pub async fn serve(self, market: Market, cluster: Option<Arc<Cluster>>, journal: Weak<SledJournal>) {
        let backups = Backups { journal, free: Arc::new(Semaphore::new(BACKUPS_MAX)) };
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let (market, backups) = (market.clone(), backups.clone());
                    let deciding = cluster.as_deref().and_then(Cluster::writer);
                    actix_web::rt::spawn(async move {
                        serve_client(stream, (&market, deciding), &backups, REQUEST_TIMEOUT).await;
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept an operator's connection");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
}

impl Drop for OperatorSocket {
    fn drop(&mut self) {
        // A remaining file is removed by the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// The journal that backups read, each in a thread of its own.
#[derive(Clone, Debug)]
struct Backups {
    journal: Weak<SledJournal>,
    free: Arc<Semaphore>,
}

impl Backups {
    /// Sends commits to a client until it hangs up. Returns the stream and the reason if that is refused.
    fn begin(&self, stream: UnixStream, after: u64) -> Result<(), (UnixStream, &'static str)> {
        if self.journal.strong_count() == 0 {
            return Err((stream, JOURNAL_ELSEWHERE));
        }
        let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() else {
            return Err((stream, "as many backups as it serves at a time are connected"));
        };
        let journal = self.journal.clone();
        let serve = move || {
            match stream.into_std() {
                Ok(stream) => commit_server::serve(&stream, &journal, after),
                Err(error) => tracing::warn!(%error, "a backup was disconnected"),
            }
            drop(permit);
        };
        if let Err(error) = thread::Builder::new().name("backup".to_owned()).spawn(serve) {
            tracing::warn!(%error, "cannot start the thread of a backup");
        }
        Ok(())
    }
}

async fn serve_client(
    mut stream: UnixStream,
    (market, deciding): (&Market, Option<WriterNode>),
    backups: &Backups,
    request_timeout: Duration,
) {
    let mut line = String::new();
    let mut reader = BufReader::new((&mut stream).take(LINE_LENGTH_MAX));
    let Ok(read) = timeout(request_timeout, reader.read_line(&mut line)).await else {
        tracing::warn!("an operator sent no request");
        return;
    };
    let reply = match read.map_err(Failure::new).and_then(|_| serde_json::from_str(&line).map_err(Failure::new)) {
        Ok(request) if market.is_following() && Request::is_change(&request) => {
            Reply::Refused { reason: elsewhere(deciding) }
        }
        Ok(Request::ShipCommits { after }) => match backups.begin(stream, after) {
            Ok(()) => return,
            Err((refused, reason)) => {
                stream = refused;
                Reply::Refused { reason: reason.to_owned() }
            }
        },
        Ok(request) => request::answer(market, request).await,
        Err(failure) => Reply::Refused { reason: format!("the request is not understood: {failure}") },
    };
    let mut text = serde_json::to_string(&reply).unwrap_or_default();
    text.push('\n');
    if !matches!(timeout(request_timeout, stream.write_all(text.as_bytes())).await, Ok(Ok(()))) {
        tracing::warn!("an operator did not wait for the answer");
    }
}

/// The reason why a node that follows changes nothing.
fn elsewhere(deciding: Option<WriterNode>) -> String {
    match deciding {
        Some(WriterNode { name, url, .. }) => format!("another node decides: run this command on {name} ({url})"),
        None => "no node decides at the moment: try again in some seconds".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{Nonce, Stream, UnixMs, WalletAddresses};
    use engine::clock::SystemClock;
    use engine::journal::{Batch, Durable, Journal, Recorded, ReplayError, Sequence};
    use engine::{NonceUse, Settings as EngineSettings};
    use persistence::Options;

    use super::*;

    /// A journal on a slow disk.
    struct SlowJournal {
        inner: SledJournal,
        delay: Duration,
    }

    impl Journal for SlowJournal {
        fn append(&self, batch: Batch) -> Durable {
            let (durable, delay) = (self.inner.append(batch), self.delay);
            let (acknowledge, acknowledged) = tokio::sync::oneshot::channel();
            actix_web::rt::spawn(async move {
                tokio::time::sleep(delay).await;
                if let Ok(outcome) = durable.await {
                    let _ = acknowledge.send(outcome);
                }
            });
            acknowledged
        }

        fn streams(&self) -> Result<Vec<Stream>, ReplayError> {
            self.inner.streams()
        }

        fn replay(
            &self,
            stream: Stream,
            after: Sequence,
            each: &mut dyn FnMut(Recorded),
        ) -> Result<Sequence, ReplayError> {
            self.inner.replay(stream, after, each)
        }
    }

    /// Backups of a server whose journal is elsewhere.
    fn no_backups() -> Backups {
        Backups { journal: Weak::new(), free: Arc::new(Semaphore::new(0)) }
    }

    fn market(data: &Path, delay: Duration) -> Market {
        let inner = SledJournal::open(data, Options::default()).unwrap();
        let journal = Arc::new(SlowJournal { inner, delay });
        Market::start(journal, Arc::new(SystemClock), EngineSettings::default()).unwrap()
    }

    #[actix_web::test]
    async fn an_answer_may_take_longer_than_a_request() {
        const REQUEST_TIMEOUT: Duration = Duration::from_millis(50);
        let folder = tempfile::tempdir().unwrap();
        let market = market(folder.path(), REQUEST_TIMEOUT * 10);
        let addresses = WalletAddresses {
            payment_address: "bcrt1q".to_owned(),
            payment_pubkey: String::new(),
            ordinal_address: String::new(),
            ordinal_pubkey: String::new(),
        };
        market.sign_in(&addresses, NonceUse { nonce: Nonce(1), expires_at: UnixMs(u64::MAX) }).await.unwrap();
        let id = "a-credit".parse().unwrap();
        let request = Request::CreditVault { id, payment_address: "bcrt1q".to_owned(), sats: 5 };
        let (theirs, ours) = UnixStream::pair().unwrap();
        let (reader, mut writer) = theirs.into_split();
        writer.write_all(format!("{}\n", serde_json::to_string(&request).unwrap()).as_bytes()).await.unwrap();
        let mut answer = String::new();
        let (mut reader, backups) = (BufReader::new(reader), no_backups());
        let serving = serve_client(ours, (&market, None), &backups, REQUEST_TIMEOUT);
        let ((), read) = tokio::join!(serving, reader.read_line(&mut answer));
        read.unwrap();
        assert_eq!(answer, "{\"outcome\":\"vault\",\"balance_sats\":5,\"usable_sats\":5}\n");
        market.stop().await;
    }

    #[actix_web::test]
    async fn a_client_without_a_request_is_disconnected() {
        let folder = tempfile::tempdir().unwrap();
        let market = market(folder.path(), Duration::ZERO);
        let (theirs, ours) = UnixStream::pair().unwrap();
        serve_client(ours, (&market, None), &no_backups(), Duration::from_millis(50)).await;
        let mut answer = String::new();
        assert_eq!(BufReader::new(theirs).read_line(&mut answer).await.unwrap(), 0);
        market.stop().await;
    }
}
