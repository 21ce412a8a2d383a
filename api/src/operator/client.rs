//! The client of the operator's socket.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::request::{LINE_LENGTH_MAX, Reply, Request, SOCKET_NAME};
use crate::failure::Failure;

/// The timeout of an answer, which is sent only when the change is durable.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The result of a request.
#[derive(Debug)]
pub enum RequestOutcome {
    /// The server answered.
    Answered(Reply),
    /// No server runs on this folder.
    NotRunning,
    /// The request was sent and not answered: it is unknown whether it has been or will be executed.
    Unanswered(Failure),
}

/// Sends a request to the running server.
///
/// # Errors
/// Fails if the request could not be sent; then it is not executed.
pub fn ask(data: &Path, request: &Request) -> Result<RequestOutcome, Failure> {
    let mut line = serde_json::to_string(request).map_err(Failure::new)?;
    line.push('\n');
    if u64::try_from(line.len()).unwrap_or(u64::MAX) > LINE_LENGTH_MAX {
        return Err(Failure::new(format!("this is too long: a server takes {LINE_LENGTH_MAX} bytes at a time")));
    }
    let stream = match UnixStream::connect(data.join(SOCKET_NAME)) {
        Ok(stream) => stream,
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::InvalidInput) =>
        {
            return Ok(RequestOutcome::NotRunning);
        }
        Err(error) => return Err(Failure::new(format!("cannot reach the server on {}: {error}", data.display()))),
    };
    Ok(match exchange(&stream, &line) {
        Ok(reply) => RequestOutcome::Answered(reply),
        Err(failure) => RequestOutcome::Unanswered(failure),
    })
}

fn exchange(mut stream: &UnixStream, line: &str) -> Result<Reply, Failure> {
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).map_err(Failure::new)?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT)).map_err(Failure::new)?;
    stream.write_all(line.as_bytes()).map_err(Failure::new)?;
    let mut answer = String::new();
    match BufReader::new(stream.take(LINE_LENGTH_MAX)).read_line(&mut answer) {
        Ok(0) => Err(Failure::new("it hung up")),
        Ok(_) => serde_json::from_str(&answer).map_err(Failure::new),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Err(Failure::new(format!("it was silent for {} s", ANSWER_TIMEOUT.as_secs())))
        }
        Err(error) => Err(Failure::new(error)),
    }
}
