//! The extractors of handlers: a session or API key, a read of the caller's own data, and writes with their receipts.

pub mod bodiless_write;
pub mod halt_effect;
pub mod key_access;
pub mod key_limits;
pub mod own_read;
pub mod signed_in;
pub mod write;
