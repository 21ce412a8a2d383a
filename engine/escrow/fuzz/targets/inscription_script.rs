//! Fuzz target of the parser of scripts of inscriptions.
#![no_main]

#[path = "../subjects.rs"]
mod subjects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    subjects::inscription_script(bytes);
});
