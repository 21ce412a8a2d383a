//! The books that a request touched: what it added to each, or the state of the book that a loan was prepared on.

use std::{cell::RefCell, collections::BTreeMap};

use domain::{GroupId, OfferId};

use crate::journal::Sequence;

/// The part of a book's stream that one request was decided on, and that it added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TouchedBook {
    /// The sequence of the last event before the decision.
    pub seen: Sequence,
    /// The sequence of the last event after it; the same where nothing was added.
    pub last: Sequence,
    /// The offer that a loan was prepared from.
    pub offer: Option<OfferId>,
}

tokio::task_local! {
    static TOUCHED: RefCell<BTreeMap<GroupId, TouchedBook>>;
}

/// Runs a request, and returns with its result the books in which it has decided something.
pub async fn collect<F: Future>(request: F) -> (F::Output, BTreeMap<GroupId, TouchedBook>) {
    let collected = async {
        let output = request.await;
        let mut touched = TOUCHED.with(RefCell::take);
        touched.retain(|_, book| book.last > book.seen || book.offer.is_some());
        (output, touched)
    };
    TOUCHED.scope(RefCell::default(), collected).await
}

/// Records that the request has read a book, unless it has decided something there before.
pub(crate) fn note_read(group: GroupId, sequence: Sequence) {
    note(group, |book| {
        if book.last == book.seen && book.offer.is_none() {
            (book.seen, book.last) = (sequence, sequence);
        }
    });
}

/// Records that a command of the request has added events to a book.
pub(crate) fn note_command(group: GroupId, before: Sequence, last: Sequence) {
    note(group, |book| {
        if book.last == book.seen {
            book.seen = before;
        }
        book.last = last;
    });
}

/// Records that the request has prepared a loan from an offer that it had read.
pub(crate) fn note_prepared(offer: OfferId) {
    note(offer.group(), |book| book.offer = Some(offer));
}

fn note(group: GroupId, change: impl FnOnce(&mut TouchedBook)) {
    // What the market does by itself is of no request.
    let _ = TOUCHED.try_with(|touched| change(touched.borrow_mut().entry(group).or_default()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_has_what_it_added_to_each_book_and_what_it_was_decided_on() {
        let (one, other, third) = (GroupId(1), GroupId(2), GroupId(3));
        let offer = OfferId::new(third, 9).unwrap();
        note_read(one, 1);
        let ((), touched) = collect(async {
            note_read(one, 4);
            note_command(one, 6, 7);
            note_command(one, 9, 10);
            note_read(one, 11);
            note_read(other, 5);
            note_read(third, 2);
            note_read(third, 3);
            note_prepared(offer);
            note_read(third, 8);
        })
        .await;
        let added = TouchedBook { seen: 6, last: 10, offer: None };
        let prepared = TouchedBook { seen: 3, last: 3, offer: Some(offer) };
        assert_eq!(touched, BTreeMap::from([(one, added), (third, prepared)]));
    }
}
