//! The operator's end.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::request::{LINE_LENGTH_MAX, Reply, Request, SOCKET_NAME};
use crate::failure::Failure;

/// How long an answer may take: it has to become durable.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks the running server; `None` when none runs on this folder.
///
/// # Errors
/// When the request is too long, or a server runs but does not answer.
pub fn ask(data: &Path, request: &Request) -> Result<Option<Reply>, Failure> {
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
            return Ok(None);
        }
        Err(error) => return Err(Failure::new(format!("cannot reach the server on {}: {error}", data.display()))),
    };
    converse(&stream, &line).map(Some).map_err(|failure| failure.while_doing("the running server did not answer"))
}

fn converse(mut stream: &UnixStream, line: &str) -> Result<Reply, Failure> {
    stream.set_read_timeout(Some(PATIENCE)).map_err(Failure::new)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(Failure::new)?;
    stream.write_all(line.as_bytes()).map_err(Failure::new)?;
    let mut answer = String::new();
    BufReader::new(stream.take(LINE_LENGTH_MAX)).read_line(&mut answer).map_err(Failure::new)?;
    serde_json::from_str(&answer).map_err(Failure::new)
}
