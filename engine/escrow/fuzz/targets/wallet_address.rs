//! Feeds the reading of addresses and public keys.
#![no_main]

#[path = "../subjects.rs"]
mod subjects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    subjects::wallet_address(bytes);
});
