//! Feeds the reading of PSBTs that a wallet gives back.
#![no_main]

#[path = "../subjects.rs"]
mod subjects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    subjects::returned_psbt(bytes);
});
