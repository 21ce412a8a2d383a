//! The secrets of API keys: `lbk_`, the number of the key in hexadecimal, and 32 random bytes in base64url.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::ApiKeyId;

/// The beginning of every secret, by which secret scanners recognize it. No session token begins with it.
const PREFIX: &str = "lbk_";

/// The number of random bytes.
const RANDOM_LENGTH: usize = 32;

/// The random part of a new secret.
#[derive(Clone, Copy)]
pub struct RandomPart([u8; RANDOM_LENGTH]);

impl RandomPart {
    /// Draws a random part.
    #[must_use]
    pub fn draw() -> Self {
        Self(rand::random())
    }

    /// Returns the secret of a key.
    #[must_use]
    pub fn secret_of(self, id: ApiKeyId) -> String {
        format!("{PREFIX}{:x}_{}", id.0, URL_SAFE_NO_PAD.encode(self.0))
    }
}

/// Whether a bearer token is meant to be the secret of an API key.
#[must_use]
pub fn is_secret(token: &str) -> bool {
    token.starts_with(PREFIX)
}

/// Returns the key that a secret claims to belong to; `None` for a text that is no secret.
#[must_use]
pub fn key_of(secret: &str) -> Option<ApiKeyId> {
    let (number, random) = secret.strip_prefix(PREFIX)?.split_once('_')?;
    if number.len() > 16 || random.len() != 43 {
        return None;
    }
    let id = ApiKeyId(u64::from_str_radix(number, 16).ok()?);
    let bytes = <[u8; RANDOM_LENGTH]>::try_from(URL_SAFE_NO_PAD.decode(random).ok()?).ok()?;
    // Each secret has one spelling.
    (RandomPart(bytes).secret_of(id) == secret).then_some(id)
}

/// Returns the hash of a secret, which is all that is stored of it. A secret has 256 random bits, so a fast hash without
/// salt is enough.
#[must_use]
pub fn hash(secret: &str) -> blake3::Hash {
    blake3::hash(secret.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_names_its_key_in_one_spelling() {
        for id in [1, 0x1f, u64::MAX].map(ApiKeyId) {
            let secret = RandomPart::draw().secret_of(id);
            assert!(is_secret(&secret) && secret.len() <= 64, "{secret}");
            assert_eq!(key_of(&secret), Some(id));
            assert_ne!(hash(&secret), hash(&RandomPart::draw().secret_of(id)));
        }
        let secret = RandomPart([0xff; 32]).secret_of(ApiKeyId(0x1f));
        assert_eq!(key_of(&secret), Some(ApiKeyId(0x1f)));
        let random = secret.strip_prefix("lbk_1f_").unwrap();
        for text in [
            String::new(),
            "lbk_".to_owned(),
            "lbk_1f".to_owned(),
            format!("lbk_01f_{random}"),
            format!("lbk_1F_{random}"),
            format!("lbk_+1f_{random}"),
            format!("lbk_{}_{random}", "f".repeat(17)),
            format!("lbk_1f_{}", &random[1..]),
            format!("lbk_1f_{random}="),
            format!("LBK_1f_{random}"),
            // The unused bits of the last character are set.
            format!("lbk_1f_{}9", &random[..42]),
            format!("lbk_1f_{}", "ä".repeat(43)),
            "lbk_".repeat(10_000),
        ] {
            assert_eq!(key_of(&text), None, "{text:.80}");
        }
    }
}
