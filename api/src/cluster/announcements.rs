//! Announcements between nodes over NATS: that there is more to read in the journal, and that the lease is free.
//!
//! They carry no data that anything relies on. One that is lost, doubled, late or invented costs a read of the journal.

use std::time::Duration;

use async_nats::{Client, ConnectOptions, Subscriber};
use engine::journal::Position;
use futures_util::StreamExt as _;

use crate::failure::Failure;

/// The longest announcement that is read.
const LENGTH_MAX: usize = 32;

/// The time within which the server must answer at the start; later it is tried again for as long as it takes.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

const RELEASED: &str = "released";

/// An announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// The journal has grown to this position.
    Committed(Position),
    /// The lease can be claimed.
    Released,
}

impl Announcement {
    fn text(self) -> String {
        match self {
            Self::Committed(position) => position.0.to_string(),
            Self::Released => RELEASED.to_owned(),
        }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= LENGTH_MAX)?;
        if text == RELEASED { Some(Self::Released) } else { text.parse().ok().map(Position).map(Self::Committed) }
    }
}

/// The sender of this node's announcements. Clones share its connection.
#[derive(Clone, Debug)]
pub struct Announcer {
    client: Client,
    subject: String,
}

impl Announcer {
    /// Connects to a server; the nodes of one journal announce to each other.
    ///
    /// # Errors
    /// If the URL is not one of a NATS server. A server that is away is waited for in the background.
    pub async fn connect(url: &str, journal: &str) -> Result<Self, Failure> {
        let options = ConnectOptions::new()
            .name("lienbook")
            .connection_timeout(CONNECT_TIMEOUT)
            .retry_on_initial_connect()
            .event_callback(async |event| tracing::info!(%event, "NATS"));
        let client = options.connect(url).await.map_err(|error| Failure::new(format!("the NATS server: {error}")))?;
        Ok(Self { client, subject: format!("lienbook.{journal}") })
    }

    /// Sends an announcement, as far as that is possible now.
    pub async fn announce(&self, announcement: Announcement) {
        // A lost one costs the others the wait until their next look at the journal.
        if let Err(error) = self.client.publish(self.subject.clone(), announcement.text().into()).await {
            tracing::debug!(%error, "an announcement was not sent");
        }
    }

    /// Sends an announcement and waits until the server has it, or the timeout.
    pub async fn announce_last(&self, announcement: Announcement) {
        self.announce(announcement).await;
        let _ = tokio::time::timeout(CONNECT_TIMEOUT, self.client.flush()).await;
    }

    /// Returns the announcements of all nodes from now on.
    ///
    /// # Errors
    /// If the connection was given up.
    pub async fn listen(&self) -> Result<Announcements, Failure> {
        let subscribed = self.client.subscribe(self.subject.clone()).await;
        subscribed.map(Announcements).map_err(|error| Failure::new(format!("the NATS server: {error}")))
    }
}

/// A stream of announcements.
pub struct Announcements(Subscriber);

impl Announcements {
    /// Returns the next announcement; `None` once the connection is given up.
    pub async fn next(&mut self) -> Option<Announcement> {
        loop {
            let message = self.0.next().await?;
            if let Some(announcement) = Announcement::parse(&message.payload) {
                return Some(announcement);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_is_a_position_or_the_release_and_nothing_else() {
        for announcement in [Announcement::Committed(Position(u64::MAX)), Announcement::Released] {
            assert_eq!(Announcement::parse(announcement.text().as_bytes()), Some(announcement));
        }
        for hostile in [&b""[..], b"-1", b"18446744073709551616", b"\xff", b"released ", &[b'1'; 1_000]] {
            assert_eq!(Announcement::parse(hostile), None);
        }
    }
}
