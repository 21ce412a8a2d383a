//! The view of a book's borrow requests.

use domain::{BorrowRequest, OrderBook};

use crate::wire::RequestView;

/// The requests in the order of the ladder, and after them those that a lender has filled, the earlier one first.
pub(crate) fn ranked_borrow_requests(book: &OrderBook) -> Vec<RequestView> {
    let mut filled: Vec<&BorrowRequest> = book.requests().filter(|request| request.filled_by.is_some()).collect();
    filled.sort_unstable_by_key(|request| request.id);
    book.ranked_requests().chain(filled).map(RequestView::from).collect()
}
