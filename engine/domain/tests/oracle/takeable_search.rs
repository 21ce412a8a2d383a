//! Tests of the offers with conditions that a borrower can take, against the rules one by one.

use std::collections::BTreeSet;

use domain::{Inscription, OfferId, Taker, UnixMs, UserId};
use rand::RngExt;

use super::naive_book::{NaiveBook, NaiveOffer};
use super::parallel_run::run_in_parallel;

type Held = (Inscription, Option<i64>);

impl NaiveBook {
    /// The listed offers with conditions that a borrower can take with one of these inscriptions.
    fn takeable_with(&self, taker: &Taker, held: &[Held], now: UnixMs) -> BTreeSet<OfferId> {
        let can_take = |offer: &&NaiveOffer| {
            let Some(asked) = &offer.conditions else { return false };
            let is_any = asked.inscriptions.is_empty() && asked.numbers.is_empty();
            let is_chosen = |(id, number): &&Held| {
                let is_in = |number: i64| {
                    asked
                        .numbers
                        .iter()
                        .any(|range| i64::from(range.first) <= number && number <= i64::from(range.last))
                };
                asked.inscriptions.contains(id) || number.is_some_and(is_in)
            };
            let mut with = held.iter().filter(is_chosen).map(|(id, _)| vec![*id]);
            asked.borrower.is_none()
                && asked.link_key.is_none()
                && if is_any {
                    self.check_taker(offer, taker, now).is_ok()
                } else {
                    with.any(|inscriptions| {
                        self.check_taker(offer, &Taker { inscriptions, ..taker.clone() }, now).is_ok()
                    })
                }
        };
        self.offers.iter().filter(can_take).map(|offer| offer.id).collect()
    }
}

#[test]
fn a_book_finds_the_offers_whose_conditions_a_borrower_meets() {
    let mut count = 0;
    run_in_parallel(2_000, |book, naive, now, rng| {
        let last_claimed_at =
            rng.random::<bool>().then(|| UnixMs(now.0.saturating_sub(rng.random_range(0..400_000_000))));
        let user = UserId(rng.random_range(1..8));
        let taker = Taker { repaid: rng.random_range(0..4), last_claimed_at, ..Taker::new(user) };
        let held: Vec<Held> = (0..rng.random_range(0..3))
            .map(|_| {
                let number = rng.random::<bool>().then(|| rng.random_range(-3..120));
                (Inscription { txid: [1; 32], index: rng.random_range(0..4) }, number)
            })
            .collect();
        let found: BTreeSet<OfferId> = book.conditional_offers_for(&taker, &held, now).map(|offer| offer.id).collect();
        assert_eq!(found, naive.takeable_with(&taker, &held, now), "for {taker:?} with {held:?}");
        count += found.len();
    });
    assert!(count > 200, "only {count} offers were found");
}
