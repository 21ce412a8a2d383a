//! Fuzz target of the parser of texts that wallets and programs sign.
#![no_main]

#[path = "../subjects.rs"]
mod subjects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    subjects::message_text(bytes);
});
