//! The listing of groups and of their inscriptions.

use std::sync::Arc;

use domain::{CollectionGroup, Event, GroupId, Inscription, ListingEvent, Stream};
use tokio::sync::oneshot;

use super::{Market, follow::gap, replay::misplaced};
use crate::locks::MutexExt as _;
use crate::{
    Refusal,
    book_state::BookState,
    journal::{Append, Batch, Durable, Recorded, ReplayError, Sequence},
};

impl Market {
    /// Lists a group and starts its book.
    pub async fn list_group(&self, group: CollectionGroup) -> Result<(), Refusal> {
        self.shared.check_deciding()?;
        let answer = self.append_listing(group)?;
        answer.await.unwrap_or(Err(Refusal::Closed))
    }

    fn append_listing(&self, group: CollectionGroup) -> Result<oneshot::Receiver<Result<(), Refusal>>, Refusal> {
        let (shared, launcher) = (Arc::clone(&self.shared), Arc::clone(&self.launcher));
        let mut listings = self.launcher.listings.lock_unpoisoned();
        self.shared.check_deciding()?;
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
        self.shared.check_deciding()?;
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
        self.shared.check_deciding()?;
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

    /// Applies durable listings that another process has decided.
    pub(super) fn apply_listings(&self, events: &[Recorded]) -> Result<(), ReplayError> {
        let mut listings = self.launcher.listings.lock_unpoisoned();
        for recorded in events {
            if recorded.sequence != *listings + 1 {
                return Err(gap(Stream::Listings));
            }
            match &recorded.event {
                Event::Listing(ListingEvent::GroupListed(group)) => {
                    let rejected = |rejection| ReplayError::Damaged(format!("a commit lists {rejection}"));
                    self.shared.directory.reserve_names(group).map_err(rejected)?;
                    let limits = Arc::clone(&self.shared.settings.limits);
                    self.launcher.launch(&self.shared, BookState::new(Arc::new((**group).clone()), limits));
                }
                Event::Listing(ListingEvent::InscriptionsListed { group, inscriptions }) => {
                    let listed = inscriptions.iter().map(|inscription| (*inscription, *group));
                    self.shared.directory.add_inscriptions(listed);
                }
                // No running market decides this one.
                Event::Listing(ListingEvent::LendingAllowed { .. }) => {}
                _ => return Err(misplaced(Stream::Listings, recorded)),
            }
            *listings += 1;
        }
        Ok(())
    }
}
