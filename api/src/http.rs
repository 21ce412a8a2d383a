//! HTTP plumbing shared by all endpoints: bodies, errors, limits, idempotency, headers.

pub mod answer;
mod answer_store;
pub mod api_error;
pub mod body;
pub mod client_ip;
pub mod contact_refusal;
pub mod cursor;
pub mod error_code;
pub mod fee_rate;
pub mod idempotency;
pub mod loan_refusal;
mod lookup_refusal;
pub mod methods;
mod order_refusal;
pub mod origin;
pub mod own_read;
pub mod rate_limit;
pub mod refusal;
pub mod request_form;
pub mod request_id;
mod returned_refusal;
pub mod security_headers;
pub mod signer_refusal;
pub mod token_amount;
pub mod uncoded_errors;
mod vault_refusal;
pub mod write;
