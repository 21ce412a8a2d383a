//! Transfer notes: ordered, followed whatever dies in between, and proved before a loan takes one.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../kit/kit.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod kit;

mod crashes;
mod customer;
mod life;
mod misfortunes;
mod notes;
mod panel;
mod refusals;
