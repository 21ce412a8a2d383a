//! Counters of the simulated users' actions.

use std::sync::atomic::{AtomicU64, Ordering};

/// An action that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedAction {
    SignIn,
    RefreshOutcome,
    Quote,
    Edit,
    Cancel,
    Pause,
    Resume,
    TermAcceptance,
    Loan,
    Request,
    Fill,
    Refinance,
    Countersignature,
    Decline,
    Repayment,
    Claim,
    Gift,
    Retry,
    Refusal,
    Failure,
    Reconnect,
}

/// Counters that all users share.
#[derive(Debug, Default)]
pub(crate) struct ActionCounters {
    counts: [AtomicU64; 21],
}

/// The counts of the simulated users' actions since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarketReport {
    /// Sessions opened with a signature.
    pub sign_ins: u64,
    /// Sessions renewed with a cookie.
    pub renewals: u64,
    /// Offers created.
    pub quotes: u64,
    /// Offers edited.
    pub edits: u64,
    /// Offers cancelled.
    pub cancels: u64,
    /// Offers paused.
    pub pauses: u64,
    /// Offers resumed.
    pub resumes: u64,
    /// Changes of terms accepted for an offer.
    pub term_acceptances: u64,
    /// Offers that a borrower took and signed.
    pub loans: u64,
    /// Borrow requests placed.
    pub requests: u64,
    /// Borrow requests filled.
    pub fills: u64,
    /// Those of the loans that refinance another one.
    pub refinances: u64,
    /// Loans that their lender signed.
    pub countersignatures: u64,
    /// Loans that a lender refused to sign, or that a borrower withdrew.
    pub declines: u64,
    /// Loans that were repaid.
    pub repayments: u64,
    /// Loans whose collateral was claimed.
    pub claims: u64,
    /// Coins and collateral that users received.
    pub gifts: u64,
    /// Requests that were retried, because the server was busy or could not be reached.
    pub retries: u64,
    /// Requests that the server refused.
    pub refusals: u64,
    /// Requests that failed for any other reason.
    pub failures: u64,
    /// The number of times that the feed was lost and opened again.
    pub reconnects: u64,
}

impl ActionCounters {
    /// Counts one action.
    pub(crate) fn count(&self, action: CountedAction) {
        self.add(action, 1);
    }

    /// Counts `times` actions.
    pub(crate) fn add(&self, action: CountedAction, times: usize) {
        self.counter(action).fetch_add(u64::try_from(times).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The counts so far.
    pub(crate) fn report(&self) -> MarketReport {
        let of = |action| self.counter(action).load(Ordering::Relaxed);
        MarketReport {
            sign_ins: of(CountedAction::SignIn),
            renewals: of(CountedAction::RefreshOutcome),
            quotes: of(CountedAction::Quote),
            edits: of(CountedAction::Edit),
            cancels: of(CountedAction::Cancel),
            pauses: of(CountedAction::Pause),
            resumes: of(CountedAction::Resume),
            term_acceptances: of(CountedAction::TermAcceptance),
            loans: of(CountedAction::Loan),
            requests: of(CountedAction::Request),
            fills: of(CountedAction::Fill),
            refinances: of(CountedAction::Refinance),
            countersignatures: of(CountedAction::Countersignature),
            declines: of(CountedAction::Decline),
            repayments: of(CountedAction::Repayment),
            claims: of(CountedAction::Claim),
            gifts: of(CountedAction::Gift),
            retries: of(CountedAction::Retry),
            refusals: of(CountedAction::Refusal),
            failures: of(CountedAction::Failure),
            reconnects: of(CountedAction::Reconnect),
        }
    }

    fn counter(&self, action: CountedAction) -> &AtomicU64 {
        let [
            sign_in,
            renewal,
            quote,
            edit,
            cancel,
            pause,
            resume,
            term_acceptance,
            loan,
            request,
            fill,
            refinance,
            countersignature,
            decline,
            repayment,
            claim,
            gift,
            retry,
            refusal,
            failure,
            reconnect,
        ] = &self.counts;
        match action {
            CountedAction::SignIn => sign_in,
            CountedAction::RefreshOutcome => renewal,
            CountedAction::Quote => quote,
            CountedAction::Edit => edit,
            CountedAction::Cancel => cancel,
            CountedAction::Pause => pause,
            CountedAction::Resume => resume,
            CountedAction::TermAcceptance => term_acceptance,
            CountedAction::Loan => loan,
            CountedAction::Request => request,
            CountedAction::Fill => fill,
            CountedAction::Refinance => refinance,
            CountedAction::Countersignature => countersignature,
            CountedAction::Decline => decline,
            CountedAction::Repayment => repayment,
            CountedAction::Claim => claim,
            CountedAction::Gift => gift,
            CountedAction::Retry => retry,
            CountedAction::Refusal => refusal,
            CountedAction::Failure => failure,
            CountedAction::Reconnect => reconnect,
        }
    }
}

impl MarketReport {
    /// The actions that changed a book.
    #[must_use]
    pub const fn book_changes(&self) -> u64 {
        self.quotes + self.edits + self.cancels + self.pauses + self.resumes
    }
}
