//! A client that trades over the socket: sends orders without waiting, and matches the answers.

pub mod answers;
pub mod wire;

use std::{collections::VecDeque, io, net::SocketAddr, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::{net::TcpStream, sync::mpsc, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest as _, http::HeaderValue},
};

use self::{answers::Received, wire::Wire};
use crate::{
    latency::Latencies,
    orders::{Order, OrderSource},
    stopwatch::monotonic_nanoseconds,
    wallet_client::WalletClient,
};

/// The timeout of an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// The largest number of orders of a connection without an answer, below the server's own limit.
pub const ORDERS_MAX: usize = 200;

/// A command that is not answered: the time from which its latency counts, and what its orders are about.
struct Unanswered {
    since: u64,
    /// The offer of each order, which is open still if the order is refused; none of an order that creates one.
    offers: Vec<Option<String>>,
}

/// The figures of some commands.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    /// The latencies, one for each command: of a batch, one for all its orders.
    pub latencies: Latencies,
    /// The orders that were executed.
    pub executed: usize,
    /// The orders that were refused.
    pub refused: usize,
    /// The code of the last refusal.
    pub last_refusal: Option<String>,
}

impl Answered {
    /// Adds the figures of another client.
    pub fn add(&mut self, other: &Self) {
        self.latencies.add(&other.latencies);
        self.executed += other.executed;
        self.refused += other.refused;
        if self.last_refusal.as_deref().is_none_or(|code| code == "overloaded") && other.last_refusal.is_some() {
            self.last_refusal.clone_from(&other.last_refusal);
        }
    }

    /// Accepts refusals of a server that has too much to do: tables have their number.
    ///
    /// # Errors
    /// If an order was refused for another reason, because the measurement would be invalid.
    pub fn check_refusals(&self) -> io::Result<()> {
        match self.last_refusal.as_deref() {
            None | Some("overloaded") => Ok(()),
            Some(code) => Err(io::Error::other(format!("{} orders are refused: {code}", self.refused))),
        }
    }
}

/// A connection that trades, with the orders of its user.
pub struct TradingSocket {
    stream: WebSocketStream<TcpStream>,
    wire: Wire,
    source: OrderSource<String>,
    unanswered: VecDeque<Unanswered>,
    next_id: u64,
    answered: Answered,
}

impl TradingSocket {
    /// Connects to the server and authenticates as a signed-in user. The ids of its commands begin with a number that
    /// no other connection of the user uses.
    ///
    /// # Errors
    /// If the server refuses it.
    pub async fn connect(
        address: &str,
        client: &WalletClient,
        wire: Wire,
        source: OrderSource<String>,
        first_id: u64,
    ) -> Result<Self, String> {
        let to: SocketAddr = address.parse().map_err(|_| format!("{address} is no address"))?;
        let stream = TcpStream::connect(to).await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let mut request = format!("ws://{address}/api/v1/feed").into_client_request().map_err(|it| it.to_string())?;
        request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(wire.subprotocol()));
        let (stream, _) = client_async(request, stream).await.map_err(|error| error.to_string())?;
        let (unanswered, answered) = (VecDeque::new(), Answered::default());
        let mut socket = Self { stream, wire, source, unanswered, next_id: first_id, answered };
        let ticket = client.ticket().await?;
        socket.send(wire.authenticate(&ticket)).await?;
        while socket.receive().await? != Received::Authenticated {}
        Ok(socket)
    }

    /// Subscribes to the channel of the user's own offers, so that the server sends their ranks.
    ///
    /// # Errors
    /// If the server refuses it.
    pub async fn subscribe_me(&mut self, client: &WalletClient) -> Result<(), String> {
        let ticket = client.ticket().await?;
        self.send(self.wire.subscribe_me(&ticket)).await
    }

    /// The number of open offers that no unanswered order is about.
    #[must_use]
    pub fn open(&self) -> usize {
        self.source.open()
    }

    /// The figures since the last call.
    pub fn take_answered(&mut self) -> Answered {
        std::mem::take(&mut self.answered)
    }

    /// Sends orders in frames of `batch`, 1 for single orders, with at most `window` frames unanswered, until `may_go_on`
    /// is false; returns once all are answered.
    ///
    /// # Errors
    /// If the server closes the connection or does not answer.
    pub async fn run(
        &mut self,
        batch: usize,
        window: usize,
        mut may_go_on: impl FnMut() -> bool,
    ) -> Result<(), String> {
        let mut is_going = true;
        loop {
            while is_going && self.unanswered.len() < window {
                is_going = may_go_on();
                if is_going {
                    self.feed_orders(batch, monotonic_nanoseconds()).await?;
                }
            }
            self.flush().await?;
            if self.unanswered.is_empty() {
                return Ok(());
            }
            self.take_answers().await?;
        }
    }

    /// Sends a single order at each time that arrives, in nanoseconds of the machine's monotonic clock, and counts its
    /// latency from that time; returns once the channel is closed and all are answered.
    ///
    /// # Errors
    /// If the server closes the connection or does not answer.
    pub async fn run_open(&mut self, mut due: mpsc::UnboundedReceiver<u64>) -> Result<(), String> {
        let mut is_going = true;
        while is_going || !self.unanswered.is_empty() {
            let may_send = is_going && self.unanswered.len() < ORDERS_MAX;
            tokio::select! {
                time = due.recv(), if may_send => match time {
                    Some(since) => {
                        self.feed_orders(1, since).await?;
                        while self.unanswered.len() < ORDERS_MAX
                            && let Ok(since) = due.try_recv()
                        {
                            self.feed_orders(1, since).await?;
                        }
                        self.flush().await?;
                    }
                    None => is_going = false,
                },
                message = self.stream.next(), if !self.unanswered.is_empty() => {
                    self.take_message(message)?;
                }
            }
        }
        Ok(())
    }

    /// Cancels offers until `count` are open.
    ///
    /// # Errors
    /// If the server closes the connection or does not answer.
    pub async fn trim(&mut self, count: usize) -> Result<(), String> {
        while let Some(order) = self.source.trim(count) {
            let frame = self.wire.single(&order, self.take_id());
            self.begin(monotonic_nanoseconds(), vec![order]);
            self.stream.feed(frame).await.map_err(|error| error.to_string())?;
            if self.unanswered.len() >= ORDERS_MAX {
                self.flush().await?;
                self.take_answers().await?;
            }
        }
        self.flush().await?;
        while !self.unanswered.is_empty() {
            self.take_answers().await?;
        }
        Ok(())
    }

    async fn feed_orders(&mut self, batch: usize, since: u64) -> Result<(), String> {
        let orders: Vec<Order<String>> = (0..batch).map(|_| self.source.draw()).collect();
        let id = self.take_id();
        let frame = match orders.as_slice() {
            [order] => self.wire.single(order, id),
            orders => self.wire.batch(orders, id),
        };
        self.begin(since, orders);
        self.stream.feed(frame).await.map_err(|error| error.to_string())
    }

    fn begin(&mut self, since: u64, orders: Vec<Order<String>>) {
        let offer = |order| match order {
            Order::Place { .. } => None,
            Order::Edit { offer, .. } | Order::Cancel { offer } => Some(offer),
        };
        self.unanswered.push_back(Unanswered { since, offers: orders.into_iter().map(offer).collect() });
    }

    fn take_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    async fn send(&mut self, frame: Message) -> Result<(), String> {
        self.stream.send(frame).await.map_err(|error| error.to_string())
    }

    async fn flush(&mut self) -> Result<(), String> {
        self.stream.flush().await.map_err(|error| error.to_string())
    }

    async fn receive(&mut self) -> Result<Received, String> {
        let message = timeout(ANSWER_TIMEOUT, self.stream.next()).await;
        let message = message.map_err(|_| "the server does not answer".to_owned())?;
        self.take_message(message)
    }

    /// Reads frames until one has answers.
    async fn take_answers(&mut self) -> Result<(), String> {
        while !matches!(self.receive().await?, Received::Answers(_)) {}
        Ok(())
    }

    fn take_message(
        &mut self,
        message: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>,
    ) -> Result<Received, String> {
        let message = message.ok_or("the server closed the connection")?.map_err(|error| error.to_string())?;
        let mut received = answers::read(&message)?;
        if let Received::Answers(commands) = &mut received {
            let now = monotonic_nanoseconds();
            for outcomes in commands.drain(..) {
                let command = self.unanswered.pop_front().ok_or("the server answers what was not sent")?;
                self.record(command, outcomes, now)?;
            }
        }
        Ok(received)
    }

    fn record(&mut self, command: Unanswered, outcomes: Vec<answers::Outcome>, now: u64) -> Result<(), String> {
        if outcomes.len() != command.offers.len() {
            return Err(format!("{} outcomes of {} orders: {outcomes:?}", outcomes.len(), command.offers.len()));
        }
        self.answered.latencies.record_nanoseconds(now.saturating_sub(command.since));
        for (outcome, offer) in outcomes.into_iter().zip(command.offers) {
            match outcome {
                Ok(ids) => {
                    self.answered.executed += 1;
                    self.source.opened(ids);
                }
                Err(code) => {
                    self.answered.refused += 1;
                    self.answered.last_refusal = Some(code);
                    self.source.opened(offer);
                }
            }
        }
        Ok(())
    }
}
