//! Crash tests: the server crashes before and after every batch of a loan's whole run, and all clients repeat their
//! requests.

use std::time::Duration;

use domain::{LoanId, LoanStage, OfferId};
use engine::asset_index::InscriptionId;
use escrow::contract::vault::Vault;
use lending::chain_watch::loan_watch::LoanWatchState;
use lending::lookups::confirmations::REORG_DEPTH_MAX;
use lending::origination::countersign::Countersigned;
use lending::service::unsigned_transactions::UnsignedLoan;

use crate::fixture::{Fixture, PRINCIPAL, rate, split_cost};
use crate::kit::fake_journal::FakeJournal;
use crate::kit::groups::FROGS;

/// The interest of [`PRINCIPAL`] for a week, and the platform's share of it.
const INTEREST: u64 = 12_000;
const PLATFORM_FEE: u64 = 2_400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Manual,
    Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Repaid,
    Claimed,
    /// Extended for another week, then repaid.
    Extended,
}

/// The fate of the batch at which the server crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Batch {
    /// It was never written.
    Lost,
    /// It was written, but not acknowledged.
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Prepare,
    Sign,
    Countersign,
    Block,
    Extend,
    SignExtension,
    CountersignExtension,
    Wait,
    End,
}

/// The run of a loan, and the clients' memory, which survives crashes of the server.
struct LoanRun {
    kind: Kind,
    end: End,
    fixture: Fixture,
    vault: Option<Vault>,
    offer: OfferId,
    frog: InscriptionId,
    /// The balances of lender, vault and borrower at the start.
    money: [u64; 3],
    handout: Option<UnsignedLoan>,
    countersigned: Option<Countersigned>,
    extension: Option<UnsignedLoan>,
    agreed: Option<Countersigned>,
    ending: Option<String>,
}

impl LoanRun {
    async fn new(kind: Kind, end: End) -> Self {
        let fixture = Fixture::new().await;
        let (offer, vault) = match kind {
            Kind::Manual => (fixture.offer(FROGS, 0).await, None),
            Kind::Instant => {
                let vault = fixture.vault(&[3_000_000]).await;
                (fixture.instant_offer(FROGS, PRINCIPAL, None).await, Some(vault))
            }
        };
        let frog = fixture.frog().await;
        let mut run = Self {
            kind,
            end,
            fixture,
            vault,
            offer,
            frog,
            money: [0; 3],
            handout: None,
            countersigned: None,
            extension: None,
            agreed: None,
            ending: None,
        };
        run.money = run.money_now().await;
        run
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = vec![Step::Prepare, Step::Sign];
        if self.kind == Kind::Manual {
            steps.push(Step::Countersign);
        }
        steps.push(Step::Block);
        match self.end {
            End::Repaid => {}
            End::Claimed => steps.push(Step::Wait),
            End::Extended => {
                steps.extend([Step::Extend, Step::SignExtension, Step::CountersignExtension, Step::Block]);
            }
        }
        steps.extend([Step::End, Step::Block]);
        steps
    }

    async fn money_now(&self) -> [u64; 3] {
        let (fixture, world) = (&self.fixture, &self.fixture.world);
        let vault = match &self.vault {
            Some(vault) => fixture.vault_holds(vault).await,
            None => 0,
        };
        [fixture.lender.payment_balance(world).await, vault, fixture.borrower.payment_balance(world).await]
    }

    /// The loan that comes last.
    fn id(&self) -> LoanId {
        self.extension.as_ref().or(self.handout.as_ref()).unwrap().loan
    }

    /// Performs a step; requests made before are repeated.
    async fn take(&mut self, step: Step) {
        let (fixture, service) = (&self.fixture, &self.fixture.world.service);
        let (lender, borrower) = (&fixture.lender, &fixture.borrower);
        match step {
            Step::Prepare => {
                let request = fixture.request(self.offer, Some(self.frog));
                let handout = match self.kind {
                    Kind::Manual => service.prepare(&request).await,
                    Kind::Instant => service.prepare_instant(&request).await,
                };
                self.handout = Some(handout.unwrap());
            }
            Step::Sign => {
                let signed = borrower.sign(&self.handout.as_ref().unwrap().transactions);
                match self.kind {
                    Kind::Manual => service.accept(borrower.user, self.id(), &signed).await.unwrap(),
                    Kind::Instant => service.submit_instant(borrower.user, self.id(), &signed).await.unwrap(),
                };
            }
            Step::Countersign => {
                if self.countersigned.is_none() {
                    self.countersigned = Some(fixture.countersigned(self.id()).await);
                }
                let signed = self.countersigned.as_ref().unwrap();
                service.countersign(lender.user, self.id(), signed).await.unwrap();
            }
            Step::Extend => {
                let request = fixture.extension_request(self.handout.as_ref().unwrap().loan, 7);
                self.extension = Some(service.prepare_extension(&request).await.unwrap().unsigned);
            }
            Step::SignExtension => {
                let signed = borrower.sign(&self.extension.as_ref().unwrap().transactions);
                service.accept(borrower.user, self.id(), &signed).await.unwrap();
            }
            Step::CountersignExtension => {
                if self.agreed.is_none() {
                    self.agreed = Some(fixture.countersigned(self.id()).await);
                }
                service.countersign(lender.user, self.id(), self.agreed.as_ref().unwrap()).await.unwrap();
            }
            Step::Block | Step::Wait => self.run_watch().await,
            Step::End if self.end != End::Claimed => {
                let ids = [self.id()];
                if self.ending.is_none() {
                    let handout = service.prepare_repayment(borrower.user, &ids, rate()).await.unwrap();
                    self.ending = Some(borrower.sign_one(&handout.transaction));
                }
                service.submit_repayment(borrower.user, &ids, self.ending.as_ref().unwrap()).await.unwrap();
            }
            Step::End => {
                if self.ending.is_none() {
                    let handout = service.prepare_claim(lender.user, self.id(), rate()).await.unwrap();
                    self.ending = Some(lender.sign_one(&handout.transaction));
                }
                service.submit_claim(lender.user, self.id(), self.ending.as_ref().unwrap()).await.unwrap();
            }
        }
    }

    async fn run_watch(&self) {
        self.fixture.run_watch().await;
        if self.vault.is_some() {
            self.fixture.run_vault_watch().await;
        }
    }

    /// Performs the events outside of the server that precede a step, once.
    async fn meanwhile(&self, step: Step) {
        // The watches send what was signed and not sent.
        let chain = &self.fixture.world.chain;
        match step {
            Step::Block => {
                self.run_watch().await;
                chain.mine(1).unwrap();
            }
            Step::Wait => {
                self.fixture.world.pass(9 * 86_400);
                chain.mine(7).unwrap();
            }
            _ => {}
        }
    }

    fn after_crash(mut self, count: usize) -> Self {
        self.fixture.world = self.fixture.world.after_crash(count);
        self.fixture.watch_state = LoanWatchState::default();
        self
    }

    /// Runs all steps, with a crash at the batch after this number of batches; returns the number of batches.
    async fn run_all_steps(mut self, crash_after: Option<(usize, Batch)>) -> (Self, usize) {
        let originated = self.fixture.world.journal.batches().len();
        if let Some((batches, _)) = crash_after {
            self.fixture.world.journal.hold_from(originated + batches);
        }
        let mut crashes = 0;
        for step in self.steps() {
            let journal = self.fixture.world.journal.clone();
            let is_done = tokio::select! {
                biased;
                () = async { self.meanwhile(step).await; self.take(step).await } => true,
                () = held(&journal) => false,
            };
            if !is_done {
                crashes += 1;
                let (batches, fate) = crash_after.unwrap();
                self = self.after_crash(originated + batches + usize::from(fate == Batch::Kept));
                self.run_watch().await;
                // The block may have come before the crash, or not yet.
                if step == Step::Block && !self.fixture.world.chain.mempool_txids().is_empty() {
                    self.meanwhile(step).await;
                }
                self.take(step).await;
            }
        }
        let batches = self.fixture.world.journal.batches().len() - originated;
        assert_eq!(crashes, usize::from(crash_after.is_some()), "it crashes once");
        (self, batches)
    }

    /// Asserts that there was one loan, and that all balances are right.
    async fn assert_consistent(&self, why: &str) {
        let (fixture, market) = (&self.fixture, &self.fixture.world.service.market);
        let loans = market.loans_of(fixture.borrower.user).await;
        let stages: Vec<LoanStage> = loans.iter().map(|loan| loan.stage).collect();
        let (wanted, owner) = match self.end {
            End::Repaid => (vec![LoanStage::Repaid], &fixture.borrower),
            End::Claimed => (vec![LoanStage::Claimed], &fixture.lender),
            End::Extended => (vec![LoanStage::Repaid; 2], &fixture.borrower),
        };
        assert_eq!(stages, wanted, "{why}");
        assert!(fixture.owns(owner, self.frog).await, "{why}");
        assert_eq!(fixture.world.chain.mempool_txids(), [], "{why}");
        assert!(market.book(FROGS).await.unwrap().loans.is_empty(), "{why}");
        assert!(!fixture.is_live(self.offer).await, "{why}: an offer is used once");
        let [lender, vault, borrower] = self.money;
        let [lender_now, vault_now, borrower_now] = self.money_now().await;
        let back = match self.end {
            End::Repaid => PRINCIPAL.get() + INTEREST,
            End::Claimed => 0,
            End::Extended => PRINCIPAL.get() + 2 * INTEREST,
        };
        let split = if vault > 0 { split_cost(3) } else { 0 };
        let lent = PRINCIPAL.get() + PLATFORM_FEE + split;
        assert_eq!(lender_now + vault_now, lender + vault - lent + back, "{why}");
        let miners = borrower + PRINCIPAL.get() - back - borrower_now;
        assert!((1_000..20_000).contains(&miners), "{why}: {miners} for fees and postage");
        // The journal on disk gives the same state.
        let restarted = fixture.world.restarted();
        assert_eq!(restarted.service.market.loans_of(fixture.borrower.user).await, loans, "{why}");
    }
}

/// Waits until a batch waits for the disk, which never writes it.
async fn held(journal: &FakeJournal) {
    while journal.waiting() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_millis(5)).await;
}

async fn crash_at_every_batch(kind: Kind, end: End) {
    let (run, batches) = LoanRun::new(kind, end).await.run_all_steps(None).await;
    run.assert_consistent("a run without crashes").await;
    assert!(batches >= 5, "{batches}");
    for at in 0..batches {
        for fate in [Batch::Lost, Batch::Kept] {
            let (run, _) = LoanRun::new(kind, end).await.run_all_steps(Some((at, fate))).await;
            run.assert_consistent(&format!("{kind:?} {end:?}: batch {at} of {batches} {fate:?}")).await;
        }
    }
}

#[actix::test]
async fn a_manual_loan_is_repaid_whenever_the_server_crashes() {
    Box::pin(crash_at_every_batch(Kind::Manual, End::Repaid)).await;
}

#[actix::test]
async fn a_manual_loan_is_claimed_whenever_the_server_crashes() {
    Box::pin(crash_at_every_batch(Kind::Manual, End::Claimed)).await;
}

#[actix::test]
async fn a_manual_loan_is_extended_and_repaid_whenever_the_server_crashes() {
    Box::pin(crash_at_every_batch(Kind::Manual, End::Extended)).await;
}

#[actix::test]
async fn an_instant_loan_is_repaid_whenever_the_server_crashes() {
    Box::pin(crash_at_every_batch(Kind::Instant, End::Repaid)).await;
}

#[actix::test]
async fn an_instant_loan_is_claimed_whenever_the_server_crashes() {
    Box::pin(crash_at_every_batch(Kind::Instant, End::Claimed)).await;
}

#[actix::test]
async fn after_a_restart_the_node_is_not_queried_about_loans_that_ended_long_ago() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    fixture.repay(&[id]).await;
    fixture.block().await;
    // The block with the end is one of them.
    fixture.world.chain.mine(REORG_DEPTH_MAX - 2).unwrap();
    let mut asked = Vec::new();
    for _ in 0..2 {
        let world = fixture.world.restarted();
        assert_eq!(world.service.market.watched_loans().await.len(), 1, "it ended");
        world.service.watch_loans_once(&LoanWatchState::default()).await.unwrap();
        let requests = world.faults.lock().requests;
        asked.push((requests, world.service.market.watched_loans().await.len()));
        fixture.world.chain.mine(1).unwrap();
    }
    assert!(asked[0].0 > 1, "it is queried once more: {asked:?}");
    assert_eq!(asked[1], (1, 0), "only the height is queried");
    assert_eq!(fixture.world.restarted().service.market.loan(id).await.unwrap().stage, LoanStage::Repaid);
}
