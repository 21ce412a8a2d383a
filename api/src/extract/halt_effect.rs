//! The table of what a halt of new loans does to each request that changes something.

use actix_web::http::Method;

/// The effect of a halt of new loans on a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltEffect {
    /// Refused at once: of no use but for a loan that would begin.
    Refused,
    /// Refused by the loan service for a loan that has not begun. The repetition of a request whose loan has begun gets its
    /// answer, and an extension goes on.
    RefusedForNewLoans,
    /// Executed; clients advise against it, because it pays for loans that cannot begin now.
    Discouraged,
    /// Executed.
    Continues,
}

use HaltEffect::{Continues, Discouraged, Refused, RefusedForNewLoans};

/// Every route with a session that changes something, or that hands out what begins a loan: method, pattern, effect.
pub const TABLE: &[(&str, &str, HaltEffect)] = &[
    ("POST", "/api/v1/account/nonce", Continues),
    // A transfer inscription costs fees, and serves a loan alone. One that was prepared is finished.
    ("POST", "/api/v1/brc20/orders", Refused),
    ("POST", "/api/v1/brc20/orders/commit", Continues),
    // An offer is no loan: lenders keep, change and cancel theirs.
    ("POST", "/api/v1/delegated-offers", Continues),
    ("POST", "/api/v1/delegated-offers/cancel", Continues),
    ("POST", "/api/v1/delegations", Continues),
    ("DELETE", "/api/v1/delegations/{delegation_id}", Continues),
    ("POST", "/api/v1/devnet/broadcast", Continues),
    ("POST", "/api/v1/devnet/faucet", Continues),
    ("POST", "/api/v1/feed/ticket", Continues),
    ("POST", "/api/v1/loans/manual/accept", RefusedForNewLoans),
    ("POST", "/api/v1/loans/manual/prepare", Refused),
    ("POST", "/api/v1/loans/repayment", Continues),
    ("POST", "/api/v1/loans/repayment/prepare", Continues),
    ("DELETE", "/api/v1/loans/{loan_id}/acceptance", Continues),
    ("POST", "/api/v1/loans/{loan_id}/claim", Continues),
    ("POST", "/api/v1/loans/{loan_id}/claim/prepare", Continues),
    ("GET", "/api/v1/loans/{loan_id}/countersignature", RefusedForNewLoans),
    ("POST", "/api/v1/loans/{loan_id}/countersignature", RefusedForNewLoans),
    ("DELETE", "/api/v1/loans/{loan_id}/countersignature", Continues),
    // The same two sides, the same collateral, no new principal; without it the lender would take the collateral.
    ("POST", "/api/v1/loans/{loan_id}/extension", Continues),
    ("POST", "/api/v1/loans/{loan_id}/extension/prepare", Continues),
    // A wish. The refinance itself is prepared and accepted as any loan is.
    ("PUT", "/api/v1/loans/{loan_id}/refinance-order", Continues),
    ("DELETE", "/api/v1/loans/{loan_id}/refinance-order", Continues),
    ("POST", "/api/v1/me/api-keys", Continues),
    ("DELETE", "/api/v1/me/api-keys/{key_id}", Continues),
    ("PUT", "/api/v1/me/favourites/{collection_id}", Continues),
    ("DELETE", "/api/v1/me/favourites/{collection_id}", Continues),
    // The caller's own coins, to the caller's own address.
    ("POST", "/api/v1/me/funds/exact", Continues),
    ("POST", "/api/v1/me/funds/exact/prepare", Continues),
    ("PUT", "/api/v1/me/lending-limits", Continues),
    ("PUT", "/api/v1/me/notifications", Continues),
    ("POST", "/api/v1/me/notifications/email", Continues),
    ("DELETE", "/api/v1/me/notifications/email", Continues),
    ("POST", "/api/v1/me/notifications/telegram", Continues),
    ("DELETE", "/api/v1/me/notifications/telegram", Continues),
    ("DELETE", "/api/v1/me/personal-data", Continues),
    ("POST", "/api/v1/me/push-subscriptions", Continues),
    ("PUT", "/api/v1/me/push-subscriptions/{push_id}", Continues),
    ("DELETE", "/api/v1/me/push-subscriptions/{push_id}", Continues),
    ("POST", "/api/v1/me/webhooks", Continues),
    ("PUT", "/api/v1/me/webhooks/{webhook_id}", Continues),
    ("DELETE", "/api/v1/me/webhooks/{webhook_id}", Continues),
    ("POST", "/api/v1/me/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery", Continues),
    ("POST", "/api/v1/me/webhooks/{webhook_id}/replay", Continues),
    ("POST", "/api/v1/me/webhooks/{webhook_id}/secret", Continues),
    ("POST", "/api/v1/me/webhooks/{webhook_id}/test", Continues),
    // What is agreed on is an offer or an extension.
    ("POST", "/api/v1/negotiations", Continues),
    ("DELETE", "/api/v1/negotiations/{negotiation_id}", Continues),
    ("POST", "/api/v1/negotiations/{negotiation_id}/accept", Continues),
    ("POST", "/api/v1/negotiations/{negotiation_id}/proposals", Continues),
    ("POST", "/api/v1/offers/good-until", Continues),
    ("POST", "/api/v1/offers/instant/accept-term", Continues),
    ("POST", "/api/v1/offers/instant/batch-cancel", Continues),
    ("POST", "/api/v1/offers/instant/batch-edit", Continues),
    ("POST", "/api/v1/offers/instant/cancel-all", Continues),
    ("POST", "/api/v1/offers/instant/ordinals", Continues),
    ("POST", "/api/v1/offers/instant/runes", Continues),
    ("POST", "/api/v1/offers/instant/{kind}/{offer_id}/accept", RefusedForNewLoans),
    ("POST", "/api/v1/offers/instant/{kind}/{offer_id}/cancel", Continues),
    ("POST", "/api/v1/offers/instant/{kind}/{offer_id}/prepare-accept", Refused),
    ("POST", "/api/v1/offers/manual", Continues),
    ("POST", "/api/v1/offers/manual/cancel", Continues),
    ("PATCH", "/api/v1/offers/manual/{offer_id}", Continues),
    // Returns what a link unlocks.
    ("POST", "/api/v1/offers/open", Continues),
    ("POST", "/api/v1/offers/pause", Continues),
    ("POST", "/api/v1/offers/pause-all", Continues),
    ("POST", "/api/v1/offers/resume", Continues),
    ("POST", "/api/v1/requests", Continues),
    ("DELETE", "/api/v1/requests/{request_id}", Continues),
    ("POST", "/api/v1/requests/{request_id}/fill", Continues),
    ("DELETE", "/api/v1/session", Continues),
    ("DELETE", "/api/v1/sessions/{session_id}", Continues),
    ("POST", "/api/v1/vaults", Discouraged),
    ("POST", "/api/v1/vaults/me/deposits", Discouraged),
    ("POST", "/api/v1/vaults/me/deposits/prepare", Discouraged),
    ("POST", "/api/v1/vaults/me/moves", Continues),
    ("POST", "/api/v1/vaults/me/moves/prepare", Continues),
    ("POST", "/api/v1/vaults/me/withdrawals", Continues),
    ("POST", "/api/v1/vaults/me/withdrawals/prepare", Continues),
];

/// Returns the effect on a route; one that is not listed continues.
#[must_use]
pub fn of(method: &Method, pattern: Option<&str>) -> HaltEffect {
    let row = TABLE.iter().find(|(listed, route, _)| *listed == method.as_str() && Some(*route) == pattern);
    row.map_or(Continues, |(_, _, effect)| *effect)
}
