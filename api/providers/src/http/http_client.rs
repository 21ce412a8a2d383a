//! An HTTP client for one server that the operator runs, with bounded time and response size.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode, Url, redirect};

use super::request_error::{RequestError, SetupError, error_chain};
use super::time_limit::retry_after;

/// A client of one server.
#[derive(Debug)]
pub(crate) struct HttpClient {
    http: reqwest::Client,
    base: String,
    answer_bytes_max: usize,
}

/// The outcome of one try.
pub(crate) enum Attempt {
    /// An answer, whatever its status, with its `Retry-After` delay.
    Answered((StatusCode, Vec<u8>), Option<Duration>),
    /// A timeout, which is not retried: a slow server must not start over.
    Late(RequestError),
    /// No answer.
    Failed(RequestError),
}

impl HttpClient {
    /// Creates a client of the server at `url`, such as `http://127.0.0.1:8332`.
    pub(crate) fn new(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let parsed = parsed.ok_or_else(|| SetupError::InvalidUrl(without_credentials(url)))?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(SetupError::CredentialsInUrl);
        }
        // Credentials go only to the configured server, never to a redirect or through a proxy of the environment.
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

    /// Sends a request once and returns the whole answer, whatever its status.
    pub(crate) async fn attempt(&self, request: RequestBuilder) -> Attempt {
        let failed = |error: reqwest::Error| {
            let is_late = error.is_timeout() && !error.is_connect();
            let failure = RequestError::Unreachable(error_chain(&error.without_url()));
            if is_late { Attempt::Late(failure) } else { Attempt::Failed(failure) }
        };
        let max = self.answer_bytes_max;
        let mut response = match request.send().await {
            Ok(response) => response,
            Err(error) => return failed(error),
        };
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if chunk.len() > max - body.len() => {
                    return Attempt::Failed(RequestError::TooLarge { max });
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Attempt::Answered((response.status(), body), retry_after(response.headers())),
                Err(error) => return failed(error),
            }
        }
    }
}

impl Attempt {
    /// Returns the answer, or why there is none.
    pub(crate) fn outcome(self) -> Result<(StatusCode, Vec<u8>), RequestError> {
        match self {
            Self::Answered(answer, _) => Ok(answer),
            Self::Late(failure) | Self::Failed(failure) => Err(failure),
        }
    }
}

/// Removes everything before an `@`.
fn without_credentials(url: &str) -> String {
    url.rsplit('@').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::TIME_LIMIT;

    #[test]
    fn an_upstream_is_a_url_without_secrets() {
        let setup = |url| HttpClient::new(url, TIME_LIMIT, 1).err();
        assert_eq!(setup("http://127.0.0.1:8332/"), None);
        for wrong in ["", "127.0.0.1:8332", "file:///etc", "http://"] {
            assert_eq!(setup(wrong), Some(SetupError::InvalidUrl(wrong.to_owned())), "{wrong}");
        }
        for wrong in ["http://user@host", "http://user:secret@host", "http://:secret@host"] {
            assert_eq!(setup(wrong), Some(SetupError::CredentialsInUrl), "{wrong}");
        }
        assert_eq!(setup("ftp://user:secret@host"), Some(SetupError::InvalidUrl("host".to_owned())));
    }
}
