//! Borrowers who take instant offers of one lender, all backed by one vault with a few outputs.
//!
//! Loans are prepared, held, signed, journaled, broadcast and confirmed; holds are released; the lender withdraws; blocks are
//! disconnected, collateral is spent elsewhere, the process crashes between any two steps, and answers of the signer are lost.
//! The ledger is made of the vault, the locks and the loans of `domain` themselves.
//!
//! A decision on the ledger waits in the journal until it is synced, and a crash loses it. Of what does not depend on it,
//! only the order would differ, so nothing else happens meanwhile: a second decision would be lost with the first or after
//! it, and blocks come as well before or afterwards.

pub mod action;
pub mod chain;
pub mod faults;
pub mod ledger;
pub mod properties;
pub mod setup;

use std::sync::Arc;

use domain::{ObservedOutput, Outpoint, OutputStatus, Sats, SpendId, VaultOutput};
use stateright::{Model, Property};

use self::action::VaultLoansAction;
use self::chain::{Chain, TxStatus};
use self::faults::Fault;
use self::ledger::Ledger;
use self::setup::{Setup, change_output, vault_output};

/// A vault and its borrowers, of certain sizes.
#[derive(Clone, Debug)]
pub struct VaultLoans {
    /// The sizes.
    pub setup: Setup,
    /// The rule that is not kept.
    pub fault: Option<Fault>,
}

/// An output, as the node reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnChain {
    /// It does not exist, or is spent.
    Absent,
    /// It is unspent and unconfirmed.
    Unconfirmed,
    /// It is unspent and confirmed.
    Confirmed {
        /// Its amount.
        amount: Sats,
        /// The block's height.
        height: u32,
    },
}

/// The state of server, signer and chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VaultLoansState {
    /// The ledger by the synced journal.
    pub durable: Arc<Ledger>,
    /// The ledger with the decision that is not synced yet.
    pub pending: Option<Arc<Ledger>>,
    /// The transactions whose vault signatures the server has in memory.
    pub in_memory: Vec<bool>,
    /// The transactions that the signer has signed, by its log.
    pub signed: Vec<bool>,
    /// The chain.
    pub chain: Chain,
}

impl VaultLoansState {
    /// The ledger that decides.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.pending.as_ref().unwrap_or(&self.durable)
    }

    /// The transaction that spends an output by the mempool or the best chain.
    fn spender(&self, outpoint: &Outpoint) -> Option<usize> {
        (0..self.chain.status.len()).find(|transaction| {
            let spend = self.durable.spend_of(*transaction);
            self.chain.status[*transaction].is_seen() && spend.is_some_and(|spend| spend.outputs.contains(outpoint))
        })
    }

    /// The transaction whose change an output is.
    fn parent(&self, outpoint: &Outpoint) -> Option<usize> {
        (0..self.chain.status.len()).find(|transaction| change_output(*transaction) == *outpoint)
    }

    /// The parents of a transaction among the others.
    fn parents(&self, transaction: usize) -> impl Iterator<Item = usize> {
        let spend = self.durable.spend_of(transaction);
        spend.into_iter().flat_map(|spend| &spend.outputs).filter_map(|outpoint| self.parent(outpoint))
    }

    /// Whether two transactions spend the same output.
    fn conflict(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.durable.spend_of(one), self.durable.spend_of(other)) else { return false };
        one.outputs.iter().any(|outpoint| other.outputs.contains(outpoint))
    }

    /// Marks a transaction and those that spend its change as never to confirm.
    fn kill(&mut self, transaction: usize) {
        self.chain.status[transaction] = TxStatus::Dead;
        for child in 0..self.chain.status.len() {
            let depends = self.parents(child).any(|parent| parent == transaction);
            if depends && self.chain.status[child] == TxStatus::Mempool {
                self.kill(child);
            }
        }
    }

    /// An output as the node reports it.
    #[must_use]
    pub fn on_chain(&self, setup: &Setup, outpoint: Outpoint) -> OnChain {
        let (parent, is_spent) = (self.parent(&outpoint), self.spender(&outpoint).is_some());
        let status = parent.map_or(TxStatus::Buried, |parent| self.chain.status[parent]);
        let height = if parent.is_some() { ledger::MINED.height } else { 1 };
        match self.amount(setup, outpoint, parent) {
            Some(amount) if status.is_mined() && !is_spent => OnChain::Confirmed { amount, height },
            Some(_) if status == TxStatus::Mempool && !is_spent => OnChain::Unconfirmed,
            _ => OnChain::Absent,
        }
    }

    /// The observation of an output that the ledger does not have yet, as `vault_watch::decision` concludes it.
    #[must_use]
    pub fn seen(&self, setup: &Setup, outpoint: Outpoint) -> Option<ObservedOutput> {
        let known = self.durable.vault.output(&outpoint);
        match self.on_chain(setup, outpoint) {
            OnChain::Absent => self.absent(setup, outpoint, known?),
            OnChain::Unconfirmed => {
                let was_mined = known.is_some_and(|known| known.status != OutputStatus::Unconfirmed);
                was_mined.then_some(ObservedOutput::Unconfirmed { outpoint })
            }
            OnChain::Confirmed { amount, height } => {
                let is_known = known.is_some_and(|known| known.status == OutputStatus::Confirmed { height });
                (!is_known).then_some(ObservedOutput::Confirmed { outpoint, amount, height })
            }
        }
    }

    fn amount(&self, setup: &Setup, outpoint: Outpoint, parent: Option<usize>) -> Option<Sats> {
        match parent {
            Some(parent) => Some(self.durable.spend_of(parent)?.change.total()),
            None => (0..setup.outputs.len()).find(|number| vault_output(*number) == outpoint).map(|n| setup.outputs[n]),
        }
    }

    fn absent(&self, setup: &Setup, outpoint: Outpoint, known: VaultOutput) -> Option<ObservedOutput> {
        let is_lost = self.parent(&outpoint).is_some_and(|parent| self.chain.status[parent] == TxStatus::Dead);
        match known.spent_by {
            Some(SpendId::Withdrawal(_)) if is_lost => Some(ObservedOutput::DoubleSpent { outpoint }),
            Some(_) => None,
            None => {
                let waits = self.parent(&outpoint).is_some_and(|parent| {
                    let is_pending = self.durable.vault.pending_spend(setup.spend_id(parent)).is_some();
                    is_pending && !self.chain.status[parent].is_mined()
                });
                if !waits {
                    return Some(ObservedOutput::Missing { outpoint });
                }
                (known.status != OutputStatus::Unconfirmed).then_some(ObservedOutput::Unconfirmed { outpoint })
            }
        }
    }

    /// Whether nothing waits: no hold, no transaction, no request.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let ledger = &self.durable;
        let is_open = |row: &ledger::LoanRow| row.is_prepared() || row.is_held();
        self.pending.is_none()
            && ledger.vault.held() == Sats::ZERO
            && ledger.vault.pending_spends().len() == 0
            && ledger.vault.unconfirmed() == Sats::ZERO
            && !ledger.loans.iter().any(is_open)
            && !self.in_memory.contains(&true)
    }
}

impl Model for VaultLoans {
    type State = VaultLoansState;
    type Action = VaultLoansAction;

    fn init_states(&self) -> Vec<VaultLoansState> {
        let none = vec![false; self.setup.transactions()];
        vec![VaultLoansState {
            durable: Arc::new(Ledger::of(&self.setup)),
            pending: None,
            in_memory: none.clone(),
            signed: none,
            chain: Chain::of(&self.setup),
        }]
    }

    fn actions(&self, state: &VaultLoansState, actions: &mut Vec<VaultLoansAction>) {
        let all = VaultLoansAction::all(&self.setup);
        actions.extend(all.into_iter().filter(|action| self.after(state, *action).is_some()));
    }

    fn next_state(&self, state: &VaultLoansState, action: VaultLoansAction) -> Option<VaultLoansState> {
        self.after(state, action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }
}
