//! Fuzz target of the subject that `LIENBOOK_FUZZ_SUBJECT` names: one program for all, as linking the server takes long.
#![no_main]

use std::sync::LazyLock;

/// A subject's name, and the function that takes any bytes.
type Named = (&'static str, fn(&[u8]) -> bool);

const SUBJECTS: [Named; 13] = [
    ("audit_files", public_log::fuzzing::audit_files),
    ("backup_piece", persistence::fuzzing::backup_piece),
    ("client_frame", lienbook::fuzzing::client_frame),
    ("configuration_file", lienbook::fuzzing::configuration_file),
    ("export_lines", persistence::fuzzing::export_lines),
    ("journal_block", persistence::fuzzing::journal_block),
    ("journal_file", persistence::fuzzing::journal_file),
    ("request_body", lienbook::fuzzing::request_body),
    ("signer_message", signer::fuzzing::signer_message),
    ("signing_log", signer::fuzzing::signing_log),
    ("timestamp_file", public_log::fuzzing::timestamp_file),
    ("upstream_answer", providers::fuzzing::upstream_answer),
    ("verifier_question", verifier::fuzzing::verifier_question),
];

static SUBJECT: LazyLock<Named> = LazyLock::new(|| {
    let name = std::env::var("LIENBOOK_FUZZ_SUBJECT").unwrap_or_default();
    SUBJECTS.into_iter().find(|(subject, _)| *subject == name).expect("LIENBOOK_FUZZ_SUBJECT names a subject")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (_, subject) = *SUBJECT;
    subject(bytes);
});
