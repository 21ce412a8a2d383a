//! Random actions of lenders and borrowers, repeatable by seed.

use domain::{
    Command, GroupId, InterestRate, LoanEnd, LoanId, OfferId, ReservationId, Sats, SubCollectionId, TermChange,
    TermChangeId, TermDays, UnixMs, UserId,
};
use engine::clock::Clock;
use futures_util::future::join_all;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    actions::{create, frog_draft, gold_draft},
    fixture::{FROGS, Fixture, GOLD, INSTANT, MANUAL, price},
};

/// The users, and the objects that they can still act on.
pub(crate) struct RandomTraders {
    random: ChaCha8Rng,
    pub(crate) users: Vec<UserId>,
    offers: Vec<(UserId, OfferId)>,
    reservations: Vec<(GroupId, ReservationId)>,
    loans: Vec<(GroupId, LoanId)>,
    changes: u64,
    next_id: u8,
}

impl RandomTraders {
    /// Five lenders with vaults.
    pub(crate) async fn new(fixture: &Fixture, seed: u64) -> Self {
        let mut users = Vec::new();
        for number in 1..=5 {
            users.push(fixture.lender(number, 2_000_000).await);
        }
        let random = ChaCha8Rng::seed_from_u64(seed);
        let (offers, reservations, loans) = (Vec::new(), Vec::new(), Vec::new());
        Self { random, users, offers, reservations, loans, changes: 0, next_id: 0 }
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { from.get(self.random.random_range(0..from.len())).copied() }
    }

    /// Performs a few concurrent actions. Refusals are expected.
    pub(crate) async fn random_step(&mut self, fixture: &Fixture) {
        let count = self.random.random_range(1..4);
        let commands: Vec<_> = (0..count).map(|_| self.command(fixture.clock.now())).collect();
        let submit =
            |(group, command): (GroupId, Command)| async move { (group, fixture.submit(group, command).await) };
        for (_, outcome) in join_all(commands.into_iter().map(submit)).await {
            let Ok(applied) = outcome else { continue };
            for event in applied.events {
                if let domain::BookEvent::OfferCreated { offer, lender, .. } = event {
                    self.offers.push((lender, offer));
                }
            }
        }
        match self.random.random_range(0..8) {
            0 | 1 => self.reserve(fixture).await,
            2 => self.end_reservation(fixture).await,
            3 => self.move_vault(fixture).await,
            4 => fixture.clock.advance_ms(self.random.random_range(1..200_000)),
            _ => {}
        }
    }

    fn command(&mut self, now: UnixMs) -> (GroupId, Command) {
        let users = self.users.clone();
        let lender = self.pick(&users).expect("there are users");
        let offers = self.offers.clone();
        let (owner, offer) = self.pick(&offers).unwrap_or((lender, OfferId::new(FROGS, 1).unwrap()));
        let group = offer.group();
        match self.random.random_range(0..15) {
            0..=3 => {
                let process = if self.random.random_bool(0.5) { MANUAL } else { INSTANT };
                let mut draft = frog_draft(process, self.random.random_range(300_000..900_000));
                draft.sub_collection = SubCollectionId(self.random.random_range(0..2));
                (FROGS, create(lender, draft))
            }
            4 => (GOLD, create(lender, gold_draft(self.random.random_range(300_000..800_000)))),
            5 => (group, Command::Cancel { lender: owner, offer }),
            6 => (group, Command::Pause { lender: owner, offer }),
            7 => (group, Command::Resume { lender: owner, offer }),
            8 => {
                let principal = self.random.random_range(300_000..800_000);
                let draft = if group == GOLD { gold_draft(principal) } else { frog_draft(MANUAL, principal) };
                (group, Command::Edit { lender: owner, offer, draft, usable: None })
            }
            9 if self.random.random_bool(0.2) => (FROGS, self.term_change()),
            10 => (group, Command::AcceptTerm { lender: owner, offer, change: TermChangeId(self.changes) }),
            11 => self.end_loan(),
            12 => {
                let good_until = self.random.random_bool(0.8).then(|| now.plus_ms(600_000));
                (group, Command::SetGoodUntil { lender: owner, offer, good_until })
            }
            _ => {
                let group = if self.random.random_bool(0.7) { FROGS } else { GOLD };
                let price = price(group, self.random.random_range(80..130));
                (group, Command::SetPrice { price, observed_at: domain::UnixMs(0) })
            }
        }
    }

    fn term_change(&mut self) -> Command {
        self.changes += 1;
        let change = TermChange {
            id: TermChangeId(self.changes),
            interest: InterestRate::from_basis_points(self.random.random_range(50..500)),
            term: TermDays(self.random.random_range(3..60)),
            change_at: crate::fixture::NOON.plus_ms(self.random.random_range(1..5_000_000)),
        };
        Command::ScheduleTermChange { sub_collection: SubCollectionId(self.random.random_range(0..2)), change }
    }

    fn end_loan(&mut self) -> (GroupId, Command) {
        let loans = self.loans.clone();
        let (group, loan) = self.pick(&loans).unwrap_or((FROGS, LoanId(0)));
        self.loans.retain(|(_, other)| *other != loan);
        (group, Command::EndLoan { loan, end: LoanEnd::Repaid })
    }

    async fn reserve(&mut self, fixture: &Fixture) {
        let (offers, users) = (self.offers.clone(), self.users.clone());
        let (Some((_, offer)), Some(borrower)) = (self.pick(&offers), self.pick(&users)) else { return };
        self.next_id = self.next_id.wrapping_add(1);
        let mut request = fixture.reserve_request(self.next_id, offer, borrower);
        request.expires_at = fixture.clock.now().plus_ms(self.random.random_range(1..400_000));
        if offer.group() == GOLD {
            request.pledged_raw = Some(self.random.random_range(100_000..10_000_000));
        }
        if let Ok(reservation) = fixture.market.reserve(request, None).await {
            self.reservations.push((offer.group(), reservation.id));
        }
    }

    async fn end_reservation(&mut self, fixture: &Fixture) {
        let reservations = self.reservations.clone();
        let Some((group, reservation)) = self.pick(&reservations) else { return };
        self.reservations.retain(|(_, other)| *other != reservation);
        if self.random.random_bool(0.5) {
            let loan = LoanId(u128::from(self.random.next_u64()));
            if fixture.market.confirm(group, reservation, loan, None).await.is_ok() {
                self.loans.push((group, loan));
            }
        } else {
            // It may have expired.
            let _ = fixture.market.release(group, reservation).await;
        }
    }

    async fn move_vault(&mut self, fixture: &Fixture) {
        let users = self.users.clone();
        let Some(user) = self.pick(&users) else { return };
        let amount = Sats::new(self.random.random_range(0..800_000));
        // The vault may hold too little.
        let _ = if self.random.random_bool(0.5) {
            fixture.market.credit_vault(user, amount).await
        } else {
            fixture.market.debit_vault(user, amount).await
        };
    }
}
