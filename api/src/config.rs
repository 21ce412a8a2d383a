//! Settings and where they come from.

pub mod faults;
pub mod layers;
pub mod network;
pub mod public_url;
pub mod quotas;
pub mod session_key;
pub mod settings;
