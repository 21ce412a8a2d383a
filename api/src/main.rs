//! The `lienbook` binary.

use std::io::Write as _;
use std::process::ExitCode;

/// Order books are many small, short-lived allocations; with huge pages (`MIMALLOC_ALLOW_THP=2`) access to them is
/// faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match lienbook::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            for line in failure.lines() {
                // If stderr cannot be written either, there is nowhere left to report the failure.
                let _ = writeln!(std::io::stderr(), "lienbook: {line}");
            }
            ExitCode::from(failure.status())
        }
    }
}
