//! The extractors of handlers: a session, a read of the caller's own data, and a write.

pub mod own_read;
pub mod signed_in;
pub mod write;
