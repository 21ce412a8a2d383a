//! Fuzz target of the parser of PSBTs that wallets return.
#![no_main]

#[path = "../subjects.rs"]
mod subjects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    subjects::returned_psbt(bytes);
});
