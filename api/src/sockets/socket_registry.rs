//! The open sockets: their limits, and the heartbeat of each.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::UnixMs;
use engine::feed::SocketQueue;
use engine::locks::MutexExt as _;

use super::connection::Connection;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::session::credential::Credential;

/// The state of an open socket that is visible outside of its actor.
pub struct SocketRecord {
    /// The queue of its outgoing frames.
    pub queue: SocketQueue,
    /// The handle that can close its connection.
    pub connection: Option<Connection>,
    /// The time at which its actor last ran.
    alive_at: AtomicU64,
    /// The session or API key of its private channel, if that is open.
    credential: Mutex<Option<Credential>>,
    /// The session or API key that the connection trades for.
    trading: Mutex<Option<Credential>>,
}

impl SocketRecord {
    /// Records that the actor runs.
    pub fn heartbeat(&self, now: UnixMs) {
        self.alive_at.store(now.0, Ordering::Relaxed);
    }

    /// Returns the time at which the actor last ran.
    #[must_use]
    pub fn alive_at(&self) -> UnixMs {
        UnixMs(self.alive_at.load(Ordering::Relaxed))
    }

    /// Returns the session or API key of the private channel, if that is open.
    #[must_use]
    pub fn credential(&self) -> Option<Credential> {
        *self.credential.lock_unpoisoned()
    }

    /// Returns the sessions and API keys whose end closes the socket.
    #[must_use]
    pub fn credentials(&self) -> Vec<Credential> {
        self.credential().into_iter().chain(*self.trading.lock_unpoisoned()).collect()
    }

    /// Sets the session or API key that the connection trades for.
    pub fn set_trading(&self, credential: Credential) {
        *self.trading.lock_unpoisoned() = Some(credential);
    }

    /// Sets the session or API key of the private channel.
    pub fn set_credential(&self, credential: Option<Credential>) {
        *self.credential.lock_unpoisoned() = credential;
    }
}

#[derive(Default)]
struct OpenSockets {
    next: u64,
    sockets: HashMap<u64, (IpAddr, Arc<SocketRecord>)>,
    by_ip: HashMap<IpAddr, u32>,
}

/// All open sockets.
pub struct SocketRegistry {
    max: usize,
    per_ip_max: u32,
    open: Mutex<OpenSockets>,
}

/// The registration of one open socket; dropping it makes room for another.
pub struct SocketRegistration {
    registry: Arc<SocketRegistry>,
    number: u64,
    /// The state that the watchdog reads.
    pub record: Arc<SocketRecord>,
}

impl SocketRegistry {
    /// Builds a registry for `max` sockets, of which one IP address may have `per_ip_max`.
    #[must_use]
    pub fn new(max: u32, per_ip_max: u32) -> Self {
        Self { max: usize::try_from(max).unwrap_or(usize::MAX), per_ip_max, open: Mutex::default() }
    }

    /// Registers a socket.
    ///
    /// # Errors
    /// [`ErrorCode::TooManySockets`].
    pub fn register(
        self: &Arc<Self>,
        ip: IpAddr,
        queue: SocketQueue,
        connection: Option<Connection>,
        now: UnixMs,
    ) -> Result<SocketRegistration, ApiError> {
        let mut open = self.open();
        let of_ip = open.by_ip.get(&ip).copied().unwrap_or(0);
        if open.sockets.len() >= self.max || of_ip >= self.per_ip_max {
            return Err(ApiError::plain(ErrorCode::TooManySockets));
        }
        let record = Arc::new(SocketRecord {
            queue,
            connection,
            alive_at: AtomicU64::new(now.0),
            credential: Mutex::default(),
            trading: Mutex::default(),
        });
        let number = open.next;
        open.next += 1;
        open.by_ip.insert(ip, of_ip + 1);
        open.sockets.insert(number, (ip, Arc::clone(&record)));
        Ok(SocketRegistration { registry: Arc::clone(self), number, record })
    }

    /// Returns the state of every open socket.
    #[must_use]
    pub fn records(&self) -> Vec<Arc<SocketRecord>> {
        self.open().sockets.values().map(|(_, record)| Arc::clone(record)).collect()
    }

    /// Returns the number of open sockets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open().sockets.len()
    }

    /// Returns whether no socket is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn unregister(&self, number: u64) {
        let mut open = self.open();
        let Some((ip, _)) = open.sockets.remove(&number) else { return };
        if let Some(count) = open.by_ip.get_mut(&ip) {
            *count -= 1;
            if *count == 0 {
                open.by_ip.remove(&ip);
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenSockets> {
        self.open.lock_unpoisoned()
    }
}

impl Drop for SocketRegistration {
    fn drop(&mut self) {
        self.registry.unregister(self.number);
    }
}

#[cfg(test)]
mod tests {
    use engine::feed::SocketQueueLimits;

    use super::*;

    #[test]
    fn sockets_are_limited_in_total_and_by_address_until_they_are_closed() {
        let registry = Arc::new(SocketRegistry::new(3, 2));
        let register = |ip: &str| {
            let queue = SocketQueue::new(SocketQueueLimits::default());
            registry.register(ip.parse().unwrap(), queue, None, UnixMs(1)).map_err(|refusal| refusal.code())
        };
        let first = register("10.0.0.1").unwrap();
        let _second = register("10.0.0.1").unwrap();
        assert_eq!(register("10.0.0.1").err(), Some(ErrorCode::TooManySockets));
        let _third = register("10.0.0.2").unwrap();
        assert_eq!(register("10.0.0.3").err(), Some(ErrorCode::TooManySockets));
        drop(first);
        assert!(register("10.0.0.1").is_ok());
        assert_eq!(registry.len(), 2);
    }
}
