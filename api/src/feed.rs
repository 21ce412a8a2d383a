//! The live feed: one WebSocket at `/api/v1/feed`.

pub(crate) mod chunked_body;
pub mod feed_route;
mod feed_socket;
pub(crate) mod frame_gate;
pub mod server_frame;
pub(crate) mod subprotocol;
pub mod watchdog;
