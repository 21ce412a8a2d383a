//! Tokens that link a chat with the bot to a user: issued in the app, sent once to the bot.

use std::collections::HashMap;
use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{UnixMs, UserId};
use engine::locks::MutexExt as _;

/// The lifetime of a token, in milliseconds.
pub const LIFETIME_MS: u64 = 15 * 60_000;

/// The largest number of outstanding tokens; one more invalidates all earlier ones.
const TOKENS_MAX: usize = 50_000;

/// The stored hash of a token, so that a copy of the memory does not reveal usable tokens.
type Digest = [u8; 32];

/// Issues tokens and redeems each of them once. They are lost when the process ends.
#[derive(Default)]
pub struct LinkTokens {
    outstanding: Mutex<HashMap<Digest, (UserId, UnixMs)>>,
}

impl LinkTokens {
    /// Issues a token for a user, with the time of its expiry; an earlier token of the user becomes invalid.
    pub fn issue(&self, user: UserId, now: UnixMs) -> (String, UnixMs) {
        let token = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 24]>());
        let expires_at = now.plus_ms(LIFETIME_MS);
        let mut outstanding = self.outstanding.lock_unpoisoned();
        outstanding.retain(|_, (owner, until)| *owner != user && *until > now);
        if outstanding.len() >= TOKENS_MAX {
            outstanding.clear();
        }
        outstanding.insert(digest(&token), (user, expires_at));
        (token, expires_at)
    }

    /// Redeems a token and returns its user; `None` when it is unknown, used or expired.
    pub fn redeem(&self, token: &str, now: UnixMs) -> Option<UserId> {
        let mut outstanding = self.outstanding.lock_unpoisoned();
        let (user, expires_at) = outstanding.remove(&digest(token))?;
        (expires_at > now).then_some(user)
    }
}

fn digest(token: &str) -> Digest {
    *blake3::hash(token.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_links_once_and_only_the_latest_of_a_user() {
        let tokens = LinkTokens::default();
        let (first, expires_at) = tokens.issue(UserId(1), UnixMs(0));
        assert_eq!(expires_at, UnixMs(LIFETIME_MS));
        let (second, _) = tokens.issue(UserId(1), UnixMs(1));
        let (other, _) = tokens.issue(UserId(2), UnixMs(1));
        assert_eq!(tokens.redeem(&first, UnixMs(2)), None);
        assert_eq!(tokens.redeem(&second, UnixMs(2)), Some(UserId(1)));
        assert_eq!(tokens.redeem(&second, UnixMs(2)), None);
        assert_eq!(tokens.redeem(&other, UnixMs(1 + LIFETIME_MS)), None);
        assert!(second.len() <= 64 && second.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    }

    #[test]
    fn more_tokens_than_fit_do_not_take_more_memory() {
        let tokens = LinkTokens::default();
        let many = (0..u64::try_from(TOKENS_MAX).unwrap()).map(|user| ([0; 32], user));
        tokens.outstanding.lock().unwrap().extend(many.map(|(mut digest, user)| {
            digest[..8].copy_from_slice(&user.to_be_bytes());
            (digest, (UserId(user + 10), UnixMs(u64::MAX)))
        }));
        let (token, _) = tokens.issue(UserId(1), UnixMs(0));
        assert_eq!(tokens.outstanding.lock().unwrap().len(), 1);
        assert_eq!(tokens.redeem(&token, UnixMs(1)), Some(UserId(1)));
    }
}
