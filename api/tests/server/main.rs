//! Integration tests of the server as clients use it: real HTTP and real sockets over a real journal, in this process.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::too_many_lines,
    unreachable_pub,
    reason = "a test that panics has failed"
)]

mod activity_feeds;
mod api_keys;
mod binary_feed;
mod borrow_requests;
mod bot_check;
mod bound_fields;
mod brc20;
mod build;
mod chain;
mod delegation_refusals;
mod delegations;
mod demo_loans;
mod demo_messages;
mod demo_outages;
mod described;
mod devnet;
mod documents;
mod embeds;
mod error_table;
mod extensions;
mod feed;
mod feed_description;
mod halts;
mod holds;
mod hostile_frames;
mod hostile_input;
mod instant_offers;
mod key_access;
mod lender;
mod lending_limits;
mod lists;
mod loan_terms;
mod loans;
mod manual_offers;
mod message_servers;
mod messages;
mod monitoring;
mod my_collateral;
mod my_favourites;
mod my_funds;
mod my_loans;
mod my_notices;
mod negotiated_extensions;
mod negotiations;
mod notifications;
mod offer_conditions;
mod ordinals_proof;
mod pegged_offers;
mod personal_data;
mod promises;
mod public_log;
mod public_pages;
mod push;
mod push_service;
mod quoting_program;
mod refinances;
mod request_bounds;
mod request_generator;
mod rig;
mod scripted_server;
mod second_verifier;
mod sessions;
mod several_inscriptions;
mod shared_links;
mod signed_origination;
mod signed_requests;
mod signer_process;
mod spec_fields;
mod tampered_psbts;
mod test_loans;
mod trading;
mod upstreams;
mod vault_money;
mod vault_moves;
mod vaults;
mod webhook_receiver;
mod webhooks;
mod wire_stability;
