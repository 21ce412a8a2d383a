//! A client's socket of the feed.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

/// The size of a client's read buffer.
pub(crate) const BUFFER_BYTES: usize = 4_096;

/// An open socket.
pub type Feed = WebSocketStream<TcpStream>;

/// Connects from a loopback address, if one is given, so that one address's ports need not be enough for all sockets.
pub(crate) async fn connect(from: Option<Ipv4Addr>, to: SocketAddr, buffer: Option<u32>) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(from) = from {
        socket.bind(SocketAddr::new(IpAddr::V4(from), 0))?;
    }
    if let Some(bytes) = buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Opens a socket and a channel, and reads until its snapshot has arrived. `buffer` is the socket's receive buffer in
/// bytes, if not the default.
///
/// # Errors
/// If the server is not reachable, or refuses the subscription.
pub async fn subscribe(address: &str, subscription: &Value, buffer: Option<u32>) -> io::Result<Feed> {
    subscribe_from(None, address, subscription, buffer).await
}

/// Does the same from a loopback address.
pub(crate) async fn subscribe_from(
    from: Option<Ipv4Addr>,
    address: &str,
    subscription: &Value,
    buffer: Option<u32>,
) -> io::Result<Feed> {
    let to: SocketAddr = address.parse().map_err(io::Error::other)?;
    let stream = connect(from, to, buffer).await?;
    let config = WebSocketConfig::default().read_buffer_size(BUFFER_BYTES).write_buffer_size(0);
    let url = format!("ws://{address}/api/v1/feed");
    let (mut feed, _) = client_async_with_config(url, stream, Some(config)).await.map_err(io::Error::other)?;
    feed.send(Message::text(subscription.to_string())).await.map_err(io::Error::other)?;
    while let Some(message) = feed.next().await {
        match message.map_err(io::Error::other)? {
            Message::Text(text) if text.contains(r#""type":"snapshot""#) => return Ok(feed),
            Message::Text(text) if text.contains(r#""type":"error""#) => {
                return Err(io::Error::other(text.to_string()));
            }
            _ => {}
        }
    }
    Err(io::Error::other("the server closed the feed before the snapshot"))
}
