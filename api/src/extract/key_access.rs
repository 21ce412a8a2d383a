//! The table of the requests that API keys are accepted for.

use actix_web::http::Method;
use domain::KeyScope;

/// The access of API keys to a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAccess {
    /// A key with this scope is accepted.
    Scope(KeyScope),
    /// Every key is accepted.
    AnyKey,
    /// A session is needed.
    SessionOnly,
}

use KeyAccess::{AnyKey, Scope, SessionOnly};
use KeyScope::{Borrow, Cancel, Lend, Quote, Read, Vault};

/// Every route that takes a credential: method, pattern, access. A route that is not listed takes a session only.
pub const TABLE: &[(&str, &str, KeyAccess)] = &[
    ("GET", "/api/instant/ordinals/offers", Scope(Read)),
    ("GET", "/api/instant/runes/offers", Scope(Read)),
    // Of use only to the wallet that signs.
    ("POST", "/api/v1/account/nonce", AnyKey),
    ("GET", "/api/v1/brc20/collateral", Scope(Read)),
    ("GET", "/api/v1/brc20/orders", Scope(Read)),
    ("POST", "/api/v1/brc20/orders", Scope(Borrow)),
    ("POST", "/api/v1/brc20/orders/commit", Scope(Borrow)),
    ("GET", "/api/v1/brc20/panels/{collection_slug}", Scope(Read)),
    ("GET", "/api/v1/brc20/transfers/{hash}", Scope(Read)),
    ("POST", "/api/v1/delegated-offers", Scope(Quote)),
    ("POST", "/api/v1/delegated-offers/cancel", Scope(Cancel)),
    ("GET", "/api/v1/delegations", Scope(Read)),
    // A key does not permit more to itself. It may take back what was permitted.
    ("POST", "/api/v1/delegations", SessionOnly),
    ("DELETE", "/api/v1/delegations/{delegation_id}", Scope(Cancel)),
    ("POST", "/api/v1/devnet/broadcast", SessionOnly),
    ("POST", "/api/v1/devnet/faucet", SessionOnly),
    ("GET", "/api/v1/devnet/mail", SessionOnly),
    ("GET", "/api/v1/devnet/telegram", SessionOnly),
    // The scope is checked for what the ticket is used for.
    ("POST", "/api/v1/feed/ticket", AnyKey),
    ("POST", "/api/v1/loans/manual/accept", Scope(Borrow)),
    ("POST", "/api/v1/loans/manual/prepare", Scope(Borrow)),
    ("POST", "/api/v1/loans/repayment", Scope(Borrow)),
    ("POST", "/api/v1/loans/repayment/prepare", Scope(Borrow)),
    ("GET", "/api/v1/loans/{loan_id}/acceptance", Scope(Borrow)),
    ("DELETE", "/api/v1/loans/{loan_id}/acceptance", Scope(Borrow)),
    ("POST", "/api/v1/loans/{loan_id}/claim", Scope(Lend)),
    ("POST", "/api/v1/loans/{loan_id}/claim/prepare", Scope(Lend)),
    ("GET", "/api/v1/loans/{loan_id}/countersignature", Scope(Lend)),
    ("POST", "/api/v1/loans/{loan_id}/countersignature", Scope(Lend)),
    ("DELETE", "/api/v1/loans/{loan_id}/countersignature", Scope(Lend)),
    ("POST", "/api/v1/loans/{loan_id}/extension", Scope(Borrow)),
    ("POST", "/api/v1/loans/{loan_id}/extension/prepare", Scope(Borrow)),
    ("GET", "/api/v1/loans/{loan_id}/information", Scope(Read)),
    ("GET", "/api/v1/loans/{loan_id}/kit", Scope(Read)),
    ("PUT", "/api/v1/loans/{loan_id}/refinance-order", Scope(Borrow)),
    ("DELETE", "/api/v1/loans/{loan_id}/refinance-order", Scope(Borrow)),
    // A key creates, shows and revokes no keys, also not itself.
    ("GET", "/api/v1/me/api-keys", SessionOnly),
    ("POST", "/api/v1/me/api-keys", SessionOnly),
    ("DELETE", "/api/v1/me/api-keys/{key_id}", SessionOnly),
    ("GET", "/api/v1/me/collateral", Scope(Read)),
    ("GET", "/api/v1/me/due-dates.ics", Scope(Read)),
    // Contacts and sessions are in it.
    ("GET", "/api/v1/me/export", SessionOnly),
    ("GET", "/api/v1/me/favourites", Scope(Read)),
    ("PUT", "/api/v1/me/favourites/{collection_id}", SessionOnly),
    ("DELETE", "/api/v1/me/favourites/{collection_id}", SessionOnly),
    ("GET", "/api/v1/me/funds", Scope(Read)),
    ("POST", "/api/v1/me/funds/exact", Scope(Lend)),
    ("POST", "/api/v1/me/funds/exact/prepare", Scope(Lend)),
    ("GET", "/api/v1/me/funds/exact/{offer_id}", Scope(Lend)),
    ("GET", "/api/v1/me/history", Scope(Read)),
    ("GET", "/api/v1/me/lending-limits", Scope(Read)),
    // A key does not change the limits that protect from it.
    ("PUT", "/api/v1/me/lending-limits", SessionOnly),
    ("GET", "/api/v1/me/loans", Scope(Read)),
    ("GET", "/api/v1/me/loans.csv", Scope(Read)),
    ("GET", "/api/v1/me/loans/waiting", Scope(Read)),
    ("GET", "/api/v1/me/loans/{loan_id}", Scope(Read)),
    ("GET", "/api/v1/me/notices", Scope(Read)),
    ("GET", "/api/v1/me/notifications", SessionOnly),
    ("PUT", "/api/v1/me/notifications", SessionOnly),
    ("POST", "/api/v1/me/notifications/email", SessionOnly),
    ("DELETE", "/api/v1/me/notifications/email", SessionOnly),
    ("POST", "/api/v1/me/notifications/telegram", SessionOnly),
    ("DELETE", "/api/v1/me/notifications/telegram", SessionOnly),
    ("DELETE", "/api/v1/me/personal-data", SessionOnly),
    ("GET", "/api/v1/me/points", Scope(Read)),
    ("GET", "/api/v1/me/portfolio", Scope(Read)),
    ("GET", "/api/v1/me/push-subscriptions", SessionOnly),
    ("POST", "/api/v1/me/push-subscriptions", SessionOnly),
    ("PUT", "/api/v1/me/push-subscriptions/{push_id}", SessionOnly),
    ("DELETE", "/api/v1/me/push-subscriptions/{push_id}", SessionOnly),
    ("GET", "/api/v1/me/refinances", Scope(Read)),
    ("GET", "/api/v1/me/rune-balances", Scope(Read)),
    ("GET", "/api/v1/me/takeable-offers", Scope(Read)),
    ("GET", "/api/v1/me/webhooks", SessionOnly),
    ("POST", "/api/v1/me/webhooks", SessionOnly),
    ("PUT", "/api/v1/me/webhooks/{webhook_id}", SessionOnly),
    ("DELETE", "/api/v1/me/webhooks/{webhook_id}", SessionOnly),
    ("GET", "/api/v1/me/webhooks/{webhook_id}/deliveries", SessionOnly),
    ("POST", "/api/v1/me/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery", SessionOnly),
    // A program that was away asks for what it has missed; it goes where the user's session has decided.
    ("POST", "/api/v1/me/webhooks/{webhook_id}/replay", Scope(Read)),
    ("POST", "/api/v1/me/webhooks/{webhook_id}/secret", SessionOnly),
    ("POST", "/api/v1/me/webhooks/{webhook_id}/test", SessionOnly),
    ("GET", "/api/v1/negotiations", Scope(Read)),
    // The side of the caller, and so the scope, follows from what a negotiation is about.
    ("POST", "/api/v1/negotiations", SessionOnly),
    ("DELETE", "/api/v1/negotiations/{negotiation_id}", Scope(Cancel)),
    ("POST", "/api/v1/negotiations/{negotiation_id}/accept", SessionOnly),
    ("POST", "/api/v1/negotiations/{negotiation_id}/proposals", SessionOnly),
    ("GET", "/api/v1/offers", Scope(Read)),
    ("GET", "/api/v1/offers/for-me", Scope(Read)),
    ("POST", "/api/v1/offers/good-until", Scope(Quote)),
    ("POST", "/api/v1/offers/instant/accept-term", Scope(Quote)),
    ("POST", "/api/v1/offers/instant/batch-cancel", Scope(Cancel)),
    ("POST", "/api/v1/offers/instant/batch-edit", Scope(Quote)),
    ("POST", "/api/v1/offers/instant/cancel-all", Scope(Cancel)),
    ("POST", "/api/v1/offers/instant/ordinals", Scope(Quote)),
    ("POST", "/api/v1/offers/instant/runes", Scope(Quote)),
    ("POST", "/api/v1/offers/instant/{kind}/{offer_id}/accept", Scope(Borrow)),
    ("POST", "/api/v1/offers/instant/{kind}/{offer_id}/cancel", Scope(Cancel)),
    ("POST", "/api/v1/offers/instant/{kind}/{offer_id}/prepare-accept", Scope(Borrow)),
    ("POST", "/api/v1/offers/manual", Scope(Quote)),
    ("POST", "/api/v1/offers/manual/cancel", Scope(Cancel)),
    ("PATCH", "/api/v1/offers/manual/{offer_id}", Scope(Quote)),
    ("POST", "/api/v1/offers/open", Scope(Read)),
    ("POST", "/api/v1/offers/pause", Scope(Cancel)),
    ("POST", "/api/v1/offers/pause-all", Scope(Cancel)),
    ("POST", "/api/v1/offers/resume", Scope(Quote)),
    ("POST", "/api/v1/requests", Scope(Borrow)),
    ("DELETE", "/api/v1/requests/{request_id}", Scope(Borrow)),
    ("GET", "/api/v1/requests/{request_id}/borrower", Scope(Read)),
    ("POST", "/api/v1/requests/{request_id}/fill", Scope(Quote)),
    ("GET", "/api/v1/session", Scope(Read)),
    ("DELETE", "/api/v1/session", SessionOnly),
    ("GET", "/api/v1/sessions", SessionOnly),
    ("DELETE", "/api/v1/sessions/{session_id}", SessionOnly),
    ("GET", "/api/v1/vault", Scope(Vault)),
    ("POST", "/api/v1/vaults", Scope(Vault)),
    ("GET", "/api/v1/vaults/me", Scope(Vault)),
    ("GET", "/api/v1/vaults/me/attested", Scope(Vault)),
    ("POST", "/api/v1/vaults/me/deposits", Scope(Vault)),
    ("POST", "/api/v1/vaults/me/deposits/prepare", Scope(Vault)),
    ("GET", "/api/v1/vaults/me/history", Scope(Vault)),
    ("GET", "/api/v1/vaults/me/kit", Scope(Vault)),
    ("POST", "/api/v1/vaults/me/moves", Scope(Vault)),
    ("POST", "/api/v1/vaults/me/moves/prepare", Scope(Vault)),
    ("GET", "/api/v1/vaults/me/outputs", Scope(Vault)),
    ("GET", "/api/v1/vaults/me/previous", Scope(Vault)),
    ("POST", "/api/v1/vaults/me/withdrawals", Scope(Vault)),
    ("POST", "/api/v1/vaults/me/withdrawals/prepare", Scope(Vault)),
];

/// Returns the access to a route; HEAD is as GET.
#[must_use]
pub fn of(method: &Method, pattern: Option<&str>) -> KeyAccess {
    let method = if *method == Method::HEAD { Method::GET.as_str() } else { method.as_str() };
    let row = TABLE.iter().find(|(listed, route, _)| *listed == method && Some(*route) == pattern);
    row.map_or(SessionOnly, |(_, _, access)| *access)
}
