//! The snapshot of a whole order book at one sequence.

use std::sync::Arc;

use crate::journal::Sequence;

use super::{BookLoan, BookOffer, Row};

/// The public state of one order book, as of `seq`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookSnapshot {
    /// The journal's sequence of the book's stream.
    pub seq: Sequence,
    /// The group's row.
    pub row: Arc<Row>,
    /// Public offers by sub-collection, process type and rank; reserved ones after the ranked ones.
    pub offers: Vec<BookOffer>,
    /// Running loans, oldest first.
    pub loans: Vec<BookLoan>,
}
