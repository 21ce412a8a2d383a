//! The client's end of a backup: it pulls the commits of a running server.

use std::io::{self, BufReader, ErrorKind};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use persistence::{BackupError, FeedStart, RawCommit};

use super::commit_frames::{Pull, PullEnd, read_frame, read_line, write_line};
use super::request::{Reply, Request, SOCKET_NAME};
use crate::failure::Failure;

/// The time that a server may take for its next bytes; it finds the place of the first commit meanwhile.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// A connection to a running server, at a place in the order of its commits.
#[derive(Debug)]
pub struct CommitClient {
    stream: BufReader<UnixStream>,
    /// The position of the next commit.
    next: u64,
}

/// The reason why a pull has ended early.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server cannot be reached, or has hung up.
    #[error("the server does not send its journal: {0}")]
    Server(#[from] io::Error),
    /// The server cannot read its journal.
    #[error("the server cannot read its journal: {0}")]
    Journal(String),
    /// A commit was not taken.
    #[error(transparent)]
    Commit(#[from] BackupError),
}

impl CommitClient {
    /// Connects to the server on a data folder, after a commit; `None` if none runs.
    ///
    /// # Errors
    /// Fails if the server cannot be reached or refuses.
    pub fn connect(data: &Path, after: u64) -> Result<Option<(FeedStart, Self)>, Failure> {
        let stream = match UnixStream::connect(data.join(SOCKET_NAME)) {
            Ok(stream) => stream,
            // The path of a folder may be too long for a socket: then the server on it has none.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::InvalidInput
                ) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(Failure::new(format!("cannot reach the server on {}: {error}", data.display()))),
        };
        let ask = || -> io::Result<(Option<Reply>, BufReader<UnixStream>)> {
            stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
            stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
            write_line(&mut &stream, &Request::ShipCommits { after })?;
            let mut stream = BufReader::with_capacity(64 * 1_024, stream);
            Ok((read_line(&mut stream)?, stream))
        };
        match ask().map_err(|error| Failure::new(ClientError::Server(error)))? {
            (Some(Reply::CommitsFollow { start }), stream) => Ok(Some((start, Self { stream, next: after + 1 }))),
            (Some(Reply::Refused { reason }), _) => Err(Failure::new(format!("the server refuses a backup: {reason}"))),
            (Some(other), _) => Err(Failure::new(format!("the server answered something else: {other:?}"))),
            (None, _) => Err(Failure::new("the server hung up")),
        }
    }

    /// Passes further commits to `each`, and ends with the one that reaches `bytes_max`. Returns the last commit
    /// that was durable before they were read.
    ///
    /// # Errors
    /// [`ClientError`]; then the connection is of no use any more.
    pub fn pull(
        &mut self,
        bytes_max: usize,
        each: &mut dyn FnMut(&RawCommit) -> Result<(), BackupError>,
    ) -> Result<u64, ClientError> {
        write_line(self.stream.get_mut(), &Pull { bytes_max })?;
        while let Some(bytes) = read_frame(&mut self.stream)? {
            each(&RawCommit::received(self.next, bytes))?;
            self.next += 1;
        }
        match read_line(&mut self.stream)? {
            Some(PullEnd::End(end)) => Ok(end),
            Some(PullEnd::Error(reason)) => Err(ClientError::Journal(reason)),
            None => Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
        }
    }
}
