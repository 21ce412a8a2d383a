//! The market's figures for monitoring. Long lists are read in short pieces, so that commands do not wait for a reader.

use std::{collections::BTreeMap, ops::AddAssign};

use domain::{DAY_MS, HaltScope, LoanId, LoanStage, Sats, UnixMs, UserId};

use super::Market;
use crate::{
    duration_histogram::DurationCounts,
    ledger::{LedgerState, SCAN_BATCH},
};

/// The number of open loans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoanFigures {
    /// Loans that wait for their lender, are broadcast or running, or whose end is not confirmed, by stage.
    pub by_stage: BTreeMap<LoanStage, u64>,
    /// Running loans that are due within a day.
    pub due_soon: u64,
    /// Loans whose term is over and whose collateral cannot be claimed yet.
    pub overdue: u64,
    /// Loans whose lender can claim the collateral now.
    pub claimable: u64,
    /// The principal of all loans that are broadcast or running.
    pub principal: Sats,
}

/// Money in vaults, and what the books promise from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoneyFigures {
    /// The number of vaults, open or only credited.
    pub vaults: u64,
    /// The balances of all vaults.
    pub balance: Sats,
    /// The reserved part of the balances.
    pub held: Sats,
    /// Reserved sats that exceed the balance of their vault.
    pub shortfall: Sats,
    /// Sats in outputs that are expected to confirm.
    pub unconfirmed: Sats,
    /// The sats that can be borrowed from instant offers. Offers in several books may quote the same balance.
    pub quoted_instant: Sats,
    /// The sats that can be borrowed from manual offers.
    pub quoted_manual: Sats,
}

/// Messages to users that have not ended, without those to webhooks and browsers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutboxFigures {
    /// The number of messages.
    pub waiting: usize,
    /// The age of the oldest, in milliseconds; 0 without any.
    pub oldest_ms: u64,
}

/// The market's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketFigures {
    /// Loans.
    pub loans: LoanFigures,
    /// Vaults and books.
    pub money: MoneyFigures,
    /// Messages.
    pub outbox: OutboxFigures,
    /// The time since which new loans are halted; `None` if they are not.
    pub new_loans_halted_since: Option<UnixMs>,
    /// The number of books.
    pub books: usize,
    /// The number of batches outside of the books that wait for the disk.
    pub ledger_batches_waiting: u64,
    /// The time from the first command of a burst in a book to the publication of its changes.
    pub publication: DurationCounts,
}

impl Market {
    /// Returns the figures for monitoring. They include what is not durable yet.
    #[must_use]
    pub fn figures(&self) -> MarketFigures {
        let now = self.shared.clock.now();
        let (outbox, new_loans_halted_since) = {
            let guard = self.shared.ledger.lock();
            let outbox = guard.state().outbox();
            let oldest_ms = outbox.oldest_queued_at().map_or(0, |oldest| now.0.saturating_sub(oldest.0));
            let waiting = outbox.len() - outbox.callbacks_len();
            let halt = guard.state().halts().get(HaltScope::NewLoans);
            (OutboxFigures { waiting, oldest_ms }, halt.map(|halt| halt.since))
        };
        MarketFigures {
            loans: self.loan_figures(now),
            money: self.money_figures(),
            outbox,
            new_loans_halted_since,
            books: self.shared.directory.all().len(),
            ledger_batches_waiting: self.shared.commit_waiter.waiting(),
            publication: self.shared.feed_counters.publication.read(),
        }
    }

    fn loan_figures(&self, now: UnixMs) -> LoanFigures {
        let mut figures = LoanFigures::default();
        let mut after = None;
        loop {
            let guard = self.shared.ledger.lock();
            let last = figures.add_loans(guard.state(), after, now);
            if last.is_none() {
                let waiting = guard.state().loans().awaiting().count();
                figures.by_stage.insert(LoanStage::AwaitingLender, u64::try_from(waiting).unwrap_or(u64::MAX));
                return figures;
            }
            after = last;
        }
    }

    fn money_figures(&self) -> MoneyFigures {
        let mut figures = MoneyFigures::default();
        let users = self.shared.ledger.lock().state().vault_users();
        for piece in users.chunks(SCAN_BATCH) {
            figures.add_vaults(self.shared.ledger.lock().state(), piece);
        }
        for row in self.rows() {
            add(&mut figures.quoted_instant, row.instant.as_ref().map_or(Sats::ZERO, |quotes| quotes.liquidity_sats));
            add(&mut figures.quoted_manual, row.manual.as_ref().map_or(Sats::ZERO, |quotes| quotes.liquidity_sats));
        }
        figures
    }
}

fn add(sum: &mut Sats, amount: Sats) {
    *sum = sum.saturating_add(amount);
}

impl LoanFigures {
    /// Adds some of the loans that the chain can still change; returns the last of them, or `None` at the end.
    fn add_loans(&mut self, state: &LedgerState, after: Option<LoanId>, now: UnixMs) -> Option<LoanId> {
        let mut last = None;
        for loan in state.loans().watched_after(after).take(SCAN_BATCH) {
            last = Some(loan.id);
            if !loan.stage.is_running() {
                continue;
            }
            self.by_stage.entry(loan.stage).or_default().add_assign(1);
            add(&mut self.principal, loan.deal.principal);
            let Some(due) = loan.due_at() else { continue };
            if loan.stage == LoanStage::Active && now < due {
                self.due_soon += u64::from(due <= now.plus_ms(DAY_MS));
            } else if loan.stage != LoanStage::Claiming && due <= now {
                // A claim under way waits for its block alone.
                let counted = if loan.deal.claim_after <= now { &mut self.claimable } else { &mut self.overdue };
                *counted += 1;
            }
        }
        last
    }
}

impl MoneyFigures {
    fn add_vaults(&mut self, state: &LedgerState, users: &[UserId]) {
        for vault in users.iter().filter_map(|user| state.vault(*user)) {
            self.vaults += 1;
            add(&mut self.balance, vault.balance());
            add(&mut self.held, vault.held());
            add(&mut self.shortfall, vault.shortfall());
            add(&mut self.unconfirmed, vault.unconfirmed());
        }
    }
}
