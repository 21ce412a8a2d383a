//! The connector that connects to checked addresses alone.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tower_service::Service;

use super::address_policy::AddressPolicy;

/// The number of addresses of a name that are tried.
const ADDRESSES_MAX: usize = 4;
const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

/// The reason why no connection was made.
#[derive(Debug, Error)]
pub(super) enum ConnectError {
    /// The URL has no host.
    #[error("the URL has no host")]
    NoHost,
    /// The name has no address that the policy permits.
    #[error("the host has no address in the public Internet")]
    AddressRefused,
    /// The name has no address, or none that accepts connections.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A connector that resolves a name, checks its addresses, and connects to one of those that it has checked.
#[derive(Clone, Debug)]
pub(super) struct CheckedConnector {
    pub(super) policy: AddressPolicy,
    /// The time limit for each address.
    pub(super) time_limit: Duration,
}

impl CheckedConnector {
    async fn connect(self, uri: Uri) -> Result<TokioIo<TcpStream>, ConnectError> {
        let host = uri.host().ok_or(ConnectError::NoHost)?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let default_port = if uri.scheme_str() == Some("http") { HTTP_PORT } else { HTTPS_PORT };
        let port = uri.port_u16().unwrap_or(default_port);
        let resolved: Vec<SocketAddr> = match host.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => lookup_host((host, port)).await?.collect(),
        };
        let is_empty = resolved.is_empty();
        let permitted = resolved.into_iter().filter(|address| self.policy.permits(address.ip()));
        let mut failure = if is_empty {
            ConnectError::Io(io::Error::new(io::ErrorKind::NotFound, "the host has no address"))
        } else {
            ConnectError::AddressRefused
        };
        for address in permitted.take(ADDRESSES_MAX) {
            match timeout(self.time_limit, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    stream.set_nodelay(true)?;
                    return Ok(TokioIo::new(stream));
                }
                Ok(Err(error)) => failure = error.into(),
                Err(late) => failure = io::Error::from(late).into(),
            }
        }
        Err(failure)
    }
}

impl Service<Uri> for CheckedConnector {
    type Response = TokioIo<TcpStream>;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}
