//! The servers that are compared.

use std::{io, path::Path, process::Command, time::Duration};

use async_nats::Client;
use tempfile::TempDir;

use crate::{
    fanout::folder_in_memory,
    nats_server::NatsServer,
    served_market::{self, Published},
    server_process::ServerProcess,
    stopwatch::monotonic_nanoseconds,
};

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ours,
    Nats,
    Ws,
}

/// The protocol of its subscribers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Protocol {
    /// Subscribing by a frame of JSON, each delta a text frame.
    Feed,
    /// That of NATS in binary frames.
    Nats,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Ours, Self::Nats, Self::Ws];

    /// The name in tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Nats => "nats-server",
            Self::Ws => "Node's ws",
        }
    }

    pub(super) const fn protocol(self) -> Protocol {
        match self {
            Self::Ours | Self::Ws => Protocol::Feed,
            Self::Nats => Protocol::Nats,
        }
    }
}

/// A running server.
pub(super) enum Peer {
    /// One that publishes by itself, with its folder.
    Process(ServerProcess, Option<TempDir>),
    /// One that another client publishes to.
    Nats(Box<NatsPeer>),
}

/// A NATS server and the client that publishes.
pub(super) struct NatsPeer {
    server: NatsServer,
    publisher: Client,
    bytes: usize,
    sequence: u64,
}

impl Peer {
    /// Starts a server whose deltas have as many bytes; ours has deltas of offers.
    pub(super) async fn start(kind: Kind, bytes: usize) -> io::Result<Self> {
        match kind {
            Kind::Ours => {
                let folder = folder_in_memory()?;
                let server = ServerProcess::start(served_market::SUBCOMMAND, folder.path())?;
                Ok(Self::Process(server, Some(folder)))
            }
            Kind::Ws => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/fanout-ws.mjs");
                let mut command = Command::new("node");
                command.arg(script).arg(bytes.to_string());
                Ok(Self::Process(ServerProcess::spawn(command)?, None))
            }
            Kind::Nats => {
                let server = NatsServer::start()?;
                let publisher = async_nats::connect(server.url()).await.map_err(io::Error::other)?;
                Ok(Self::Nats(Box::new(NatsPeer { server, publisher, bytes, sequence: 0 })))
            }
        }
    }

    /// The address for subscribers.
    pub(super) fn address(&self) -> String {
        match self {
            Self::Process(server, _) => server.address.clone(),
            Self::Nats(peer) => peer.server.websocket_address(),
        }
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        match self {
            Self::Process(server, _) => server.memory_bytes(),
            Self::Nats(peer) => peer.server.memory_bytes(),
        }
    }

    pub(super) fn cpu_seconds(&self) -> f64 {
        match self {
            Self::Process(server, _) => server.cpu_seconds(),
            Self::Nats(peer) => peer.server.cpu_seconds(),
        }
    }

    /// Publishes deltas at this interval.
    pub(super) async fn publish(self, frames: u32, interval: Duration) -> io::Result<(Self, Published)> {
        match self {
            Self::Process(mut server, folder) => {
                let publishing = tokio::task::spawn_blocking(move || {
                    let published = served_market::publish(&mut server, frames, interval);
                    published.map(|published| (Self::Process(server, folder), published))
                });
                publishing.await.map_err(io::Error::other)?
            }
            Self::Nats(mut peer) => {
                let published = peer.publish(frames, interval).await?;
                Ok((Self::Nats(peer), published))
            }
        }
    }
}

impl NatsPeer {
    async fn publish(&mut self, frames: u32, interval: Duration) -> io::Result<Published> {
        let (start, mut deltas) = (tokio::time::Instant::now(), Vec::new());
        for number in 0..frames {
            tokio::time::sleep_until(start + interval * number).await;
            let payload = delta(self.sequence, self.bytes);
            self.sequence += 1;
            let sent_at = monotonic_nanoseconds();
            self.publisher.publish("book", payload.into()).await.map_err(io::Error::other)?;
            self.publisher.flush().await.map_err(io::Error::other)?;
            deltas.push((self.sequence, sent_at));
        }
        Ok(Published { deltas, lagged: 0, subscribers: 0 })
    }
}

/// A delta of so many bytes, like those of the script for Node.
fn delta(before: u64, bytes: usize) -> String {
    let head =
        format!(r#"{{"type":"delta","channel":"book:1","epoch":"bench","prev":{before},"seq":{},"ops":[""#, before + 1);
    let padding = "x".repeat(bytes.saturating_sub(head.len() + 3));
    format!(r#"{head}{padding}"]}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fanout::sequence_of;

    #[test]
    fn a_delta_has_its_length_and_sequence() {
        let delta = delta(41, 700);
        assert_eq!((delta.len(), sequence_of(&delta)), (700, Some(42)));
        assert!(serde_json::from_str::<serde_json::Value>(&delta).is_ok());
    }
}
