//! The beginnings of the latest answers of webhooks. They are texts of others and of use for a while only, so they are
//! kept in memory and not in the journal.

use std::collections::BTreeMap;
use std::sync::Mutex;

use domain::MessageId;
use engine::locks::MutexExt as _;

/// The number of answers that are kept, each of at most [`providers::EXCERPT_BYTES_MAX`] bytes of text.
const ANSWERS_MAX: usize = 5_000;

/// The beginnings of the latest answers.
#[derive(Debug, Default)]
pub struct WebhookAnswers(Mutex<BTreeMap<MessageId, String>>);

impl WebhookAnswers {
    /// Keeps the beginning of the last answer to a message, in place of that of the oldest message when there are too many.
    pub fn put(&self, message: MessageId, excerpt: String) {
        let mut answers = self.0.lock_unpoisoned();
        answers.insert(message, excerpt);
        if answers.len() > ANSWERS_MAX {
            answers.pop_first();
        }
    }

    /// Returns the beginning of the last answer to a message; `None` if there is none, or it is not kept any more.
    #[must_use]
    pub fn get(&self, message: MessageId) -> Option<String> {
        self.0.lock_unpoisoned().get(&message).filter(|excerpt| !excerpt.is_empty()).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_answers_are_kept() {
        let answers = WebhookAnswers::default();
        for id in 0..=u64::try_from(ANSWERS_MAX).unwrap() {
            answers.put(MessageId(id), id.to_string());
        }
        answers.put(MessageId(1), "again".to_owned());
        assert_eq!(answers.get(MessageId(0)), None);
        assert_eq!(answers.get(MessageId(1)).as_deref(), Some("again"));
    }
}
