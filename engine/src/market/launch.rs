//! The start of the market: replay, then one actor per group.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use actix::{Actor, Arbiter, System};
use domain::{CollectionGroup, Event, GroupId, Inscription, Limits, ListingEvent, Negotiation, Stream};
use tokio::sync::oneshot;

use crate::locks::MutexExt as _;
use crate::{
    Refusal, Settings, StartError,
    book_actor::BookActor,
    book_state::BookState,
    clock::Clock,
    commit_waiter::CommitWaiter,
    directory::{ChangedLenders, Directory, ListedGroup},
    dirty_users::DirtyUsers,
    ephemeral_notices::EphemeralNotices,
    feed::{FeedCounters, ListHub, MeHub},
    journal::{Append, Batch, Durable, Journal, Recorded, ReplayError, Sequence},
    ledger::{Ledger, LedgerEvent, LedgerState},
    presence::Presence,
    refinance_notices::RefinanceNotices,
    shared::{Shared, TurnCounters},
    view,
    wire::RequestView,
};

use super::{Market, books::Books};

/// The threads that books run on, and the stream that lists the groups.
pub(super) struct Launcher {
    arbiters: Vec<Arbiter>,
    launched: AtomicUsize,
    pub(super) books: Books,
    listings: Mutex<Sequence>,
}

/// The interval between two searches for offers that running loans could move to, in milliseconds.
const REFINANCE_INTERVAL_MS: u64 = 60_000;

/// The maximum number of loans checked per step for changes through time alone.
const LOANS_PER_STEP: usize = 256;

/// The state replayed from the journal.
struct Replayed {
    listings: Sequence,
    books: Vec<BookState>,
    inscriptions: HashMap<Inscription, GroupId>,
    ledger: LedgerState,
}

impl Market {
    /// Replays the journal and starts one actor per listed group. Must be called inside an actor system.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(journal: Arc<dyn Journal>, clock: Arc<dyn Clock>, settings: Settings) -> Result<Self, StartError> {
        if !System::is_registered() {
            return Err(StartError::NoSystem);
        }
        let replayed = replay(&*journal, &settings.limits)?;
        let mut ledger = replayed.ledger;
        // Changes that came due while the process was down are in the lists; no notices are published for them.
        while !ledger.loans_mut().take_due(clock.now(), LOANS_PER_STEP).is_empty() {}
        let presence = Presence::default();
        let limits = ledger.accounts().limited();
        for lender in limits.followed() {
            presence.follow(lender, clock.now());
        }
        let arbiters: Vec<Arbiter> = (0..settings.arbiters.max(1)).map(|_| Arbiter::new()).collect();
        let (commit_waiter, commits) = CommitWaiter::new(settings.in_flight_max, settings.fail_stop.clone());
        let feed_counters = Arc::new(FeedCounters::default());
        let shared = Arc::new(Shared {
            ledger: Ledger::new(ledger),
            commit_waiter,
            directory: Directory::default(),
            rows: ListHub::new(settings.epoch.clone(), Arc::clone(&feed_counters)),
            requests: ListHub::new(settings.epoch.clone(), Arc::clone(&feed_counters)),
            me: MeHub::new(settings.epoch.clone(), Arc::clone(&feed_counters)),
            ephemeral_notices: EphemeralNotices::default(),
            refinance_notices: RefinanceNotices::default(),
            dirty_users: DirtyUsers::default(),
            presence,
            feed_counters,
            turn_counters: TurnCounters::default(),
            is_stopping: AtomicBool::new(false),
            journal,
            clock,
            settings,
        });
        if let Some(arbiter) = arbiters.first() {
            arbiter.spawn(commits);
            arbiter.spawn(publish_lists(Arc::clone(&shared)));
            arbiter.spawn(publish_due_changes(Arc::clone(&shared)));
        }
        shared.directory.add_inscriptions(replayed.inscriptions);
        let listings = Mutex::new(replayed.listings);
        let launcher =
            Arc::new(Launcher { arbiters, launched: AtomicUsize::new(0), books: Books::default(), listings });
        for state in replayed.books {
            if let Err(rejection) = shared.directory.reserve_names(state.book.group()) {
                let text = format!("stream {:?} lists {rejection}", Stream::Listings);
                return Err(ReplayError::Damaged(text).into());
            }
            launcher.launch(&shared, state);
        }
        let market = Self { shared, launcher };
        if let Some(arbiter) = market.launcher.arbiters.first() {
            arbiter.spawn(lapse_expired_loans(market.clone()));
            arbiter.spawn(pause_offers_of_absent_lenders(market.clone()));
            arbiter.spawn(watch_refinances(market.clone()));
        }
        Ok(market)
    }

    /// Lists a group and starts its book.
    pub async fn list_group(&self, group: CollectionGroup) -> Result<(), Refusal> {
        if self.shared.is_stopping() {
            return Err(Refusal::Closed);
        }
        let answer = self.append_listing(group)?;
        answer.await.unwrap_or(Err(Refusal::Closed))
    }

    fn append_listing(&self, group: CollectionGroup) -> Result<oneshot::Receiver<Result<(), Refusal>>, Refusal> {
        let (shared, launcher) = (Arc::clone(&self.shared), Arc::clone(&self.launcher));
        let mut listings = self.launcher.listings.lock_unpoisoned();
        self.shared.commit_waiter.check_capacity()?;
        self.shared.directory.reserve_names(&group)?;
        let durable = self.append_to_listings(&mut listings, ListingEvent::GroupListed(Box::new(group.clone())));
        let (reply, answer) = oneshot::channel();
        self.shared.commit_waiter.run_when_durable(durable, move |outcome| {
            if outcome.is_ok() {
                launcher.launch(&shared, BookState::new(Arc::new(group), Arc::clone(&shared.settings.limits)));
            }
            // The receiver may have been dropped; the group is listed regardless.
            let _ = reply.send(outcome);
        });
        Ok(answer)
    }
}

impl Market {
    /// Lists inscriptions as part of a group, which nothing on the chain records. Those already listed there are
    /// skipped; returns the number of new ones.
    ///
    /// # Errors
    /// [`ListingRejection::InscriptionTaken`] when one belongs to another group: then none was listed.
    pub async fn list_inscriptions(&self, group: GroupId, inscriptions: &[Inscription]) -> Result<usize, Refusal> {
        if self.shared.is_stopping() {
            return Err(Refusal::Closed);
        }
        let Some(answer) = self.append_inscriptions(group, inscriptions)? else { return Ok(0) };
        answer.await.unwrap_or(Err(Refusal::Closed))
    }

    /// The group that an inscription belongs to, as listed by the operator.
    #[must_use]
    pub fn group_of_inscription(&self, inscription: Inscription) -> Option<GroupId> {
        self.shared.directory.group_of_inscription(inscription)
    }

    /// The receiver of the number of new inscriptions; `None` if none is new.
    fn append_inscriptions(
        &self,
        group: GroupId,
        inscriptions: &[Inscription],
    ) -> Result<Option<oneshot::Receiver<Result<usize, Refusal>>>, Refusal> {
        let shared = Arc::clone(&self.shared);
        let mut listings = self.launcher.listings.lock_unpoisoned();
        self.shared.commit_waiter.check_capacity()?;
        self.shared.directory.get(group).ok_or(Refusal::UnknownGroup)?;
        let new = self.shared.directory.reserve_inscriptions(group, inscriptions)?;
        if new.is_empty() {
            return Ok(None);
        }
        let (count, listed) = (new.len(), new.clone());
        let durable =
            self.append_to_listings(&mut listings, ListingEvent::InscriptionsListed { group, inscriptions: new });
        let (reply, answer) = oneshot::channel();
        self.shared.commit_waiter.run_when_durable(durable, move |outcome| {
            if outcome.is_ok() {
                shared.directory.add_inscriptions(listed.into_iter().map(|inscription| (inscription, group)));
            }
            // The receiver may have been dropped; the inscriptions are listed regardless.
            let _ = reply.send(outcome.map(|()| count));
        });
        Ok(Some(answer))
    }

    fn append_to_listings(&self, listings: &mut Sequence, event: ListingEvent) -> Durable {
        let append = Append { stream: Stream::Listings, after: *listings, events: vec![Event::Listing(event)] };
        *listings += 1;
        self.shared.journal.append(Batch { at: self.shared.clock.now(), appends: vec![append] })
    }
}

/// Sends changed rows and borrow requests: the first at once, then at most once per interval.
async fn publish_lists(shared: Arc<Shared>) {
    let interval = Duration::from_millis(shared.settings.market_interval_ms);
    loop {
        tokio::select! {
            () = shared.rows.wait() => {}
            () = shared.requests.wait() => {}
        }
        shared.rows.flush();
        shared.requests.flush();
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
        market.pause_absent_lenders().await;
        market.shared.clock.sleep_until(market.now().plus_ms(market.shared.settings.notice_interval_ms)).await;
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
    fn launch(&self, shared: &Arc<Shared>, mut state: BookState) {
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
                let usable = ledger.state().usable(lender);
                let is_balance_new = usable.is_some() && usable != state.book.usable(lender);
                let allowance = ledger.state().allowance(lender, group.id, shared.clock.now());
                if is_balance_new || allowance != state.book.allowance(lender) {
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
        let arbiter = &self.arbiters[number % self.arbiters.len()];
        let make = move |_: &mut _| BookActor::new(state, for_actor, for_changes, row);
        let book = BookActor::start_in_arbiter(&arbiter.handle(), make);
        let id = group.id;
        self.books.add(id, book.clone());
        shared.directory.add(ListedGroup::new(group, book.recipient(), changed_lenders));
    }

    /// Stops the threads.
    pub(super) fn stop(&self) {
        for arbiter in &self.arbiters {
            arbiter.stop();
        }
    }
}

/// The error for an event that is in a stream of another kind.
fn misplaced(stream: Stream, recorded: &Recorded) -> ReplayError {
    ReplayError::Damaged(format!(
        "event {} of stream {stream:?} is of another kind; run `lienbook restore` from an export",
        recorded.sequence
    ))
}

/// Replays a stream's events as long as they are of its kind.
fn replay_stream(
    journal: &dyn Journal,
    stream: Stream,
    mut take: impl FnMut(&Recorded) -> bool,
) -> Result<Sequence, ReplayError> {
    let mut error = None;
    let last = journal.replay(stream, 0, &mut |recorded| {
        if error.is_none() && !take(&recorded) {
            error = Some(misplaced(stream, &recorded));
        }
    })?;
    error.map_or(Ok(last), Err)
}

fn replay(journal: &dyn Journal, limits: &Arc<Limits>) -> Result<Replayed, ReplayError> {
    let (mut groups, mut inscriptions) = (BTreeMap::new(), HashMap::new());
    let listings = replay_stream(journal, Stream::Listings, |recorded| {
        let Event::Listing(listing) = &recorded.event else { return false };
        match listing {
            ListingEvent::GroupListed(group) => drop(groups.insert(group.id, group.clone())),
            ListingEvent::LendingAllowed { group, allowed } => {
                if let Some(group) = groups.get_mut(group) {
                    group.is_lending_allowed = *allowed;
                }
            }
            ListingEvent::InscriptionsListed { group, inscriptions: listed } => {
                inscriptions.extend(listed.iter().map(|inscription| (*inscription, *group)));
            }
        }
        true
    })?;
    let mut ledger = LedgerState::default();
    for stream in journal.streams()? {
        match stream {
            Stream::Listings => {}
            Stream::Book(group) if groups.contains_key(&group) => {}
            Stream::Book(group) => {
                return Err(ReplayError::Damaged(format!("stream {stream:?} belongs to {group}, which is not listed")));
            }
            Stream::Accounts
            | Stream::Vault(_)
            | Stream::Assets
            | Stream::Orders
            | Stream::Contacts
            | Stream::Outbox => {
                replay_ledger(journal, stream, &mut ledger)?;
            }
            Stream::Loan(id) => {
                replay_ledger(journal, stream, &mut ledger)?;
                ledger.loans_mut().drop_unaccepted(id);
            }
        }
    }
    let groups = groups.into_values();
    let books = groups.map(|group| replay_book(journal, *group, limits)).collect::<Result<_, _>>()?;
    Ok(Replayed { listings, books, inscriptions, ledger })
}

fn replay_ledger(journal: &dyn Journal, stream: Stream, ledger: &mut LedgerState) -> Result<Sequence, ReplayError> {
    replay_stream(journal, stream, |recorded| {
        let event = match (stream, &recorded.event) {
            (Stream::Accounts, Event::Account(event)) => LedgerEvent::Account(event.clone()),
            (Stream::Vault(user), Event::Vault(event)) => LedgerEvent::Vault(user, event.clone()),
            (Stream::Assets, Event::Asset(event)) => LedgerEvent::Asset(event.clone()),
            (Stream::Loan(id), Event::Loan(event)) => LedgerEvent::Loan(id, event.clone()),
            (Stream::Orders, Event::Order(event)) => LedgerEvent::Order(event.clone()),
            (Stream::Contacts, Event::Contact(event)) => LedgerEvent::Contact(event.clone()),
            (Stream::Outbox, Event::Message(event)) => LedgerEvent::Message(event.clone()),
            _ => return false,
        };
        ledger.apply(&event, recorded.at);
        true
    })
}

fn replay_book(journal: &dyn Journal, group: CollectionGroup, limits: &Arc<Limits>) -> Result<BookState, ReplayError> {
    let id: GroupId = group.id;
    let mut state = BookState::new(Arc::new(group), Arc::clone(limits));
    let mut touched = Vec::new();
    replay_stream(journal, Stream::Book(id), |recorded| {
        let Event::Book(event) = &recorded.event else { return false };
        state.replay(event, recorded.at, &mut touched);
        true
    })?;
    state.finish_replay();
    Ok(state)
}
