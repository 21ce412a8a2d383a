//! Tests of the order book against the naive one: the same commands, the same refusals, the same book after every step.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise and prints its seed")]

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::SystemTime,
};

use domain::{
    BookEvent, BorrowRequest, ChangedNegotiation, Command, ConditionRejection, Limits, Negotiation, NegotiationId,
    OfferConditions, OfferDraft, OfferId, OrderBook, PauseReasons, ProcessType, Rejection, RequestId, Sats,
    SubCollectionId, Taker, UnixMs, UserId,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::oracle::{
    naive_book::{NaiveBook, NaiveNegotiation, NaiveOffer},
    random_command::{groups, random_command},
};

#[path = "oracle/naive_book.rs"]
mod naive_book;
#[path = "oracle/parallel_run.rs"]
mod parallel_run;
#[path = "oracle/random_command.rs"]
mod random_command;
#[path = "oracle/refinance_search.rs"]
mod refinance_search;
#[path = "oracle/refusals.rs"]
mod refusals;
#[path = "oracle/takeable_search.rs"]
mod takeable_search;

mod oracle {
    pub(crate) use super::{naive_book, random_command};
}

/// The seed: `LIENBOOK_TEST_SEED` repeats a run; otherwise every run has another one.
fn seed() -> u64 {
    let chosen = env::var("LIENBOOK_TEST_SEED").ok().map(|text| text.parse().expect("LIENBOOK_TEST_SEED is a number"));
    let seed = chosen.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("the clock is past 1970");
        u64::from(now.subsec_nanos())
    });
    println!("LIENBOOK_TEST_SEED={seed}");
    seed
}

/// The total number of commands; `LIENBOOK_TEST_COMMANDS` overrides it.
fn commands() -> u64 {
    env::var("LIENBOOK_TEST_COMMANDS").map_or(400_000, |text| text.parse().expect("LIENBOOK_TEST_COMMANDS is a number"))
}

const PROCESSES: [ProcessType; 2] = [ProcessType::Manual, ProcessType::Instant];

/// Asserts that every read of the book equals that of the naive one.
fn assert_same(book: &OrderBook, naive: &NaiveBook) {
    assert_eq!(book.price(), naive.price);
    assert_eq!(**book.group(), naive.group, "terms in effect");
    assert_eq!(book.offers().count(), naive.offers.len());
    let dependent: BTreeSet<OfferId> =
        naive.offers.iter().filter(|offer| offer.cancels_on_disconnect).map(|offer| offer.id).collect();
    assert!(book.offers_on_disconnect().eq(dependent), "offers that end with their connection");
    let mut live = [BTreeSet::new(), BTreeSet::new()];
    for expected in &naive.offers {
        let offer = book.offer(expected.id).unwrap_or_else(|| panic!("{} is missing", expected.id));
        assert_eq!(offer.paused, naive.pauses(expected), "pauses of {}", expected.id);
        assert_eq!((offer.used.get(), offer.held.get()), (expected.used, naive.held(expected.id)), "{}", expected.id);
        assert_eq!(offer.is_live(), naive.is_live(expected));
        assert_eq!(offer.principal.get(), expected.principal, "principal of {}", expected.id);
        let range = book.peg(expected.id).map(|peg| (peg.min.get(), peg.max.get()));
        assert_eq!((range, offer.is_pegged()), (expected.peg, expected.peg.is_some()), "peg of {}", expected.id);
        assert_eq!(book.conditions(expected.id), expected.conditions.as_ref(), "conditions of {}", expected.id);
        assert_eq!(book.loan_terms(offer), naive.loan_terms(expected.id, expected.sub), "terms of {}", expected.id);
        if naive.is_live(expected) {
            live[usize::from(expected.process == ProcessType::Instant)].insert(expected.lender);
        }
    }
    for sub in 0..naive.group.sub_collections.len() {
        let sub = SubCollectionId(u16::try_from(sub).unwrap());
        for process in PROCESSES {
            let ranked = naive.ranked(sub, process);
            assert!(book.ranked(sub, process).map(|offer| offer.id).eq(ranked.iter().copied()), "ranking of {sub:?}");
            assert_eq!(book.ranked_count(sub, process), ranked.len());
            assert_eq!(book.best(sub, process).map(|offer| offer.id), ranked.first().copied());
            for (place, id) in ranked.iter().enumerate() {
                assert_eq!(book.rank(*id), Some(place + 1));
            }
        }
    }
    for lender in (1..8).map(UserId) {
        let named: Vec<OfferId> = book.offers_for(lender).map(|offer| offer.id).collect();
        assert_eq!(book.named_borrowers().contains(&lender), !named.is_empty());
        let is_for =
            |offer: &&NaiveOffer| offer.conditions.as_ref().is_some_and(|asked| asked.borrower_id() == Some(lender));
        assert!(naive.offers.iter().filter(is_for).map(|offer| offer.id).eq(named), "offers for {lender}");
        let own: BTreeSet<OfferId> = book.offers_of(lender).map(|offer| offer.id).collect();
        let expected = naive.offers.iter().filter(|offer| offer.lender == lender).map(|offer| offer.id);
        assert_eq!(own, expected.collect());
        assert_eq!(book.usable(lender).map(Sats::get), naive.usable.get(&lender).copied());
        assert_eq!(book.allowance(lender), naive.allowances.get(&lender).copied().unwrap_or_default());
    }
    for (process, lenders) in PROCESSES.into_iter().zip(&live) {
        assert_eq!(book.live_lender_count(process), lenders.len());
    }
    assert_eq!(book.instant_liquidity().get(), naive.instant_liquidity());
    let manual = naive.offers.iter().filter(|offer| offer.process == ProcessType::Manual && naive.is_live(offer));
    assert_eq!(book.manual_liquidity().get(), manual.map(|offer| naive.takeable(offer)).sum::<u64>());
    assert_eq!(book.reservations().count(), naive.reservations.len());
    for held in &naive.reservations {
        let reservation = book.reservation(held.id).unwrap();
        assert_eq!((reservation.principal.get(), reservation.pledged_raw), (held.principal, held.pledged));
    }
    assert_eq!(book.next_reservation_expiry(), naive.reservations.iter().map(|held| held.expires_at).min());
    let running = naive.offers.iter().filter(|offer| !naive.pauses(offer).contains(PauseReasons::EXPIRED));
    assert_eq!(book.next_offer_expiry(), running.filter_map(|offer| offer.good_until).min());
    assert_eq!(book.loans().count(), naive.loans.len());
    for expected in &naive.loans {
        let loan = book.loan(expected.id).unwrap_or_else(|| panic!("{} is missing", expected.id));
        assert_eq!(
            (loan.sub_collection, loan.lender, loan.borrower),
            (expected.sub, expected.lender, expected.borrower)
        );
        assert_eq!((loan.principal.get(), loan.pledged_raw), (expected.principal, expected.pledged_raw));
    }
    assert!(book.ranked_requests().map(|request| request.id).eq(naive.ranked_requests()), "ladder of requests");
    for expected in &naive.requests {
        let request = book.request(expected.id).unwrap_or_else(|| panic!("{} is missing", expected.id));
        assert_eq!((&request.terms, request.filled_by), (&expected.terms, expected.filled_by), "{}", expected.id);
        if let Some(offer) = expected.filled_by {
            assert_eq!(book.request_filled_by(offer), Some(expected.id));
        }
    }
    for borrower in (1..8).map(UserId) {
        let own = naive.requests.iter().filter(|request| request.terms.borrower.user == borrower);
        assert!(book.requests_of(borrower).map(|request| request.id).eq(own.map(|request| request.id)));
    }
    assert_eq!(book.negotiations().count(), naive.negotiations.len());
    for expected in &naive.negotiations {
        let negotiation = book.negotiation(expected.id).unwrap_or_else(|| panic!("{} is missing", expected.id));
        assert_eq!((&*negotiation.loan, &negotiation.proposals), (&expected.loan, &expected.proposals));
        assert_eq!((negotiation.state, negotiation.kept_until), (expected.state, expected.kept_until));
    }
    for user in (1..8).map(UserId) {
        let is_own = |known: &&NaiveNegotiation| known.loan.lender == user || known.loan.borrower.user == user;
        let own = naive.negotiations.iter().filter(is_own);
        assert!(book.negotiations_of(user).map(|known| known.id).eq(own.map(|known| known.id)));
    }
    assert_eq!(book.next_negotiation_expiry(), naive.negotiations.iter().map(|known| known.kept_until).min());
    assert_eq!(book.next_request_expiry(), naive.requests.iter().map(|request| request.terms.good_until).min());
}

/// Asserts the invariants of any book, independently of the naive one.
fn assert_invariants(book: &OrderBook) {
    for offer in book.offers() {
        let committed = offer.used.checked_add(offer.held).unwrap();
        assert!(committed <= offer.principal, "{} lends more than it offers", offer.id);
        assert_eq!(book.rank(offer.id).is_some(), offer.is_live(), "exactly live offers are ranked");
        let allowance = book.allowance(offer.lender);
        assert!(!offer.is_live() || !allowance.is_absent, "{} is open without its lender", offer.id);
        if offer.is_live() && offer.process == ProcessType::Manual {
            assert!(offer.takeable() <= allowance.available.unwrap_or(Sats::MAX), "{} is over the budget", offer.id);
        }
        if offer.is_live() && offer.process == ProcessType::Instant {
            assert!(book.usable(offer.lender).unwrap() >= offer.takeable(), "{} is not covered", offer.id);
            assert!(offer.current_ltv(book.price().unwrap()) <= offer.max_ltv.unwrap(), "{} is over its cap", offer.id);
        }
    }
    for reservation in book.reservations() {
        assert!(book.offer(reservation.offer).is_some_and(|offer| offer.held >= reservation.principal));
    }
}

/// Asserts that every offer whose public state changed is among the touched ones.
fn assert_touched(before: &OrderBook, after: &OrderBook, touched: &[OfferId]) {
    let touched: BTreeSet<_> = touched.iter().collect();
    for offer in before.offers() {
        assert!(touched.contains(&offer.id) || after.offer(offer.id) == Some(offer), "{} changed untouched", offer.id);
    }
    for offer in after.offers() {
        assert!(touched.contains(&offer.id) || before.offer(offer.id).is_some(), "{} was created untouched", offer.id);
    }
}

/// Asserts that every negotiation that changed is reported, from those of the step before.
fn assert_changed_negotiations(known: &mut BTreeMap<NegotiationId, Negotiation>, book: &mut OrderBook) {
    for ChangedNegotiation { id, parties } in book.take_changed_negotiations() {
        let changed = book.negotiation(id).cloned().or_else(|| known.get(&id).cloned()).unwrap();
        assert_eq!(changed.parties(), parties);
        match book.negotiation(id) {
            Some(negotiation) => drop(known.insert(id, negotiation.clone())),
            None => drop(known.remove(&id)),
        }
    }
    assert!(known.iter().all(|(id, negotiation)| book.negotiation(*id) == Some(negotiation)), "changed unreported");
    assert_eq!(book.negotiations().count(), known.len(), "a negotiation was opened unreported");
}

/// Asserts that every borrow request that changed is reported, from those of the step before.
fn assert_changed_requests(known: &mut BTreeMap<RequestId, BorrowRequest>, book: &mut OrderBook) {
    for id in book.take_changed_requests() {
        match book.request(id) {
            Some(request) => drop(known.insert(id, request.clone())),
            None => drop(known.remove(&id)),
        }
    }
    assert!(known.iter().all(|(id, request)| book.request(*id) == Some(request)), "a request changed unreported");
    assert!(book.ranked_requests().all(|request| known.contains_key(&request.id)), "a request was placed unreported");
}

fn run(seed: u64, steps: u64, size: usize, check_every: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let group = groups()[rng.random_range(0..3)].clone();
    let limits = Limits { offers_per_lender_max: u16::try_from(size / 2).unwrap(), ..Limits::default() };
    let mut book = OrderBook::new(Arc::new(group.clone()), Arc::new(limits.clone()));
    let mut naive = NaiveBook::new(group, limits);
    let (mut now, mut touched) = (UnixMs(1_000), Vec::new());
    let (mut requests, mut negotiations) = (BTreeMap::new(), BTreeMap::new());
    for step in 0..steps {
        let command = random_command(&naive, &mut now, size, &mut rng);
        let before = (step % check_every == 0 && step % 8 == 0).then(|| book.clone());
        touched.clear();
        let decided = book.decide(&command, now);
        let expected = naive.execute(&command, now);
        assert_eq!(decided.as_ref().err(), expected.as_ref().err(), "seed {seed}, step {step}: {command:?}");
        for event in decided.iter().flatten() {
            assert_journaled(event);
            book.apply(event, now, &mut touched);
        }
        assert_changed_requests(&mut requests, &mut book);
        assert_changed_negotiations(&mut negotiations, &mut book);
        if step % check_every == 0 {
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                assert_invariants(&book);
                assert_same(&book, &naive);
                if let Some(before) = before {
                    assert_touched(&before, &book, &touched);
                }
            }));
            assert!(checked.is_ok(), "seed {seed}, step {step}: after {command:?}");
        }
    }
}

#[test]
fn small_books_equal_the_naive_book_after_every_step() {
    let (seed, commands) = (seed(), commands());
    let steps = 20_000;
    let (next, rounds) = (AtomicU64::new(0), commands.div_ceil(steps));
    // A round depends on its seed only, so threads share them.
    let run_rounds = || {
        loop {
            let round = next.fetch_add(1, Ordering::Relaxed);
            if round >= rounds {
                break;
            }
            let size = if round % 4 == 0 { 60 } else { 12 };
            run(seed.wrapping_add(round), steps, size, 1);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(run_rounds);
        }
    });
}

#[test]
fn a_large_book_equals_the_naive_book_at_intervals() {
    let seed = seed();
    for round in 0..6 {
        run(seed.wrapping_add(round), 12_000, 4_000, 1_000);
    }
}

/// Replaying only the events yields the same book.
#[test]
fn a_book_is_rebuilt_from_its_events() {
    let seed = seed();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for group in groups() {
        let limits = Limits::default();
        let mut book = OrderBook::new(Arc::new(group.clone()), Arc::new(limits.clone()));
        let mut naive = NaiveBook::new(group.clone(), limits.clone());
        let (mut now, mut journal, mut touched) = (UnixMs(1), Vec::<(UnixMs, BookEvent)>::new(), Vec::new());
        for _ in 0..20_000 {
            let command = random_command(&naive, &mut now, 50, &mut rng);
            for event in book.decide(&command, now).into_iter().flatten() {
                book.apply(&event, now, &mut touched);
                journal.push((now, event));
            }
            let _ = naive.execute(&command, now);
        }
        let mut rebuilt = OrderBook::new(Arc::new(group), Arc::new(limits));
        for (at, event) in &journal {
            rebuilt.apply(event, *at, &mut touched);
        }
        assert_same(&rebuilt, &naive);
        for offer in book.offers() {
            assert_eq!(rebuilt.offer(offer.id), Some(offer));
        }
    }
}

/// Asserts that an event is in the journal as it is applied: numbers are an event of their own.
fn assert_journaled(event: &BookEvent) {
    if let BookEvent::ConditionsSet { conditions, .. } = event {
        assert!(conditions.numbers.is_empty(), "{event:?}");
    }
}

/// A draft against one inscription.
fn manual_draft(conditions: Option<Arc<OfferConditions>>) -> OfferDraft {
    OfferDraft {
        cancels_on_disconnect: false,
        sub_collection: SubCollectionId(0),
        process: ProcessType::Manual,
        principal: Sats::new(100_000),
        quantity: None,
        max_ltv: None,
        principal_min: None,
        accepts_next_term: false,
        good_until: None,
        conditions,
    }
}

/// The naive book refuses with the real one when offers of several lenders name one borrower.
#[test]
fn at_most_twenty_offers_name_one_borrower() {
    let group = groups()[0].clone();
    let limits = Limits::default();
    let mut book = OrderBook::new(Arc::new(group.clone()), Arc::new(limits.clone()));
    let mut naive = NaiveBook::new(group, limits);
    let price = domain::UnitPrice::from_sats(Sats::new(1_000_000)).unwrap();
    let mut act = |command: Command| {
        let decided = book.decide(&command, UnixMs(1));
        assert_eq!(decided.as_ref().err(), naive.execute(&command, UnixMs(1)).err().as_ref());
        for event in decided.iter().flatten() {
            book.apply(event, UnixMs(1), &mut Vec::new());
        }
        decided
    };
    act(Command::SetPrice { price, observed_at: UnixMs(1) }).unwrap();
    let borrower = domain::NamedBorrower { user: UserId(99), payment_address: "payment".to_owned() };
    let named = OfferConditions { borrower: Some(borrower), ..OfferConditions::default() };
    let draft = manual_draft(Some(Arc::new(named)));
    let create = |lender, count| Command::Create { lender: UserId(lender), draft: draft.clone(), count, usable: None };
    for lender in 1..=4 {
        act(create(lender, 5)).unwrap();
    }
    assert_eq!(act(create(5, 1)), Err(ConditionRejection::TooManyForBorrower { max: 20 }.into()));
    let offer = OfferId::new(domain::GroupId(1), 1).unwrap();
    act(Command::Edit { lender: UserId(1), offer, draft: draft.clone(), usable: None }).unwrap();
    let offer = OfferId::new(domain::GroupId(1), 2).unwrap();
    act(Command::Cancel { lender: UserId(1), offer }).unwrap();
    act(create(5, 1)).unwrap();
}

#[test]
fn limits_on_reservations_and_closed_groups_hold() {
    let group = groups()[0].clone();
    let limits = Limits { reservations_max: 0, ..Limits::default() };
    let book = OrderBook::new(Arc::new(group.clone()), Arc::new(limits));
    let reserve = Command::Reserve {
        reservation: domain::ReservationId(1),
        offer: OfferId(1),
        taker: Taker::new(UserId(1)),
        pledged_raw: None,
        expires_at: UnixMs(2),
    };
    assert_eq!(book.decide(&reserve, UnixMs(1)), Err(Rejection::TooManyReservations { max: 0 }));
    let closed = domain::CollectionGroup { is_lending_allowed: false, ..group };
    let book = OrderBook::new(Arc::new(closed), Arc::new(Limits::default()));
    let draft = manual_draft(None);
    let create = Command::Create { lender: UserId(1), draft, count: 1, usable: None };
    assert_eq!(book.decide(&create, UnixMs(1)), Err(Rejection::LendingNotAllowed));
    assert!(PauseReasons::default().is_empty());
}
