//! The state shared by the market's handles and all its actors.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use domain::{Halt, HaltScope, UserId};
use tokio::sync::watch;

use crate::{
    Refusal, Settings,
    clock::Clock,
    commit_waiter::CommitWaiter,
    directory::Directory,
    dirty_users::DirtyUsers,
    ephemeral_notices::EphemeralNotices,
    feed::{FeedCounters, ListHub, MeHub},
    journal::{Journal, Position},
    ledger::{Committed, Ledger, LoanChange, VaultBalances},
    presence::Presence,
    refinance_notices::RefinanceNotices,
    view,
    wire::{HaltView, NoticeKind, RequestView, Row, VaultView},
};

/// Counters of all books.
#[derive(Debug, Default)]
pub(crate) struct TurnCounters {
    pub(crate) turns: AtomicU64,
    pub(crate) in_flight: AtomicU64,
    pub(crate) overloads: AtomicU64,
}

/// Shared by every handle and actor of one market.
pub(crate) struct Shared {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
    pub(crate) ledger: Ledger,
    pub(crate) commit_waiter: CommitWaiter,
    pub(crate) directory: Directory,
    pub(crate) rows: ListHub<Row>,
    pub(crate) requests: ListHub<RequestView>,
    pub(crate) halts: ListHub<HaltView>,
    pub(crate) me: MeHub,
    pub(crate) ephemeral_notices: EphemeralNotices,
    pub(crate) refinance_notices: RefinanceNotices,
    pub(crate) dirty_users: DirtyUsers,
    pub(crate) presence: Presence,
    pub(crate) feed_counters: Arc<FeedCounters>,
    pub(crate) turn_counters: TurnCounters,
    /// Whether new requests are refused.
    pub(crate) is_stopping: AtomicBool,
    /// Whether another process decides, whose commits this one applies.
    pub(crate) is_following: AtomicBool,
    /// The last commit that was applied while following.
    pub(crate) applied: watch::Sender<Position>,
}

impl Shared {
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    pub(crate) fn is_following(&self) -> bool {
        self.is_following.load(Ordering::Acquire)
    }

    /// Refuses to decide while the market stops, or follows another process that decides.
    pub(crate) fn check_deciding(&self) -> Result<(), Refusal> {
        if self.is_stopping() {
            Err(Refusal::Closed)
        } else if self.is_following() {
            Err(Refusal::Following)
        } else {
            Ok(())
        }
    }

    /// Returns a vault's view for its owner.
    pub(crate) fn vault_view(&self, balances: VaultBalances) -> VaultView {
        let keys = self.ledger.lock().state().vault(balances.user).and_then(|vault| vault.keys().cloned());
        let addresses = &self.settings.vault_addresses;
        VaultView {
            usable_balance_sats: balances.usable,
            balance_sats: balances.balance,
            vault_address: keys.and_then(|keys| addresses.vault_address(balances.user, &keys)),
        }
    }

    /// Notifies every other book in which these lenders quote that they changed. Called without the ledger's lock.
    pub(crate) fn notify_books(&self, committed: &Committed, except: Option<domain::GroupId>) {
        for (lender, groups) in &committed.quoting {
            for group in groups.iter().filter(|group| Some(**group) != except) {
                if let Some(entry) = self.directory.get(*group) {
                    entry.notify_lender_changed(*lender);
                }
            }
        }
    }

    /// Publishes vaults whose balance changed. Their batch is durable.
    pub(crate) fn publish_vaults(&self, vaults: &[VaultBalances]) {
        for balances in vaults {
            if self.me.is_open(balances.user) {
                // Built before the hub's lock is taken, because it needs the ledger's lock.
                let view = self.vault_view(*balances);
                self.me.publish_vault(balances.user, balances.sequence, view);
            }
        }
    }

    /// Publishes to both sides of each loan its state and its notices, restricted to the data that each side may see.
    /// Everything is durable.
    pub(crate) fn publish_loans(&self, loans: &[LoanChange]) {
        if !loans.is_empty() {
            self.dirty_users.mark(loans.iter().flat_map(LoanChange::parties));
        }
        for change in loans {
            let Some(entry) = self.directory.get(change.loan.deal.group()) else { continue };
            let group = entry.group();
            for user in change.parties() {
                let Some(role) = change.loan.role_of(user) else { continue };
                let view = |notice| view::loan_notice(&group, &change.loan, role, notice);
                let notices: Vec<_> = change.notices(role).into_iter().map(view).collect();
                // The loan is dropped, so the reason of its end is stored nowhere else.
                for notice in notices.iter().filter(|notice| notice.kind == NoticeKind::OfferTaken) {
                    self.ephemeral_notices.push(user, notice.clone());
                }
                if self.me.is_open(user) {
                    let shown = view::loan_view(&group, &change.loan, role, change.at);
                    self.me.publish_loan(user, change.sequence, shown, notices);
                }
            }
        }
    }

    /// Publishes the halts that changed. Their batch is durable.
    pub(crate) fn publish_halts(&self, halts: Vec<(HaltScope, Option<Halt>)>) {
        for (scope, halt) in halts {
            self.halts.publish(scope, halt.map(|halt| Arc::new(HaltView::new(scope, &halt))));
        }
    }

    /// Closes a user's open private channels after the user's wallet signed out everywhere.
    pub(crate) fn close_private(&self, user: UserId) {
        self.me.close_user(user, crate::feed::CloseReason::SignedOut);
    }
}
