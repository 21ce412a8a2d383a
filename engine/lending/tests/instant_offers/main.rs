//! Tests of instant offers between book and signer, with failures before and after every call, and crashes of the
//! server.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use lending_testkit as kit;

mod acts;
mod crashes;
mod faults;
mod faulty_signer;
mod handover;
