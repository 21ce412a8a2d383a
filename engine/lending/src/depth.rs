//! How many blocks make what the chain says final.

/// So many blocks bury a transaction, its own included: nobody expects it to be undone, or looks at it any more.
pub const BURIED: u32 = 6;

/// Much deeper than the chain was ever undone. An end so deep is taken as buried without a look, for after a restart the
/// node is not asked about every loan there ever was; and what was forgotten for so many blocks is not waited for.
pub const SEALED: u32 = 144;
