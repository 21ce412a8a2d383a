//! Backups: the commits of a journal in pieces, each of which proves itself and the one before it.
//!
//! A piece has the blocks of consecutive commits exactly as the journal stores them, so a restored journal is the same
//! journal: the same commits, hashes and times. `piece` has the layout of its bytes.
//!
//! Invariants:
//! - A piece in a folder is complete: it gets its name once it is on the disk and was read back.
//! - The pieces of a folder are of one journal, in order and without a gap, and each names the digest of the one before.
//! - A commit is in one piece, as a whole.
//! - What is read back passes every check of the journal: checksums, versions, the chain of each stream, and the digest of
//!   all streams' ends.

mod backup_folder;
mod backup_restore;
mod builder;
mod caught_up;
mod chain_end;
mod piece;
mod piece_file;
mod piece_header;
mod piece_name;
mod pieces;
mod shipped;
mod spool;

pub use backup_folder::BackupFolder;
pub use backup_restore::{RestoredBackup, Until, restore_backup, restore_backup_postgres};
pub use builder::PieceBuilder;
pub use caught_up::CaughtUp;
pub use chain_end::ChainEnd;
pub use piece::{PIECE_BYTES_MAX, Piece};
pub use piece_header::{PieceDigest, PieceHeader};
pub use piece_name::PieceName;
pub use pieces::Pieces;
pub use spool::Spool;
