//! Files for other programs: a user's loans, and feeds of collections.

pub mod atom;
pub mod calendar;
pub mod csv;
