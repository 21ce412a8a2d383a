//! Tests of BRC-20 transfer inscriptions: orders, their follow-up across crashes, and their verification as collateral.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use lending_testkit as kit;

mod crashes;
mod customer;
mod failures;
mod lifecycle;
mod notes;
mod panel;
mod refusals;
