//! An HTTP server that is asked: bounded in time, and its answers in size.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode, Url, redirect};
use thiserror::Error;

/// How long an answer may take.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Why an upstream cannot be asked at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// No address of a server.
    #[error("{0:?} is no URL of an HTTP server")]
    NoUrl(String),
    /// Addresses end up in logs.
    #[error("a URL must not carry a user name or a password: configure them beside it")]
    CredentialsInUrl,
    /// The HTTP client does not start.
    #[error("the HTTP client does not start: {0}")]
    Client(String),
}

/// Why there is no answer to read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum NoAnswer {
    /// No connection, a broken one, or too slow.
    #[error("{0}")]
    Unreachable(String),
    /// More than anybody asked for.
    #[error("it is larger than {max} bytes")]
    TooLarge {
        /// What was bargained for.
        max: usize,
    },
}

/// An HTTP server.
#[derive(Debug)]
pub(crate) struct Upstream {
    http: reqwest::Client,
    base: String,
    answer_bytes_max: usize,
}

impl Upstream {
    /// The server at `url`, such as `http://127.0.0.1:8332`.
    pub(crate) fn new(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let parsed = parsed.ok_or_else(|| SetupError::NoUrl(without_credentials(url)))?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(SetupError::CredentialsInUrl);
        }
        // Credentials go to the configured server and to no other, and never through a proxy of the environment.
        let http = reqwest::Client::builder().timeout(time_limit).redirect(redirect::Policy::none()).no_proxy();
        let http = http.build().map_err(|error| SetupError::Client(error.to_string()))?;
        Ok(Self { http, base: url.trim_end_matches('/').to_owned(), answer_bytes_max })
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(format!("{}{path}", self.base))
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.http.post(format!("{}{path}", self.base))
    }

    /// Sends a request and reads the whole answer, whatever its status.
    pub(crate) async fn answer(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), NoAnswer> {
        let unreachable = |error: reqwest::Error| NoAnswer::Unreachable(chain_of(&error.without_url()));
        let max = self.answer_bytes_max;
        let mut response = request.send().await.map_err(unreachable)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if chunk.len() > max - body.len() {
                return Err(NoAnswer::TooLarge { max });
            }
            body.extend_from_slice(&chunk);
        }
        Ok((response.status(), body))
    }
}

/// What stands before an @ is left out.
fn without_credentials(url: &str) -> String {
    url.rsplit('@').next().unwrap_or_default().to_owned()
}

/// An error with its causes: reqwest's own text alone never says why.
pub(crate) fn chain_of(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_is_a_url_without_secrets() {
        let setup = |url| Upstream::new(url, TIME_LIMIT, 1).err();
        assert_eq!(setup("http://127.0.0.1:8332/"), None);
        for wrong in ["", "127.0.0.1:8332", "file:///etc", "http://"] {
            assert_eq!(setup(wrong), Some(SetupError::NoUrl(wrong.to_owned())), "{wrong}");
        }
        for wrong in ["http://user@host", "http://user:secret@host", "http://:secret@host"] {
            assert_eq!(setup(wrong), Some(SetupError::CredentialsInUrl), "{wrong}");
        }
        assert_eq!(setup("ftp://user:secret@host"), Some(SetupError::NoUrl("host".to_owned())));
    }
}
