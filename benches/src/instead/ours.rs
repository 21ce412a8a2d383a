//! Our server, over HTTP and over the socket.

use std::{
    io,
    rc::Rc,
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

/// Users who have signed in.
pub(super) type Clients = Vec<Rc<WalletClient>>;

/// Users over HTTP, each with one request under way.
pub(super) struct OverHttp {
    clients: Vec<(Rc<WalletClient>, OrderSource<String>)>,
}

impl OverHttp {
    /// Users who have signed in.
    pub(super) fn new(seed: u64, clients: &Clients) -> Self {
        let source = |number| OrderSource::new(seed, number, Shares::STEADY, OFFERS_MAX);
        Self { clients: clients.iter().enumerate().map(|(number, it)| (Rc::clone(it), source(number))).collect() }
    }

    /// Executes orders for this long; the book has its size again afterwards.
    pub(super) async fn round(&mut self, duration: Duration) -> io::Result<Round> {
        let start = Instant::now();
        let clients = self.clients.iter_mut().map(|(client, source)| {
            let client = &**client;
            closed_loop::drive(source, || start.elapsed() < duration, 1, |order| http_trader::execute(client, order))
        });
        let found = futures_util::future::try_join_all(clients).await?;
        let round = Round::of_singles(start, &found);
        let trims = self.clients.iter_mut().map(|(client, source)| {
            let client = &**client;
            closed_loop::trim(source, 0, 1, |order| http_trader::execute(client, order))
        });
        futures_util::future::try_join_all(trims).await?;
        Ok(round)
    }
}

/// Users over the socket. Each round has sockets of its own, because one that is not read meanwhile is closed.
pub(super) struct OverSocket {
    address: String,
    seed: u64,
    clients: Clients,
    /// The number that the ids of the next round's commands begin with.
    first_id: u64,
    wire: Wire,
    /// Orders in a frame, and frames unanswered.
    frames: [usize; 2],
    reads_ranks: bool,
}

/// The most commands of a socket in one round.
const IDS_A_ROUND: u64 = 1 << 32;

impl OverSocket {
    /// The users at this server. `first_id` is one that no other commands of the users begin with, within 2^40.
    pub(super) fn new(
        address: &str,
        seed: u64,
        (clients, first_id): (&Clients, u64),
        wire: Wire,
        frames: [usize; 2],
        reads_ranks: bool,
    ) -> Self {
        Self { address: address.to_owned(), seed, clients: clients.clone(), first_id, wire, frames, reads_ranks }
    }

    async fn connect(&mut self) -> io::Result<Vec<TradingSocket>> {
        let mut sockets = Vec::with_capacity(self.clients.len());
        for (number, client) in self.clients.iter().enumerate() {
            let source = OrderSource::new(self.seed, number, Shares::STEADY, OFFERS_MAX);
            let connected = TradingSocket::connect(&self.address, client, self.wire, source, self.first_id).await;
            let mut socket = connected.map_err(io::Error::other)?;
            if self.reads_ranks {
                socket.subscribe_me(client).await.map_err(io::Error::other)?;
            }
            sockets.push(socket);
        }
        self.first_id += IDS_A_ROUND;
        Ok(sockets)
    }

    /// Executes orders for this long; the book has its size again afterwards.
    pub(super) async fn round(&mut self, duration: Duration) -> io::Result<Round> {
        let [batch, window] = self.frames;
        let mut sockets = self.connect().await?;
        let start = Instant::now();
        let clients = sockets.iter_mut().map(|socket| socket.run(batch, window, || start.elapsed() < duration));
        futures_util::future::try_join_all(clients).await.map_err(io::Error::other)?;
        let mut answered = Answered::default();
        for socket in &mut sockets {
            answered.add(&socket.take_answered());
        }
        answered.check_refusals()?;
        let mut round = Round::of_batches(start, answered.latencies, answered.executed);
        round.refused = answered.refused;
        let trims = sockets.iter_mut().map(|socket| socket.trim(0));
        futures_util::future::try_join_all(trims).await.map_err(io::Error::other)?;
        Ok(round)
    }
}
