//! Files with a user's loans for other programs.

pub mod calendar;
pub mod csv;
