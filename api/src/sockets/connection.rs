//! A handle that can close a client's connection from outside of its actor.

use std::any::Any;
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream as ActixStream;
use socket2::SockRef;

/// A second handle of a client's connection. A socket whose client does not read cannot close itself, because the close
/// frame would have to be written; this handle can.
#[derive(Clone, Debug)]
pub struct Connection(Arc<TcpStream>);

impl Connection {
    /// Stores the handle of a new connection, and sets the timeout after which the kernel closes it if the client does
    /// not receive what was sent; for the server's `on_connect`.
    pub fn store(connection: &dyn Any, extensions: &mut Extensions, write_timeout: Duration) {
        let Some(stream) = connection.downcast_ref::<ActixStream>() else { return };
        // Nothing else ends an answer that is never read: the server waits for space in the kernel's buffer.
        if let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(write_timeout)) {
            tracing::debug!(%error, "a connection without a write timeout");
        }
        // Without a second handle the socket is served all the same, but the watchdog cannot close it.
        if let Ok(handle) = stream.as_fd().try_clone_to_owned() {
            extensions.insert(Self(Arc::new(TcpStream::from(handle))));
        }
    }

    /// Shuts the connection down in both directions.
    pub fn shut_down(&self) {
        // The connection may be closed already.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}
