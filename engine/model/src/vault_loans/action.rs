//! The steps of server, signer and chain.

use std::sync::Arc;

use domain::{LoanStage, Outpoint};

use super::chain::TxStatus;
use super::faults::Fault;
use super::ledger::Ledger;
use super::setup::Setup;
use super::{VaultLoans, VaultLoansState};

/// A step. Loans and transactions are meant by their numbers; the withdrawal's is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VaultLoansAction {
    /// A loan is prepared from outputs that were not proposed for others, or from any after a restart.
    Prepare {
        /// The loan.
        loan: usize,
        /// Whether outputs of other loans are avoided.
        avoids: bool,
    },
    /// The borrower's signatures arrive, and everything is reserved.
    Hold(usize),
    /// The signer signs for the vault's outputs.
    Sign {
        /// The transaction.
        transaction: usize,
        /// Whether the answer arrives.
        is_answered: bool,
    },
    /// The loan is journaled with all signatures; it is refused if its hold or its outputs are gone.
    Begin(usize),
    /// The loan is returned, or its time is over.
    Release(usize),
    /// The lender requests the withdrawal.
    BeginWithdrawal,
    /// The signed withdrawal is journaled.
    StoreWithdrawal,
    /// The withdrawal is given up, as it has no signature.
    Abandon,
    /// The journal is synced.
    Sync,
    /// The process ends and starts again from the synced journal.
    Crash,
    /// A transaction is sent to the node.
    Broadcast(usize),
    /// It is mined.
    Mine(usize),
    /// Its block is disconnected.
    Reorg(usize),
    /// It is too deep for a reorg from now on.
    Bury(usize),
    /// The borrower spends the collateral of an unconfirmed loan elsewhere.
    DoubleSpend(usize),
    /// The vault watch records an output.
    Observe(Outpoint),
    /// The loan watch records that a loan is in a block.
    Confirm(usize),
    /// The loan watch records that its block was disconnected.
    Unconfirm(usize),
    /// A watch records that a transaction will never confirm.
    Fail(usize),
    /// The vault watch records that a transaction is buried.
    Settle(usize),
    /// The loan is repaid.
    End(usize),
}

impl VaultLoansAction {
    /// Every step that some state allows.
    #[must_use]
    pub fn all(setup: &Setup) -> Vec<Self> {
        let mut all = vec![Self::Sync];
        let (loans, transactions) = (setup.loans.len(), setup.transactions());
        for loan in 0..loans {
            all.extend([true, false].map(|avoids| Self::Prepare { loan, avoids }));
            all.extend(
                [Self::Hold, Self::Begin, Self::Release, Self::Confirm, Self::Unconfirm, Self::End].map(|of| of(loan)),
            );
            if setup.double_spends > 0 {
                all.push(Self::DoubleSpend(loan));
            }
        }
        for transaction in 0..transactions {
            all.push(Self::Sign { transaction, is_answered: true });
            if setup.broadcasts {
                let on_chain = [Self::Broadcast, Self::Mine, Self::Bury, Self::Settle, Self::Fail];
                all.extend(on_chain.map(|of| of(transaction)));
            }
            if setup.crashes {
                all.push(Self::Sign { transaction, is_answered: false });
            }
            if setup.reorgs > 0 {
                all.push(Self::Reorg(transaction));
            }
        }
        if setup.withdraws {
            all.extend([Self::BeginWithdrawal, Self::StoreWithdrawal, Self::Abandon]);
        }
        if setup.crashes {
            all.push(Self::Crash);
        }
        all.extend(Ledger::outpoints(setup).into_iter().map(Self::Observe));
        all
    }
}

impl VaultLoans {
    /// The state after a step; `None` if it is impossible.
    #[must_use]
    pub fn after(&self, state: &VaultLoansState, action: VaultLoansAction) -> Option<VaultLoansState> {
        let mut next = state.clone();
        match action {
            VaultLoansAction::Sync => next.durable = next.pending.take()?,
            VaultLoansAction::Crash => {
                if state.pending.is_none() && !state.in_memory.contains(&true) {
                    return None;
                }
                next.pending = None;
                next.in_memory.fill(false);
            }
            VaultLoansAction::Broadcast(transaction) => return self.broadcast(next, transaction),
            _ if state.pending.is_some() => return None,
            VaultLoansAction::Sign { transaction, is_answered } => return self.sign(next, transaction, is_answered),
            VaultLoansAction::Mine(_)
            | VaultLoansAction::Reorg(_)
            | VaultLoansAction::Bury(_)
            | VaultLoansAction::DoubleSpend(_) => return next.moved_on(action),
            decision => {
                let decided = self.decide(state, decision);
                let is_signed = matches!(decision, VaultLoansAction::Begin(_) | VaultLoansAction::StoreWithdrawal);
                if is_signed {
                    // A refused request ends, and with it what it had in memory.
                    let in_memory = &mut next.in_memory[self.signed_transaction(decision)];
                    *in_memory = std::mem::take(in_memory).then_some(false)?;
                }
                match decided {
                    Some(decided) => next.pending = Some(Arc::new(decided)),
                    None if is_signed => {}
                    None => return None,
                }
            }
        }
        Some(next)
    }

    fn signed_transaction(&self, decision: VaultLoansAction) -> usize {
        if let VaultLoansAction::Begin(loan) = decision { loan } else { self.setup.loans.len() }
    }

    /// The ledger after a decision.
    fn decide(&self, state: &VaultLoansState, decision: VaultLoansAction) -> Option<Ledger> {
        let (setup, ledger, fault) = (&self.setup, &state.durable, self.fault);
        let status = |transaction: usize| state.chain.status[transaction];
        let is_active = |loan: usize| ledger.loans[loan].stage() == Some(LoanStage::Active);
        match decision {
            VaultLoansAction::Prepare { loan, avoids } => {
                let prepared = ledger.prepare(setup, loan, avoids)?;
                // One step for one choice.
                (avoids || ledger.prepare(setup, loan, true)? != prepared).then_some(prepared)
            }
            VaultLoansAction::Hold(loan) => ledger.hold(setup, loan, fault),
            VaultLoansAction::Begin(loan) if state.in_memory[loan] => ledger.begin(loan, fault),
            VaultLoansAction::Release(loan) => {
                ledger.loans[loan].account.as_ref()?;
                ledger.release(setup, loan, fault)
            }
            VaultLoansAction::BeginWithdrawal => ledger.begin_withdrawal(setup),
            VaultLoansAction::StoreWithdrawal if state.in_memory[setup.loans.len()] => ledger.withdrawal_signed(),
            VaultLoansAction::Abandon if !state.in_memory[setup.loans.len()] => ledger.abandon(),
            VaultLoansAction::Observe(outpoint) => ledger.observe(state.seen(setup, outpoint)?),
            VaultLoansAction::Confirm(loan) if status(loan).is_mined() => ledger.confirm(loan),
            VaultLoansAction::Unconfirm(loan) if !status(loan).is_mined() && is_active(loan) => ledger.unconfirm(loan),
            VaultLoansAction::Fail(transaction) if status(transaction) == TxStatus::Dead => {
                ledger.fail(setup, transaction, fault)
            }
            VaultLoansAction::Settle(transaction) if status(transaction) == TxStatus::Buried => {
                ledger.settle(setup, transaction)
            }
            VaultLoansAction::End(loan) if status(loan) == TxStatus::Buried && is_active(loan) => {
                ledger.end(setup, loan)
            }
            _ => None,
        }
    }

    /// Has a transaction signed, of which the reservation is durable.
    fn sign(&self, mut next: VaultLoansState, transaction: usize, is_answered: bool) -> Option<VaultLoansState> {
        let ledger = &next.durable;
        let waits = if let Some(row) = ledger.loans.get(transaction) {
            row.is_held()
        } else {
            let pending = ledger.vault.pending_spend(self.setup.spend_id(transaction));
            pending.is_some_and(|pending| pending.transaction.is_none())
        };
        if !waits || next.in_memory[transaction] || (!is_answered && next.signed[transaction]) {
            return None;
        }
        if let Some(spec) = self.setup.loans.get(transaction) {
            // The signer counts every loan that it signed and that could start beside this one.
            let of_offer = |other: &usize| self.setup.loans[*other].offer == spec.offer;
            let others = (0..self.setup.loans.len()).filter(|other| *other != transaction && next.signed[*other]);
            let counts = self.fault != Some(Fault::SignerCountsNothing);
            if counts && others.filter(of_offer).any(|other| !next.conflict(transaction, other)) {
                return None;
            }
        }
        next.signed[transaction] = true;
        next.in_memory[transaction] = is_answered;
        Some(next)
    }

    /// Sends a transaction that is journaled with all signatures.
    fn broadcast(&self, mut next: VaultLoansState, transaction: usize) -> Option<VaultLoansState> {
        let is_early = self.fault == Some(Fault::BroadcastsBeforeSync);
        if next.pending.is_some() && !is_early {
            return None;
        }
        let ledger = if is_early { next.ledger() } else { &next.durable };
        let is_journaled = if let Some(row) = ledger.loans.get(transaction) {
            row.stage() == Some(LoanStage::Broadcast)
        } else {
            let pending = ledger.vault.pending_spend(self.setup.spend_id(transaction));
            pending.is_some_and(|pending| pending.transaction.is_some())
        };
        if !is_journaled || next.chain.status[transaction] != TxStatus::Absent {
            return None;
        }
        let others = || (0..next.chain.status.len()).filter(|other| *other != transaction);
        let never = others().any(|other| next.conflict(transaction, other) && next.chain.status[other].is_mined())
            || next.parents(transaction).any(|parent| next.chain.status[parent] == TxStatus::Dead);
        let waits = others().any(|other| next.conflict(transaction, other) && next.chain.status[other].is_seen());
        match (never, waits) {
            (true, _) => next.chain.status[transaction] = TxStatus::Dead,
            (false, true) => return None,
            (false, false) => next.chain.status[transaction] = TxStatus::Mempool,
        }
        Some(next)
    }
}

impl VaultLoansState {
    fn moved_on(mut self, action: VaultLoansAction) -> Option<Self> {
        let status = |transaction: usize| self.chain.status[transaction];
        let parents_are =
            |transaction: usize, is: fn(TxStatus) -> bool| self.parents(transaction).all(|it| is(status(it)));
        match action {
            VaultLoansAction::Mine(transaction) if status(transaction) == TxStatus::Mempool => {
                if !parents_are(transaction, TxStatus::is_mined) {
                    return None;
                }
                self.chain.status[transaction] = TxStatus::Mined;
            }
            VaultLoansAction::Bury(transaction) if status(transaction) == TxStatus::Mined => {
                if !parents_are(transaction, |parent| parent == TxStatus::Buried) {
                    return None;
                }
                self.chain.status[transaction] = TxStatus::Buried;
            }
            VaultLoansAction::Reorg(transaction) if status(transaction) == TxStatus::Mined => {
                let mut children = (0..self.chain.status.len()).filter(|child| status(*child).is_mined());
                if children.any(|child| self.parents(child).any(|parent| parent == transaction)) {
                    return None;
                }
                self.chain.reorgs_left = self.chain.reorgs_left.checked_sub(1)?;
                self.chain.status[transaction] = TxStatus::Mempool;
            }
            VaultLoansAction::DoubleSpend(loan) if status(loan) == TxStatus::Mempool => {
                self.chain.double_spends_left = self.chain.double_spends_left.checked_sub(1)?;
                self.kill(loan);
            }
            _ => return None,
        }
        Some(self)
    }
}
