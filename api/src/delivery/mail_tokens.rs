//! The tokens in links of mails, which name their user and purpose. The server stores none of them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::UserId;

use crate::http::request_limits::MAIL_TOKEN_BYTES;

const BODY_LENGTH: usize = 17;
const TAG_LENGTH: usize = 16;

const _: () = assert!(BODY_LENGTH + TAG_LENGTH == MAIL_TOKEN_BYTES);

/// The purpose of a token. Its number is part of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailTask {
    /// Proves that the mail arrived.
    Verify,
    /// Stops mails to the address, and permits nothing else.
    Unsubscribe,
}

impl MailTask {
    const fn number(self) -> u8 {
        match self {
            Self::Verify => 1,
            Self::Unsubscribe => 2,
        }
    }
}

/// Issues and checks tokens.
pub struct MailTokens {
    key: [u8; 32],
}

impl MailTokens {
    /// Builds an issuer with this key.
    #[must_use]
    pub const fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// Returns a token for one purpose and the user's address with this serial number; the same at any time.
    #[must_use]
    pub fn token(&self, task: MailTask, user: UserId, serial: u64) -> String {
        let mut token = Vec::with_capacity(MAIL_TOKEN_BYTES);
        token.push(task.number());
        token.extend_from_slice(&user.0.to_be_bytes());
        token.extend_from_slice(&serial.to_be_bytes());
        let tag = self.tag(&token);
        token.extend_from_slice(&tag);
        URL_SAFE_NO_PAD.encode(token)
    }

    /// Returns the user and the serial number of the address; `None` when the token was not issued by this server for
    /// this purpose.
    #[must_use]
    pub fn read(&self, task: MailTask, text: &str) -> Option<(UserId, u64)> {
        if text.len() > 2 * MAIL_TOKEN_BYTES {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (body, tag) = bytes.split_at_checked(BODY_LENGTH)?;
        // Hashes are compared in constant time.
        if tag.len() != TAG_LENGTH || blake3::hash(tag) != blake3::hash(&self.tag(body)) {
            return None;
        }
        let (first, rest) = body.split_first()?;
        let (user, serial) = rest.split_first_chunk::<8>()?;
        let serial: [u8; 8] = serial.try_into().ok()?;
        (*first == task.number()).then(|| (UserId(u64::from_be_bytes(*user)), u64::from_be_bytes(serial)))
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

    #[test]
    fn a_token_is_valid_only_for_its_own_purpose() {
        let tokens = MailTokens::new([5; 32]);
        let token = tokens.token(MailTask::Verify, UserId(9), 7);
        assert_eq!(tokens.read(MailTask::Verify, &token), Some((UserId(9), 7)));
        assert_eq!(tokens.read(MailTask::Unsubscribe, &token), None);
        assert_eq!(MailTokens::new([6; 32]).read(MailTask::Verify, &token), None);
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        for place in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[place] ^= 1;
            assert_eq!(tokens.read(MailTask::Verify, &URL_SAFE_NO_PAD.encode(altered)), None, "{place}");
        }
        for text in ["", "ä", "AAAA", &token[..token.len() - 2], &"A".repeat(10_000)] {
            assert_eq!(tokens.read(MailTask::Verify, text), None, "{text:.80}");
        }
    }
}
