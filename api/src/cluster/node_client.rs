//! The HTTP client by which a node asks another one.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

/// The time within which another node must accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeout of an answer; some wait for a Bitcoin node.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// The largest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 32 * 1_024 * 1_024;

/// The client. It follows no redirects and uses no proxy of the environment. Nodes are asked over TLS where their URL
/// says so, and otherwise on a network of the operator.
pub struct NodeClient(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

/// The answer of a node.
#[derive(Debug)]
pub struct NodeAnswer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

/// The reason why there is no answer.
#[derive(Debug)]
pub enum NodeError {
    /// No connection was made, so the node has not received the request.
    NotSent,
    /// The node may have received the request.
    Unknown(String),
}

impl Default for NodeClient {
    fn default() -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let connector = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1();
        let connector = connector.wrap_connector(tcp);
        let mut client = Client::builder(TokioExecutor::new());
        // A request that may have been received is not sent again.
        Self(client.pool_timer(TokioTimer::new()).retry_canceled_requests(false).build(connector))
    }
}

impl NodeClient {
    /// Sends a request once and returns the whole answer, whatever its status.
    ///
    /// # Errors
    /// [`NodeError`].
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Result<NodeAnswer, NodeError> {
        let exchange = async {
            let answer = self.0.request(request).await.map_err(|error| {
                if error.is_connect() { NodeError::NotSent } else { NodeError::Unknown(error.to_string()) }
            })?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|error| NodeError::Unknown(error.to_string()))?;
            Ok(NodeAnswer { status: head.status, headers: head.headers, body: body.to_bytes() })
        };
        let late = |_| NodeError::Unknown(format!("no answer within {} s", ANSWER_TIMEOUT.as_secs()));
        timeout(ANSWER_TIMEOUT, exchange).await.map_err(late)?
    }
}
