//! The SHA-256 of the running program, computed once per process in a thread of its own.

use std::fs::File;
use std::io::{self, Read};
use std::sync::{Once, OnceLock};
use std::thread;

use bitcoin::hashes::{Hash as _, HashEngine as _, sha256};

/// The file of the running program. It stays that one when a newer program is installed in its place.
const RUNNING: &str = "/proc/self/exe";

static HASH: OnceLock<String> = OnceLock::new();

/// Starts to compute the hash, unless it was started before.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let started = thread::Builder::new().name("binary-hash".to_owned()).spawn(|| match of_running() {
            Ok(hash) => drop(HASH.set(hash)),
            Err(error) => tracing::warn!(%error, "the hash of the program cannot be computed"),
        });
        if let Err(error) = started {
            tracing::warn!(%error, "the hash of the program cannot be computed");
        }
    });
}

/// Returns the hash in hex; `None` before it has been computed, and where the program cannot be read.
#[must_use]
pub fn known() -> Option<&'static str> {
    HASH.get().map(String::as_str)
}

/// Computes the hash of the running program, in hex.
///
/// # Errors
/// Those of reading the file.
pub fn of_running() -> io::Result<String> {
    of(File::open(RUNNING)?)
}

fn of(mut file: impl Read) -> io::Result<String> {
    let mut engine = sha256::Hash::engine();
    let mut part = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut part)?;
        match part.get(..length) {
            Some(read) if length > 0 => engine.input(read),
            _ => return Ok(sha256::Hash::from_engine(engine).to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_hash_is_of_the_whole_file_of_the_program() {
        let program = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(of_running().unwrap(), sha256::Hash::hash(&program).to_string());
        assert_eq!(of(&b""[..]).unwrap(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
