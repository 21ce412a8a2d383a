//! One client of the feed: reads and notes when each delta came, or stops reading.

use std::{io, net::SocketAddr};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::{
    net::{TcpSocket, TcpStream},
    sync::{OwnedSemaphorePermit, mpsc, watch},
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

use crate::{served_market::GROUP, stopwatch::monotonic_nanoseconds};

/// The smallest receive buffer that kernels grant.
const STALLED_BUFFER_BYTES: u32 = 4_096;
/// What a client sets aside for reading and writing.
const BUFFER_BYTES: usize = 4_096;

/// What a client received.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Sequence of each delta, and when it came, in nanoseconds of the machine's monotonic clock.
    pub(super) deltas: Vec<(u64, u64)>,
    /// The server ended the connection.
    pub(super) was_closed: bool,
}

/// The right to shake hands, and where to say that the snapshot has come.
pub(super) type Admission = (OwnedSemaphorePermit, mpsc::UnboundedSender<()>);

type Feed = WebSocketStream<TcpStream>;

async fn connect(address: &str, buffer: Option<u32>) -> io::Result<Feed> {
    let to: SocketAddr = address.parse().map_err(io::Error::other)?;
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default().read_buffer_size(BUFFER_BYTES).write_buffer_size(0);
    let url = format!("ws://{address}/api/v1/feed");
    let (mut feed, _) = client_async_with_config(url, stream, Some(config)).await.map_err(io::Error::other)?;
    let subscribe = format!(r#"{{"op":"subscribe","channel":"book:{GROUP}"}}"#);
    feed.send(Message::text(subscribe)).await.map_err(io::Error::other)?;
    Ok(feed)
}

async fn take_snapshot(feed: &mut Feed) -> io::Result<()> {
    while let Some(message) = feed.next().await {
        match message.map_err(io::Error::other)? {
            Message::Text(text) if text.contains(r#""type":"snapshot""#) => return Ok(()),
            Message::Text(text) if text.contains(r#""type":"error""#) => {
                return Err(io::Error::other(text.to_string()));
            }
            _ => {}
        }
    }
    Err(io::Error::other("the server closed the feed before the snapshot"))
}

/// Joins the feed and reads it until told to leave.
pub(super) async fn read_feed(
    address: &str,
    mut left: watch::Receiver<bool>,
    admission: Admission,
) -> io::Result<Arrivals> {
    let mut feed = connect(address, None).await?;
    take_snapshot(&mut feed).await?;
    let (permit, joined) = admission;
    drop(permit);
    // Nobody waits any more when another client has failed.
    let _ = joined.send(());
    drop(joined);
    let mut arrivals = Arrivals::default();
    loop {
        let message = tokio::select! {
            message = feed.next() => message,
            _ = left.changed() => return Ok(arrivals),
        };
        match message {
            Some(Ok(Message::Text(text))) => {
                arrivals.deltas.extend(sequence_of(&text).map(|sequence| (sequence, monotonic_nanoseconds())));
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                arrivals.was_closed = true;
                return Ok(arrivals);
            }
            Some(Ok(_)) => {}
        }
    }
}

/// Joins the feed and never reads again, until told to leave.
pub(super) async fn stall(address: &str, mut left: watch::Receiver<bool>, admission: Admission) -> io::Result<()> {
    let mut feed = connect(address, Some(STALLED_BUFFER_BYTES)).await?;
    take_snapshot(&mut feed).await?;
    let (permit, joined) = admission;
    drop(permit);
    // Nobody waits any more when another client has failed.
    let _ = joined.send(());
    drop(joined);
    // Ends with an error when nobody is left to say so; then it is time to leave, too.
    let _ = left.changed().await;
    Ok(())
}

/// The sequence of a delta, found without reading the rest.
fn sequence_of(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once(r#""seq":"#)?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_found() {
        assert_eq!(sequence_of(r#"{"type":"delta","prev":3,"seq":41,"ops":[]}"#), Some(41));
        assert_eq!(sequence_of("{}"), None);
    }
}
