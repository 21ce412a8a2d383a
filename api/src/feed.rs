//! The live feed: one WebSocket at `/api/v1/feed`.

pub mod census;
pub mod connection;
pub mod feed_route;
mod feed_socket;
mod frame_gate;
pub(crate) mod pieces;
pub mod server_frame;
pub mod watchdog;
