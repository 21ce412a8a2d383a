//! The middleware that every request passes: its id, the origin of writes, quotas and security headers, and codes for errors.

pub mod node_choice;
pub mod rate_headers;
pub mod request_id;
pub mod security_headers;
pub mod uncoded_errors;
pub mod write_origin;
