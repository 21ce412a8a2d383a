//! HTTP plumbing shared by all endpoints: bodies, errors, limits, idempotency, headers.

pub mod answer;
mod answer_store;
pub mod api_error;
pub mod body;
pub mod client_ip;
pub mod contact_refusal;
pub mod content_policy;
pub mod cursor;
pub mod error_code;
mod error_retry;
pub mod fee_rate;
pub mod idempotency;
pub mod idempotency_key;
pub mod loan_refusal;
mod lookup_refusal;
pub mod methods;
mod order_refusal;
pub mod origin;
pub mod rate_limit;
pub mod refusal;
pub mod request_form;
pub mod request_limits;
mod returned_refusal;
pub mod signer_refusal;
pub mod status_error;
pub mod token_amount;
mod vault_refusal;
