//! Pseudonyms: the numbers that stand for users in one book's log.

use std::collections::HashMap;

use bitcoin::hashes::{Hash as _, HashEngine as _, Hmac, HmacEngine, sha256};
use domain::{GroupId, UserId};

/// The most pseudonyms that are remembered; beyond, they are computed again.
const REMEMBERED_MAX: usize = 100_000;

/// The pseudonyms of one book. They depend on a secret and on the book, so a user of two books has two that cannot be linked.
pub struct Pseudonyms {
    secret: HmacEngine<sha256::Hash>,
    known: HashMap<UserId, UserId>,
}

impl Pseudonyms {
    /// Returns the pseudonyms of a book.
    #[must_use]
    pub fn new(secret: &[u8; 32], book: GroupId) -> Self {
        let mut engine = HmacEngine::new(secret);
        engine.input(&book.0.to_be_bytes());
        Self { secret: engine, known: HashMap::new() }
    }

    /// Returns the pseudonym of a user.
    pub fn of(&mut self, user: UserId) -> UserId {
        if let Some(known) = self.known.get(&user) {
            return *known;
        }
        let mut engine = self.secret.clone();
        engine.input(&user.0.to_be_bytes());
        let digest = Hmac::<sha256::Hash>::from_engine(engine).to_byte_array();
        let (first, _) = digest.split_first_chunk().unwrap_or((&[0; 8], &[]));
        let pseudonym = UserId(u64::from_be_bytes(*first));
        if self.known.len() >= REMEMBERED_MAX {
            self.known.clear();
        }
        self.known.insert(user, pseudonym);
        pseudonym
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_user_has_one_pseudonym_in_a_book_and_another_in_the_next() {
        let (mut one, mut other) = (Pseudonyms::new(&[7; 32], GroupId(1)), Pseudonyms::new(&[7; 32], GroupId(2)));
        let users = (0..1_000).map(UserId);
        let distinct: HashSet<UserId> = users.clone().flat_map(|user| [one.of(user), other.of(user)]).collect();
        assert_eq!(distinct.len(), 2_000);
        assert!(users.clone().all(|user| one.of(user) == Pseudonyms::new(&[7; 32], GroupId(1)).of(user)));
        assert_ne!(one.of(UserId(1)), Pseudonyms::new(&[8; 32], GroupId(1)).of(UserId(1)));
    }
}
