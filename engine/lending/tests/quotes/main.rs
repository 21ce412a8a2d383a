//! Instant offers between the book and the signer, which fails before and after every call, and a server that dies there.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../kit/kit.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod kit;

mod acts;
mod crashes;
mod faults;
mod faulty_signer;
