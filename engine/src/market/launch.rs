//! The start of the market: replay, then one actor per group.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use actix::{Actor, System};
use domain::{HaltScope, Negotiation, Stream};
use tokio::sync::watch;

use crate::{
    Settings, StartError,
    book_actor::{BookActor, BookAddress, CommandQueue},
    book_state::BookState,
    clock::Clock,
    commit_waiter::CommitWaiter,
    directory::{ChangedLenders, Directory, ListedGroup},
    dirty_users::DirtyUsers,
    ephemeral_notices::EphemeralNotices,
    feed::{FeedCounters, ListHub, MeHub},
    journal::{Journal, Position, ReplayError, Sequence, SharedJournal},
    ledger::Ledger,
    presence::Presence,
    refinance_notices::RefinanceNotices,
    shared::{Shared, TurnCounters},
    view,
    wire::RequestView,
};

use super::replay::replay;
use super::{Market, books::Books, threads::Threads};

/// The threads that books run on, and the stream that lists the groups.
pub(super) struct Launcher {
    threads: Threads,
    launched: AtomicUsize,
    pub(super) books: Books,
    pub(super) listings: Mutex<Sequence>,
}

/// The interval between two searches for offers that running loans could move to, in milliseconds.
const REFINANCE_INTERVAL_MS: u64 = 60_000;

/// The maximum number of loans checked per step for changes through time alone.
const LOANS_PER_STEP: usize = 256;

impl Market {
    /// Replays the journal and starts one actor per listed group. Must be called inside an actor system.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(journal: Arc<dyn Journal>, clock: Arc<dyn Clock>, settings: Settings) -> Result<Self, StartError> {
        let market = Self::launch(journal, clock, settings, None)?;
        market.start_deciding_tasks();
        Ok(market)
    }

    /// Replays the journal of another process that decides, up to the position that it has been read to. The market
    /// serves reads and the feed, and refuses commands; [`Market::apply`] brings it forward, and
    /// [`Market::begin_deciding`] makes it the one that decides.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start_following(
        journal: Arc<dyn SharedJournal>,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Result<Self, StartError> {
        let position = journal.position();
        Self::launch(journal, clock, settings, Some(position))
    }

    fn launch(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        settings: Settings,
        followed: Option<Position>,
    ) -> Result<Self, StartError> {
        if !System::is_registered() {
            return Err(StartError::NoSystem);
        }
        let replayed = replay(&*journal, &settings.limits)?;
        let mut ledger = replayed.ledger;
        // Changes that came due while the process was down are in the lists; no notices are published for them.
        while !ledger.loans_mut().take_due(clock.now(), LOANS_PER_STEP).is_empty() {}
        let presence = Presence::default();
        presence.follow_all(ledger.accounts().limited(), clock.now());
        let threads = Threads::start(settings.arbiters);
        let (commit_waiter, commits) = CommitWaiter::new(settings.in_flight_max, settings.fail_stop.clone());
        let feed_counters = Arc::new(FeedCounters::default());
        let halted = HaltScope::NewLoans;
        let halt = ledger.halts().get(halted).cloned();
        let shared = Arc::new(Shared {
            ledger: Ledger::new(ledger),
            commit_waiter,
            directory: Directory::default(),
            rows: ListHub::new(settings.epoch.clone(), Arc::clone(&feed_counters)),
            requests: ListHub::new(settings.epoch.clone(), Arc::clone(&feed_counters)),
            halts: ListHub::new(settings.epoch.clone(), Arc::clone(&feed_counters)),
            me: MeHub::new(settings.epoch.clone(), Arc::clone(&feed_counters)),
            ephemeral_notices: EphemeralNotices::default(),
            refinance_notices: RefinanceNotices::default(),
            dirty_users: DirtyUsers::default(),
            presence,
            feed_counters,
            turn_counters: TurnCounters::default(),
            is_stopping: AtomicBool::new(false),
            is_following: AtomicBool::new(followed.is_some()),
            applied: watch::Sender::new(followed.unwrap_or(Position(0))),
            journal,
            clock,
            settings,
        });
        threads.spawn(commits);
        threads.spawn(publish_lists(Arc::clone(&shared)));
        threads.spawn(publish_due_changes(Arc::clone(&shared)));
        // No halt is no change: a subscriber that came first would read of an end without a beginning.
        shared.publish_halts(halt.map(|halt| (halted, Some(halt))).into_iter().collect());
        shared.directory.add_inscriptions(replayed.inscriptions);
        let listings = Mutex::new(replayed.listings);
        let launcher = Arc::new(Launcher { threads, launched: AtomicUsize::new(0), books: Books::default(), listings });
        for state in replayed.books {
            if let Err(rejection) = shared.directory.reserve_names(state.book.group()) {
                let text = format!("stream {:?} lists {rejection}", Stream::Listings);
                return Err(ReplayError::Damaged(text).into());
            }
            launcher.launch(&shared, state);
        }
        let market = Self { shared, launcher };
        market.launcher.threads.spawn(watch_refinances(market.clone()));
        Ok(market)
    }

    /// Starts the tasks that only the process that decides has.
    pub(super) fn start_deciding_tasks(&self) {
        self.launcher.threads.spawn(lapse_expired_loans(self.clone()));
        self.launcher.threads.spawn(pause_offers_of_absent_lenders(self.clone()));
    }
}

/// Sends changed rows, borrow requests and halts: the first at once, then at most once per interval.
async fn publish_lists(shared: Arc<Shared>) {
    let interval = Duration::from_millis(shared.settings.market_interval_ms);
    loop {
        tokio::select! {
            () = shared.rows.wait() => {}
            () = shared.requests.wait() => {}
            () = shared.halts.wait() => {}
        }
        shared.rows.flush();
        shared.requests.flush();
        shared.halts.flush();
        tokio::time::sleep(interval).await;
    }
}

/// Publishes to both sides of loans the changes through time alone: due soon, overdue, claimable.
async fn publish_due_changes(shared: Arc<Shared>) {
    loop {
        let now = shared.clock.now();
        let (changes, seen) = {
            let mut ledger = shared.ledger.lock();
            (ledger.take_due_loans(now, LOANS_PER_STEP), ledger.latest())
        };
        if !changes.is_empty() && shared.ledger.wait_durable(seen).await {
            shared.publish_loans(&changes);
        }
        if changes.len() < LOANS_PER_STEP {
            shared.clock.sleep_until(now.plus_ms(shared.settings.notice_interval_ms)).await;
        } else {
            tokio::task::yield_now().await;
        }
    }
}

/// Ends loans without an entry in a book as soon as their time to sign is over.
async fn lapse_expired_loans(market: Market) {
    loop {
        // Measured from before the scan, so that a loan whose time ends during the scan waits no longer than the
        // interval.
        let next = market.now().plus_ms(market.shared.settings.notice_interval_ms);
        if let Err(refusal) = market.lapse_outside_book().await {
            tracing::debug!(%refusal, "expired loans were not lapsed");
        }
        market.shared.clock.sleep_until(next).await;
    }
}

/// Pauses the offers of lenders who have been absent for as long as they allow.
async fn pause_offers_of_absent_lenders(market: Market) {
    loop {
        let next = market.now().plus_ms(market.shared.settings.notice_interval_ms);
        market.pause_absent_lenders().await;
        market.shared.clock.sleep_until(next).await;
    }
}

/// Looks for offers that running loans could move to.
async fn watch_refinances(market: Market) {
    loop {
        let next = market.now().plus_ms(REFINANCE_INTERVAL_MS);
        market.watch_refinances().await;
        market.shared.clock.sleep_until(next).await;
    }
}

impl Launcher {
    /// Starts the actor of a book and adds it to the directory.
    pub(super) fn launch(&self, shared: &Arc<Shared>, mut state: BookState) {
        let group = Arc::clone(state.book.group());
        let changed_lenders = Arc::new(ChangedLenders::default());
        {
            // After a crash between a vault's batch and the batches of the books, the books lag behind the vault, and
            // days may have gone by: they catch up first.
            let mut ledger = shared.ledger.lock();
            for borrower in state.book.named_borrowers() {
                ledger.note_naming(borrower, group.id);
            }
            for party in state.book.negotiations().flat_map(Negotiation::parties) {
                ledger.note_naming(party, group.id);
            }
            for request in state.book.requests() {
                ledger.note_requesting(request.terms.borrower.user);
            }
            let lenders: Vec<_> = state.book.lenders().collect();
            for lender in lenders {
                ledger.note_quoting(lender, group.id);
                state.rates.insert(lender, ledger.state().acceptance(lender));
                if state.lags_behind(ledger.state(), lender, shared.clock.now()) {
                    changed_lenders.insert(lender);
                }
            }
        }
        let row = Arc::new(view::row(&state, shared.clock.now()));
        shared.rows.publish(group.id, Some(Arc::clone(&row)));
        for request in state.book.requests() {
            shared.requests.publish(request.id, Some(Arc::new(RequestView::from(request))));
        }
        let number = self.launched.fetch_add(1, Ordering::Relaxed);
        let (for_actor, for_changes) = (Arc::clone(shared), Arc::clone(&changed_lenders));
        let (commands, receiver) = CommandQueue::new(shared.settings.mailbox_capacity);
        let make = move |_: &mut _| BookActor::new(state, for_actor, for_changes, receiver, row);
        let book = BookActor::start_in_arbiter(&self.threads.of_book(number), make);
        let id = group.id;
        self.books.add(id, BookAddress::new(book.clone(), commands));
        shared.directory.add(ListedGroup::new(group, book.recipient(), changed_lenders));
    }

    /// Stops the threads.
    pub(super) fn stop(&self) {
        self.threads.stop();
    }
}
