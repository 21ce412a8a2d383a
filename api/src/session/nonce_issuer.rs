//! Nonces that are authenticated by the server's key and need no storage until they are used.

use domain::Nonce;

/// The lifetime of a nonce, and of the message that contains it, in seconds. `escrow` accepts no more.
pub const LIFETIME_S: u64 = 600;

/// The number of bits that authenticate a nonce; the 48 bits above them are random.
const TAG_BITS: u32 = 80;

/// The purpose of a nonce. One that was issued without a session cannot sign an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A sign-in.
    SignIn,
    /// Any other message.
    Action,
}

/// A nonce and the times that the message with it must contain, in unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IssuedNonce {
    /// The nonce.
    pub nonce: Nonce,
    /// `Issued` of the message.
    pub issued_s: u64,
    /// `Expires` of the message.
    pub expires_s: u64,
}

/// Issues nonces and recognizes them again without storing any.
///
/// A nonce is 48 random bits and an 80-bit tag over them, the purpose, the address and both times. So it is valid for
/// one address and one pair of times, cannot be forged without the key, and issuing a million takes no memory. Used
/// nonces are recorded in the journal.
pub struct NonceIssuer {
    key: [u8; 32],
}

impl NonceIssuer {
    /// Builds an issuer with this key.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// Issues a nonce for `address` that is valid from now on.
    #[must_use]
    pub fn issue(&self, purpose: Purpose, address: &str, now_s: u64) -> IssuedNonce {
        let random = rand::random::<u128>() >> TAG_BITS;
        let (issued_s, expires_s) = (now_s, now_s.saturating_add(LIFETIME_S));
        let tag = self.tag(purpose, address, issued_s, expires_s, random);
        IssuedNonce { nonce: Nonce(random << TAG_BITS | tag), issued_s, expires_s }
    }

    /// Returns whether the nonce was issued by this server for exactly this purpose, address and times.
    #[must_use]
    pub fn is_valid(&self, purpose: Purpose, address: &str, issued: IssuedNonce) -> bool {
        let random = issued.nonce.0 >> TAG_BITS;
        let tag = self.tag(purpose, address, issued.issued_s, issued.expires_s, random);
        // The hashes are compared instead of the tags, so that the duration reveals nothing.
        blake3::hash(&(random << TAG_BITS | tag).to_be_bytes()) == blake3::hash(&issued.nonce.0.to_be_bytes())
    }

    fn tag(&self, purpose: Purpose, address: &str, issued_s: u64, expires_s: u64, random: u128) -> u128 {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(match purpose {
            Purpose::SignIn => b"sign-in",
            Purpose::Action => b"action.",
        });
        hasher.update(&issued_s.to_be_bytes());
        hasher.update(&expires_s.to_be_bytes());
        hasher.update(&random.to_be_bytes());
        // Last, because it is the only part without a fixed length.
        hasher.update(address.as_bytes());
        let mut bytes = [0; 16];
        hasher.finalize_xof().fill(&mut bytes[6..]);
        u128::from_be_bytes(bytes)
    }
}

/// Returns a nonce as written in messages: 32 hexadecimal digits.
#[must_use]
pub fn to_text(nonce: Nonce) -> String {
    format!("{:032x}", nonce.0)
}

/// Parses a nonce, which has exactly one spelling.
#[must_use]
pub fn parse(text: &str) -> Option<Nonce> {
    u128::from_str_radix(text, 16).ok().map(Nonce).filter(|nonce| to_text(*nonce) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_valid_only_for_its_own_address_times_and_purpose() {
        let nonces = NonceIssuer::new([7; 32]);
        let issued = nonces.issue(Purpose::SignIn, "bcrt1qa", 1_800_000_000);
        assert!(nonces.is_valid(Purpose::SignIn, "bcrt1qa", issued));
        assert!(!nonces.is_valid(Purpose::Action, "bcrt1qa", issued));
        assert!(!nonces.is_valid(Purpose::SignIn, "bcrt1qb", issued));
        assert!(!nonces.is_valid(Purpose::SignIn, "bcrt1qa", IssuedNonce { issued_s: issued.issued_s + 1, ..issued }));
        assert!(!nonces.is_valid(
            Purpose::SignIn,
            "bcrt1qa",
            IssuedNonce { expires_s: issued.expires_s + 1, ..issued }
        ));
        assert!(!NonceIssuer::new([8; 32]).is_valid(Purpose::SignIn, "bcrt1qa", issued));
        for bit in 0..128 {
            let nonce = Nonce(issued.nonce.0 ^ 1 << bit);
            assert!(!nonces.is_valid(Purpose::SignIn, "bcrt1qa", IssuedNonce { nonce, ..issued }), "bit {bit}");
        }
    }

    #[test]
    fn nonces_of_the_same_second_differ_and_read_back_in_one_spelling() {
        let issuer = NonceIssuer::new([7; 32]);
        let first = issuer.issue(Purpose::Action, "bcrt1qa", 5).nonce;
        assert_ne!(first, issuer.issue(Purpose::Action, "bcrt1qa", 5).nonce);
        assert_eq!(parse(&to_text(first)), Some(first));
        for other in ["", "12", "+0000000000000000000000000000001", &"F".repeat(32), &"0".repeat(33)] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
