//! The way to cut a connection from outside.

use std::any::Any;
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream as ActixStream;
use socket2::SockRef;

/// A second handle of a client's connection. A socket whose client does not read cannot even close itself, because the
/// close would have to be written; this one can be cut.
#[derive(Clone, Debug)]
pub struct Connection(Arc<TcpStream>);

impl Connection {
    /// Remembers a connection as it is made, and has the kernel end it when its client takes nothing of what was sent for
    /// so long; for the server's `on_connect`.
    pub fn remember(connection: &dyn Any, extensions: &mut Extensions, write_timeout: Duration) {
        let Some(stream) = connection.downcast_ref::<ActixStream>() else { return };
        // Nothing else ends an answer that is never read: the server waits for room in the kernel's buffer.
        if let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(write_timeout)) {
            tracing::debug!(%error, "a connection without a write timeout");
        }
        // Without a second handle the socket is served all the same, only without the watchdog's last resort.
        if let Ok(handle) = stream.as_fd().try_clone_to_owned() {
            extensions.insert(Self(Arc::new(TcpStream::from(handle))));
        }
    }

    /// Ends the connection in both directions.
    pub fn cut(&self) {
        // A connection that is gone already is what is wanted.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}
