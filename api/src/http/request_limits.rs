//! The limits of requests: of their bodies, and of fields that have no parser of their own.

/// The largest request body, in bytes.
pub const BODY_LENGTH_MAX: usize = 64 * 1_024;

/// The longest text to search collections for, in characters.
pub const SEARCH_LENGTH_MAX: usize = 64;

/// The number of repayments that the lender pre-signs.
pub const PAYOUTS: usize = 2;

/// The longest start token of the demo's Telegram, in bytes.
pub const START_TOKEN_LENGTH_MAX: usize = 64;

/// The largest number of manual offers that one request creates.
pub const MANUAL_OFFERS_MAX: usize = 20;

/// The largest number of kinds of notices in one request.
pub const NOTICE_KINDS_MAX: usize = 64;

/// The longest offer id, in characters. Ids are repeated in the results, which are stored for repeated requests.
pub const OFFER_ID_LENGTH_MAX: usize = 32;

/// The largest number of offers in one request.
pub const OFFERS_MAX: usize = 100;

/// The longest URL, in bytes: of a webhook, of a push service, or of a page that is embedded elsewhere.
pub const URL_LENGTH_MAX: usize = providers::CALLBACK_URL_LENGTH_MAX;

/// The length of the tokens in mails, in bytes.
pub const MAIL_TOKEN_BYTES: usize = 33;

/// The longest id of an event, in characters.
pub const EVENT_ID_LENGTH_MAX: usize = 128;

/// The length of a browser's public key, a point of P-256 in base64url, in characters.
pub const PUSH_KEY_LENGTH: usize = 87;

/// The length of the secret that a browser shares with this server, 16 bytes in base64url, in characters.
pub const PUSH_AUTH_LENGTH: usize = 22;
