//! The server at a steady rate, over HTTP and over the socket.

use std::{
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tokio::sync::{Mutex, mpsc};

use super::step::{Schedule, Step};
use crate::{
    closed_loop, http_trader,
    latency::Latencies,
    number::{float, float_len},
    orders::{OrderSource, Shares},
    server_process::ServerProcess,
    stopwatch::monotonic_nanoseconds,
    trading_socket::{Answered, TradingSocket, wire::Wire},
    wallet_client::WalletClient,
};

/// The users, and the orders of a socket without an answer while the maximum is looked for.
pub(super) const USERS: usize = 128;
const DEPTH: usize = 8;
/// The most offers that a lender may have in a book, with room for those that are under way.
const OFFERS_MAX: usize = 100;

/// A user over HTTP with the orders of the user.
type HttpUser = (WalletClient, OrderSource<String>);

/// The users of a server.
pub(super) struct Served {
    http: Vec<HttpUser>,
    sockets: Vec<TradingSocket>,
}

/// Reports each command when it is due, from a thread of its own, which can sleep shorter than a timer of the runtime.
fn pace(rate: f64, seconds: f64, report: impl Fn(usize, u64) + Send + 'static) -> Schedule {
    let schedule = Schedule::from_now(rate);
    thread::spawn(move || {
        let mut number = 0;
        while float_len(number) < rate * seconds {
            let (due, now) = (schedule.due(number), monotonic_nanoseconds());
            if due > now {
                thread::sleep(Duration::from_nanos(due - now));
            }
            report(number, due);
            number += 1;
        }
    });
    schedule
}

impl Served {
    /// Signs users in and connects their sockets.
    pub(super) async fn connect(server: &ServerProcess, seed: u64) -> io::Result<Self> {
        let http = http_trader::http_client(USERS)?;
        let clients = http_trader::sign_in(&http, &format!("http://{}", server.address), seed, USERS).await?;
        let source = |number| OrderSource::new(seed, number, Shares::STEADY, OFFERS_MAX);
        let mut sockets = Vec::with_capacity(USERS);
        for (number, client) in clients.iter().enumerate() {
            let connected = TradingSocket::connect(&server.address, client, Wire::Json, source(number), 0).await;
            sockets.push(connected.map_err(io::Error::other)?);
        }
        let http = clients.into_iter().enumerate().map(|(number, client)| (client, source(number))).collect();
        Ok(Self { http, sockets })
    }

    /// The commands a second over HTTP, each user with one request under way.
    pub(super) async fn http_maximum(&mut self, seconds: f64) -> io::Result<f64> {
        let start = Instant::now();
        let clients = self.http.iter_mut().map(|(client, source)| {
            let client = &*client;
            let may_go_on = || start.elapsed().as_secs_f64() < seconds;
            closed_loop::drive(source, may_go_on, 1, |order| http_trader::execute(client, order))
        });
        let found = futures_util::future::try_join_all(clients).await?;
        Ok(found.iter().map(|latencies| float(latencies.len())).sum::<f64>() / start.elapsed().as_secs_f64())
    }

    /// The commands a second over the sockets, each with several orders under way.
    pub(super) async fn socket_maximum(&mut self, seconds: f64) -> io::Result<f64> {
        let start = Instant::now();
        let may_go_on = || start.elapsed().as_secs_f64() < seconds;
        let clients = self.sockets.iter_mut().map(|socket| socket.run(1, DEPTH, may_go_on));
        futures_util::future::try_join_all(clients).await.map_err(io::Error::other)?;
        let elapsed = start.elapsed();
        Ok(float_len(self.take_answered()?.executed) / elapsed.as_secs_f64())
    }

    /// Requests at a rate; a request that finds no idle user waits, and its latency counts.
    pub(super) async fn http_step(&mut self, rate: f64, seconds: f64) -> io::Result<Step> {
        let (sender, due) = mpsc::unbounded_channel();
        let schedule = pace(rate, seconds, move |_, due| {
            // Fails only once the users have failed.
            let _ = sender.send(due);
        });
        let due = Arc::new(Mutex::new(due));
        let mut tasks = tokio::task::JoinSet::new();
        for (client, mut source) in self.http.drain(..) {
            let due = Arc::clone(&due);
            tasks.spawn(async move {
                let mut latencies = Latencies::default();
                loop {
                    let next = due.lock().await.recv().await;
                    let Some(since) = next else { return Ok::<_, io::Error>(((client, source), latencies)) };
                    let opened = http_trader::execute(&client, source.draw()).await?;
                    latencies.record_nanoseconds(monotonic_nanoseconds().saturating_sub(since));
                    source.opened(opened);
                }
            });
        }
        let mut latencies = Latencies::default();
        while let Some(ended) = tasks.join_next().await {
            let (user, of_one) = ended.map_err(io::Error::other)??;
            latencies.add(&of_one);
            self.http.push(user);
        }
        let mut step = Step::default();
        step.add(&latencies, schedule.elapsed());
        Ok(step)
    }

    /// Orders at a rate over the sockets in turn.
    pub(super) async fn socket_step(&mut self, rate: f64, seconds: f64) -> io::Result<Step> {
        let (mut senders, mut tasks) = (Vec::new(), tokio::task::JoinSet::new());
        for mut socket in self.sockets.drain(..) {
            let (sender, due) = mpsc::unbounded_channel();
            senders.push(sender);
            tasks.spawn(async move { socket.run_open(due).await.map(|()| socket) });
        }
        let schedule = pace(rate, seconds, move |number, due| {
            // Fails only once the socket has failed.
            let _ = senders[number % senders.len()].send(due);
        });
        while let Some(ended) = tasks.join_next().await {
            self.sockets.push(ended.map_err(io::Error::other)?.map_err(io::Error::other)?);
        }
        let elapsed = schedule.elapsed();
        let mut step = Step::default();
        let answered = self.take_answered()?;
        step.add(&answered.latencies, elapsed);
        step.refused = answered.refused;
        Ok(step)
    }

    fn take_answered(&mut self) -> io::Result<Answered> {
        let mut answered = Answered::default();
        for socket in &mut self.sockets {
            answered.add(&socket.take_answered());
        }
        answered.check_refusals()?;
        Ok(answered)
    }
}
