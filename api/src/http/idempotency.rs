//! `Idempotency-Key`: a write that is sent twice happens once.
//!
//! What holds while the server runs: for 24 hours, or until a user has sent [`KEYS_PER_USER_MAX`] later keys, the same
//! request with the same key gets the first answer again, another request with it is refused, and one that comes while
//! the first is running is refused with the advice to wait.
//!
//! What holds after a restart, when answers are forgotten: nothing is applied twice. Signed writes burn their nonce,
//! creating manual offers burns a nonce made of user and key ([`IdempotencyKey::nonce`]), and edits, cancellations,
//! pauses and resumptions find the offer in another state.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::dev::Payload;
use actix_web::http::header::HeaderName;
use actix_web::{FromRequest, HttpRequest};
use domain::{Nonce, UnixMs, UserId};

use super::answer::Answer;
use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// The header that carries it.
pub const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// How long an answer is remembered, in milliseconds.
pub const MEMORY_MS: u64 = 24 * 3_600 * 1_000;

/// How many keys of one user are remembered.
pub const KEYS_PER_USER_MAX: usize = 64;

/// How many users' keys are remembered.
const USERS_MAX: usize = 10_000;

/// The key of one request: 1 to 64 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    fn parse(text: &str) -> Option<Self> {
        let is_key = (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then(|| Self(text.to_owned()))
    }

    /// A nonce that only this user's request with this key burns, so that it cannot be applied again after a restart.
    #[must_use]
    pub fn nonce(&self, user: UserId) -> Nonce {
        let mut hasher = blake3::Hasher::new_derive_key("lienbook 2026 idempotency key");
        hasher.update(&user.0.to_be_bytes()).update(self.0.as_bytes());
        let mut bytes = [0; 16];
        hasher.finalize_xof().fill(&mut bytes);
        Nonce(u128::from_be_bytes(bytes))
    }
}

/// The key of the request at hand, if it has one.
pub struct MaybeKey(pub Option<IdempotencyKey>);

impl FromRequest for MaybeKey {
    type Error = actix_web::Error;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        std::future::ready(match request.headers().get(HEADER) {
            None => Ok(Self(None)),
            Some(value) => match value.to_str().ok().and_then(IdempotencyKey::parse) {
                Some(key) => Ok(Self(Some(key))),
                None => Err(ApiError::new(
                    ErrorCode::InvalidIdempotencyKey,
                    "an idempotency key is 1 to 64 visible ASCII characters",
                )
                .into()),
            },
        })
    }
}

/// What tells one request from another: method, path and body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(blake3::Hash);

impl Fingerprint {
    /// The fingerprint of a request with this body.
    #[must_use]
    pub fn of(request: &HttpRequest, body: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(request.method().as_str().as_bytes()).update(b"\n");
        hasher.update(request.path().as_bytes()).update(b"\n").update(body);
        Self(hasher.finalize())
    }
}

#[derive(Clone)]
enum State {
    Running,
    Done(Result<Answer, ApiError>),
}

struct Entry {
    fingerprint: Fingerprint,
    began_at: UnixMs,
    state: State,
}

#[derive(Default)]
struct Keys {
    entries: HashMap<IdempotencyKey, Entry>,
    order: VecDeque<IdempotencyKey>,
}

/// The answers that are remembered.
#[derive(Default)]
pub struct IdempotencyMemory {
    users: Mutex<HashMap<UserId, Keys>>,
}

type Work = Pin<Box<dyn Future<Output = Result<Answer, ApiError>>>>;

impl IdempotencyMemory {
    /// Does `work` once for this key and gives its answer, now and later.
    ///
    /// The work runs to its end even when the client hangs up, since its effect may be in the journal already.
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
        if let Some(key) = &key
            && let Some(answer) = self.begin(user, key, fingerprint, now)?
        {
            return answer;
        }
        let memory = self;
        let running = actix_web::rt::spawn(async move {
            let mut turn = Turn { memory, user, key };
            let answer = work.await;
            turn.finish(&answer);
            answer
        });
        running.await.unwrap_or_else(|_| Err(ApiError::plain(ErrorCode::Internal)))
    }

    /// The remembered answer, or `None` when the work is to be done by the caller.
    fn begin(
        &self,
        user: UserId,
        key: &IdempotencyKey,
        fingerprint: Fingerprint,
        now: UnixMs,
    ) -> Result<Option<Result<Answer, ApiError>>, ApiError> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if users.len() >= USERS_MAX && !users.contains_key(&user) {
            users.retain(|_, keys| keys.entries.values().any(|entry| entry.is_remembered(now)));
            if users.len() >= USERS_MAX {
                return Err(ApiError::new(ErrorCode::Overloaded, "too many idempotency keys are remembered"));
            }
        }
        let keys = users.entry(user).or_default();
        if let Some(entry) = keys.entries.get(key).filter(|entry| entry.is_remembered(now)) {
            if entry.fingerprint != fingerprint {
                return Err(ApiError::plain(ErrorCode::IdempotencyMismatch));
            }
            return match &entry.state {
                State::Running => Err(ApiError::plain(ErrorCode::IdempotencyInFlight)),
                State::Done(answer) => Ok(Some(answer.clone())),
            };
        }
        keys.forget(key);
        keys.make_room();
        keys.entries.insert(key.clone(), Entry { fingerprint, began_at: now, state: State::Running });
        keys.order.push_back(key.clone());
        Ok(None)
    }

    fn finish(&self, user: UserId, key: &IdempotencyKey, answer: Option<&Result<Answer, ApiError>>) {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(keys) = users.get_mut(&user) else { return };
        match answer {
            // What may succeed a moment later is not an answer to keep.
            Some(Err(refusal)) if refusal.code().retry_after_s().is_some() || refusal.code().status() >= 500 => {
                keys.forget(key);
            }
            Some(answer) => {
                if let Some(entry) = keys.entries.get_mut(key) {
                    entry.state = State::Done(answer.clone());
                }
            }
            None => keys.forget(key),
        }
    }
}

impl Entry {
    fn is_remembered(&self, now: UnixMs) -> bool {
        matches!(self.state, State::Running) || self.began_at.plus_ms(MEMORY_MS) > now
    }
}

impl Keys {
    fn forget(&mut self, key: &IdempotencyKey) {
        if self.entries.remove(key).is_some() {
            self.order.retain(|known| known != key);
        }
    }

    /// Forgets the oldest answer when there are too many; what is running stays.
    fn make_room(&mut self) {
        if self.entries.len() < KEYS_PER_USER_MAX {
            return;
        }
        let is_done =
            |key: &&IdempotencyKey| self.entries.get(*key).is_none_or(|entry| matches!(entry.state, State::Done(_)));
        if let Some(oldest) = self.order.iter().find(is_done).cloned() {
            self.forget(&oldest);
        }
    }
}

/// A request that is running; if it ends without an answer, its key is free again.
struct Turn {
    memory: Arc<IdempotencyMemory>,
    user: UserId,
    key: Option<IdempotencyKey>,
}

impl Turn {
    fn finish(&mut self, answer: &Result<Answer, ApiError>) {
        if let Some(key) = self.key.take() {
            self.memory.finish(self.user, &key, Some(answer));
        }
    }
}

impl Drop for Turn {
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

    const USER: UserId = UserId(1);

    fn print(text: &str) -> Fingerprint {
        Fingerprint(blake3::hash(text.as_bytes()))
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
        let (memory, runs) = (Arc::<IdempotencyMemory>::default(), Rc::new(Cell::new(0)));
        let first = memory.clone().once(USER, key("a"), print("x"), UnixMs(1), count(&runs)).await.unwrap();
        let again = memory.clone().once(USER, key("a"), print("x"), UnixMs(2), count(&runs)).await.unwrap();
        assert_eq!((first, runs.get()), (again, 1));
        let other = memory.clone().once(USER, key("a"), print("y"), UnixMs(2), count(&runs)).await.unwrap_err();
        assert_eq!(other.code(), ErrorCode::IdempotencyMismatch);
        memory.clone().once(UserId(2), key("a"), print("y"), UnixMs(2), count(&runs)).await.unwrap();
        memory.clone().once(USER, None, print("x"), UnixMs(2), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), 3);
        memory.once(USER, key("a"), print("x"), UnixMs(1 + MEMORY_MS), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), 4);
    }

    #[actix_web::test]
    async fn a_request_that_is_running_is_not_started_again_even_if_its_client_hung_up() {
        let memory = Arc::<IdempotencyMemory>::default();
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
    async fn an_answer_that_asks_to_come_back_is_not_kept() {
        let (memory, runs) = (Arc::<IdempotencyMemory>::default(), Rc::new(Cell::new(0)));
        let busy: Work = Box::pin(async { Err(ApiError::plain(ErrorCode::Overloaded)) });
        assert!(memory.clone().once(USER, key("a"), print("x"), UnixMs(1), busy).await.is_err());
        assert!(memory.once(USER, key("a"), print("x"), UnixMs(1), count(&runs)).await.is_ok());
    }

    #[actix_web::test]
    async fn the_oldest_keys_are_forgotten_first() {
        let (memory, runs) = (Arc::<IdempotencyMemory>::default(), Rc::new(Cell::new(0)));
        for number in 0..=KEYS_PER_USER_MAX {
            let key = key(&format!("k{number}"));
            memory.clone().once(USER, key, print("x"), UnixMs(1), count(&runs)).await.unwrap();
        }
        let before = runs.get();
        memory.clone().once(USER, key("k1"), print("x"), UnixMs(1), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), before);
        memory.clone().once(USER, key("k0"), print("x"), UnixMs(1), count(&runs)).await.unwrap();
        assert_eq!(runs.get(), before + 1);
        assert_eq!(memory.users.lock().unwrap()[&USER].entries.len(), KEYS_PER_USER_MAX);
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
