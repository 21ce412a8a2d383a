//! Fuzz target of the parser of signed messages.
#![no_main]

#[path = "../subjects.rs"]
mod subjects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    subjects::signed_message(bytes);
});
