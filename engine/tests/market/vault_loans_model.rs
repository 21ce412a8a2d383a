//! The model of reservation and vault, replayed on the market: paths that take every step of its graphs, with the ledger
//! compared after each one that is durable.

use domain::{CancelledBy, Ending, LoanEvent, LoanStage, ObservedOutput, OfferId, Sats, UserId};
use engine::{NonceUse, Refusal, Settings, SignedLoan};
use model::graph::{Graph, Step};
use model::vault_loans::action::VaultLoansAction;
use model::vault_loans::faults::Fault;
use model::vault_loans::ledger::{Ledger, MINED};
use model::vault_loans::setup::{
    LoanSpec, NOW, Setup, UNTIL, WITHDRAWAL, collateral_output, loan_id, prepared, txid, vault_output,
};
use model::vault_loans::{VaultLoans, VaultLoansState};
use tokio::task::JoinHandle;

use crate::fixture::{Fixture, NOON, settings};

/// The most steps of a path: a crash reads the whole journal again.
const PATH_LENGTH_MAX: usize = 60;

const LOANS: [LoanSpec; 3] = [
    LoanSpec { borrower: 0, offer: 0, collateral: 0 },
    LoanSpec { borrower: 0, offer: 1, collateral: 0 },
    LoanSpec { borrower: 1, offer: 0, collateral: 1 },
];

fn setup(loans: &[LoanSpec]) -> Setup {
    Setup {
        loans: loans.to_vec(),
        outputs: vec![Sats::new(700_000), Sats::new(900_000)],
        withdraws: false,
        broadcasts: true,
        crashes: false,
        reorgs: 0,
        double_spends: 0,
    }
}

/// A market in the state of the model.
struct Replay {
    setup: Setup,
    fixture: Fixture,
    lender: UserId,
    borrowers: Vec<UserId>,
    offers: Vec<OfferId>,
    /// The decision that waits for the journal.
    waiting: Option<JoinHandle<Result<(), Refusal>>>,
}

fn on_one_thread() -> Settings {
    Settings { arbiters: 0, ..settings() }
}

/// Lets every actor work until none has anything to do.
async fn settle() {
    for _ in 0..40 {
        tokio::task::yield_now().await;
    }
}

impl Replay {
    async fn new(setup: &Setup) -> Self {
        let fixture = Fixture::with(on_one_thread()).await;
        let lender = fixture.user(1).await;
        let confirmed = |(number, amount): (usize, &Sats)| ObservedOutput::Confirmed {
            outpoint: vault_output(number),
            amount: *amount,
            height: 1,
        };
        let outputs: Vec<ObservedOutput> = setup.outputs.iter().enumerate().map(confirmed).collect();
        fixture.market.sync_vault(lender, &outputs).await.unwrap();
        let (mut borrowers, mut offers) = (Vec::new(), Vec::new());
        for number in 0..=setup.loans.iter().map(|spec| spec.borrower).max().unwrap() {
            borrowers.push(fixture.user(10 + u64::from(number)).await);
        }
        for _ in 0..=setup.loans.iter().map(|spec| spec.offer).max().unwrap() {
            offers.push(fixture.instant(lender, model::vault_loans::setup::PRINCIPAL.get()).await);
        }
        settle().await;
        Self { setup: setup.clone(), fixture, lender, borrowers, offers, waiting: None }
    }

    /// Starts a call on the market; its decision is in the journal and waits, or it is refused.
    async fn decide(&mut self, call: impl Future<Output = Result<(), Refusal>> + Send + 'static) {
        let before = self.fixture.journal.batches_count();
        self.fixture.journal.hold();
        let running = crate::fixture::spawn(call);
        while self.fixture.journal.batches_count() == before && !running.is_finished() {
            tokio::task::yield_now().await;
        }
        self.waiting = Some(running);
    }

    /// Takes one step, from a state of the model to the next one.
    async fn take(&mut self, before: &VaultLoansState, action: VaultLoansAction) {
        let (market, lender, ledger) = (self.fixture.market.clone(), self.lender, &before.durable);
        match action {
            VaultLoansAction::Prepare { loan, .. } => {
                let spec = self.setup.loans[loan];
                let borrower = self.borrowers[usize::from(spec.borrower)];
                let event = prepared(spec, self.offers[usize::from(spec.offer)], lender, borrower);
                self.decide(async move { market.prepare_loan(loan_id(loan), event).await }).await;
            }
            VaultLoansAction::Hold(loan) => {
                self.decide(async move { market.hold_loan(loan_id(loan), UNTIL).await }).await;
            }
            VaultLoansAction::Begin(loan) => {
                let vault = ledger.loans[loan].spend.clone();
                let signed = SignedLoan { txid: txid(loan), running: "{}".to_owned(), vault, ends: None };
                self.decide(async move { market.begin_loan(loan_id(loan), signed, None).await }).await;
            }
            VaultLoansAction::Release(loan) => {
                self.decide(async move { market.cancel_loan(loan_id(loan), CancelledBy::Time).await }).await;
            }
            VaultLoansAction::Confirm(loan) => {
                let confirmed = LoanEvent::Confirmed(MINED);
                self.decide(async move { market.step_loan(loan_id(loan), confirmed).await }).await;
            }
            VaultLoansAction::Unconfirm(loan) => {
                self.decide(async move { market.step_loan(loan_id(loan), LoanEvent::Unconfirmed).await }).await;
            }
            VaultLoansAction::End(loan) => {
                let end = txid(loan + 40);
                let finish =
                    async move { market.finish_loan(loan_id(loan), Ending::Repayment, end, MINED).await.map(drop) };
                self.decide(finish).await;
            }
            VaultLoansAction::Fail(transaction) if transaction < self.setup.loans.len() => {
                self.decide(async move { market.fail_loan(loan_id(transaction)).await }).await;
            }
            VaultLoansAction::Fail(transaction) => {
                let spend = self.setup.spend_id(transaction);
                self.decide(async move { market.fail_vault_transaction(lender, spend).await.map(drop) }).await;
            }
            VaultLoansAction::Settle(transaction) => {
                let spend = self.setup.spend_id(transaction);
                self.decide(async move { market.settle_vault_transaction(lender, spend).await.map(drop) }).await;
            }
            VaultLoansAction::Observe(outpoint) => {
                let seen = before.seen(&self.setup, outpoint).unwrap();
                self.decide(async move { market.sync_vault(lender, &[seen]).await.map(drop) }).await;
            }
            VaultLoansAction::Abandon => {
                self.decide(async move { market.abandon_withdrawal(lender, WITHDRAWAL).await.map(drop) }).await;
            }
            VaultLoansAction::StoreWithdrawal => {
                let signed = vec![2, 0];
                self.decide(async move { market.withdrawal_signed(lender, WITHDRAWAL, signed).await.map(drop) }).await;
            }
            VaultLoansAction::BeginWithdrawal => self.begin_withdrawal(before).await,
            VaultLoansAction::Sync => {
                self.fixture.journal.let_all_go();
                self.waiting.take().unwrap().await.unwrap().unwrap();
                settle().await;
            }
            VaultLoansAction::Crash => self.crash().await,
            // Steps of signer and chain: the market learns of them by the ones above.
            VaultLoansAction::Sign { .. }
            | VaultLoansAction::Broadcast(_)
            | VaultLoansAction::Mine(_)
            | VaultLoansAction::Reorg(_)
            | VaultLoansAction::Bury(_)
            | VaultLoansAction::DoubleSpend(_) => {}
        }
    }

    async fn begin_withdrawal(&mut self, before: &VaultLoansState) {
        let (market, lender, transaction) = (self.fixture.market.clone(), self.lender, self.setup.loans.len());
        // The market chooses outputs in the loan service, by the vault's own choice, as the model does.
        let chosen = VaultLoans { setup: self.setup.clone(), fault: None };
        let next = chosen.after(before, VaultLoansAction::BeginWithdrawal).unwrap();
        let spend = next.ledger().withdrawal.clone().unwrap();
        let nonce_use = NonceUse { nonce: WITHDRAWAL, expires_at: NOW.plus_ms(600_000) };
        let begin = async move {
            market.begin_withdrawal(lender, txid(transaction), spend.outputs, spend.change, nonce_use).await.map(drop)
        };
        self.decide(begin).await;
    }

    /// Ends the market without what is not durable, and starts it on the rest of the journal.
    async fn crash(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            waiting.abort();
        }
        let durable = self.fixture.journal.durable();
        let cut = self.fixture.journal.cut_to(durable);
        self.fixture.journal.close();
        self.fixture.market.stop().await;
        self.fixture = Fixture::on(cut, self.fixture.clock.clone(), on_one_thread());
        settle().await;
    }

    /// Compares the market with the model's ledger, once nothing waits.
    async fn compare(&mut self, expected: &Ledger, path: &[VaultLoansAction]) {
        if let Some(refused) = self.waiting.take() {
            assert!(refused.await.unwrap().is_err(), "not refused: {path:?}");
            self.fixture.journal.let_all_go();
        }
        let market = &self.fixture.market;
        let vault = market.vault_ledger(self.lender).await;
        assert_eq!(vault.as_ref(), Some(&expected.vault), "the vault differs after {path:?}");
        for (number, row) in expected.loans.iter().enumerate() {
            let collateral = collateral_output(self.setup.loans[number].collateral);
            assert_eq!(market.reservation_of_output(&collateral), expected.locks.holder(&collateral), "after {path:?}");
            let found = market.loan(loan_id(number)).await;
            let of = |stage: LoanStage, is_soft: bool, txid: Option<[u8; 32]>| (stage, is_soft, txid);
            let found = found.map(|loan| of(loan.stage, loan.coins_to_reserve.is_some(), loan.txid));
            let account = row.account.as_ref();
            let expected = account.map(|loan| of(loan.stage, loan.coins_to_reserve.is_some(), loan.txid));
            assert_eq!(found, expected, "loan {number} after {path:?}");
        }
    }
}

async fn replay(name: &str, setup: Setup, fault: Option<Fault>) {
    assert_eq!(NOW, NOON);
    let graph = Graph::explore(&VaultLoans { setup: setup.clone(), fault });
    let paths = graph.covering_paths(PATH_LENGTH_MAX);
    let mut taken = 0;
    for path in &paths {
        let mut replay = Replay::new(&setup).await;
        let mut at = 0;
        for (place, Step { action, to }) in path.iter().enumerate() {
            replay.take(graph.state(at), *action).await;
            let (before, after) = (graph.state(at), graph.state(*to));
            if after.pending.is_none() && (before.pending.is_some() || replay.waiting.is_some()) {
                let so_far: Vec<VaultLoansAction> = path[..=place].iter().map(|step| step.action).collect();
                replay.compare(&after.durable, &so_far).await;
            }
            at = *to;
            taken += 1;
        }
        replay.end().await;
    }
    println!(
        "{name}: {} states, {} steps, all taken on the market by {} paths of {taken} steps",
        graph.states_count(),
        graph.steps_count(),
        paths.len()
    );
}

impl Replay {
    async fn end(self) {
        self.fixture.journal.close();
        self.fixture.market.stop().await;
    }
}

#[actix::test]
async fn the_market_takes_every_step_of_a_loan_and_a_withdrawal_with_crashes_and_reorgs() {
    let everything = Setup { withdraws: true, crashes: true, reorgs: 1, double_spends: 1, ..setup(&LOANS[..1]) };
    replay("vault: a loan and a withdrawal", everything, None).await;
}

#[actix::test]
async fn the_market_takes_every_step_of_three_loans_that_want_the_same() {
    let until_begun = Setup { broadcasts: false, crashes: true, ..setup(&LOANS) };
    replay("vault: three loans until they begin", until_begun, None).await;
}

#[actix::test]
#[should_panic(expected = "the vault differs after")]
async fn a_model_that_keeps_holds_is_not_the_market() {
    let until_begun = Setup { broadcasts: false, ..setup(&LOANS[..1]) };
    replay("vault: a loan whose hold is kept", until_begun, Some(Fault::HoldsAreKept)).await;
}
