//! Fuzz target of the parser of addresses and public keys.
#![no_main]

#[path = "../subjects.rs"]
mod subjects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    subjects::wallet_address(bytes);
});
