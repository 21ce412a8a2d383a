//! A server far away that is asked by TLS: bounded in time, and its answers in size.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;

use crate::upstream::{NoAnswer, SetupError, chain_of};

/// One address that JSON is posted to. Nothing is followed elsewhere, and no proxy of the environment is asked.
#[derive(Debug)]
pub(crate) struct HttpsEndpoint {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    time_limit: Duration,
    answer_bytes_max: usize,
}

impl HttpsEndpoint {
    /// The address `url`: by TLS with the public roots that the program was built with, or in clear on this machine.
    pub(crate) fn new(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        let uri: Uri = url.parse().map_err(|_| SetupError::NoUrl(url.to_owned()))?;
        match (uri.scheme_str(), uri.host()) {
            (Some("https"), Some(_)) | (Some("http"), Some("127.0.0.1" | "[::1]" | "localhost")) => {}
            _ => return Err(SetupError::NoUrl(url.to_owned())),
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(SetupError::CredentialsInUrl);
        }
        let connector = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, uri, time_limit, answer_bytes_max })
    }

    /// Posts a text of JSON and reads the whole answer, whatever its status.
    pub(crate) async fn post(&self, json: Vec<u8>) -> Result<(StatusCode, Bytes), NoAnswer> {
        let late = |_| NoAnswer::Unreachable(format!("no answer within {} ms", self.time_limit.as_millis()));
        timeout(self.time_limit, self.exchange(json)).await.map_err(late)?
    }

    async fn exchange(&self, json: Vec<u8>) -> Result<(StatusCode, Bytes), NoAnswer> {
        let request = Request::post(self.uri.clone()).header(CONTENT_TYPE, "application/json");
        let request = request.body(Full::from(json)).map_err(|error| NoAnswer::Unreachable(error.to_string()))?;
        let answer = self.client.request(request).await.map_err(|error| NoAnswer::Unreachable(chain_of(&error)))?;
        let status = answer.status();
        let max = self.answer_bytes_max;
        match Limited::new(answer.into_body(), max).collect().await {
            Ok(body) => Ok((status, body.to_bytes())),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(NoAnswer::TooLarge { max }),
            Err(error) => Err(NoAnswer::Unreachable(chain_of(&*error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted_server::{Told, start};

    const SOON: Duration = Duration::from_millis(500);

    #[test]
    fn only_this_machine_is_asked_in_clear() {
        let setup = |url| HttpsEndpoint::new(url, SOON, 1).err();
        for right in
            ["https://challenges.cloudflare.com/a", "http://127.0.0.1:1/a", "http://[::1]:1", "http://localhost"]
        {
            assert_eq!(setup(right), None, "{right}");
        }
        for wrong in ["", "/a", "challenges.cloudflare.com", "http://challenges.cloudflare.com", "ftp://127.0.0.1"] {
            assert_eq!(setup(wrong), Some(SetupError::NoUrl(wrong.to_owned())), "{wrong}");
        }
        assert_eq!(setup("https://user:secret@host"), Some(SetupError::CredentialsInUrl));
    }

    #[tokio::test]
    async fn whoever_cannot_prove_to_be_the_server_is_told_nothing() {
        let (url, asked) = start(|_| Told::ok("{}")).await;
        let endpoint = HttpsEndpoint::new(&url.replace("http://", "https://"), SOON, 100).unwrap();
        assert!(matches!(endpoint.post(b"secret".to_vec()).await, Err(NoAnswer::Unreachable(_))));
        assert!(asked.lock().unwrap().is_empty());
    }
}
