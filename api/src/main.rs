//! The `lienbook` binary.

use std::io::Write as _;
use std::process::ExitCode;

/// Books are many small things that come and go; with huge pages (`MIMALLOC_ALLOW_THP=2`) they are found quicker.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match lienbook::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            for line in failure.lines() {
                // When even this cannot be written there is nobody left to tell.
                let _ = writeln!(std::io::stderr(), "lienbook: {line}");
            }
            ExitCode::FAILURE
        }
    }
}
