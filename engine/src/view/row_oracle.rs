//! A test oracle for rows: sums, best offers and counts computed naively from all events.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use domain::{
    Bundle, CollateralType, CollectionGroup, Command, GroupId, InterestRate, Limits, LoanEnd, LoanId, Ltv, Offer,
    OfferDraft, ProcessType, Quantity, ReservationId, Sats, SubCollection, SubCollectionId, Taker, TermDays, UnitPrice,
    UnixMs, UserId,
};
use proptest::prelude::*;

use crate::{
    book_state::{BookState, Changes},
    wire::{AsString, Percent, Quotes, Volumes},
};

const HOUR_MS: u64 = 3_600_000;
const START: UnixMs = UnixMs(1_700_000_000_000);

fn group() -> CollectionGroup {
    let sub = |id: u16, days, interest| SubCollection {
        id: SubCollectionId(id),
        slug: format!("frogs-{id}").parse().unwrap(),
        term: TermDays(days),
        interest: InterestRate::from_basis_points(interest),
        bundle: Bundle::Fixed(Quantity::inscriptions(1)),
        manual: true,
        instant: id == 1,
    };
    CollectionGroup {
        id: GroupId(1),
        slug: "frogs".parse().unwrap(),
        name: "Frogs".into(),
        symbol: "FROG".into(),
        image: "".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![sub(0, 7, 100), sub(1, 30, 250), sub(2, 14, 90)],
    }
}

/// The state of the oracle.
#[derive(Default)]
struct Oracle {
    /// Principal and time of loans that did not fail.
    lent: Vec<(LoanId, Sats, UnixMs)>,
}

impl Oracle {
    fn volumes(&self, now: UnixMs) -> Volumes {
        let since = |hours: u64| {
            let recent = |(_, _, at): &&(LoanId, Sats, UnixMs)| at.0 / HOUR_MS + hours > now.0 / HOUR_MS;
            self.lent.iter().filter(recent).map(|(_, principal, _)| *principal).sum()
        };
        Volumes { total: since(u64::from(u32::MAX)), day: since(24), week: since(7 * 24), month: since(30 * 24) }
    }
}

fn check_quotes(state: &BookState, process: ProcessType, quotes: &Quotes) -> Result<(), TestCaseError> {
    let group = state.book.group();
    let price = state.book.price().unwrap();
    let live: Vec<&Offer> = state.book.offers().filter(|it| it.process == process && it.is_live()).collect();
    let is_held = |it: &&Offer| it.process == process && it.held > Sats::ZERO && !it.is_conditional();
    let held = state.book.offers().filter(is_held).count();
    prop_assert_eq!((quotes.offer_count, quotes.under_offer_count), (live.len(), held));
    let lenders: BTreeSet<UserId> = live.iter().map(|offer| offer.lender).collect();
    prop_assert_eq!(quotes.lender_count, lenders.len());
    let best = live.iter().map(|offer| offer.takeable()).max();
    prop_assert_eq!(quotes.best_offer, best);
    let mut ranked = live.clone();
    ranked.sort_by_key(|offer| (Reverse(offer.quote), offer.sub_collection, offer.id));
    let follows = |best: &Offer, offer: &Offer| {
        let is_near = u128::from(offer.quote.scaled()) * 100 >= u128::from(best.quote.scaled()) * 98;
        offer.id != best.id && offer.sub_collection == best.sub_collection && is_near
    };
    let next: Vec<_> = ranked.first().map_or_else(Vec::new, |best| {
        ranked.iter().filter(|offer| follows(best, offer)).take(5).map(|offer| AsString(offer.id)).collect()
    });
    prop_assert_eq!(&quotes.next_best_offers, &next);
    let lowest = live.iter().map(|offer| offer.quote).min().map(|quote| Percent::from(price.ltv_of(quote)));
    prop_assert_eq!(quotes.min_ltv, lowest);
    let subs = || group.sub_collections.iter().filter(|sub| sub.accepts(process));
    prop_assert_eq!(Some(quotes.max_apy), subs().map(|sub| Percent::apy(sub.interest, sub.term)).max());
    let min_interest = subs().map(|sub| Percent::from(sub.interest)).min();
    prop_assert_eq!(Some(quotes.min_interest), min_interest);
    Ok(())
}

fn draft(sub_collection: u16, process: ProcessType, principal: u64) -> OfferDraft {
    OfferDraft {
        cancels_on_disconnect: false,
        sub_collection: SubCollectionId(sub_collection),
        process,
        principal: Sats::new(principal),
        quantity: None,
        max_ltv: (process == ProcessType::Instant).then_some(Ltv::from_basis_points(9_000)),
        principal_min: None,
        accepts_next_term: false,
        good_until: None,
        conditions: None,
    }
}

/// Returns a random command, if the book has an object for it.
fn command(state: &BookState, choice: u8, number: u64, now: UnixMs) -> Option<Command> {
    let some = |count: usize| usize::try_from(number).unwrap_or(0) % count.max(1);
    let offer = || state.book.offers().nth(some(state.book.offers().count())).map(|offer| (offer.id, offer.lender));
    let (lender, usable) = (UserId(number % 4), Some(Sats::new(5_000_000)));
    // Every other one is close to the best.
    let principal = if number.is_multiple_of(2) { 100_000 + number % 850_000 } else { 930_000 + number % 20_000 };
    Some(match choice % 8 {
        0 | 1 => {
            let draft = draft(u16::try_from(number % 3).unwrap_or(0), ProcessType::Manual, principal);
            Command::Create { lender, draft, count: 1, usable }
        }
        2 => Command::Create { lender, draft: draft(1, ProcessType::Instant, principal), count: 1, usable },
        3 | 4 => Command::Reserve {
            reservation: ReservationId(number.into()),
            offer: offer()?.0,
            taker: Taker::new(UserId(99)),
            pledged_raw: None,
            expires_at: now.plus_ms(100 * HOUR_MS),
        },
        5 => {
            Command::SetPrice { price: UnitPrice::from_sats(Sats::new(900_000 + number % 300_000))?, observed_at: now }
        }
        6 => Command::Cancel { lender: offer()?.1, offer: offer()?.0 },
        _ => {
            let loan = state.book.loans().nth(some(state.book.loans().count()))?.id;
            let end = if number.is_multiple_of(2) { LoanEnd::Failed } else { LoanEnd::Repaid };
            Command::EndLoan { loan, end }
        }
    })
}

proptest! {
    #[test]
    fn a_row_equals_that_of_the_oracle(
        steps in proptest::collection::vec((any::<u8>(), any::<u64>(), 0_u64..30), 1..80)
    ) {
        let mut state = BookState::new(Arc::new(group()), Arc::new(Limits::default()));
        let (mut oracle, mut now, mut reserved) = (Oracle::default(), START, Vec::new());
        let price = UnitPrice::from_sats(Sats::new(1_000_000)).unwrap();
        let mut commands = vec![Command::SetPrice { price, observed_at: now }];
        for (choice, number, hours) in steps {
            now = now.plus_ms(hours * HOUR_MS + number % HOUR_MS);
            commands.extend(command(&state, choice, number, now));
            if number % 3 > 0 {
                commands.extend(reserved.pop().map(|id: ReservationId| {
                    Command::Confirm { reservation: id, loan: LoanId(id.0) }
                }));
            }
            for command in commands.drain(..) {
                let Ok(events) = state.book.decide(&command, now) else { continue };
                for event in events {
                    state.apply(&event, now, &mut Changes::default());
                }
                match command {
                    Command::Reserve { reservation, .. } => reserved.push(reservation),
                    Command::Confirm { loan, .. } => {
                        let principal = state.book.loan(loan).unwrap().principal;
                        oracle.lent.push((loan, principal, now));
                    }
                    Command::EndLoan { loan, end: LoanEnd::Failed } => oracle.lent.retain(|(id, _, _)| *id != loan),
                    _ => {}
                }
            }
            let row = super::row(&state, now);
            prop_assert_eq!(row.total_loans, u64::try_from(oracle.lent.len()).unwrap());
            prop_assert_eq!(row.running_loans, state.book.loans().count());
            prop_assert_eq!(row.internal_volume_stats, oracle.volumes(now));
            check_quotes(&state, ProcessType::Manual, row.manual.as_ref().unwrap())?;
            check_quotes(&state, ProcessType::Instant, row.instant.as_ref().unwrap())?;
        }
    }
}
