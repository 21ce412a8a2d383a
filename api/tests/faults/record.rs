//! The record of a run: what was acknowledged, the faults with their times, violations, and figures.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use domain::{LoanId, OfferId};

/// A command with a definite answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An offer was created. Its principal is its own; the id is unknown where the answer was lost.
    Created { principal: u64, id: Option<OfferId> },
    /// An offer was replaced by another one.
    Edited { from: OfferId, principal: u64, id: Option<OfferId> },
    /// An offer was cancelled.
    Cancelled { id: OfferId },
    /// A borrower took an offer of a vault, and the loan is signed.
    Lent { loan: LoanId },
    /// A borrower was refused an offer of a vault, and the loan does not begin.
    NotLent { loan: LoanId },
    /// A borrower signed the repayment of a loan.
    Repaid { loan: LoanId },
    /// The creation of an offer was refused; nothing else has its principal.
    Refused { principal: u64 },
}

impl Outcome {
    const fn is_accepted(&self) -> bool {
        !matches!(self, Self::Refused { .. } | Self::NotLent { .. })
    }
}

/// The time from the loss of the writer to the first write that began later and was accepted.
#[derive(Clone, Debug)]
pub struct Takeover {
    pub cause: &'static str,
    pub lost_at: Instant,
    pub took: Option<Duration>,
    /// Whether another fault has prevented service meanwhile.
    pub is_hindered: bool,
}

/// Figures of a run.
#[derive(Debug, Default)]
pub struct Figures {
    /// Attempts without a definite answer.
    pub repeated: AtomicU64,
    /// Reads of a session's own state that were compared with its writes.
    pub own_reads: AtomicU64,
    /// Views of feed clients that were compared with the replay.
    pub views: AtomicU64,
    pub reconnects: AtomicU64,
    /// Subscriptions that began with the changes since the last frame.
    pub continued: AtomicU64,
    /// Subscriptions that began with a snapshot.
    pub snapshots: AtomicU64,
    pub deltas: AtomicU64,
    pub checksums: AtomicU64,
    /// Nodes that ended by themselves.
    pub left: AtomicU64,
    /// Comparisons of all nodes at one position.
    pub comparisons: AtomicU64,
}

/// The record of a run.
pub struct Record {
    began_at: Instant,
    pub figures: Figures,
    /// Whether clients are to pause.
    pub is_calm: AtomicBool,
    /// Whether clients are to end.
    pub is_over: AtomicBool,
    outcomes: Mutex<Vec<Outcome>>,
    faults: Mutex<BTreeMap<&'static str, u64>>,
    lines: Mutex<Vec<String>>,
    violations: Mutex<Vec<String>>,
    takeovers: Mutex<Vec<Takeover>>,
}

impl Record {
    pub fn new() -> Self {
        Self {
            began_at: Instant::now(),
            figures: Figures::default(),
            is_calm: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            outcomes: Mutex::default(),
            faults: Mutex::default(),
            lines: Mutex::default(),
            violations: Mutex::default(),
            takeovers: Mutex::default(),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.began_at.elapsed()
    }

    /// Notes an event with its time.
    pub fn note(&self, line: &str) {
        self.lines.lock().unwrap().push(format!("{:9.3} s  {line}", self.elapsed().as_secs_f64()));
    }

    /// The notes so far.
    pub fn notes(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// Notes that a fault begins.
    pub fn count_fault(&self, kind: &'static str) {
        *self.faults.lock().unwrap().entry(kind).or_default() += 1;
    }

    /// The number of faults of each kind.
    pub fn faults(&self) -> BTreeMap<&'static str, u64> {
        self.faults.lock().unwrap().clone()
    }

    /// Notes that something was found that must not be.
    pub fn violation(&self, what: &str) {
        self.note(&format!("VIOLATION: {what}"));
        self.violations.lock().unwrap().push(what.to_owned());
    }

    pub fn violations(&self) -> Vec<String> {
        self.violations.lock().unwrap().clone()
    }

    pub fn is_sound(&self) -> bool {
        self.violations.lock().unwrap().is_empty()
    }

    /// Notes a definite answer to a command whose accepted attempt began at a time.
    pub fn acknowledge(&self, outcome: Outcome, began_at: Instant) {
        let is_accepted = outcome.is_accepted();
        self.outcomes.lock().unwrap().push(outcome);
        if is_accepted {
            let mut takeovers = self.takeovers.lock().unwrap();
            for takeover in takeovers.iter_mut().filter(|it| it.took.is_none() && it.lost_at <= began_at) {
                takeover.took = Some(takeover.lost_at.elapsed());
            }
        }
    }

    /// The outcomes from a number on.
    pub fn outcomes_from(&self, first: usize) -> Vec<Outcome> {
        self.outcomes.lock().unwrap()[first..].to_vec()
    }

    /// The number of commands that were accepted.
    pub fn accepted(&self) -> usize {
        let outcomes = self.outcomes.lock().unwrap();
        outcomes.iter().filter(|outcome| outcome.is_accepted()).count()
    }

    /// Notes that the writer is lost now.
    pub fn lose_writer(&self, cause: &'static str, is_hindered: bool) {
        let takeover = Takeover { cause, lost_at: Instant::now(), took: None, is_hindered };
        self.takeovers.lock().unwrap().push(takeover);
    }

    /// Notes that a fault begins that can prevent service.
    pub fn hinder_takeovers(&self) {
        for takeover in self.takeovers.lock().unwrap().iter_mut().filter(|takeover| takeover.took.is_none()) {
            takeover.is_hindered = true;
        }
    }

    pub fn takeovers(&self) -> Vec<Takeover> {
        self.takeovers.lock().unwrap().clone()
    }
}

/// Adds one to a figure.
pub fn count(figure: &AtomicU64) {
    figure.fetch_add(1, Ordering::Relaxed);
}

/// A figure.
pub fn get(figure: &AtomicU64) -> u64 {
    figure.load(Ordering::Relaxed)
}
