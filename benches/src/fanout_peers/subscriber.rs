//! One subscriber of a peer: connects, and records the arrivals of deltas.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::watch;
use tokio_tungstenite::{
    client_async_with_config,
    tungstenite::{Message, client::IntoClientRequest as _, http::HeaderValue, protocol::WebSocketConfig},
};

use super::{
    nats_frames::{FromNats, NatsFrames},
    peer::Protocol,
};
use crate::{
    fanout::{Arrivals, ConnectSlot, sequence_of, subscription},
    feed::{self, BUFFER_BYTES, Feed},
    stopwatch::monotonic_nanoseconds,
};

/// The sockets of a local address, far fewer than it has ports.
const SOCKETS_OF_AN_ADDRESS: usize = 4_000;

/// The first lines of a subscriber of NATS. The answer to the ping means that it is subscribed.
const NATS_SUBSCRIPTION: &str = "CONNECT {\"verbose\":false,\"pedantic\":false,\"lang\":\"benches\",\"version\":\"0\",\"protocol\":1}\r\nSUB book 1\r\nPING\r\n";

/// The address that a socket connects from, by its number.
fn local_address(number: usize) -> Ipv4Addr {
    let host = u8::try_from(2 + number / SOCKETS_OF_AN_ADDRESS).expect("at most a million sockets");
    Ipv4Addr::new(127, 0, 0, host)
}

/// Subscribes and reads until stopped, and counts each delta in `arrived`.
pub(super) async fn read(
    (protocol, address, number): (Protocol, String, usize),
    stop: watch::Receiver<bool>,
    slot: ConnectSlot,
    arrived: Arc<AtomicUsize>,
) -> io::Result<Arrivals> {
    let from = local_address(number);
    match protocol {
        Protocol::Feed => {
            let feed = feed::subscribe_from(Some(from), &address, &subscription(), None).await?;
            read_until_stopped(feed, None, stop, slot, &arrived).await
        }
        Protocol::Nats => {
            let (feed, frames) = subscribe_to_nats(from, &address).await?;
            read_until_stopped(feed, Some(frames), stop, slot, &arrived).await
        }
    }
}

async fn subscribe_to_nats(from: Ipv4Addr, address: &str) -> io::Result<(Feed, NatsFrames)> {
    let to: SocketAddr = address.parse().map_err(io::Error::other)?;
    let stream = feed::connect(Some(from), to, None).await?;
    let mut request = format!("ws://{address}/").into_client_request().map_err(io::Error::other)?;
    request.headers_mut().insert("origin", HeaderValue::from_static("http://127.0.0.1"));
    let config = WebSocketConfig::default().read_buffer_size(BUFFER_BYTES).write_buffer_size(0);
    let (mut feed, _) = client_async_with_config(request, stream, Some(config)).await.map_err(io::Error::other)?;
    feed.send(Message::binary(NATS_SUBSCRIPTION)).await.map_err(io::Error::other)?;
    let mut frames = NatsFrames::default();
    loop {
        let message = feed.next().await.ok_or_else(|| io::Error::other("the NATS server closed the connection"))?;
        frames.push(&message.map_err(io::Error::other)?.into_data());
        for frame in frames.take() {
            match frame {
                FromNats::Pong => return Ok((feed, frames)),
                FromNats::Ping => feed.send(Message::binary("PONG\r\n")).await.map_err(io::Error::other)?,
                FromNats::Error(text) => return Err(io::Error::other(text)),
                FromNats::Payload(_) => {}
            }
        }
    }
}

async fn read_until_stopped(
    mut feed: Feed,
    mut frames: Option<NatsFrames>,
    mut stop: watch::Receiver<bool>,
    (permit, joined): ConnectSlot,
    arrived: &AtomicUsize,
) -> io::Result<Arrivals> {
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
        match (message, frames.as_mut()) {
            (Some(Ok(Message::Text(text))), None) => record(&mut arrivals, &text, arrived),
            (Some(Ok(Message::Binary(bytes))), Some(frames)) => {
                frames.push(&bytes);
                for frame in frames.take() {
                    match frame {
                        FromNats::Payload(bytes) => {
                            record(&mut arrivals, &String::from_utf8_lossy(&bytes), arrived);
                        }
                        FromNats::Ping => feed.send(Message::binary("PONG\r\n")).await.map_err(io::Error::other)?,
                        FromNats::Pong | FromNats::Error(_) => {}
                    }
                }
            }
            (Some(Ok(Message::Close(_)) | Err(_)) | None, _) => {
                arrivals.was_closed = true;
                return Ok(arrivals);
            }
            (Some(Ok(_)), _) => {}
        }
    }
}

fn record(arrivals: &mut Arrivals, text: &str, arrived: &AtomicUsize) {
    if let Some(sequence) = sequence_of(text) {
        arrivals.deltas.push((sequence, monotonic_nanoseconds()));
        arrivals.bytes += text.len();
        arrived.fetch_add(1, Ordering::Relaxed);
    }
}
