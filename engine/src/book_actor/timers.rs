//! The timers of a book: changes that are due at a time, and ranks that are published at intervals.

use std::time::Duration;

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::{Command, Exposure, UnixMs};

use super::BookActor;
use crate::lent_volume;

impl BookActor {
    /// Sets the timer for the next time-driven change: expiry of a reservation, activation of a term change, start of
    /// an hour. A book that follows waits for the hour alone.
    pub(super) fn set_timer(&mut self, context: &mut Context<Self>) {
        let book = &self.state.book;
        let next_hour = lent_volume::next_hour(self.shared.clock.now());
        let decided = [
            book.next_reservation_expiry(),
            book.next_offer_expiry(),
            book.next_request_expiry(),
            book.next_negotiation_expiry(),
            book.next_term_change(),
        ];
        let is_following = self.shared.is_following();
        let due = decided.into_iter().flatten().filter(|_| !is_following).chain([next_hour]).min();
        if self.timer.map(|(at, _)| at) == due {
            return;
        }
        if let Some((_, armed)) = self.timer.take() {
            context.cancel_future(armed);
        }
        if let Some(at) = due {
            let sleep = self.shared.clock.sleep_until(at).into_actor(self);
            self.timer = Some((at, context.spawn(sleep.map(move |(), actor, context| actor.on_timer(at, context)))));
        }
    }

    fn on_timer(&mut self, at: UnixMs, context: &mut Context<Self>) {
        self.timer = None;
        // A stopping market makes no time-driven changes; after a restart the same changes are due.
        if self.is_closed || self.shared.is_stopping() {
            return;
        }
        if at <= self.shared.clock.now() {
            if !self.shared.is_following() {
                self.run_own_command(Command::ExpireReservations);
                self.run_own_command(Command::ExpireOffers);
                self.run_own_command(Command::ExpireRequests);
                self.run_own_command(Command::ExpireNegotiations);
                self.run_own_command(Command::ActivateTermChanges);
                self.begin_day();
            }
            // Volumes and price changes cover the last hours.
            self.burst.is_row_stale = true;
            self.close_burst();
            self.pump(context);
        }
        self.set_timer(context);
    }

    /// Renews the allowances that are per day. The timer is set for each hour, so also for the start of a day.
    fn begin_day(&mut self) {
        let now = self.shared.clock.now();
        if now < self.next_day {
            return;
        }
        self.next_day = Exposure::next_day(now);
        let limited = self.state.book.lenders().filter(|lender| self.state.book.allowance(*lender).available.is_some());
        for lender in limited {
            self.changed_lenders.insert(lender);
        }
        self.apply_lender_changes();
    }

    /// Schedules the publication, to their lenders, of ranks that other lenders' offers have moved.
    pub(super) fn set_rank_timer(&mut self, context: &mut Context<Self>) {
        if !self.watched_offers.is_stale() || self.scheduled.are_ranks {
            return;
        }
        self.scheduled.are_ranks = true;
        let interval = Duration::from_millis(self.shared.settings.rank_interval_ms);
        context.run_later(interval, |actor, context| {
            actor.scheduled.are_ranks = false;
            actor.close_burst();
            let updates = actor.watched_offers.all_updates(&actor.state);
            actor.queue_ranks(updates);
            actor.pump(context);
        });
    }
}
