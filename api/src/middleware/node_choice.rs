//! The middleware that has a request of a cluster answered by the right node: not before this one shows what the session
//! has seen, and by the node that decides where only that can answer.

use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, web};
use http_body_util::Full;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::request_id;
use crate::app::App;
use crate::cluster::node_client::{NodeAnswer, NodeError};
use crate::cluster::position::{self, Seen};
use crate::cluster::{Cluster, Role, WriterNode, node_credential};
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// The time for which a request waits until this node shows what its session has seen.
const POSITION_TIMEOUT: Duration = Duration::from_secs(5);

/// The time for which a request waits for a node that decides. A takeover takes less.
const WRITER_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause before a request is sent again to a node that has not taken it.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// The time for which a request waits for the answer of a node that another one has replaced. A node that hands over
/// still answers what it has accepted.
const REPLACED_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads that ask the chain or the parts beside it, which the node that decides watches, answers of webhooks, and pictures, which a server draws
/// for its own demo.
const WATCHED: [&str; 16] = [
    "/api/v1/chain",
    "/api/v1/config",
    "/api/v1/delegations",
    "/api/v1/devnet",
    "/api/v1/inscriptions/",
    "/api/v1/loans/",
    "/api/v1/brc20/",
    "/api/v1/vaults/",
    "/api/v1/me/collateral",
    "/api/v1/me/exact-coins",
    "/api/v1/me/funds",
    "/api/v1/me/rune-balances",
    "/api/v1/me/notifications",
    "/api/v1/me/takeable-offers",
    "/api/v1/me/webhooks",
    "/collection-images/",
];

/// The end of the path of a read about marketplaces, which the node that decides asks.
const ASKED: &str = "/price-source";

/// Headers that describe one connection, or that this node writes itself.
const NOT_FORWARDED: [&str; 11] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "host",
    "content-length",
    "accept-encoding",
    "date",
];

/// The node that answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answering {
    /// Any.
    Any,
    /// The one that decides; any, while there is none.
    WriterIfAny,
    /// The one that decides.
    Writer,
}

impl Answering {
    fn of(method: &Method, path: &str) -> Self {
        let is_api = path.starts_with("/api/");
        match *method {
            Method::GET | Method::HEAD if path.ends_with(ASKED) => Self::WriterIfAny,
            Method::GET | Method::HEAD if WATCHED.iter().any(|prefix| path.starts_with(prefix)) => Self::WriterIfAny,
            Method::GET | Method::HEAD | Method::OPTIONS => Self::Any,
            _ if is_api => Self::Writer,
            _ => Self::Any,
        }
    }

    /// Whether a request waits until a node of this role shows what its session has seen. One that has handed over
    /// follows no more, and what it forwards waits at the successor.
    fn waits_at(self, role: Role) -> bool {
        role != Role::Leaving || self != Self::Writer
    }
}

/// Answers a request by the right node, and never from before what its session has seen.
///
/// # Errors
/// Never: a refusal is a response.
pub async fn by_position_and_role<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = request.app_data::<web::Data<App>>().cloned();
    let Some((app, cluster)) = app.and_then(|app| Some((app.clone(), app.cluster.clone()?))) else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let is_api = request.path().starts_with("/api/");
    let answering = Answering::of(request.method(), request.path());
    let known = position::of_request(&request, cluster.journal.identity());
    if let Some(seen) = known
        && answering.waits_at(cluster.role())
        && !cluster.wait_for(seen, POSITION_TIMEOUT).await
    {
        return Ok(request.error_response(ApiError::plain(ErrorCode::NoWriter)));
    }
    // A request is forwarded once: between two nodes that each take the other for the writer it would never end.
    let is_forwarded = request.headers().contains_key(node_credential::HEADER);
    let is_mine = cluster.is_writer() || answering == Answering::Any || is_forwarded;
    let is_possible =
        answering == Answering::Writer || cluster.writer().is_some_and(|writer| writer.name != cluster.name);
    let mut response = if is_mine || !is_possible {
        next.call(request).await?.map_into_boxed_body()
    } else {
        forward(request, &app, &cluster, answering).await
    };
    if is_api {
        let seen = Seen { journal: cluster.journal.identity(), position: position::latest(cluster.position(), known) };
        position::write(response.headers_mut(), seen, app.public_url.is_https());
    }
    Ok(response)
}

async fn forward(
    mut request: ServiceRequest,
    app: &App,
    cluster: &Cluster,
    answering: Answering,
) -> ServiceResponse<BoxBody> {
    let body = match request.extract::<web::Bytes>().await {
        Ok(body) => body,
        Err(error) => return request.error_response(error),
    };
    let mut deadline = Instant::now() + WRITER_TIMEOUT;
    if answering == Answering::WriterIfAny {
        deadline = Instant::now() + RETRY_DELAY;
    }
    let answer = loop {
        match attempt(&request, &body, app, cluster, deadline).await {
            Attempt::Answered(answer) => break Ok(answer),
            Attempt::NotTaken if Instant::now() < deadline => sleep(RETRY_DELAY).await,
            Attempt::NotTaken => break Err("no node decides".to_owned()),
            Attempt::Unknown(reason) => break Err(reason),
        }
    };
    match answer {
        Ok(answer) => respond(request, answer),
        Err(reason) => {
            tracing::warn!(path = request.path(), reason, "a request was not forwarded");
            request.error_response(ApiError::plain(ErrorCode::NoWriter))
        }
    }
}

enum Attempt {
    Answered(NodeAnswer),
    /// Nothing was done with the request.
    NotTaken,
    /// It is unknown whether it was done. A client that repeats it does no harm: a signed message counts once, and an
    /// idempotency key too.
    Unknown(String),
}

async fn attempt(
    request: &ServiceRequest,
    body: &web::Bytes,
    app: &App,
    cluster: &Cluster,
    deadline: Instant,
) -> Attempt {
    let mut writer = cluster.writer_changes();
    // It may be this node by now, which then takes the request like any other.
    let asked = match timeout_at(deadline, writer.wait_for(Option::is_some)).await {
        Ok(Ok(writer)) => writer.clone(),
        _ => None,
    };
    let Some(asked) = asked else { return Attempt::NotTaken };
    let sent = match outgoing(request, &asked.url, body, app, cluster) {
        Ok(sent) => sent,
        Err(error) => return Attempt::Unknown(error.to_string()),
    };
    let answered = tokio::select! {
        answered = cluster.client().send(sent) => answered,
        () = replaced(&mut writer, asked.epoch) => {
            return Attempt::Unknown(format!("{} was asked, and another node has taken its place", asked.name));
        }
    };
    let answer = match answered {
        Ok(answer) => answer,
        Err(NodeError::NotSent) => return Attempt::NotTaken,
        Err(NodeError::Unknown(reason)) => return Attempt::Unknown(reason),
    };
    if answer.status.as_u16() == ErrorCode::NoWriter.status() && is_not_taken(&answer.body) {
        return Attempt::NotTaken;
    }
    // The client's next read is answered here, and shows the effect of this write.
    let position = answer.headers.get(position::HEADER.as_str()).and_then(|value| value.to_str().ok());
    if let Some(position) = position.and_then(|text| position::parse(text, cluster.journal.identity())) {
        cluster.wait_for(position, POSITION_TIMEOUT).await;
    }
    Attempt::Answered(answer)
}

/// Resolves once another node has taken the place of the writer of an epoch, and a little later: a connection to a
/// machine that hangs, or is cut off, stays open for as long as that lasts.
async fn replaced(writer: &mut watch::Receiver<Option<WriterNode>>, epoch: u64) {
    let is_later = |writer: &Option<WriterNode>| writer.as_ref().is_some_and(|writer| writer.epoch > epoch);
    if writer.wait_for(is_later).await.is_err() {
        std::future::pending::<()>().await;
    }
    sleep(REPLACED_TIMEOUT).await;
}

/// The request as it is sent to the node at a URL.
fn outgoing(
    request: &ServiceRequest,
    url: &str,
    body: &web::Bytes,
    app: &App,
    cluster: &Cluster,
) -> Result<hyper::Request<Full<web::Bytes>>, hyper::http::Error> {
    let (path, query) = (request.path(), request.query_string());
    let target = if query.is_empty() { format!("{url}{path}") } else { format!("{url}{path}?{query}") };
    let client = app.client_address(request.request());
    let credential = cluster.credential().issue(client, path, app.now());
    let mut sent = hyper::Request::builder().method(request.method().as_str()).uri(target);
    sent = sent.header(node_credential::HEADER, credential).header("accept-encoding", "identity");
    for (name, value) in request.headers() {
        if !NOT_FORWARDED.contains(&name.as_str()) && *name != request_id::HEADER {
            sent = sent.header(name.as_str(), value.as_bytes());
        }
    }
    if let Some(id) = request_id::current(request.request()) {
        sent = sent.header(request_id::HEADER.as_str(), id.as_str());
    }
    sent.body(Full::from(body.clone()))
}

/// Whether a node refused because it does not decide, and so did nothing.
fn is_not_taken(body: &[u8]) -> bool {
    let problem: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    problem.is_some_and(|problem| problem["code"] == ErrorCode::NoWriter.code())
}

fn respond(request: ServiceRequest, answer: NodeAnswer) -> ServiceResponse<BoxBody> {
    let status = StatusCode::from_u16(answer.status.as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut response = HttpResponse::build(status);
    for (name, value) in &answer.headers {
        if !NOT_FORWARDED.contains(&name.as_str()) {
            response.append_header((name.as_str(), value.as_bytes()));
        }
    }
    request.into_response(response.body(answer.body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_and_reads_of_the_chain_are_for_the_writer() {
        for (method, path, answering) in [
            (Method::POST, "/api/v1/offers/manual", Answering::Writer),
            (Method::DELETE, "/api/v1/sessions/1", Answering::Writer),
            (Method::GET, "/api/v1/chain", Answering::WriterIfAny),
            (Method::GET, "/api/v1/vaults/me", Answering::WriterIfAny),
            (Method::GET, "/api/v1/loans/ln_1/countersignature", Answering::WriterIfAny),
            (Method::GET, "/api/v1/me/loans", Answering::Any),
            (Method::GET, "/api/v1/collections/paper-frogs/price-source", Answering::WriterIfAny),
            (Method::GET, "/api/v1/collections/paper-frogs/price-history", Answering::Any),
            (Method::GET, "/api/v1/collections", Answering::Any),
            (Method::GET, "/api/v1/feed", Answering::Any),
            (Method::HEAD, "/", Answering::Any),
            (Method::POST, "/", Answering::Any),
        ] {
            assert_eq!(Answering::of(&method, path), answering, "{method} {path}");
        }
    }

    #[test]
    fn a_node_that_has_handed_over_forwards_writes_without_waiting() {
        for role in [Role::Follower, Role::Writer { epoch: 1 }, Role::Leaving] {
            for answering in [Answering::Any, Answering::WriterIfAny, Answering::Writer] {
                let is_exception = (role, answering) == (Role::Leaving, Answering::Writer);
                assert_eq!(answering.waits_at(role), !is_exception, "{role:?} {answering:?}");
            }
        }
    }

    #[test]
    fn only_a_node_that_does_not_decide_has_done_nothing() {
        assert!(is_not_taken(br#"{"code":"no_writer"}"#));
        for other in [&br#"{"code":"not_ready"}"#[..], b"", b"no_writer", br#"["no_writer"]"#] {
            assert!(!is_not_taken(other));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_for_a_node_until_a_later_epoch_is_held_by_another() {
        let node = |name: &str, epoch| Some(WriterNode { name: name.to_owned(), url: String::new(), epoch });
        let (writers, mut seen) = watch::channel(node("a", 4));
        let waiting = tokio::spawn(async move { replaced(&mut seen, 4).await });
        // A lease that has lapsed, or was renewed, replaces nothing.
        for writer in [None, node("a", 4)] {
            writers.send_replace(writer);
            sleep(REPLACED_TIMEOUT * 10).await;
            assert!(!waiting.is_finished());
        }
        let replaced_at = Instant::now();
        writers.send_replace(node("b", 5));
        waiting.await.unwrap();
        assert_eq!(replaced_at.elapsed(), REPLACED_TIMEOUT);
    }
}
