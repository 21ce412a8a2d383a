//! The allowance of a user and of an IP address in a window.

use std::net::IpAddr;

use domain::{UnixMs, UserId};

use super::Visitor;
use crate::http::rate_limit::RateLimit;

/// Two buckets for each visitor, both of which must have a token.
pub(super) struct Allowance {
    of_user: RateLimit<UserId>,
    of_address: RateLimit<IpAddr>,
}

impl Allowance {
    pub(super) fn new(of_user: u32, of_address: u32, window_ms: u64) -> Self {
        Self { of_user: RateLimit::within(of_user, window_ms), of_address: RateLimit::within(of_address, window_ms) }
    }

    /// Takes a token from both, or from neither.
    pub(super) fn try_take(&self, visitor: Visitor, now: UnixMs) -> bool {
        if !self.of_user.try_take(visitor.user, now) {
            return false;
        }
        let is_taken = self.of_address.try_take(visitor.network, now);
        if !is_taken {
            self.of_user.refund(&visitor.user, now);
        }
        is_taken
    }

    /// Returns a token to both.
    pub(super) fn refund(&self, visitor: Visitor, now: UnixMs) {
        self.of_user.refund(&visitor.user, now);
        self.of_address.refund(&visitor.network, now);
    }
}
