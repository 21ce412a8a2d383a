//! The settings and their sources.

pub mod delivery_settings;
pub mod delivery_timing;
pub mod embed_settings;
pub mod faults;
pub mod journal_url;
pub mod layers;
pub mod log_format;
pub mod mail_server;
pub mod network;
pub mod price_settings;
pub mod private_file;
pub mod public_url;
pub mod quotas;
pub mod secret_source;
pub mod server_key;
pub mod settings;
pub mod trace_settings;
pub mod turnstile_settings;
pub mod turnstile_test_keys;
pub mod upstream_settings;

#[cfg(test)]
mod packaged_settings_tests;
