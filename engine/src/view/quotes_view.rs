//! The aggregates over the live offers of one process type.

use std::cmp::Reverse;

use domain::{Offer, OfferId, OrderBook, ProcessType, SubCollection};

use crate::{
    book_state::BookState,
    wire::{AsString, Percent, Quotes},
};

use super::collateral;

/// The maximum number of offers listed after the best one.
const NEXT_BEST: usize = 5;

/// The least quote, in percent of the best, of an offer listed after it: a borrower who takes several loans gets about
/// the same terms for each.
const NEXT_BEST_PERCENT: u128 = 98;

/// Aggregates the live offers of a process type; `None` where no sub-collection takes it.
pub(super) fn quotes(state: &BookState, process: ProcessType) -> Option<Quotes> {
    let book = &state.book;
    let group = book.group();
    let subs = || group.sub_collections.iter().filter(move |sub| sub.accepts(process));
    let max_apy = subs().map(|sub| Percent::apy(sub.interest, sub.term)).max()?;
    let min_interest = subs().map(|sub| sub.interest).min()?;
    let best = best(book, process);
    let best_sub = best.and_then(|offer| group.sub_collection(offer.sub_collection));
    let lowest_quote = subs().filter_map(|sub| Some(book.last_ranked(sub.id, process)?.quote)).min();
    let ltv = |quote| book.price().map(|price| price.ltv_of(quote).into());
    Some(Quotes {
        offer_count: subs().map(|sub| book.ranked_count(sub.id, process)).sum(),
        under_offer_count: state.held.count(process),
        lender_count: book.live_lender_count(process),
        best_offer: best.map(Offer::takeable),
        best_offer_id: best.map(|offer| AsString(offer.id)),
        next_best_offers: best.map_or_else(Vec::new, |best| next_best(book, best, process)),
        best_sub_collection_id: best.map(|offer| AsString(offer.sub_collection.0)),
        term: best_sub.map(|sub| sub.term.0),
        interest: best_sub.map(|sub| sub.interest.into()),
        apy: best_sub.map(|sub| Percent::apy(sub.interest, sub.term)),
        ltv: best.and_then(|offer| ltv(offer.quote)),
        max_ltv: best.and_then(|offer| ltv(offer.quote)),
        min_ltv: lowest_quote.and_then(ltv),
        max_apy,
        min_interest: min_interest.into(),
        liquidity_sats: match process {
            ProcessType::Manual => book.manual_liquidity(),
            ProcessType::Instant => book.instant_liquidity(),
        },
        instant_best_offer_range: best.zip(best_sub).and_then(|(offer, sub)| collateral::range(sub, offer)),
    })
}

/// The best offer of the whole group: more sats per unit first, then the earlier sub-collection, then the earlier
/// offer.
fn best(book: &OrderBook, process: ProcessType) -> Option<&Offer> {
    let first_of = |sub: &SubCollection| book.ranked(sub.id, process).next();
    let firsts = book.group().sub_collections.iter().filter_map(first_of);
    firsts.min_by_key(|offer| (Reverse(offer.quote), offer.sub_collection, offer.id))
}

/// The offers after the best: of the same sub-collection, and with nearly its quote.
fn next_best(book: &OrderBook, best: &Offer, process: ProcessType) -> Vec<AsString<OfferId>> {
    let scaled = |offer: &Offer| u128::from(offer.quote.scaled());
    let least = scaled(best) * NEXT_BEST_PERCENT;
    let followers = book.ranked(best.sub_collection, process).filter(|offer| offer.id != best.id);
    followers.take_while(|offer| scaled(offer) * 100 >= least).take(NEXT_BEST).map(|offer| AsString(offer.id)).collect()
}
