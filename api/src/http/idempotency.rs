//! `Idempotency-Key`: a write that is sent twice is executed once.
//!
//! Guarantees while the server runs: for 24 hours, or until a user has sent
//! [`KEYS_PER_USER_MAX`](super::idempotency_key::KEYS_PER_USER_MAX) later keys or all users together have filled the
//! memory, the same request with the same key gets the first answer again, another request with the key is refused, and
//! one that arrives while the first is running is refused with the advice to wait.
//!
//! Guarantees after answers were dropped, in particular after a restart: nothing is applied twice. Signed writes
//! consume their nonce, creating manual offers consumes a nonce derived from user and key ([`IdempotencyKey::nonce`]),
//! and edits, cancellations, pauses and resumptions find the offer in another state.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::{UnixMs, UserId};
use engine::locks::MutexExt as _;
use tracing::Instrument as _;

use super::answer::Answer;
use super::answer_store::AnswerStore;
pub use super::answer_store::Outcome;
use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::idempotency_key::{Fingerprint, IdempotencyKey};

/// The work of a request.
pub type Work = Pin<Box<dyn Future<Output = Result<Answer, ApiError>>>>;

/// A wrapper of work that carries what is local to the task of its request into the task that executes it.
pub type TaskScope = fn(Work) -> Work;

/// The stored answers.
pub struct IdempotencyStore {
    store: Mutex<AnswerStore>,
    scope: TaskScope,
}

impl Default for IdempotencyStore {
    fn default() -> Self {
        Self::with_scope(|work| work)
    }
}

impl IdempotencyStore {
    /// Returns a store that executes all work in this scope.
    #[must_use]
    pub fn with_scope(scope: TaskScope) -> Self {
        Self { store: Mutex::default(), scope }
    }

    /// Executes `work` once for this key and returns its answer, now and for repeated requests.
    ///
    /// The work runs to its end even when the client disconnects, since its effect may be in the journal already.
    ///
    /// # Errors
    /// Those of the work, [`ErrorCode::IdempotencyMismatch`], [`ErrorCode::IdempotencyInFlight`].
    pub async fn once(
        self: Arc<Self>,
        user: UserId,
        key: Option<IdempotencyKey>,
        fingerprint: Fingerprint,
        now: UnixMs,
        work: Work,
    ) -> Result<Answer, ApiError> {
        let scope = self.scope;
        let mut running_request = match key {
            Some(key) => match self.begin(user, key, fingerprint, now)? {
                Begun::Known(outcome) => return outcome,
                Begun::New(running_request) => Some(running_request),
            },
            None => None,
        };
        let run = async move {
            let answer = work.await;
            if let Some(running_request) = &mut running_request {
                running_request.finish(&answer);
            }
            answer
        };
        let running = actix_web::rt::spawn(scope(Box::pin(run.in_current_span())));
        running.await.unwrap_or_else(|_| Err(ApiError::plain(ErrorCode::Internal)))
    }

    /// Returns the stored answer, or a request that the caller is to execute and to finish.
    ///
    /// # Errors
    /// [`ErrorCode::IdempotencyMismatch`], [`ErrorCode::IdempotencyInFlight`].
    pub fn begin(
        self: Arc<Self>,
        user: UserId,
        key: IdempotencyKey,
        fingerprint: Fingerprint,
        now: UnixMs,
    ) -> Result<Begun, ApiError> {
        let mut store = self.store();
        store.sweep(now);
        let Some(entry) = store.get(user, &key) else {
            store.begin(user, &key, fingerprint, now);
            drop(store);
            return Ok(Begun::New(RunningRequest { memory: self, user, key: Some(key) }));
        };
        if entry.fingerprint != fingerprint {
            return Err(ApiError::plain(ErrorCode::IdempotencyMismatch));
        }
        match entry.outcome() {
            None => Err(ApiError::plain(ErrorCode::IdempotencyInFlight)),
            Some(outcome) => Ok(Begun::Known(outcome.clone())),
        }
    }

    fn finish(&self, user: UserId, key: &IdempotencyKey, outcome: Option<&Outcome>) {
        // A refusal that may be gone a moment later is not stored.
        let is_for_now = |refusal: &ApiError| refusal.code().is_transient();
        match outcome.filter(|outcome| !outcome.as_ref().is_err_and(is_for_now)) {
            Some(outcome) => self.store().finish(user, key, outcome.clone()),
            None => self.store().forget(user, key),
        }
    }

    fn store(&self) -> MutexGuard<'_, AnswerStore> {
        self.store.lock_unpoisoned()
    }
}

/// A request whose key was looked up.
pub enum Begun {
    /// It was executed before, with this answer.
    Known(Outcome),
    /// It is executed now.
    New(RunningRequest),
}

/// A running request; if it ends without an answer, its key can be used again.
pub struct RunningRequest {
    memory: Arc<IdempotencyStore>,
    user: UserId,
    key: Option<IdempotencyKey>,
}

impl RunningRequest {
    /// Stores the answer for repeated requests, unless it asks for a repetition.
    pub fn finish(&mut self, answer: &Outcome) {
        if let Some(key) = self.key.take() {
            self.memory.finish(self.user, &key, Some(answer));
        }
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.memory.finish(self.user, &key, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::http::idempotency_key::{KEYS_PER_USER_MAX, RETENTION_MS};

    const USER: UserId = UserId(1);

    fn print(text: &str) -> Fingerprint {
        Fingerprint::of_text(text)
    }

    fn key(text: &str) -> Option<IdempotencyKey> {
        IdempotencyKey::parse(text)
    }

    fn count(runs: &Rc<Cell<u32>>) -> Work {
        let runs = runs.clone();
        Box::pin(async move {
            runs.set(runs.get() + 1);
            Answer::ok(&runs.get())
        })
    }

    #[actix_web::test]
    async fn the_same_request_gets_the_first_answer_and_another_one_is_refused() {
        let (memory, runs) = (Arc::<IdempotencyStore>::default(), Rc::new(Cell::new(0)));
        let first = memory.clone().once(USER, key("a"), print("x"), UnixMs(1), count(&runs)).await.unwrap();
        let again = memory.clone().once(USER, key("a"), print("x"), UnixMs(2), count(&runs)).await.unwrap();
        assert_eq!((first, runs.get()), (again, 1));
        let other = memory.clone().once(USER, key("a"), print("y"), UnixMs(2), count(&runs)).await.unwrap_err();
        assert_eq!(other.code(), ErrorCode::IdempotencyMismatch);
        memory.clone().once(UserId(2), key("a"), print("y"), UnixMs(2), count(&runs)).await.unwrap();
        memory.clone().once(USER, None, print("x"), UnixMs(2), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), 3);
        memory.once(USER, key("a"), print("x"), UnixMs(1 + RETENTION_MS), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), 4);
    }

    #[actix_web::test]
    async fn a_request_that_is_running_is_not_started_again_even_if_its_client_hung_up() {
        let memory = Arc::<IdempotencyStore>::default();
        let (send, receive) = tokio::sync::oneshot::channel::<()>();
        let work: Work = Box::pin(async move {
            let _ = receive.await;
            Answer::ok(&7)
        });
        {
            let mut running = Box::pin(memory.clone().once(USER, key("a"), print("x"), UnixMs(1), work));
            assert!((&mut running).now_or_never().is_none());
        }
        let runs = Rc::new(Cell::new(0));
        let refused = memory.clone().once(USER, key("a"), print("x"), UnixMs(2), count(&runs)).await.unwrap_err();
        assert_eq!((refused.code(), runs.get()), (ErrorCode::IdempotencyInFlight, 0));
        send.send(()).unwrap();
        actix_web::rt::time::sleep(std::time::Duration::from_millis(20)).await;
        let answer = memory.once(USER, key("a"), print("x"), UnixMs(3), count(&runs)).await.unwrap();
        assert_eq!((answer, runs.get()), (Answer::ok(&7).unwrap(), 0));
    }

    #[actix_web::test]
    async fn an_answer_that_asks_for_a_retry_is_not_stored() {
        let (memory, runs) = (Arc::<IdempotencyStore>::default(), Rc::new(Cell::new(0)));
        let busy: Work = Box::pin(async { Err(ApiError::plain(ErrorCode::Overloaded)) });
        assert!(memory.clone().once(USER, key("a"), print("x"), UnixMs(1), busy).await.is_err());
        assert!(memory.once(USER, key("a"), print("x"), UnixMs(1), count(&runs)).await.is_ok());
    }

    #[actix_web::test]
    async fn the_oldest_keys_are_forgotten_first() {
        let (memory, runs) = (Arc::<IdempotencyStore>::default(), Rc::new(Cell::new(0)));
        for number in 0..=KEYS_PER_USER_MAX {
            let key = key(&format!("k{number}"));
            memory.clone().once(USER, key, print("x"), UnixMs(1), count(&runs)).await.unwrap();
        }
        let before = runs.get();
        memory.clone().once(USER, key("k1"), print("x"), UnixMs(1), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), before);
        memory.clone().once(USER, key("k0"), print("x"), UnixMs(1), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), before + 1);
    }

    #[actix_web::test]
    async fn a_crowd_of_users_does_not_prevent_others_from_writing() {
        let (memory, runs) = (Arc::<IdempotencyStore>::default(), Rc::new(Cell::new(0)));
        for user in 0..20_000 {
            let answer = memory.clone().once(UserId(user), key("a"), print("x"), UnixMs(1), count(&runs)).await;
            assert!(answer.is_ok(), "user {user}");
        }
        memory.once(USER, key("a"), print("x"), UnixMs(1), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), 20_000);
    }

    #[test]
    fn a_key_is_short_and_visible_and_its_nonce_is_the_users_own() {
        for text in ["", "a b", "ä", &"x".repeat(65)] {
            assert_eq!(key(text), None);
        }
        let one = key("one").unwrap();
        assert_eq!(one.nonce(USER), one.nonce(USER));
        assert_ne!(one.nonce(USER), one.nonce(UserId(2)));
        assert_ne!(one.nonce(USER), key("two").unwrap().nonce(USER));
    }
}
