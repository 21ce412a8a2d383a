//! A calendar of OpenTimestamps, which promises that a digest will be in a block of Bitcoin, and later says in which.

use std::time::Duration;

use hyper::StatusCode;
use thiserror::Error;

use crate::http::{HttpEndpoint, HttpRequest, SendError, SetupError};

/// The time limit of a request.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// The maximum size of a proof.
const ANSWER_BYTES_MAX: usize = 32 * 1_024;

/// The reason why a calendar gave no proof.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CalendarError {
    /// There is no answer.
    #[error("the calendar gives no answer: {0}")]
    NoAnswer(String),
    /// It refuses.
    #[error("the calendar answers {0}")]
    Refused(StatusCode),
}

/// A calendar. Its proofs are bytes from outside, which the caller reads with bounds.
#[derive(Debug)]
pub struct TimestampCalendar {
    endpoint: HttpEndpoint,
    url: String,
}

impl TimestampCalendar {
    /// Returns the calendar at `url`, such as `https://alice.btc.calendar.opentimestamps.org`.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(url: &str) -> Result<Self, SetupError> {
        let endpoint = HttpEndpoint::remote(url, TIME_LIMIT, ANSWER_BYTES_MAX)?;
        Ok(Self { endpoint, url: url.trim_end_matches('/').to_owned() })
    }

    /// The address, by which the promises of the calendar name it.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Submits a digest; returns the proof that begins at it.
    ///
    /// # Errors
    /// [`CalendarError`].
    pub async fn stamp(&self, digest: &[u8; 32]) -> Result<Vec<u8>, CalendarError> {
        let request = HttpRequest::binary("/digest", digest.to_vec());
        let answer = self.endpoint.send(request, TIME_LIMIT).await.map_err(|error| no_answer(&error))?;
        if answer.status == StatusCode::OK {
            Ok(answer.body.to_vec())
        } else {
            Err(CalendarError::Refused(answer.status))
        }
    }

    /// Asks for the proof that begins at a promised commitment; `None` while it is in no block.
    ///
    /// # Errors
    /// [`CalendarError`].
    pub async fn look_up(&self, commitment: &[u8]) -> Result<Option<Vec<u8>>, CalendarError> {
        let path = format!("/timestamp/{}", hex::encode(commitment));
        let answer = self.endpoint.send(HttpRequest::get(path), TIME_LIMIT).await.map_err(|error| no_answer(&error))?;
        match answer.status {
            StatusCode::OK => Ok(Some(answer.body.to_vec())),
            StatusCode::NOT_FOUND => Ok(None),
            status => Err(CalendarError::Refused(status)),
        }
    }
}

fn no_answer(error: &SendError) -> CalendarError {
    CalendarError::NoAnswer(error.failure.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::scripted_server::{ScriptedResponse, start};

    #[tokio::test]
    async fn a_digest_is_submitted_and_its_commitment_looked_up() {
        let (url, asked) = start(|request| match request.line.as_str() {
            line if line.starts_with("POST /digest") => ScriptedResponse::ok("proof"),
            line if line.starts_with("GET /timestamp/0a0b") => ScriptedResponse::Body(404, "Pending".to_owned()),
            line if line.starts_with("GET /timestamp/0c") => ScriptedResponse::ok("later"),
            _ => ScriptedResponse::Body(500, String::new()),
        })
        .await;
        let calendar = TimestampCalendar::new(&format!("{url}/")).unwrap();
        assert_eq!(calendar.url(), url);
        assert_eq!(calendar.stamp(&[b'd'; 32]).await.unwrap(), b"proof");
        assert_eq!(calendar.look_up(&[0x0a, 0x0b]).await, Ok(None));
        assert_eq!(calendar.look_up(&[0x0c]).await, Ok(Some(b"later".to_vec())));
        assert_eq!(calendar.look_up(&[0xff]).await, Err(CalendarError::Refused(StatusCode::INTERNAL_SERVER_ERROR)));
        assert_eq!(asked.lock().unwrap()[0].body, "d".repeat(32));
    }

    #[tokio::test]
    async fn an_endless_answer_and_an_unencrypted_remote_calendar_are_refused() {
        let (url, _) = start(|_| ScriptedResponse::Endless).await;
        let refused = TimestampCalendar::new(&url).unwrap().stamp(&[0; 32]).await;
        assert!(matches!(refused, Err(CalendarError::NoAnswer(_))), "{refused:?}");
        assert!(TimestampCalendar::new("http://calendar.example").is_err());
    }
}
