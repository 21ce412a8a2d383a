//! The fuzzing corpora, replayed against the same subjects.
#![allow(missing_docs, reason = "a test stops at the first surprise")]

#[path = "../fuzz/subjects.rs"]
mod subjects;

use fuzz_testkit::{Corpus, Subject};

/// Replays the corpus of a subject; its seed inputs, which are rebuilt, must be accepted.
fn replay(name: &str, subject: Subject) {
    let seeds = subjects::seeds().into_iter().filter(|(of, _)| *of == name);
    let seeds: Vec<_> = seeds.map(|(_, seed)| seed).collect();
    Corpus::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus"), name).replay(subject, &seeds);
}

#[test]
fn psbts_are_refused_or_lead_to_the_one_transaction() {
    replay("returned_psbt", subjects::returned_psbt);
}

#[test]
fn messages_are_refused_or_were_signed() {
    replay("signed_message", subjects::signed_message);
}

#[test]
fn addresses_are_refused_or_have_one_form() {
    replay("wallet_address", subjects::wallet_address);
}

#[test]
fn kits_are_refused_or_written_with_the_same_content() {
    replay("kit", subjects::kit);
}

#[test]
fn texts_are_refused_or_written_identically() {
    replay("message_text", subjects::message_text);
}

#[test]
fn runestones_neither_create_nor_lose_runes() {
    replay("rune_flow", subjects::rune_flow);
}

#[test]
fn inscriptions_are_read_of_their_own_script_only() {
    replay("inscription_script", subjects::inscription_script);
}
