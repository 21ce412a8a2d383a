//! The open sockets: their number by IP address and session, and a handle that closes each.

pub mod connection;
pub mod socket_registry;
