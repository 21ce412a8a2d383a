//! Authentication: signed messages, sessions and the tickets derived from them.

pub mod api_key_secret;
pub mod credential;
pub mod feed_ticket;
pub mod key_turns;
pub mod key_uses;
pub mod keyring;
pub mod nonce_issuer;
pub mod preferences;
pub mod refresh_cookie;
pub mod refusal;
pub mod sign_in;
pub mod signed_message;
pub mod token;
