//! The fuzz subjects of this crate: what clients and operators may send, and the properties that hold for any of it.
//!
//! Each subject takes any bytes, must not panic, and returns whether they were accepted. They are compiled for tests and by
//! `.ci/fuzz` only, as some parsers are private.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is what is looked for")]

mod client_frames;
mod configuration_files;
mod request_bodies;
#[cfg(test)]
mod tests;

pub use client_frames::client_frame;
pub use configuration_files::configuration_file;
pub use request_bodies::request_body;
