//! Races of a two-sided market: two lenders fill one request, the floor moves while a pegged offer is taken, two borrowers
//! take more than a budget, and an offer expires while its borrower signs. `LIENBOOK_TEST_RACES` sets their number,
//! `LIENBOOK_TEST_SEED` the seed.

use std::{env, future::Future, sync::Arc};

use domain::{
    Allowance, BookEvent, BorrowRequest, CancelledBy, Command, Inscription, InterestRate, LendingLimits, LoanEvent,
    LoanId, NamedBorrower, OfferDraft, OfferId, Outpoint, Quantity, Rejection, RequestId, RequestTerms, Sats, TermDays,
    UserId,
};
use engine::{Refusal, clock::Clock as _};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::task::yield_now;

use crate::{
    actions::{create, frog_draft},
    fixture::{FROGS, Fixture, MANUAL},
    loans::prepared,
};

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
/// The races of each kind, unless more are asked for.
const ROUNDS: u64 = 1_000;
const KINDS: u64 = 4;

/// The order of two actions. An action crosses tasks and the journal's thread, whose time is the machine's: the two that
/// follow each other make both outcomes occur on each machine, those at once find what lies between.
enum Order {
    OneFirst,
    OtherFirst,
    /// Each starts after that many turns of the other tasks.
    AtOnce([u16; 2]),
}

impl Order {
    async fn run<A, B>(self, one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
        let (one, other) = (Box::pin(one), Box::pin(other));
        match self {
            Self::OneFirst => (one.await, other.await),
            Self::OtherFirst => {
                let other = other.await;
                (one.await, other)
            }
            Self::AtOnce([before_one, before_other]) => {
                tokio::join!(after(before_one, one), after(before_other, other))
            }
        }
    }
}

async fn after<A>(turns: u16, action: impl Future<Output = A>) -> A {
    for _ in 0..turns {
        yield_now().await;
    }
    action.await
}

/// Two users act at once; which of them is first depends on the seed.
struct Races {
    fixture: Fixture,
    random: ChaCha8Rng,
    next_id: u64,
}

impl Races {
    async fn new() -> Self {
        let seed = env::var("LIENBOOK_TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
        println!("LIENBOOK_TEST_SEED={seed}");
        let fixture = Fixture::new().await;
        Self { fixture, random: ChaCha8Rng::seed_from_u64(seed), next_id: 0 }
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn order(&mut self) -> Order {
        match self.random.random_range(0..8) {
            0 => Order::OneFirst,
            1 => Order::OtherFirst,
            _ => Order::AtOnce([self.turns(), self.turns()]),
        }
    }

    /// A few turns or thousands, as a message between tasks takes one and a synced write of the journal thousands.
    fn turns(&mut self) -> u16 {
        (1 << self.random.random_range(0..13)) - 1
    }

    /// A loan that its borrower has not signed.
    async fn prepare(&mut self, offer: OfferId, lender: UserId, borrower: UserId, principal: Sats) -> LoanId {
        let number = self.id();
        let mut txid = [0; 32];
        txid[..8].copy_from_slice(&number.to_be_bytes());
        let mut event = prepared(Outpoint { txid, vout: 0 }, offer, MANUAL, lender, borrower, principal);
        if let LoanEvent::SoftPrepared { expires_at, .. } = &mut event {
            *expires_at = self.fixture.clock.now().plus_ms(HOUR_MS);
        }
        let id = LoanId(number.into());
        self.fixture.market.prepare_loan(id, event).await.unwrap();
        id
    }

    async fn sign(&self, loan: LoanId) -> Result<(), Refusal> {
        let until = self.fixture.clock.now().plus_ms(12 * HOUR_MS);
        self.fixture.market.await_lender(loan, "{}".to_owned(), until).await
    }

    async fn drop_loan(&self, loan: LoanId) {
        // One that lost its race is over already.
        let _ = self.fixture.market.cancel_loan(loan, CancelledBy::Lender).await;
    }

    async fn cancel(&self, lender: UserId, offer: OfferId) {
        self.fixture.submit(offer.group(), Command::Cancel { lender, offer }).await.unwrap();
    }

    async fn request(&mut self, borrower: UserId) -> RequestId {
        let index = u32::try_from(self.id()).unwrap();
        let terms = RequestTerms {
            borrower: NamedBorrower { user: borrower, payment_address: "bc1qborrower".to_owned() },
            inscriptions: vec![Inscription { txid: [7; 32], index }],
            quantity: Quantity::inscriptions(1),
            principal: Sats::new(400_000),
            interest_max: InterestRate::from_basis_points(900),
            term_min: TermDays(1),
            term_max: TermDays(90),
            good_until: self.fixture.clock.now().plus_ms(BorrowRequest::GOOD_FOR_MAX_MS),
        };
        let placed =
            self.fixture.submit(FROGS, Command::PlaceRequest { terms: Arc::new(terms), held_raw: None }).await.unwrap();
        let id = placed.events.iter().find_map(|event| match event {
            BookEvent::RequestPlaced { request, .. } => Some(*request),
            _ => None,
        });
        id.unwrap()
    }

    async fn fill(&self, lender: UserId, request: RequestId) -> Result<OfferId, Refusal> {
        let (draft, allowance) = (frog_draft(MANUAL, 400_000), Allowance::default());
        let fill = Command::FillRequest { lender, request, draft, usable: None, allowance };
        Ok(self.fixture.submit(FROGS, fill).await?.offers[0].offer_id.0)
    }
}

/// The races of each kind, no fewer than it takes for both outcomes to occur.
fn rounds() -> u64 {
    env::var("LIENBOOK_TEST_RACES").map_or(ROUNDS, |races| races.parse::<u64>().unwrap().div_ceil(KINDS).max(ROUNDS))
}

fn assert_both(kind: &str, [one, other]: [u64; 2]) {
    println!("{kind}: {one} and {other}");
    assert!(one > 0 && other > 0, "{kind}: both outcomes must occur, not {one} and {other}");
}

#[actix::test]
async fn of_two_lenders_who_fill_one_request_exactly_one_has_the_offer() {
    let mut races = Races::new().await;
    let lenders = [races.fixture.user(1).await, races.fixture.user(2).await];
    let borrower = races.fixture.user(3).await;
    let mut won = [0, 0];
    for round in 0..rounds() {
        let request = races.request(borrower).await;
        let order = races.order();
        let (one, other) = order.run(races.fill(lenders[0], request), races.fill(lenders[1], request)).await;
        let (winner, offer, lost) = match (one, other) {
            (Ok(offer), Err(lost)) => (0, offer, lost),
            (Err(lost), Ok(offer)) => (1, offer, lost),
            both => panic!("round {round}: {both:?}"),
        };
        won[winner] += 1;
        assert!(matches!(lost, Refusal::Book(Rejection::RequestFilled(id)) if id == request), "round {round}: {lost}");
        let named = races.fixture.market.offers_for_borrower(borrower).await.unwrap();
        assert_eq!(named.iter().map(|named| named.offer.offer_id.0).collect::<Vec<_>>(), [offer], "round {round}");
        races.cancel(lenders[winner], offer).await;
        races.fixture.submit(FROGS, Command::WithdrawRequest { borrower, request }).await.unwrap();
    }
    assert_both("filled by one lender, by the other", won);
}

/// The borrower signs for the principal that was shown: exactly that principal is reserved, or nothing is.
#[actix::test]
async fn a_pegged_offer_that_is_repriced_while_it_is_taken_lends_what_was_signed_or_nothing() {
    let mut races = Races::new().await;
    let (lender, borrower) = (races.fixture.user(1).await, races.fixture.user(2).await);
    let (mut taken, mut refused) = (0, 0);
    for round in 0..rounds() {
        races.fixture.move_floor(100).await;
        let offer = races.fixture.peg(lender).await;
        let shown = races.fixture.principal(offer).await.unwrap();
        let loan = races.prepare(offer, lender, borrower, shown).await;
        let (floor, order) = (80 + races.random.random_range(0..41), races.order());
        let (signed, ()) = order.run(races.sign(loan), races.fixture.move_floor(floor)).await;
        let held = races.fixture.market.offer(offer).await.unwrap().unwrap();
        match signed {
            Ok(()) => {
                taken += 1;
                assert_eq!((held.held, held.principal), (shown, shown), "round {round}");
            }
            Err(refusal) => {
                refused += 1;
                assert!(matches!(refusal, Refusal::DealChanged | Refusal::Book(_)), "round {round}: {refusal}");
                assert_eq!(held.held, Sats::ZERO, "round {round}");
            }
        }
        races.drop_loan(loan).await;
        races.cancel(lender, offer).await;
    }
    assert_both("taken, refused", [taken, refused]);
}

#[actix::test]
async fn two_borrowers_at_once_never_take_more_than_the_budget() {
    let mut races = Races::new().await;
    races.fixture.list_toads().await;
    let users = [races.fixture.user(1).await, races.fixture.user(2).await, races.fixture.user(3).await];
    let [lender, one, other] = users;
    let principal = Sats::new(500_000);
    races.fixture.limit(lender, LendingLimits { budget: Some(Sats::new(900_000)), ..LendingLimits::default() }).await;
    let mut won = [0, 0];
    for round in 0..rounds() {
        let offers =
            [races.fixture.manual(lender, principal.get()).await, races.fixture.toad(lender, principal.get()).await];
        let loans = [
            races.prepare(offers[0], lender, one, principal).await,
            races.prepare(offers[1], lender, other, principal).await,
        ];
        let order = races.order();
        let (first, second) = order.run(races.sign(loans[0]), races.sign(loans[1])).await;
        let (winner, refused) = match (first, second) {
            (Ok(()), Err(refused)) => (0, refused),
            (Err(refused), Ok(())) => (1, refused),
            both => panic!("round {round}: {both:?}"),
        };
        won[winner] += 1;
        assert!(matches!(refused, Refusal::Book(Rejection::OfferPaused(_))), "round {round}: {refused}");
        for loan in loans {
            races.drop_loan(loan).await;
        }
        let view = races.fixture.market.lending_limits(lender).await.unwrap();
        assert_eq!((view.outstanding_sats, view.today_sats), (Sats::ZERO, Sats::ZERO), "round {round}");
        for offer in offers {
            races.cancel(lender, offer).await;
        }
    }
    assert_both("taken in one collection, in the other", won);
}

/// Time passes while the borrower signs: the offer is reserved before it expired, or it is not reserved at all.
#[actix::test]
async fn an_offer_that_expires_while_its_borrower_signs_is_held_in_time_or_not_at_all() {
    let mut races = Races::new().await;
    let (lender, borrower) = (races.fixture.user(1).await, races.fixture.user(2).await);
    let principal = Sats::new(400_000);
    let (mut held, mut expired) = (0, 0);
    for round in 0..rounds() {
        let good_until = races.fixture.clock.now().plus_ms(10 * MINUTE_MS);
        let draft = OfferDraft { good_until: Some(good_until), ..frog_draft(MANUAL, principal.get()) };
        let created = races.fixture.submit(FROGS, create(lender, draft)).await.unwrap();
        let offer = created.offers[0].offer_id.0;
        let loan = races.prepare(offer, lender, borrower, principal).await;
        races.fixture.clock.advance_ms(10 * MINUTE_MS - 1);
        let order = races.order();
        let later = async {
            races.fixture.clock.advance_ms(1);
            races.fixture.submit(FROGS, Command::ExpireOffers).await.map(drop)
        };
        let (signed, _) = order.run(races.sign(loan), later).await;
        let found = races.fixture.market.offer(offer).await.unwrap().unwrap();
        match signed {
            Ok(()) => {
                held += 1;
                let accepted_at = races.fixture.market.loan(loan).await.unwrap().accepted_at.unwrap();
                assert!(accepted_at < good_until, "round {round}: held at {accepted_at:?}, good until {good_until:?}");
                assert_eq!(found.held, principal, "round {round}");
            }
            Err(refusal) => {
                expired += 1;
                let is_expired = matches!(refusal, Refusal::Book(Rejection::OfferExpired(id)) if id == offer);
                assert!(is_expired, "round {round}: {refusal}");
                assert_eq!(found.held, Sats::ZERO, "round {round}");
            }
        }
        races.drop_loan(loan).await;
        races.cancel(lender, offer).await;
    }
    assert_both("held, expired", [held, expired]);
}
