//! The fuzz subjects of this crate, which parse untrusted bytes, and the properties that hold for any input.
//!
//! Each subject takes any bytes, must not panic, and returns whether they were accepted. They are compiled for tests and by
//! `.ci/fuzz` only, as the parsers are private. Where a checksum would refuse nearly every input, a subject computes it.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is what is looked for")]

mod backup_piece;
mod export_lines;
mod journal_block;
#[cfg(test)]
mod tests;

pub use backup_piece::backup_piece;
pub use export_lines::export_lines;
pub use journal_block::journal_block;

use crate::{backup::PieceName, hex_digest::HexDigest, sled_store::AckMarker};

/// The bytes of an acknowledgement marker, the name of a piece, or a digest: the first byte selects.
///
/// An accepted one is written again identically.
#[must_use]
pub fn journal_file(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let text = String::from_utf8_lossy(rest);
    match selector % 3 {
        0 => AckMarker::parse(rest).inspect(|commit| assert_eq!(AckMarker::encode(*commit), *rest)).is_some(),
        1 => text.parse::<PieceName>().inspect(|name| assert_eq!(name.to_string(), text)).is_ok(),
        _ => text.parse::<HexDigest<32>>().inspect(|digest| assert_eq!(digest.to_string(), text)).is_ok(),
    }
}
