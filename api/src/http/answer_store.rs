//! The store of answers for repeated requests, bounded in number, time and bytes.

use std::collections::{BTreeMap, HashMap, VecDeque};

use domain::{UnixMs, UserId};

use super::answer::Answer;
use super::api_error::ApiError;
use super::idempotency_key::{Fingerprint, IdempotencyKey, KEYS_PER_USER_MAX, RETENTION_MS};

/// The limit of all stored answers together, in bytes. The oldest answers of any user are dropped for new ones: many
/// users can shorten the memory of others, but cannot prevent others from writing.
const BYTES_MAX: usize = 64 * 1_024 * 1_024;

/// The limit of the stored answers of one user, in bytes; the user's oldest ones are dropped for new ones.
const USER_BYTES_MAX: usize = 8 * 1_024 * 1_024;

/// The memory of an entry apart from its text and keys, in bytes, estimated generously.
const OVERHEAD: usize = 512;

/// The result of a request.
pub type Outcome = Result<Answer, ApiError>;

/// A known request.
pub(super) struct Entry {
    /// Distinguishes the request from others with the same key.
    pub(super) fingerprint: Fingerprint,
    began_at: UnixMs,
    state: State,
}

enum State {
    Running,
    /// The number is the position in the order of completion of all answers.
    Done(u64, Outcome),
}

#[derive(Default)]
struct Keys {
    entries: HashMap<IdempotencyKey, Entry>,
    order: VecDeque<IdempotencyKey>,
    /// The memory of the completed ones.
    bytes: usize,
}

/// The known requests of all users.
pub(super) struct AnswerStore {
    users: HashMap<UserId, Keys>,
    /// The completed requests, oldest first.
    done: BTreeMap<u64, (UserId, IdempotencyKey)>,
    done_count: u64,
    bytes: usize,
    bytes_max: usize,
}

impl Entry {
    /// Returns the answer, or `None` while the request is running.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            State::Running => None,
            State::Done(_, outcome) => Some(outcome),
        }
    }
}

impl Default for AnswerStore {
    fn default() -> Self {
        Self::new(BYTES_MAX)
    }
}

impl AnswerStore {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { users: HashMap::new(), done: BTreeMap::new(), done_count: 0, bytes: 0, bytes_max }
    }

    /// Returns the entry of a request.
    pub(super) fn get(&self, user: UserId, key: &IdempotencyKey) -> Option<&Entry> {
        self.users.get(&user)?.entries.get(key)
    }

    /// Records that a request is running.
    pub(super) fn begin(&mut self, user: UserId, key: &IdempotencyKey, fingerprint: Fingerprint, now: UnixMs) {
        self.forget(user, key);
        let keys = self.users.entry(user).or_default();
        if (keys.entries.len() >= KEYS_PER_USER_MAX || keys.bytes > USER_BYTES_MAX)
            && let Some(oldest) = keys.oldest_done()
        {
            self.forget(user, &oldest);
        }
        let keys = self.users.entry(user).or_default();
        keys.entries.insert(key.clone(), Entry { fingerprint, began_at: now, state: State::Running });
        keys.order.push_back(key.clone());
    }

    /// Stores the answer of a running request.
    pub(super) fn finish(&mut self, user: UserId, key: &IdempotencyKey, outcome: Outcome) {
        let Some(keys) = self.users.get_mut(&user) else { return };
        let Some(entry) = keys.entries.get_mut(key) else { return };
        let cost = cost(key, &outcome);
        self.bytes += cost;
        keys.bytes += cost;
        entry.state = State::Done(self.done_count, outcome);
        self.done.insert(self.done_count, (user, key.clone()));
        self.done_count += 1;
        while self.bytes > self.bytes_max && self.forget_oldest() {}
    }

    /// Removes a request.
    pub(super) fn forget(&mut self, user: UserId, key: &IdempotencyKey) {
        let Some(keys) = self.users.get_mut(&user) else { return };
        let Some(entry) = keys.entries.remove(key) else { return };
        // Nearly always the oldest one.
        if keys.order.front() == Some(key) {
            keys.order.pop_front();
        } else {
            keys.order.retain(|known| known != key);
        }
        if let State::Done(_, outcome) = &entry.state {
            keys.bytes -= cost(key, outcome);
        }
        if keys.entries.is_empty() {
            self.users.remove(&user);
        }
        if let State::Done(number, outcome) = entry.state {
            self.done.remove(&number);
            self.bytes -= cost(key, &outcome);
        }
    }

    /// Removes expired answers. They were completed roughly in the order in which they began, so only the oldest ones
    /// are checked.
    pub(super) fn sweep(&mut self, now: UnixMs) {
        while let Some((user, key)) = self.done.first_key_value().map(|(_, whose)| whose)
            && self.get(*user, key).is_none_or(|entry| entry.began_at.plus_ms(RETENTION_MS) <= now)
        {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) -> bool {
        let Some((_, (user, key))) = self.done.pop_first() else { return false };
        self.forget(user, &key);
        true
    }
}

impl Keys {
    /// Returns the oldest completed request; running ones stay.
    fn oldest_done(&self) -> Option<IdempotencyKey> {
        let is_done = |key: &&IdempotencyKey| self.entries.get(*key).is_some_and(|entry| entry.outcome().is_some());
        self.order.iter().find(is_done).cloned()
    }
}

/// Returns the memory of an answer, in bytes.
fn cost(key: &IdempotencyKey, outcome: &Outcome) -> usize {
    let answer = match outcome {
        Ok(answer) => answer.len(),
        Err(refusal) => refusal.detail().len() + refusal.values().map_or(0, |values| values.to_string().len()),
    };
    // The key is stored in three places.
    OVERHEAD + 3 * key.len() + answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> IdempotencyKey {
        IdempotencyKey::parse(text).unwrap()
    }

    fn keep(store: &mut AnswerStore, user: u64, name: &str, length: usize, now: UnixMs) {
        let (user, key) = (UserId(user), key(name));
        store.sweep(now);
        store.begin(user, &key, Fingerprint::of_text("x"), now);
        store.finish(user, &key, Answer::ok(&"x".repeat(length)));
    }

    fn is_known(store: &AnswerStore, user: u64, name: &str) -> bool {
        store.get(UserId(user), &key(name)).is_some()
    }

    fn assert_empty(store: &AnswerStore) {
        assert_eq!((store.users.len(), store.done.len(), store.bytes), (0, 0, 0));
    }

    #[test]
    fn large_answers_of_many_users_evict_the_oldest_answers_and_no_running_request() {
        let mut store = AnswerStore::new(100_000);
        store.begin(UserId(0), &key("running"), Fingerprint::of_text("x"), UnixMs(1));
        for user in 0..1_000 {
            keep(&mut store, user, "a", 10_000, UnixMs(1));
            assert!(store.bytes <= 100_000);
        }
        assert!(is_known(&store, 0, "running") && !is_known(&store, 0, "a"));
        assert!(is_known(&store, 999, "a") && is_known(&store, 992, "a") && !is_known(&store, 900, "a"));
        assert!(store.users.len() < 12, "{}", store.users.len());
        keep(&mut store, 5_000, "too-large", 200_000, UnixMs(1));
        store.forget(UserId(0), &key("running"));
        assert_empty(&store);
    }

    #[test]
    fn expired_answers_are_swept_by_requests_of_any_user() {
        let mut store = AnswerStore::default();
        for user in 0..100 {
            keep(&mut store, user, "a", 10, UnixMs(user));
        }
        keep(&mut store, 1_000, "a", 10, UnixMs(RETENTION_MS + 49));
        assert!(!is_known(&store, 49, "a") && is_known(&store, 50, "a"));
        assert_eq!(store.users.len(), 51);
        store.sweep(UnixMs(2 * RETENTION_MS + 49));
        assert_empty(&store);
    }

    #[test]
    fn a_key_that_is_used_again_counts_once() {
        let mut store = AnswerStore::default();
        keep(&mut store, 1, "a", 10_000, UnixMs(1));
        let bytes = store.bytes;
        keep(&mut store, 1, "a", 10_000, UnixMs(1));
        assert_eq!((store.bytes, store.done.len()), (bytes, 1));
    }
}
