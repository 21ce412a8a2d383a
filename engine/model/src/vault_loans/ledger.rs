//! The server's ledger: the vault, the locks of collateral and the loans, which are those of `domain`.
//!
//! Each decision is what the engine's ledger decides for the same command: the vault's own check, the locks' own check and
//! the loan's own check, and then the events of all three.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use domain::{
    AssetLocks, BlockTime, CancelledBy, Ending, LoanAccount, LoanEvent, LoanId, LoanStage, ObservedOutput, Outpoint,
    Sats, Vault, VaultChange, VaultEvent, VaultSpend,
};

use super::faults::Fault;
use super::setup::{
    LoanSpec, NOW, PRINCIPAL, Setup, UNTIL, WITHDRAWAL, WITHDRAWN, change_output, collateral_output, loan_id,
    prepared_alone, reservation_of, txid, vault_output,
};

/// The block of every confirmation.
pub const MINED: BlockTime = BlockTime { height: 100, at: NOW };

/// The state that the journal's events lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The vault.
    pub vault: Vault,
    /// The locks of collateral.
    pub locks: AssetLocks,
    /// The loans.
    pub loans: Vec<LoanRow>,
    /// The outputs that the withdrawal spends, once it was requested.
    pub withdrawal: Option<VaultSpend>,
}

/// A loan, and the vault's outputs that were proposed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanRow {
    /// The loan; `None` before it is prepared, and after it ended without a signature of its borrower.
    pub account: Option<LoanAccount>,
    /// The outputs, once it was prepared.
    pub spend: Option<VaultSpend>,
}

impl LoanRow {
    /// Its stage.
    #[must_use]
    pub fn stage(&self) -> Option<LoanStage> {
        self.account.as_ref().map(|account| account.stage)
    }

    /// Whether it waits for its borrower and reserves nothing.
    #[must_use]
    pub fn is_prepared(&self) -> bool {
        self.account
            .as_ref()
            .is_some_and(|account| account.stage == LoanStage::Prepared && account.coins_to_reserve.is_some())
    }

    /// Whether offer, sats and collateral are reserved for it.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.account
            .as_ref()
            .is_some_and(|account| account.stage == LoanStage::Prepared && account.coins_to_reserve.is_none())
    }

    /// Whether it was journaled with all signatures.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.account.as_ref().is_some_and(|account| account.txid.is_some())
    }
}

/// Everything that a later decision depends on. The times and texts of loans are the same in all states.
impl Hash for Ledger {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.vault, &self.withdrawal, self.locks.len()).hash(state);
        for row in &self.loans {
            row.spend.hash(state);
            row.account
                .as_ref()
                .map(|account| (account.stage, account.coins_to_reserve.is_some(), account.txid))
                .hash(state);
        }
        for number in 0..COLLATERAL_MAX {
            self.locks.holder(&collateral_output(number)).hash(state);
        }
    }
}

/// The highest number of collateral outputs.
const COLLATERAL_MAX: u8 = 4;

impl Ledger {
    /// The ledger at the start: the vault's outputs are confirmed.
    #[must_use]
    pub fn of(setup: &Setup) -> Self {
        let mut vault = Vault::default();
        for (number, amount) in setup.outputs.iter().enumerate() {
            vault.apply(&VaultEvent::OutputConfirmed { outpoint: vault_output(number), amount: *amount, height: 1 });
        }
        let loans = vec![LoanRow { account: None, spend: None }; setup.loans.len()];
        Self { vault, locks: AssetLocks::default(), loans, withdrawal: None }
    }

    /// The outputs that a transaction spends and returns.
    #[must_use]
    pub fn spend_of(&self, transaction: usize) -> Option<&VaultSpend> {
        match self.loans.get(transaction) {
            Some(row) => row.spend.as_ref(),
            None => self.withdrawal.as_ref(),
        }
    }

    /// The sats that leave the vault with a transaction.
    #[must_use]
    pub fn leaving(&self, setup: &Setup, transaction: usize) -> Sats {
        if transaction < setup.loans.len() { PRINCIPAL } else { WITHDRAWN }
    }

    /// Whether an offer is reserved, or was lent.
    #[must_use]
    pub fn is_taken(&self, setup: &Setup, offer: u8) -> bool {
        let of_offer = setup.loans.iter().zip(&self.loans).filter(|(spec, _)| spec.offer == offer);
        of_offer.into_iter().any(|(_, row)| row.is_held() || row.is_begun())
    }

    /// Outputs of the vault for a payment, and its change. Those of other loans are avoided, as soft reservations do.
    fn choose(&self, amount: Sats, transaction: usize, avoids: bool) -> Option<VaultSpend> {
        let proposed = self.loans.iter().filter(|row| row.is_prepared() || row.is_held());
        let avoided = proposed.filter_map(|row| row.spend.as_ref()).flat_map(|spend| spend.outputs.clone());
        let avoided = if avoids { avoided.collect() } else { BTreeSet::new() };
        let outputs = self.vault.select_coins(amount, &avoided).ok()?;
        let chosen = outputs.iter().filter_map(|outpoint| self.vault.output(outpoint));
        let rest = chosen.map(|output| output.amount).sum::<Sats>().checked_sub(amount)?;
        let change = (rest > Sats::ZERO).then(|| (change_output(transaction), rest));
        Some(VaultSpend { outputs, change: VaultChange::from(change) })
    }

    /// Prepares a loan: it reserves nothing.
    #[must_use]
    pub fn prepare(&self, setup: &Setup, loan: usize, avoids: bool) -> Option<Self> {
        let spec = setup.loans[loan];
        let is_new = self.loans[loan].spend.is_none();
        let is_pledged = self.locks.holder(&collateral_output(spec.collateral)).is_some();
        if !is_new || is_pledged || self.is_taken(setup, spec.offer) {
            return None;
        }
        let mut next = self.clone();
        let spend = self.choose(PRINCIPAL, loan, avoids)?;
        let account = LoanAccount::open(loan_id(loan), &prepared_alone(spec), NOW);
        next.loans[loan] = LoanRow { account, spend: Some(spend) };
        Some(next)
    }

    /// Reserves offer, sats and collateral for a loan whose borrower has signed; prepared loans that would take the same end.
    #[must_use]
    pub fn hold(&self, setup: &Setup, loan: usize, fault: Option<Fault>) -> Option<Self> {
        let spec = setup.loans[loan];
        let mut next = self.clone();
        if !self.loans[loan].is_prepared() {
            return None;
        }
        let is_taken = self.is_taken(setup, spec.offer);
        if is_taken && fault != Some(Fault::TakenOffersAreReserved) {
            return None;
        }
        next.step(loan, &LoanEvent::Held { expires_at: UNTIL })?;
        let reservation = reservation_of(loan);
        let held = match self.vault.hold(reservation, PRINCIPAL) {
            Err(_) if fault == Some(Fault::HoldsExceedTheBalance) => {
                VaultEvent::Held { reservation, amount: PRINCIPAL }
            }
            decided => decided.ok()?,
        };
        next.vault.apply(&held);
        match self.locks.lock(collateral_output(spec.collateral), reservation_of(loan)) {
            Ok(event) => next.locks.apply(&event),
            Err(_) if fault == Some(Fault::PledgedCollateralIsAccepted) => {}
            Err(_) => return None,
        }
        let takes_the_same = |other: &LoanSpec| other.offer == spec.offer || other.collateral == spec.collateral;
        for (other, row) in next.loans.iter_mut().enumerate() {
            let is_kept = matches!(fault, Some(Fault::TakenOffersAreReserved | Fault::PledgedCollateralIsAccepted));
            if other != loan && row.is_prepared() && takes_the_same(&setup.loans[other]) && !is_kept {
                row.account = None;
            }
        }
        Some(next)
    }

    /// Ends a loan that is not fully signed: its borrower returns it, or its time is over.
    #[must_use]
    pub fn release(&self, setup: &Setup, loan: usize, fault: Option<Fault>) -> Option<Self> {
        let row = &self.loans[loan];
        let mut next = self.clone();
        if row.is_prepared() {
            next.step(loan, &LoanEvent::Cancelled { by: CancelledBy::Time })?;
            next.loans[loan].account = None;
            return Some(next);
        }
        next.step(loan, &LoanEvent::Cancelled { by: CancelledBy::Time })?;
        if fault != Some(Fault::HoldsAreKept) {
            next.vault.apply(&self.vault.release(reservation_of(loan)).ok()?);
        }
        next.unlock(setup, loan)?;
        // Its borrower never accepted it.
        next.loans[loan].account = None;
        Some(next)
    }

    /// Journals a loan with all signatures: its hold ends and its outputs are spent.
    #[must_use]
    pub fn begin(&self, loan: usize, fault: Option<Fault>) -> Option<Self> {
        let mut next = self.clone();
        let spend = self.loans[loan].spend.clone()?;
        let event = LoanEvent::Signed { txid: txid(loan), running: "{}".to_owned(), vault: Some(spend.clone()) };
        next.step(loan, &event)?;
        let VaultSpend { outputs, change } = spend;
        let reservation = reservation_of(loan);
        let decided = match self.vault.spend(reservation, txid(loan), outputs.clone(), change.clone()) {
            Err(_) if fault == Some(Fault::SpentOutputsAreSpent) && self.loans[loan].is_held() => {
                VaultEvent::Spent { reservation, txid: txid(loan), outpoints: outputs, change }
            }
            checked => checked.ok()?,
        };
        next.vault.apply(&decided);
        Some(next)
    }

    /// Requests the withdrawal.
    #[must_use]
    pub fn begin_withdrawal(&self, setup: &Setup) -> Option<Self> {
        if self.withdrawal.is_some() {
            return None;
        }
        let transaction = setup.loans.len();
        let mut next = self.clone();
        let spend = self.choose(WITHDRAWN, transaction, true)?;
        let VaultSpend { outputs, change } = spend.clone();
        next.vault.apply(&self.vault.withdraw(WITHDRAWAL, txid(transaction), outputs, change).ok()?);
        next.withdrawal = Some(spend);
        Some(next)
    }

    /// Stores the signed withdrawal.
    #[must_use]
    pub fn withdrawal_signed(&self) -> Option<Self> {
        let mut next = self.clone();
        next.vault.apply(&self.vault.withdrawal_signed(WITHDRAWAL, vec![2, 0]).ok()?);
        Some(next)
    }

    /// Gives up the withdrawal, which has no signature.
    #[must_use]
    pub fn abandon(&self) -> Option<Self> {
        let mut next = self.clone();
        next.vault.apply(&self.vault.abandon(WITHDRAWAL).ok()?);
        Some(next)
    }

    /// Records an observation of an output.
    #[must_use]
    pub fn observe(&self, seen: ObservedOutput) -> Option<Self> {
        let mut next = self.clone();
        next.vault.apply(&self.vault.observe(seen).ok()??);
        Some(next)
    }

    /// Drops the outputs of a buried transaction.
    #[must_use]
    pub fn settle(&self, setup: &Setup, transaction: usize) -> Option<Self> {
        let mut next = self.clone();
        next.vault.apply(&self.vault.settle(setup.spend_id(transaction)).ok()?);
        Some(next)
    }

    /// Fails a transaction that can never confirm, with its loan.
    #[must_use]
    pub fn fail(&self, setup: &Setup, transaction: usize, fault: Option<Fault>) -> Option<Self> {
        let mut next = self.clone();
        if transaction < setup.loans.len() {
            next.step(transaction, &LoanEvent::Failed)?;
            next.unlock(setup, transaction)?;
        }
        let spend = setup.spend_id(transaction);
        let event = match fault {
            Some(Fault::FailedSpendsAreSettled) => self.vault.settle(spend),
            _ => self.vault.fail(spend),
        };
        next.vault.apply(&event.ok()?);
        Some(next)
    }

    /// Records that a loan's transaction is in a block.
    #[must_use]
    pub fn confirm(&self, loan: usize) -> Option<Self> {
        self.with(loan, &LoanEvent::Confirmed(MINED))
    }

    /// Records that a reorg disconnected a loan's block.
    #[must_use]
    pub fn unconfirm(&self, loan: usize) -> Option<Self> {
        self.with(loan, &LoanEvent::Unconfirmed)
    }

    /// Ends a loan by its repayment, which frees its collateral.
    #[must_use]
    pub fn end(&self, setup: &Setup, loan: usize) -> Option<Self> {
        let mut next = self.with(loan, &repayment(loan))?;
        next.unlock(setup, loan)?;
        Some(next)
    }

    fn with(&self, loan: usize, event: &LoanEvent) -> Option<Self> {
        let mut next = self.clone();
        next.step(loan, event)?;
        Some(next)
    }

    /// Applies an event of a loan that its own check allows.
    fn step(&mut self, loan: usize, event: &LoanEvent) -> Option<()> {
        let account = self.loans[loan].account.as_mut()?;
        account.check(event, NOW).ok()?;
        account.apply(event, NOW);
        Some(())
    }

    fn unlock(&mut self, setup: &Setup, loan: usize) -> Option<()> {
        let outpoint = collateral_output(setup.loans[loan].collateral);
        if self.locks.holder(&outpoint) == Some(reservation_of(loan)) {
            let event = self.locks.unlock(outpoint, reservation_of(loan)).ok()?;
            self.locks.apply(&event);
        }
        Some(())
    }

    /// The outputs that the vault knows or may learn of: those at the start, and the change of each transaction.
    #[must_use]
    pub fn outpoints(setup: &Setup) -> Vec<Outpoint> {
        let at_start = (0..setup.outputs.len()).map(vault_output);
        at_start.chain((0..setup.transactions()).map(change_output)).collect()
    }
}

/// The event that ends a loan by its repayment.
#[must_use]
pub fn repayment(loan: usize) -> LoanEvent {
    let LoanId(number) = loan_id(loan);
    LoanEvent::Ended {
        ending: Ending::Repayment,
        txid: [50 + u8::try_from(number).unwrap_or_default(); 32],
        mined: MINED,
    }
}
