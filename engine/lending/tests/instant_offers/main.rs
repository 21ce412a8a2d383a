//! Tests of instant offers between book and signer, with failures before and after every call, and crashes of the
//! server.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../kit/kit.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod kit;

mod acts;
mod crashes;
mod faults;
mod faulty_signer;
