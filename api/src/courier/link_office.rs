//! Tokens by which a chat with the bot is linked to somebody: given out in the app, said once to the bot.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{UnixMs, UserId};

/// How long a token is good for, in milliseconds.
pub const LIFETIME_MS: u64 = 15 * 60_000;

/// The most tokens that are out at a time; one more and the oldest are void.
const TOKENS_MAX: usize = 50_000;

/// A token as it is remembered: whoever reads the memory of the process cannot use it.
type Digest = [u8; 32];

/// Gives out tokens and takes each back once. They die with the process.
#[derive(Default)]
pub struct LinkOffice {
    out: Mutex<HashMap<Digest, (UserId, UnixMs)>>,
}

impl LinkOffice {
    /// A token for somebody, and when it expires; the one they had before is void.
    pub fn issue(&self, user: UserId, now: UnixMs) -> (String, UnixMs) {
        let token = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 24]>());
        let expires_at = now.plus_ms(LIFETIME_MS);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.retain(|_, (whose, until)| *whose != user && *until > now);
        if out.len() >= TOKENS_MAX {
            out.clear();
        }
        out.insert(digest(&token), (user, expires_at));
        (token, expires_at)
    }

    /// Takes a token and says whose it is; `None` when it is unknown, used or expired.
    pub fn redeem(&self, token: &str, now: UnixMs) -> Option<UserId> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let (user, expires_at) = out.remove(&digest(token))?;
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
    fn a_token_links_once_and_only_the_latest_of_somebody() {
        let office = LinkOffice::default();
        let (first, expires_at) = office.issue(UserId(1), UnixMs(0));
        assert_eq!(expires_at, UnixMs(LIFETIME_MS));
        let (second, _) = office.issue(UserId(1), UnixMs(1));
        let (other, _) = office.issue(UserId(2), UnixMs(1));
        assert_eq!(office.redeem(&first, UnixMs(2)), None);
        assert_eq!(office.redeem(&second, UnixMs(2)), Some(UserId(1)));
        assert_eq!(office.redeem(&second, UnixMs(2)), None);
        assert_eq!(office.redeem(&other, UnixMs(1 + LIFETIME_MS)), None);
        assert!(second.len() <= 64 && second.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    }

    #[test]
    fn more_tokens_than_fit_do_not_take_more_memory() {
        let office = LinkOffice::default();
        let crowd = (0..u64::try_from(TOKENS_MAX).unwrap()).map(|user| ([0; 32], user));
        office.out.lock().unwrap().extend(crowd.map(|(mut digest, user)| {
            digest[..8].copy_from_slice(&user.to_be_bytes());
            (digest, (UserId(user + 10), UnixMs(u64::MAX)))
        }));
        let (token, _) = office.issue(UserId(1), UnixMs(0));
        assert_eq!(office.out.lock().unwrap().len(), 1);
        assert_eq!(office.redeem(&token, UnixMs(1)), Some(UserId(1)));
    }
}
