//! A book that follows: it applies events that another process has decided, and later decides itself.

use std::sync::Arc;

use actix::{Context, Handler, Message};
use domain::{BookEvent, Event, UserId};

use crate::{Applied, Refusal, journal::Recorded, ledger::LedgerGuard};

use super::{BookActor, Reply, queue::Answer};

/// Durable events of the book, to be applied in order. The answer leaves once reads and the feed show them; it is a
/// refusal if they do not continue the book's stream.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct ApplyEvents {
    pub(crate) events: Vec<Recorded>,
    pub(crate) reply: Reply<Applied>,
}

/// A request to decide from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct BeginDeciding;

impl BookActor {
    /// Records in the ledger which users an event of the book concerns; returns the lender of a new offer.
    pub(super) fn note_in_ledger(&self, ledger: &mut LedgerGuard<'_>, event: &BookEvent) -> Option<UserId> {
        match event {
            BookEvent::OfferCreated { lender, .. } => {
                ledger.note_quoting(*lender, self.group);
                return Some(*lender);
            }
            BookEvent::ConditionsSet { conditions, .. } => {
                if let Some(borrower) = conditions.borrower_id() {
                    ledger.note_naming(borrower, self.group);
                    self.shared.dirty_users.mark([borrower]);
                }
            }
            BookEvent::RequestPlaced { terms, .. } => ledger.note_requesting(terms.borrower.user),
            BookEvent::NegotiationOpened { loan, .. } => {
                for party in [loan.lender, loan.borrower.user] {
                    ledger.note_naming(party, self.group);
                }
            }
            _ => {}
        }
        None
    }

    fn apply_recorded(&mut self, events: &[Recorded]) -> Result<Applied, Refusal> {
        let shared = Arc::clone(&self.shared);
        let mut ledger = shared.ledger.lock();
        let mut new_lenders = Vec::new();
        for recorded in events {
            let Event::Book(event) = &recorded.event else { return Err(Refusal::Closed) };
            if recorded.sequence != self.state.sequence + 1 {
                return Err(Refusal::Closed);
            }
            self.state.apply(event, recorded.at, &mut self.burst.changes);
            new_lenders.extend(self.note_in_ledger(&mut ledger, event));
        }
        for lender in new_lenders {
            let rate = ledger.state().acceptance(lender);
            self.take_rate(lender, rate);
        }
        drop(ledger);
        self.mark_negotiators();
        self.burst.has_events = true;
        Ok(Applied { sequence: self.state.sequence, events: Vec::new(), offers: Vec::new() })
    }

    /// Marks the two sides of each negotiation that the burst has changed.
    pub(super) fn mark_negotiators(&self) {
        let changed = &self.burst.changes.negotiations;
        if changed.is_empty() {
            return;
        }
        self.shared.dirty_users.mark(changed.iter().flat_map(|changed| changed.parties));
    }
}

impl Handler<ApplyEvents> for BookActor {
    type Result = ();

    fn handle(&mut self, request: ApplyEvents, context: &mut Context<Self>) {
        let outcome = self.apply_recorded(&request.events);
        self.burst.answers.push(Answer { reply: request.reply, outcome });
        self.schedule_burst_end(context);
    }
}

impl Handler<BeginDeciding> for BookActor {
    type Result = ();

    fn handle(&mut self, _: BeginDeciding, context: &mut Context<Self>) {
        let now = self.shared.clock.now();
        self.end_earlier_connections();
        {
            let ledger = self.shared.ledger.lock();
            for lender in self.state.book.lenders() {
                if self.state.lags_behind(ledger.state(), lender, now) {
                    self.changed_lenders.insert(lender);
                }
            }
        }
        // The end of the burst sets the timer, too: for changes that are overdue, to now.
        self.schedule_burst_end(context);
    }
}
