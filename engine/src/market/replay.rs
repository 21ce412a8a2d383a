//! The replay of the journal into the state of the market.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use domain::{CollectionGroup, Event, GroupId, Inscription, Limits, ListingEvent, Stream};

use crate::{
    book_state::BookState,
    journal::{Journal, Recorded, ReplayError, Sequence},
    ledger::{LedgerEvent, LedgerState},
};

/// The state replayed from the journal.
pub(super) struct Replayed {
    pub(super) listings: Sequence,
    pub(super) books: Vec<BookState>,
    pub(super) inscriptions: HashMap<Inscription, GroupId>,
    pub(super) ledger: LedgerState,
}

/// The error for an event that is in a stream of another kind.
pub(super) fn misplaced(stream: Stream, recorded: &Recorded) -> ReplayError {
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

pub(super) fn replay(journal: &dyn Journal, limits: &Arc<Limits>) -> Result<Replayed, ReplayError> {
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
            | Stream::Outbox
            | Stream::Halts => {
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
        let Some(event) = LedgerEvent::of(stream, &recorded.event) else { return false };
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
