//! Random loans between several users, repeatable by seed.

use std::collections::HashMap;

use domain::{
    BlockTime, CancelledBy, Ending, LoanEvent, LoanId, LoanRejection, LoanStage, OfferId, Outpoint, Rejection, Sats,
    UserId,
};
use engine::{Refusal, SignedLoan, clock::Clock};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    fixture::{Fixture, MANUAL},
    loans::prepared,
};

pub(crate) struct RandomLoans {
    pub(crate) random: ChaCha8Rng,
    pub(crate) users: Vec<UserId>,
    pub(crate) loans: Vec<LoanId>,
    /// The borrower of each loan, for loans that are dropped because they were never accepted.
    pub(crate) borrowers: HashMap<LoanId, UserId>,
}

impl RandomLoans {
    pub(crate) async fn new(fixture: &Fixture, seed: u64, count: u64) -> Self {
        let mut users = Vec::new();
        for number in 1..=count {
            users.push(fixture.user(number).await);
        }
        Self { random: ChaCha8Rng::seed_from_u64(seed), users, loans: Vec::new(), borrowers: HashMap::new() }
    }

    fn pick(&mut self, count: usize) -> usize {
        self.random.random_range(0..count)
    }

    /// Creates an offer of one user and prepares a loan of it for another.
    pub(crate) async fn prepare(&mut self, fixture: &Fixture) -> LoanId {
        let (lender, step) = (self.pick(self.users.len()), 1 + self.pick(self.users.len() - 1));
        let (lender, borrower) = (self.users[lender], self.users[(lender + step) % self.users.len()]);
        self.prepare_for(fixture, lender, borrower).await
    }

    pub(crate) async fn prepare_for(&mut self, fixture: &Fixture, lender: UserId, borrower: UserId) -> LoanId {
        let principal = self.random.random_range(100_000..900_000);
        let offer: OfferId = fixture.manual(lender, principal).await;
        let id = LoanId(u128::from(self.random.next_u64()));
        let mut txid = [0; 32];
        self.random.fill_bytes(&mut txid);
        let mut event = prepared(Outpoint { txid, vout: 0 }, offer, MANUAL, lender, borrower, Sats::new(principal));
        if let LoanEvent::SoftPrepared { expires_at, .. } = &mut event {
            *expires_at = fixture.clock.now().plus_ms(900_000);
        }
        match fixture.market.prepare_loan(id, event).await {
            Err(Refusal::Loan(LoanRejection::TooManyPrepared { .. } | LoanRejection::Postponed { .. })) => return id,
            prepared => prepared.unwrap(),
        }
        self.loans.push(id);
        self.borrowers.insert(id, borrower);
        id
    }

    /// Applies a random step that the loan's stage allows.
    pub(crate) async fn step(&mut self, fixture: &Fixture, id: LoanId) {
        let market = &fixture.market;
        let now = fixture.clock.now();
        let mined = BlockTime { height: 100, at: now };
        let choice = self.pick(4);
        let Some(loan) = market.loan(id).await else { return };
        let signing = |ending| LoanEvent::EndingSigned { ending, txid: [6; 32], transaction: "secret".to_owned() };
        // A step may be refused, because its time is over.
        match (loan.stage, choice) {
            (LoanStage::Prepared | LoanStage::AwaitingLender, 3) => {
                let _ = market.cancel_loan(id, CancelledBy::Borrower).await;
            }
            (LoanStage::Prepared, _) => {
                let _ = market.await_lender(id, "secret".to_owned(), now.plus_ms(43_200_000)).await;
            }
            (LoanStage::AwaitingLender, 0) => {
                let _ = market.rebuild_loan(id, "secret".to_owned(), Vec::new(), now.plus_ms(900_000)).await;
            }
            (LoanStage::AwaitingLender, _) => {
                let signed = SignedLoan { txid: [5; 32], running: "secret".to_owned(), vault: None, ends: None };
                let _ = market.begin_loan(id, signed, None).await;
            }
            (LoanStage::Broadcast, 3) => {
                let left = market.fail_loan(id).await;
                or_step(fixture, left, id, LoanEvent::Failed).await;
            }
            (LoanStage::Broadcast, _) => market.step_loan(id, LoanEvent::Confirmed(mined)).await.unwrap(),
            (LoanStage::Active, 0) => market.step_loan(id, LoanEvent::Unconfirmed).await.unwrap(),
            (LoanStage::Active, 1) => market.step_loan(id, LoanEvent::Expired).await.unwrap(),
            (LoanStage::Active, _) => market.step_loan(id, signing(Ending::Repayment)).await.unwrap(),
            (LoanStage::Expired, _) => market.step_loan(id, signing(Ending::Claim)).await.unwrap(),
            (LoanStage::Repaying, 0) => market.step_loan(id, LoanEvent::EndingDropped).await.unwrap(),
            (LoanStage::Repaying, _) => finish(fixture, id, Ending::Repayment, mined).await,
            (LoanStage::Claiming, _) => finish(fixture, id, Ending::Claim, mined).await,
            (LoanStage::Repaid | LoanStage::Claimed, 0) => {
                market.step_loan(id, LoanEvent::EndUnconfirmed).await.unwrap();
            }
            _ => {}
        }
    }

    /// Performs one random step, and sometimes advances the clock.
    pub(crate) async fn random_step(&mut self, fixture: &Fixture) {
        if self.loans.is_empty() || self.pick(4) == 0 {
            self.prepare(fixture).await;
        } else {
            let place = self.pick(self.loans.len());
            self.step(fixture, self.loans[place]).await;
        }
        if self.pick(3) == 0 {
            fixture.clock.advance_ms(self.random.random_range(1..20_000_000));
        }
    }
}

/// Steps a loan that its order book released already, because its end was disconnected by a reorg, as the chain watch
/// does.
async fn or_step(fixture: &Fixture, left: Result<(), Refusal>, id: LoanId, event: LoanEvent) {
    match left {
        Err(Refusal::Book(Rejection::UnknownLoan(_))) => fixture.market.step_loan(id, event).await.unwrap(),
        left => left.unwrap(),
    }
}

async fn finish(fixture: &Fixture, id: LoanId, ending: Ending, mined: BlockTime) {
    let left = fixture.market.finish_loan(id, ending, [6; 32], mined).await.map(drop);
    or_step(fixture, left, id, LoanEvent::Ended { ending, txid: [6; 32], mined }).await;
}
