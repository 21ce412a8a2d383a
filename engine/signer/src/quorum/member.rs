//! One of the signers, with what it has missed.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::request::{Answer, Request};
use crate::vault_signer::{SignerError, VaultSigner};

/// The maximum number of missed requests that are kept; beyond it the oldest are dropped. Their messages are fresh for ten
/// minutes only.
const OWED_MAX: usize = 10_000;

/// A signer. One that misses an offer does not lend by it, and one that misses a cancellation is outvoted, so a lost entry
/// costs a vote and no money.
#[derive(Debug)]
pub(super) struct Member<S> {
    signer: S,
    /// Whether the latest request was answered.
    answers: AtomicBool,
    /// The requests that were not answered, oldest first.
    owed: Mutex<VecDeque<Request>>,
    /// Whether a task is sending what is owed.
    is_delivering: AtomicBool,
}

impl<S: VaultSigner> Member<S> {
    pub(super) fn new(signer: S) -> Self {
        let (answers, is_delivering) = (AtomicBool::new(true), AtomicBool::new(false));
        Self { signer, answers, owed: Mutex::default(), is_delivering }
    }

    /// Whether the latest request was answered.
    pub(super) fn answers(&self) -> bool {
        self.answers.load(Ordering::Relaxed)
    }

    /// Sends what was missed, then this request. One that `is_owed` is kept if it is not answered.
    pub(super) async fn ask(&self, request: Request, is_owed: bool) -> Result<Answer, SignerError> {
        let kept = is_owed.then(|| request.clone());
        let outcome = match self.deliver().await {
            Ok(()) => self.send(request).await,
            Err(error) => Err(error),
        };
        if is_missed(&outcome)
            && let Some(request) = kept
        {
            self.keep(request);
        }
        outcome
    }

    /// Sends what was missed, in order, one task at a time: the others do not wait for a signer that may be silent.
    async fn deliver(&self) -> Result<(), SignerError> {
        if self.owed().is_empty() {
            return Ok(());
        }
        if self.is_delivering.swap(true, Ordering::AcqRel) {
            return Err(SignerError::Unreachable { reason: "it has not caught up yet".to_owned() });
        }
        let delivered = self.deliver_all().await;
        self.is_delivering.store(false, Ordering::Release);
        delivered
    }

    async fn deliver_all(&self) -> Result<(), SignerError> {
        loop {
            let Some(request) = self.owed().front().cloned() else { return Ok(()) };
            let outcome = self.send(request.clone()).await;
            if is_missed(&outcome) {
                return Err(outcome.err().unwrap_or(SignerError::Nonsense));
            }
            let mut owed = self.owed();
            // It may have been dropped meanwhile.
            if owed.front() == Some(&request) {
                owed.pop_front();
            }
        }
    }

    async fn send(&self, request: Request) -> Result<Answer, SignerError> {
        let outcome = self.signer.ask(request).await;
        let answers = !is_missed(&outcome);
        if self.answers.swap(answers, Ordering::Relaxed) != answers {
            if answers {
                tracing::info!("a vault signer answers again");
            } else {
                tracing::warn!("a vault signer does not answer");
            }
        }
        outcome
    }

    fn keep(&self, request: Request) {
        let mut owed = self.owed();
        if owed.len() >= OWED_MAX {
            owed.pop_front();
        }
        owed.push_back(request);
    }

    fn owed(&self) -> MutexGuard<'_, VecDeque<Request>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the signer may not have carried the request out, and would if it came again.
const fn is_missed(outcome: &Result<Answer, SignerError>) -> bool {
    match outcome {
        Ok(Answer::Refused(refusal)) => refusal.is_undecided(),
        Ok(_) | Err(SignerError::Refused(_)) => false,
        Err(_) => true,
    }
}
