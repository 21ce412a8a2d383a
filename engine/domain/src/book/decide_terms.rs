//! The decisions about changes of terms.

use smallvec::smallvec;

use crate::{OfferId, ProcessType, SubCollectionId, TermChange, TermChangeId, UnixMs, UserId};

use super::{BookEvent, Events, OrderBook, Rejection, decide::Decision};

impl OrderBook {
    pub(super) fn schedule(&self, sub_collection: SubCollectionId, change: &TermChange, now: UnixMs) -> Decision {
        let changes = self.changes(sub_collection).ok_or(Rejection::UnknownSubCollection(sub_collection))?;
        if change.change_at <= now {
            return Err(Rejection::ChangeInThePast(change.change_at));
        }
        match &changes.announced {
            Some(pending) => Err(Rejection::ChangePending(pending.id)),
            None => Ok(smallvec![BookEvent::TermChangeScheduled { sub_collection, change: change.clone() }]),
        }
    }

    pub(super) fn activate(&self, now: UnixMs) -> Events {
        let announced = self.group.sub_collections.iter().filter_map(|sub| {
            let change = self.announced_change(sub.id).filter(|change| change.change_at <= now)?;
            Some(BookEvent::TermChangeActivated { sub_collection: sub.id, change: change.id })
        });
        announced.collect()
    }

    pub(super) fn accept_term(&self, lender: UserId, offer: OfferId, change: TermChangeId) -> Decision {
        let own = self.own_offer(lender, offer)?;
        if own.process == ProcessType::Manual {
            return Err(Rejection::ManualTerms(offer));
        }
        let changes = self.changes(own.sub_collection).ok_or(Rejection::UnknownChange(change))?;
        let announced = changes.announced.as_ref().is_some_and(|announced| announced.id == change);
        let effective = changes.effective.as_ref().is_some_and(|effective| effective.change.id == change);
        if announced || effective {
            Ok(smallvec![BookEvent::TermAccepted { offer, change }])
        } else {
            Err(Rejection::UnknownChange(change))
        }
    }
}
