//! Tests of the search for offers that running loans could move to, against a search through all offers.

use domain::{InterestRate, LoanTerms, OrderBook, RefinanceOrder, RefinanceQuestion, Sats, TermDays, UserId};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::naive_book::NaiveBook;
use super::parallel_run::run_in_parallel;

/// Asserts that the book finds the same offers for running loans as the naive one; returns their number.
fn assert_refinances(book: &OrderBook, naive: &NaiveBook, rng: &mut ChaCha8Rng) -> usize {
    let mut count = 0;
    for pledged_raw in naive.pledged_amounts() {
        let terms = LoanTerms {
            interest: InterestRate::from_basis_points(rng.random_range(0..600)),
            days: TermDays(rng.random_range(1..60)),
        };
        let order = RefinanceOrder {
            principal_min: Sats::new(rng.random_range(0..800_000)),
            interest_max: InterestRate::from_basis_points(rng.random_range(0..600)),
            term_min: TermDays(rng.random_range(1..40)),
            term_max: TermDays(rng.random_range(1..90)),
            days_before: 3,
        };
        let question = RefinanceQuestion {
            borrower: UserId(rng.random_range(1..8)),
            pledged_raw,
            principal: Sats::new(rng.random_range(0..800_000)),
            terms,
            order: rng.random::<bool>().then_some(order),
            is_near_due: rng.random(),
        };
        let found =
            book.refinance(&question).map(|found| (found.offer, found.principal, found.terms, found.is_ordered));
        let ordered = question.order.and_then(|order| naive.refinance(&question, |one| one.is_within(&order)));
        let cheaper = naive.refinance(&question, |one| question.is_near_due && one.is_cheaper(&question));
        let expected = match (ordered, cheaper) {
            (Some(one), _) => Some((one.offer, one.principal, one.terms, true)),
            (None, other) => other.map(|one| (one.offer, one.principal, one.terms, false)),
        };
        assert_eq!(found, expected, "for {question:?}");
        count += usize::from(found.is_some());
    }
    count
}

#[test]
fn a_book_finds_the_offers_that_running_loans_could_move_to() {
    let mut count = 0;
    run_in_parallel(3_000, |book, naive, _, rng| {
        if !naive.is_crowded() {
            count += assert_refinances(book, naive, rng);
        }
    });
    assert!(count > 200, "the search found only {count} offers");
}
