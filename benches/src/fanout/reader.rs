//! One client of the feed: records the arrival of each delta, or stops reading.

use std::io;

use futures_util::StreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio_tungstenite::tungstenite::Message;

use crate::{feed, served_market::GROUP, stopwatch::monotonic_nanoseconds};

/// The smallest receive buffer that kernels grant.
const STALLED_BUFFER_BYTES: u32 = 4_096;

/// The deltas that a client received.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// The sequence and arrival time of each delta, in nanoseconds of the machine's monotonic clock.
    pub(crate) deltas: Vec<(u64, u64)>,
    /// The bytes of these deltas.
    pub(crate) bytes: usize,
    /// Whether the server ended the connection.
    pub(crate) was_closed: bool,
}

/// The permit to perform the handshake, and the channel to report the arrival of the snapshot.
pub(crate) type ConnectSlot = (OwnedSemaphorePermit, mpsc::UnboundedSender<()>);

/// The frame that subscribes to the book.
pub(crate) fn subscription() -> serde_json::Value {
    serde_json::json!({ "op": "subscribe", "channel": format!("book:{GROUP}") })
}

/// Subscribes to the feed and reads it until stopped.
pub(crate) async fn read_feed(
    address: &str,
    mut stop: watch::Receiver<bool>,
    slot: ConnectSlot,
) -> io::Result<Arrivals> {
    let mut feed = feed::subscribe(address, &subscription(), None).await?;
    let (permit, joined) = slot;
    drop(permit);
    // The receiver is gone if another client has failed.
    let _ = joined.send(());
    drop(joined);
    let mut arrivals = Arrivals::default();
    loop {
        let message = tokio::select! {
            message = feed.next() => message,
            _ = stop.changed() => return Ok(arrivals),
        };
        match message {
            Some(Ok(Message::Text(text))) => {
                if let Some(sequence) = sequence_of(&text) {
                    arrivals.deltas.push((sequence, monotonic_nanoseconds()));
                    arrivals.bytes += text.len();
                }
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                arrivals.was_closed = true;
                return Ok(arrivals);
            }
            Some(Ok(_)) => {}
        }
    }
}

/// Subscribes to the feed and never reads again, until stopped.
pub(crate) async fn stall(address: &str, mut stop: watch::Receiver<bool>, slot: ConnectSlot) -> io::Result<()> {
    let feed = feed::subscribe(address, &subscription(), Some(STALLED_BUFFER_BYTES)).await?;
    let (permit, joined) = slot;
    drop(permit);
    // The receiver is gone if another client has failed.
    let _ = joined.send(());
    drop(joined);
    // An error means that the sender is gone, and then this client stops, too.
    let _ = stop.changed().await;
    drop(feed);
    Ok(())
}

/// The sequence of a delta, extracted without parsing the rest.
pub(crate) fn sequence_of(text: &str) -> Option<u64> {
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
