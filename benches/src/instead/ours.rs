//! Our server, over HTTP and over the socket.

use std::{
    io,
    time::{Duration, Instant},
};

use super::contestant::Round;
use crate::{
    closed_loop, http_trader,
    orders::{OrderSource, Shares},
    trading_socket::{Answered, TradingSocket, wire::Wire},
    wallet_client::WalletClient,
};

/// The most offers that a lender may have in a book, with room for those that are under way.
const OFFERS_MAX: usize = 250;

/// Users over HTTP, each with one request under way.
pub(super) struct OverHttp {
    clients: Vec<(WalletClient, OrderSource<String>)>,
}

impl OverHttp {
    /// Users who have signed in.
    pub(super) fn new(seed: u64, clients: Vec<WalletClient>) -> Self {
        let source = |number| OrderSource::new(seed, number, Shares::STEADY, OFFERS_MAX);
        Self { clients: clients.into_iter().enumerate().map(|(number, it)| (it, source(number))).collect() }
    }

    /// Executes orders for this long; the book has its size again afterwards.
    pub(super) async fn round(&mut self, duration: Duration) -> io::Result<Round> {
        let start = Instant::now();
        let clients = self.clients.iter_mut().map(|(client, source)| {
            let client = &*client;
            closed_loop::drive(source, || start.elapsed() < duration, 1, |order| http_trader::execute(client, order))
        });
        let found = futures_util::future::try_join_all(clients).await?;
        let round = Round::of_singles(start, &found);
        let trims = self.clients.iter_mut().map(|(client, source)| {
            let client = &*client;
            closed_loop::trim(source, 0, 1, |order| http_trader::execute(client, order))
        });
        futures_util::future::try_join_all(trims).await?;
        Ok(round)
    }
}

/// Users over the socket.
pub(super) struct OverSocket {
    sockets: Vec<TradingSocket>,
    /// Orders in a frame, and frames unanswered.
    frames: [usize; 2],
}

impl OverSocket {
    /// Connects a socket for each user. `first_id` is one that no other socket of the users begins with.
    pub(super) async fn connect(
        address: &str,
        seed: u64,
        (clients, first_id): (&[WalletClient], u64),
        wire: Wire,
        frames: [usize; 2],
        reads_ranks: bool,
    ) -> io::Result<Self> {
        let mut sockets = Vec::with_capacity(clients.len());
        for (number, client) in clients.iter().enumerate() {
            let source = OrderSource::new(seed, number, Shares::STEADY, OFFERS_MAX);
            let connected = TradingSocket::connect(address, client, wire, source, first_id).await;
            let mut socket = connected.map_err(io::Error::other)?;
            if reads_ranks {
                socket.subscribe_me(client).await.map_err(io::Error::other)?;
            }
            sockets.push(socket);
        }
        Ok(Self { sockets, frames })
    }

    /// Executes orders for this long; the book has its size again afterwards.
    pub(super) async fn round(&mut self, duration: Duration) -> io::Result<Round> {
        let [batch, window] = self.frames;
        let start = Instant::now();
        let clients = self.sockets.iter_mut().map(|socket| socket.run(batch, window, || start.elapsed() < duration));
        futures_util::future::try_join_all(clients).await.map_err(io::Error::other)?;
        let mut answered = Answered::default();
        for socket in &mut self.sockets {
            answered.add(&socket.take_answered());
        }
        answered.check_refusals()?;
        let mut round = Round::of_batches(start, answered.latencies, answered.executed);
        let trims = self.sockets.iter_mut().map(|socket| socket.trim(0));
        futures_util::future::try_join_all(trims).await.map_err(io::Error::other)?;
        for socket in &mut self.sockets {
            drop(socket.take_answered());
        }
        round.refused = answered.refused;
        Ok(round)
    }
}
