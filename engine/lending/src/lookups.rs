//! The ports to the chain and its indexers, and the lookups made through them.

pub mod confirmations;
pub mod holdings;
pub mod lookup;
pub mod ports;
pub mod signer_router;
pub mod transfer_inscription;
