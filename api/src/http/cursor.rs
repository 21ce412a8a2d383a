//! Opaque cursors of paged lists.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

const TAG_LENGTH: usize = 8;

/// The longest cursor, in characters.
pub const LENGTH_MAX: usize = 512;

/// Authenticates the position at which a page of a list ended, so that clients cannot construct cursors or rely on
/// their contents.
pub struct CursorSeal {
    key: [u8; 32],
}

impl CursorSeal {
    /// Builds a seal with this key.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// Returns the cursor of `place` in the list named `list`. The name must include the order and the filters.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] for a position that JSON cannot express.
    pub fn seal(&self, list: &str, place: &impl Serialize) -> Result<String, ApiError> {
        let mut bytes = serde_json::to_vec(place).map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
        let tag = self.tag(list, &bytes);
        bytes.extend_from_slice(&tag);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Returns the position of a cursor of this list.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidCursor`].
    pub fn open<T: DeserializeOwned>(&self, list: &str, cursor: &str) -> Result<T, ApiError> {
        let refuse = || ApiError::new(ErrorCode::InvalidCursor, "the cursor was not given out for this list");
        if cursor.len() > LENGTH_MAX {
            return Err(refuse());
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refuse())?;
        let (place, tag) = bytes.len().checked_sub(TAG_LENGTH).map(|end| bytes.split_at(end)).ok_or_else(refuse)?;
        if blake3::hash(tag) != blake3::hash(&self.tag(list, place)) {
            return Err(refuse());
        }
        serde_json::from_slice(place).map_err(|_| refuse())
    }

    fn tag(&self, list: &str, place: &[u8]) -> [u8; TAG_LENGTH] {
        let mut tag = [0; TAG_LENGTH];
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&blake3::hash(list.as_bytes()).as_bytes()[..]);
        hasher.update(place).finalize_xof().fill(&mut tag);
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_only_in_its_own_list() {
        let seal = CursorSeal::new([1; 32]);
        let cursor = seal.seal("offers", &(7_u64, "x")).unwrap();
        assert_eq!(seal.open::<(u64, String)>("offers", &cursor).unwrap(), (7, "x".to_owned()));
        for (list, text) in [
            ("loans", cursor.as_str()),
            ("offers", "AAAA"),
            ("offers", ""),
            ("offers", "%"),
            ("offers", &"A".repeat(600)),
        ] {
            let refused = seal.open::<(u64, String)>(list, text).unwrap_err();
            assert_eq!(refused.code(), ErrorCode::InvalidCursor);
        }
    }
}
