//! The numbers of SQL, which are signed.

/// Returns the number as SQL stores it. Sequences and positions never come near the maximum.
pub(super) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the number that was stored; a negative one is none of this program's.
pub(super) fn loaded(number: i64) -> Option<u64> {
    u64::try_from(number).ok()
}
