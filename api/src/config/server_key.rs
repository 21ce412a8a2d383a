//! The secret keys of a server, and the keys that are derived from them.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use secrecy::{ExposeSecret as _, SecretBox};

use super::private_file;
use crate::failure::Failure;

/// The places where one key may be.
#[derive(Clone, Copy, Debug)]
pub struct KeyPlace {
    /// The name of the key in messages.
    name: &'static str,
    /// The environment variable that may hold it instead of a file.
    pub variable: &'static str,
    /// The name of its file in the data folder.
    pub file_name: &'static str,
}

/// The key that authenticates every session, nonce, ticket and cursor.
pub const SESSION: KeyPlace =
    KeyPlace { name: "the session key", variable: "LIENBOOK_SESSION_KEY", file_name: "session.key" };

/// The key of the public log: it signs receipts and heads, and makes the pseudonyms. Another one begins other logs.
pub const LOG: KeyPlace =
    KeyPlace { name: "the key of the public log", variable: "LIENBOOK_LOG_KEY", file_name: "log.key" };

/// A 256-bit secret. It is never shown, not even in debug output.
pub struct ServerKey(SecretBox<[u8; 32]>);

impl ServerKey {
    /// Builds a key from its bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(SecretBox::new(Box::new(bytes)))
    }

    /// Finds the key: in the environment, else in the file, which is created with a random key if there is none.
    ///
    /// # Errors
    /// Fails if the key is not 64 hexadecimal digits, or other users may read its file, or the file cannot be used.
    pub fn find(place: &KeyPlace, variable: Option<&str>, file: &Path) -> Result<Self, Failure> {
        if let Some(text) = variable {
            return Self::parse(text)
                .ok_or_else(|| Failure::new(format!("{} is not 64 hexadecimal digits", place.variable)));
        }
        match private_file::read(file, place.name)? {
            Some(text) => Self::parse(text.trim())
                .ok_or_else(|| Failure::new(format!("{} does not hold 64 hexadecimal digits", file.display()))),
            None => Self::create(place, file),
        }
    }

    /// Derives a key for one purpose, which reveals neither this key nor that of another purpose.
    #[must_use]
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        blake3::derive_key(&format!("lienbook 2026 {purpose}"), self.0.expose_secret())
    }

    fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self::new(bytes))
    }

    fn create(place: &KeyPlace, file: &Path) -> Result<Self, Failure> {
        let bytes: [u8; 32] = rand::random();
        let text = hex::encode(bytes);
        let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).and_then(|mut made| {
            made.write_all(text.as_bytes())?;
            made.sync_all()
        });
        written
            .map(|()| Self::new(bytes))
            .map_err(|error| Failure::new(format!("cannot write {} to {}: {error}", place.name, file.display())))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_created_once_readable_only_by_its_owner_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(SESSION.file_name);
        let made = ServerKey::find(&SESSION, None, &file).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let read = ServerKey::find(&SESSION, None, &file).unwrap();
        assert_eq!(made.derive("a"), read.derive("a"));
        assert_ne!(made.derive("a"), made.derive("b"));
    }

    #[test]
    fn a_key_that_others_can_read_or_that_is_malformed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(SESSION.file_name);
        ServerKey::find(&SESSION, None, &file).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(ServerKey::find(&SESSION, None, &file).err().unwrap().to_string().contains("chmod 600"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "not a key").unwrap();
        assert!(ServerKey::find(&SESSION, None, &file).is_err());
        assert!(ServerKey::find(&SESSION, Some("zz"), &file).is_err());
        assert!(ServerKey::find(&SESSION, Some(&"0f".repeat(32)), &file).is_ok());
    }
}
