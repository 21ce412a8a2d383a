//! The replay of a log through the order book: ranks at every moment, and loans that passed over better offers.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{BookEvent, CollectionGroup, Limits, LoanId, OfferId, OrderBook, Reservation, ReservationId, UserId};

use super::{AuditReport, SkippedOffers};
use crate::BookReceipt;
use crate::entry::LogEntry;

/// A question of a receipt about the book at one moment.
enum Question<'a> {
    /// Whether the offer that a loan was prepared from was the best of its kind.
    Prepared { receipt: &'a str, offer: OfferId },
    /// The ranks of the offers that the caller placed after an event.
    Placed { receipt: &'a str, caller: UserId, after: u64 },
}

/// The book of a log, and the questions that receipts ask of it.
pub(super) struct Replay<'a> {
    book: OrderBook,
    sequence: u64,
    touched: Vec<OfferId>,
    /// The questions about the book after each event.
    asked: BTreeMap<u64, Vec<Question<'a>>>,
    /// Every offer that was placed, with the event that placed it.
    placed: Vec<(u64, OfferId, UserId)>,
    /// The sequence of the last reservation of an offer that anyone could take.
    last_ranked: u64,
}

impl<'a> Replay<'a> {
    /// The empty book of a group.
    pub(super) fn new(group: CollectionGroup) -> Self {
        Self {
            // Limits bind decisions, and these events were decided.
            book: OrderBook::new(Arc::new(group), Arc::new(Limits::default())),
            sequence: 0,
            touched: Vec::new(),
            asked: BTreeMap::new(),
            placed: Vec::new(),
            last_ranked: 0,
        }
    }

    /// Takes note of what receipts ask about this book. Their heads lie on the log.
    pub(super) fn note_receipts(&mut self, receipts: &[(&'a str, &BookReceipt)]) {
        for (receipt, BookReceipt { caller, seen, head, offer, .. }) in receipts {
            if let Some(offer) = *offer {
                self.asked.entry(seen.sequence).or_default().push(Question::Prepared { receipt, offer });
            }
            if head.sequence > seen.sequence {
                let question = Question::Placed { receipt, caller: *caller, after: seen.sequence };
                self.asked.entry(head.sequence).or_default().push(question);
            }
        }
    }

    /// Applies an entry, which follows the one before it; returns why no book can have written it.
    pub(super) fn apply(&mut self, entry: &LogEntry, report: &mut AuditReport) -> Result<(), String> {
        if let BookEvent::OfferCreated { offer, .. } = &entry.event
            && self.book.next_offer() != Some(*offer)
        {
            return Err(format!("adds {offer}, which is not the next offer"));
        }
        self.answer(report);
        match &entry.event {
            BookEvent::OfferCreated { offer, lender, .. } => self.placed.push((entry.sequence, *offer, *lender)),
            BookEvent::OfferReserved(reservation) => self.check_reservation(entry, reservation, report),
            BookEvent::ReservationConfirmed { reservation, loan } => Self::name_loan(*reservation, *loan, report),
            _ => {}
        }
        self.touched.clear();
        self.book.apply(&entry.event, entry.at, &mut self.touched);
        self.sequence = entry.sequence;
        Ok(())
    }

    /// Answers what is asked about the end of the log, and sums up.
    pub(super) fn finish(&mut self, report: &mut AuditReport) {
        self.answer(report);
        let (all, skipped) = (report.ranked_reservations, report.skipped.len());
        if all > 0 && skipped == 0 {
            let text = format!("All {all} reservations took the best offer of their kind at that moment.");
            report.show(self.last_ranked, text);
        } else if all > 0 {
            report.leave_open(format!(
                "{skipped} of {all} reservations took another than the best offer of their kind, as a borrower may choose to."
            ));
        }
    }

    fn answer(&mut self, report: &mut AuditReport) {
        for question in self.asked.remove(&self.sequence).unwrap_or_default() {
            match question {
                Question::Prepared { receipt, offer } => self.answer_prepared(receipt, offer, report),
                Question::Placed { receipt, caller, after } => self.answer_placed(receipt, caller, after, report),
            }
        }
    }

    fn answer_prepared(&self, receipt: &str, id: OfferId, report: &mut AuditReport) {
        let Some(offer) = self.book.offer(id) else {
            report.refute(format!("{receipt}: a loan was prepared from {id}, which was not in the book."));
            return;
        };
        let best = self.book.best(offer.sub_collection, offer.process).map(|best| best.id);
        match self.book.rank(id) {
            Some(1) => report.prove(format!("{receipt}: {id}, from which a loan was prepared, was the best offer of its kind.")),
            Some(rank) => report.leave_open(format!(
                "{receipt}: {id}, from which a loan was prepared, was ranked {rank}; the best offer of its kind was {}.",
                best.unwrap_or(id)
            )),
            None => report.leave_open(format!(
                "{receipt}: {id}, from which a loan was prepared, was not ranked: its lender chose who can take it."
            )),
        }
    }

    fn answer_placed(&self, receipt: &str, caller: UserId, after: u64, report: &mut AuditReport) {
        let since = self.placed.partition_point(|(sequence, ..)| *sequence <= after);
        for (_, id, lender) in self.placed.iter().skip(since) {
            let Some(offer) = self.book.offer(*id).filter(|_| *lender == caller) else { continue };
            match self.book.rank(*id) {
                Some(rank) => {
                    let count = self.book.ranked_count(offer.sub_collection, offer.process);
                    report.prove(format!("{receipt}: {id} stood at rank {rank} of {count} when it was placed."));
                }
                None => report.prove(format!("{receipt}: {id} was placed, and was not ranked then.")),
            }
        }
    }

    /// Checks that an offer could be taken when it was reserved, and whether a better one was passed over.
    fn check_reservation(&mut self, entry: &LogEntry, reservation: &Reservation, report: &mut AuditReport) {
        let (id, sequence) = (reservation.offer, entry.sequence);
        let Some(offer) = self.book.offer(id) else {
            report.fault(sequence, format!("Event {sequence} reserves {id}, which was not in the book."));
            return;
        };
        if let Err(rejection) = offer.check_takeable(reservation.borrower, entry.at) {
            let text = format!("Event {sequence} reserves an offer that could not be taken then: {rejection}.");
            report.fault(sequence, text);
        } else if reservation.principal > offer.available() {
            report.fault(sequence, format!("Event {sequence} reserves more of {id} than was left of it."));
        }
        let (Some(rank), Some(best)) = (self.book.rank(id), self.book.best(offer.sub_collection, offer.process)) else {
            return;
        };
        report.ranked_reservations += 1;
        self.last_ranked = sequence;
        if rank > 1 {
            report.skipped.push(SkippedOffers {
                sequence,
                at: entry.at,
                reservation: reservation.id,
                loan: None,
                offer: id,
                rank,
                best: best.id,
            });
        }
    }

    fn name_loan(reservation: ReservationId, loan: LoanId, report: &mut AuditReport) {
        if let Some(skipped) = report.skipped.iter_mut().rev().find(|skipped| skipped.reservation == reservation) {
            skipped.loan = Some(loan);
        }
    }
}
