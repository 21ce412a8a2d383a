//! The trading side of a socket: takes commands for the executor of the connection.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::web;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::client_frame::TradingFrame;
use super::connection_offers::ConnectionOffers;
use super::connection_receipts::ConnectionReceipts;
use super::deadline::Deadline;
use super::executor::Executor;
use super::received::Received;
use crate::app::App;
use crate::session::credential::Credential;
use crate::sockets::socket_registry::SocketRecord;

/// The largest number of orders of a connection that are not answered.
pub const ORDERS_MAX: usize = 256;

/// The largest number of frames of answers that a client has not read.
const UNREAD_MAX: usize = 4;

/// A connection that acts for a user. Dropping it is the loss of the connection.
pub struct TradingConnection {
    commands: mpsc::UnboundedSender<Received>,
    capacity: Arc<Semaphore>,
    deadline: Arc<Deadline>,
    is_closed: Arc<AtomicBool>,
}

/// The share of a command in the limit of its connection.
#[derive(Debug)]
pub struct Room(OwnedSemaphorePermit);

impl TradingConnection {
    /// Begins to act for the user of a confirmed session or API key, on the socket of a client at an address.
    #[must_use]
    pub fn start(app: web::Data<App>, credential: Credential, address: IpAddr, socket: Arc<SocketRecord>) -> Self {
        let (commands, received) = mpsc::unbounded_channel();
        let (deadline, is_closed) = (Arc::<Deadline>::default(), Arc::<AtomicBool>::default());
        let unread = Arc::new(Semaphore::new(UNREAD_MAX));
        let receipts = ConnectionReceipts::new(app.clone(), credential.user, Arc::clone(&socket), Arc::clone(&unread));
        let executor = Executor {
            app,
            credential,
            address,
            socket,
            commands: received,
            is_closed: Arc::clone(&is_closed),
            deadline: Arc::clone(&deadline),
            unread,
            offers: ConnectionOffers::default(),
            receipts,
            has_placed: false,
        };
        actix_web::rt::spawn(executor.run());
        Self { commands, capacity: Arc::new(Semaphore::new(ORDERS_MAX)), deadline, is_closed }
    }

    /// Records a heartbeat, at its arrival.
    pub fn beat(&self) {
        self.deadline.beat();
    }

    /// Returns the room for a command, if there is any now.
    #[must_use]
    pub fn try_room(&self, frame: &TradingFrame) -> Option<Room> {
        Arc::clone(&self.capacity).try_acquire_many_owned(permits(frame)).ok().map(Room)
    }

    /// Waits for the room for a command; `None` once the connection has ended.
    pub fn room(&self, frame: &TradingFrame) -> impl Future<Output = Option<Room>> + use<> {
        let (capacity, permits) = (Arc::clone(&self.capacity), permits(frame));
        async move { capacity.acquire_many_owned(permits).await.ok().map(Room) }
    }

    /// Hands a command over; `false` if the connection has ended.
    #[must_use]
    pub fn submit(&self, frame: TradingFrame, Room(permit): Room) -> bool {
        self.commands.send(Received { frame, permit }).is_ok()
    }
}

impl Drop for TradingConnection {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Release);
    }
}

fn permits(frame: &TradingFrame) -> u32 {
    u32::try_from(frame.order_count()).unwrap_or(1)
}
