//! One-time tickets for the private channel of the feed: requested over HTTP with a session, sent once on the socket.

use std::collections::BTreeSet;
use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{ApiKeyId, SessionId, UnixMs, UserId};
use engine::locks::MutexExt as _;
use thiserror::Error;

use super::credential::{Credential, CredentialId};

/// The lifetime of a ticket, in milliseconds.
pub const LIFETIME_MS: u64 = 30_000;

/// The largest number of used tickets that are remembered; beyond it no ticket is accepted for a while.
const USED_MAX: usize = 200_000;

const BODY_LENGTH: usize = 33;
const TAG_LENGTH: usize = 16;

/// The bit of the last byte that marks the ticket of an API key.
const IS_KEY: u8 = 2;

/// The reason why a ticket is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TicketError {
    /// The ticket was not issued by this server.
    #[error("the ticket is not valid")]
    Invalid,
    /// The ticket has expired.
    #[error("the ticket expired")]
    Expired,
    /// The ticket has been used before.
    #[error("the ticket was used already")]
    Used,
}

/// Issues tickets and redeems each of them once.
pub struct TicketIssuer {
    key: [u8; 32],
    used: Mutex<BTreeSet<(UnixMs, u64)>>,
}

impl TicketIssuer {
    /// Builds an issuer with this key.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self { key, used: Mutex::default() }
    }

    /// Returns a ticket for a session or API key, and the time at which it expires.
    #[must_use]
    pub fn issue(&self, credential: Credential, now: UnixMs) -> (String, UnixMs) {
        let expires_at = now.plus_ms(LIFETIME_MS);
        let mut body = Vec::with_capacity(BODY_LENGTH + TAG_LENGTH);
        let (id, kind) = match credential.id {
            CredentialId::Session(session) => (session.0, 0),
            CredentialId::Key(key) => (key.0, IS_KEY),
        };
        body.extend_from_slice(&credential.user.0.to_be_bytes());
        body.extend_from_slice(&id.to_be_bytes());
        body.extend_from_slice(&expires_at.0.to_be_bytes());
        body.extend_from_slice(&rand::random::<u64>().to_be_bytes());
        body.push(kind | u8::from(credential.is_hardware_wallet));
        let tag = self.tag(&body);
        body.extend_from_slice(&tag);
        (URL_SAFE_NO_PAD.encode(body), expires_at)
    }

    /// Redeems a ticket and returns its session or API key.
    ///
    /// # Errors
    /// [`TicketError`].
    pub fn redeem(&self, text: &str, now: UnixMs) -> Result<Credential, TicketError> {
        if text.len() > 2 * (BODY_LENGTH + TAG_LENGTH) {
            return Err(TicketError::Invalid);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| TicketError::Invalid)?;
        let (body, tag) = bytes.split_at_checked(BODY_LENGTH).ok_or(TicketError::Invalid)?;
        // Hashes are compared in constant time.
        if tag.len() != TAG_LENGTH || blake3::hash(tag) != blake3::hash(&self.tag(body)) {
            return Err(TicketError::Invalid);
        }
        let number = |index: usize| -> Option<u64> {
            let bytes = body.get(index * 8..index * 8 + 8)?;
            bytes.try_into().ok().map(u64::from_be_bytes)
        };
        let (Some(user), Some(id), Some(expires_at), Some(serial), Some(flags)) =
            (number(0), number(1), number(2).map(UnixMs), number(3), body.last())
        else {
            return Err(TicketError::Invalid);
        };
        if expires_at <= now {
            return Err(TicketError::Expired);
        }
        let mut redeemed = self.used.lock_unpoisoned();
        // Expired tickets are refused anyway, so they need not be remembered.
        *redeemed = redeemed.split_off(&(now, 0));
        if redeemed.len() >= USED_MAX || !redeemed.insert((expires_at, serial)) {
            return Err(TicketError::Used);
        }
        let is_key = flags & IS_KEY != 0;
        let id = if is_key { CredentialId::Key(ApiKeyId(id)) } else { CredentialId::Session(SessionId(id)) };
        Ok(Credential { user: UserId(user), id, is_hardware_wallet: flags & 1 != 0 })
    }

    fn tag(&self, body: &[u8]) -> [u8; TAG_LENGTH] {
        let mut tag = [0; TAG_LENGTH];
        blake3::Hasher::new_keyed(&self.key).update(body).finalize_xof().fill(&mut tag);
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBJECT: Credential =
        Credential { user: UserId(9), id: CredentialId::Session(SessionId(2)), is_hardware_wallet: true };

    #[test]
    fn a_ticket_opens_once_within_thirty_seconds() {
        let issuer = TicketIssuer::new([5; 32]);
        let (ticket, expires_at) = issuer.issue(SUBJECT, UnixMs(1_000));
        assert_eq!(expires_at, UnixMs(31_000));
        assert_eq!(issuer.redeem(&ticket, UnixMs(31_000)), Err(TicketError::Expired));
        assert_eq!(issuer.redeem(&ticket, UnixMs(30_999)), Ok(SUBJECT));
        assert_eq!(issuer.redeem(&ticket, UnixMs(30_999)), Err(TicketError::Used));
    }

    #[test]
    fn a_ticket_of_a_key_is_not_one_of_a_session() {
        let issuer = TicketIssuer::new([5; 32]);
        for is_hardware_wallet in [false, true] {
            for id in [CredentialId::Key(ApiKeyId(2)), CredentialId::Session(SessionId(2))] {
                let credential = Credential { user: UserId(9), id, is_hardware_wallet };
                let (ticket, _) = issuer.issue(credential, UnixMs(1_000));
                assert_eq!(issuer.redeem(&ticket, UnixMs(1_000)), Ok(credential));
            }
        }
    }

    #[test]
    fn a_foreign_or_altered_ticket_is_invalid() {
        let issuer = TicketIssuer::new([5; 32]);
        let (ticket, _) = issuer.issue(SUBJECT, UnixMs(1_000));
        let (foreign, _) = TicketIssuer::new([6; 32]).issue(SUBJECT, UnixMs(1_000));
        let (first, rest) = ticket.split_at(1);
        let altered = format!("{}{rest}", if first == "A" { "B" } else { "A" });
        for text in ["", "ä", "AAAA", &foreign, &altered, &ticket[..ticket.len() - 2], &"A".repeat(10_000)] {
            assert_eq!(issuer.redeem(text, UnixMs(1_000)), Err(TicketError::Invalid), "{text:.80}");
        }
    }
}
