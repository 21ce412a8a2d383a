//! Term changes of the naive order book: announced, accepted by lenders, and in effect.

use domain::{Command, ProcessType, Rejection, UnixMs};

use super::NaiveBook;

impl NaiveBook {
    pub(super) fn execute_on_terms(&mut self, command: &Command, now: UnixMs) -> Result<(), Rejection> {
        match command {
            Command::ScheduleTermChange { sub_collection, change } => {
                if self.group.sub_collection(*sub_collection).is_none() {
                    return Err(Rejection::UnknownSubCollection(*sub_collection));
                }
                if change.change_at <= now {
                    return Err(Rejection::ChangeInThePast(change.change_at));
                }
                if let Some(pending) = self.announced.get(sub_collection) {
                    return Err(Rejection::ChangePending(pending.id));
                }
                self.announced.insert(*sub_collection, change.clone());
            }
            Command::AcceptTerm { lender, offer, change } => {
                let own = self.own(*lender, *offer)?;
                if own.process == ProcessType::Manual {
                    return Err(Rejection::ManualTerms(*offer));
                }
                let sub = own.sub;
                let in_effect = self.effective.get(&sub) == Some(change);
                if !in_effect && self.announced.get(&sub).is_none_or(|announced| announced.id != *change) {
                    return Err(Rejection::UnknownChange(*change));
                }
                let own = self.find_mut(*offer);
                own.accepted = Some(*change);
                own.paused_by_terms &= !in_effect;
            }
            _ => {
                let due: Vec<_> = self.announced.iter().filter(|(_, change)| change.change_at <= now).collect();
                let due: Vec<_> = due.into_iter().map(|(sub, change)| (*sub, change.clone())).collect();
                for (sub, change) in due {
                    self.announced.remove(&sub);
                    self.effective.insert(sub, change.id);
                    let terms = &mut self.group.sub_collections[usize::from(sub.0)];
                    (terms.interest, terms.term) = (change.interest, change.term);
                    for offer in self.offers.iter_mut().filter(|offer| offer.sub == sub) {
                        let agreed = offer.consents || offer.accepted == Some(change.id);
                        offer.paused_by_terms |= offer.process == ProcessType::Instant && !agreed;
                    }
                }
            }
        }
        Ok(())
    }
}
