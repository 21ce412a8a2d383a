//! Lenders' limits: on the principal of manual loans, and on absence.

use domain::{LendingLimits, LimitedLenders, UnixMs, UserId};

use super::Market;
use crate::{
    Refusal,
    ledger::LedgerEvent,
    wire::{LendingLimitsView, limits_view},
};

impl Market {
    /// The limits of a lender and what they are compared with.
    ///
    /// # Errors
    /// [`Refusal::Closed`].
    pub async fn lending_limits(&self, lender: UserId) -> Result<LendingLimitsView, Refusal> {
        let (limits, exposure, is_absent) = self.shared.ledger.limits(lender).await.ok_or(Refusal::Closed)?;
        Ok(limits_view(&limits, &exposure, is_absent, self.now()))
    }

    /// Sets the limits of a lender, in place of all earlier ones. Offers that they do not cover are paused.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], and those of [`domain::Accounts::set_limits`].
    pub async fn set_lending_limits(
        &self,
        lender: UserId,
        limits: LendingLimits,
    ) -> Result<LendingLimitsView, Refusal> {
        if limits.collection_budgets.keys().any(|group| self.group(*group).is_none()) {
            return Err(Refusal::UnknownGroup);
        }
        let presence = &self.shared.presence;
        self.on_ledger(|ledger, now| {
            let is_followed = limits.absence_minutes.is_some();
            let events = ledger.accounts().set_limits(lender, limits)?;
            // Under the ledger's lock, so that of two changes at once the later one decides.
            if is_followed {
                presence.follow(lender, now);
            } else {
                presence.unfollow(lender);
            }
            Ok((events.into_iter().map(LedgerEvent::Account).collect(), ()))
        })
        .await?;
        self.lending_limits(lender).await
    }

    /// Records that a user was heard: by a request, or by an open connection. The offers of an absent lender are open
    /// again, unless another process decides: it must be given [`Market::heard_after`].
    pub async fn hear(&self, user: UserId) {
        let is_limited = self.shared.presence.hear(user, self.now());
        if is_limited && !self.is_following() && self.shared.ledger.lock().state().accounts().limited().is_absent(user)
        {
            self.set_absence(user, false).await;
        }
    }

    /// The lenders with a limit on absence who were heard after a time, with the time of each, in that order.
    #[must_use]
    pub fn heard_after(&self, time: UnixMs) -> Vec<(UnixMs, UserId)> {
        self.shared.presence.heard_after(time)
    }

    /// Pauses the offers of lenders who have not been heard for as long as they allow.
    pub(super) async fn pause_absent_lenders(&self) {
        let silent: Vec<UserId> = {
            let ledger = self.shared.ledger.lock();
            let (limited, now) = (ledger.state().accounts().limited(), self.now());
            let present = limited.followed().filter(|lender| !limited.is_absent(*lender));
            present.filter(|lender| self.is_silent(*lender, limited, now)).collect()
        };
        for lender in silent {
            self.set_absence(lender, true).await;
        }
    }

    /// Whether a lender has been silent for longer than allowed.
    fn is_silent(&self, lender: UserId, limited: &LimitedLenders, now: UnixMs) -> bool {
        let heard_at = self.shared.presence.heard_at(lender);
        heard_at.is_some_and(|heard_at| limited.is_silent_too_long(lender, heard_at, now))
    }

    async fn set_absence(&self, lender: UserId, is_absent: bool) {
        let changed = self
            .on_ledger(|ledger, now| {
                // Under the lock, so that a lender who is heard meanwhile stays present, or finds the absence and ends it.
                let is_current = !is_absent || self.is_silent(lender, ledger.accounts().limited(), now);
                let event = ledger.accounts().set_absence(lender, is_absent).filter(|_| is_current);
                Ok((event.map(LedgerEvent::Account).into_iter().collect(), ()))
            })
            .await;
        if let Err(refusal) = changed {
            tracing::warn!(%lender, is_absent, %refusal, "the absence of a lender was not recorded");
        }
    }
}
