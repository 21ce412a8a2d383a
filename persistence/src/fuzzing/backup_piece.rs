//! Pieces of a backup, as an operator restores them.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};

use crate::backup::{Piece, PieceHeader};

/// The byte that ends the header, which JSON does not have.
const HEADER_END: u8 = 0;

/// A piece: the first byte selects whether the others are the whole piece, or the header in JSON, a zero byte and the blocks.
///
/// A piece whose digest is correct is written again identically, and one that verifies has the blocks that it describes.
#[must_use]
pub fn backup_piece(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let file = if selector % 2 == 0 { Some(rest.to_vec()) } else { packed(rest) };
    let Some(file) = file else { return false };
    let mut input = file.as_slice();
    let Ok(Some(piece)) = Piece::read(&mut input) else { return false };
    let mut written = Vec::new();
    piece.write_to(&mut written).unwrap();
    assert_eq!(written.len(), piece.file_bytes());
    assert_eq!([written.as_slice(), input].concat(), file);
    let is_sound = piece.verify().is_ok();
    if is_sound {
        let PieceHeader { first, last, events, blocks, bytes, .. } = piece.header();
        assert!(first <= last && blocks <= bytes && events <= bytes);
        assert_eq!(piece.name().to_string().parse(), Ok(piece.name()));
    }
    is_sound
}

/// Returns a piece with a header and blocks, whose lengths and digest are correct.
fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut parts = bytes.splitn(2, |byte| *byte == HEADER_END);
    let mut header: PieceHeader = serde_json::from_slice(parts.next()?).ok()?;
    let blocks = parts.next()?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(blocks).unwrap();
    let packed = packed.finish().unwrap();
    let length = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap();
    (header.bytes, header.packed) = (length(blocks), length(&packed));
    let mut file = Vec::new();
    Piece::new(header, &packed).unwrap().write_to(&mut file).unwrap();
    Some(file)
}
