//! The WebSocket of the feed.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config};

/// The time limit of a handshake, and of writing a frame.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The largest accepted frame. The largest snapshot of a book is a third of it.
const FRAME_BYTES_MAX: usize = 32 * 1_024 * 1_024;

/// An open socket.
pub(super) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens a socket.
    pub(super) async fn open(url: &str, tls: Arc<ClientConfig>) -> Result<Self, String> {
        let limits =
            WebSocketConfig::default().max_message_size(Some(FRAME_BYTES_MAX)).max_frame_size(Some(FRAME_BYTES_MAX));
        let connecting = connect_async_tls_with_config(url, Some(limits), true, Some(Connector::Rustls(tls)));
        let (socket, _) = timeout(TIME_LIMIT, connecting)
            .await
            .map_err(|_| format!("no handshake within {} s", TIME_LIMIT.as_secs()))?
            .map_err(|error| error.to_string())?;
        Ok(Self(socket))
    }

    /// Sends a text frame.
    pub(super) async fn send(&mut self, text: String) -> Result<(), String> {
        let sent = timeout(TIME_LIMIT, self.0.send(Message::text(text))).await;
        sent.map_err(|_| "the server does not read".to_owned())?.map_err(|error| error.to_string())
    }

    /// Returns the next text frame, or `None` for a frame without text; fails when the socket is closed.
    pub(super) async fn receive(&mut self) -> Result<Option<String>, String> {
        match self.0.next().await {
            Some(Ok(Message::Text(text))) => Ok(Some(text.as_str().to_owned())),
            Some(Ok(Message::Close(reason))) => {
                Err(reason.map_or_else(|| "closed".to_owned(), |reason| format!("closed with {}", reason.code)))
            }
            Some(Ok(_)) => Ok(None),
            Some(Err(error)) => Err(error.to_string()),
            None => Err("closed".to_owned()),
        }
    }
}
