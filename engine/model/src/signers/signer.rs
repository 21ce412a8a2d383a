//! One honest signer: a log, the part of it that is synced, and the answers that wait for the disk.

use super::answers::{Loan, Loans, Request};

/// The rules of a signer, with each of which a test can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule that a test switches off by itself")]
pub struct SignerRules {
    /// Whether an answer waits until its entry is synced.
    pub syncs_before_answers: bool,
    /// Whether a cancellation is remembered when its offer has not arrived yet.
    pub remembers_cancellations: bool,
    /// Whether a cancellation is remembered for as long as the offer's message is fresh.
    pub remembers_long_enough: bool,
    /// Whether signed loans count as uses of their offer.
    pub counts_uses: bool,
    /// Whether the entry, the sync and the answer are one step. A crash in between only loses an answer that was not given,
    /// which equals a request that never arrived.
    pub is_atomic: bool,
}

impl SignerRules {
    /// The rules as they are.
    pub const REAL: Self = Self {
        syncs_before_answers: true,
        remembers_cancellations: true,
        remembers_long_enough: true,
        counts_uses: true,
        is_atomic: false,
    };
    /// The same, where a request is one step.
    pub const ATOMIC: Self = Self { is_atomic: true, ..Self::REAL };
}

/// The age of the messages by a signer's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Age {
    /// The messages are accepted.
    #[default]
    Fresh,
    /// They have expired.
    Expired,
    /// Cancellations of that time are forgotten.
    Forgotten,
}

/// The state that follows from a signer's log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Log {
    /// Whether the offer's message was used.
    pub is_used: bool,
    /// Whether the offer is held.
    pub is_held: bool,
    /// Whether its cancellation is remembered.
    pub is_cancelled: bool,
    /// The loans that were signed by the offer while it is held.
    pub signed: Loans,
}

impl Log {
    /// The log after a request; `None` if it is refused.
    #[must_use]
    pub fn after(self, rules: &SignerRules, age: Age, request: Request) -> Option<Self> {
        match request {
            Request::Admit | Request::Cancel if age != Age::Fresh => None,
            Request::Admit if self.is_used => self.is_held.then_some(self),
            Request::Admit if self.is_cancelled => None,
            Request::Admit => Some(Self { is_used: true, is_held: true, ..self }),
            Request::Cancel => Some(Self {
                is_held: false,
                is_cancelled: rules.remembers_cancellations,
                signed: Loans::default(),
                ..self
            }),
            Request::Sign(_) if !self.is_held => None,
            Request::Sign(loan) => {
                let is_free = !rules.counts_uses || self.signed.iter().all(|other| other.conflicts_with(loan));
                is_free.then_some(Self { signed: self.signed.with(loan), ..self })
            }
        }
    }

    /// The log at an age: what no message can contradict any more is removed.
    #[must_use]
    const fn at(self, age: Age) -> Self {
        match age {
            Age::Fresh => self,
            Age::Expired => Self { is_used: false, ..self },
            Age::Forgotten => Self { is_used: false, is_cancelled: false, ..self },
        }
    }
}

/// A signer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signer {
    /// The log as it survives a crash.
    pub synced: Log,
    /// The log as it is written, and decides.
    pub written: Log,
    /// Whether the answer to a cancellation waits for the disk.
    pub cancellation_waits: bool,
    /// The signatures that wait for the disk.
    pub waiting: Loans,
    /// Whether it has answered a cancellation.
    pub has_answered_cancellation: bool,
    /// The signatures that it gave.
    pub given: Loans,
    /// The age of the messages.
    pub age: Age,
}

/// A step of one signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignerAction {
    /// A request arrives and is decided.
    Decide(Request),
    /// The log is synced, and the answers that waited for it are given.
    Sync,
    /// The process ends and starts again from its synced log.
    Crash,
    /// Its clock passes the end of the messages, or of what it remembers of them.
    Age(Age),
    /// A cancellation is forgotten while the messages are fresh, which the rules do not allow.
    Forget,
}

impl Signer {
    /// The steps that are possible.
    #[must_use]
    pub fn actions(&self, rules: &SignerRules, loans: &[Loan], ages: bool) -> Vec<SignerAction> {
        let decided = Request::all(loans).into_iter().filter(|request| self.decide(rules, *request).is_some());
        let mut actions: Vec<SignerAction> = decided.map(SignerAction::Decide).collect();
        if self.synced != self.written || self.cancellation_waits || self.waiting != Loans::default() {
            actions.extend([SignerAction::Sync, SignerAction::Crash]);
        }
        if ages {
            match self.age {
                Age::Fresh => actions.push(SignerAction::Age(Age::Expired)),
                Age::Expired => actions.push(SignerAction::Age(Age::Forgotten)),
                Age::Forgotten => {}
            }
        }
        if !rules.remembers_long_enough && self.written.is_cancelled {
            actions.push(SignerAction::Forget);
        }
        actions
    }

    /// The written log after a request; `None` if it is refused.
    #[must_use]
    pub fn decide(&self, rules: &SignerRules, request: Request) -> Option<Log> {
        self.written.after(rules, self.age, request)
    }

    /// The signer after a possible step.
    #[must_use]
    pub fn after(mut self, rules: &SignerRules, action: SignerAction) -> Self {
        match action {
            SignerAction::Decide(request) => {
                let Some(written) = self.decide(rules, request) else { return self };
                self.written = written;
                match request {
                    Request::Admit => {}
                    Request::Cancel => self.cancellation_waits = true,
                    Request::Sign(loan) => self.waiting = self.waiting.with(loan),
                }
                if rules.is_atomic {
                    self.synced = self.written;
                }
                if rules.is_atomic || !rules.syncs_before_answers {
                    self.answer();
                }
            }
            SignerAction::Sync => {
                self.synced = self.written;
                self.answer();
            }
            SignerAction::Crash => {
                self.written = self.synced;
                (self.cancellation_waits, self.waiting) = (false, Loans::default());
            }
            SignerAction::Age(age) => {
                self.age = age;
                (self.synced, self.written) = (self.synced.at(age), self.written.at(age));
            }
            SignerAction::Forget => self.written.is_cancelled = false,
        }
        self
    }

    fn answer(&mut self) {
        self.has_answered_cancellation |= self.cancellation_waits;
        self.given = self.given.or(self.waiting);
        (self.cancellation_waits, self.waiting) = (false, Loans::default());
    }
}
