//! The operator's interface: commands from the same machine by users with access to the data folder, and a page of
//! figures.

pub mod client;
pub mod collection_draft;
pub mod commit_client;
mod commit_frames;
mod commit_server;
pub mod credit_id;
pub mod listener;
pub mod page;
pub mod request;
