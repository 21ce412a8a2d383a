//! The settings of the bot check.

use std::path::PathBuf;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::private_file;
use crate::failure::Failure;

/// The environment variable that may hold the secret instead of a file.
pub const SECRET_VARIABLE: &str = "LIENBOOK_TURNSTILE_SECRET";

/// Cloudflare Turnstile for the creation and editing of offers and the preparation of loans; disabled without a site
/// key. The secret is not one of these settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TurnstileSettings {
    /// The public key with which pages show the challenge.
    pub site_key: Option<String>,
    /// A file with the secret, which only its owner may read.
    pub secret_file: Option<PathBuf>,
    /// The URL for the verification of tokens, if not Cloudflare's own: over TLS, or without TLS on this machine.
    pub verify_url: Option<String>,
    /// The number of creations and edits of one user per window that need no token.
    pub unchecked_of_user: u32,
    /// The same number for one IP address.
    pub unchecked_of_address: u32,
    /// The number of prepared loans of one user per window that need no token: each costs the server requests to
    /// its upstreams.
    pub unchecked_loans_of_user: u32,
    /// The same number for one IP address.
    pub unchecked_loans_of_address: u32,
    /// The number of tokens of one user that may be refused per window, before all further ones are.
    pub failures_of_user: u32,
    /// The same number for one IP address.
    pub failures_of_address: u32,
    /// The length of the window, in seconds; the allowance refills evenly over it.
    pub window_s: u32,
}

impl Default for TurnstileSettings {
    fn default() -> Self {
        Self {
            site_key: None,
            secret_file: None,
            verify_url: None,
            unchecked_of_user: 20,
            unchecked_of_address: 60,
            unchecked_loans_of_user: 10,
            unchecked_loans_of_address: 30,
            failures_of_user: 10,
            failures_of_address: 30,
            window_s: 600,
        }
    }
}

impl TurnstileSettings {
    /// Returns the secret: from the variable, else from the file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or other users may read it, or the secret is missing or empty.
    pub fn secret(&self, variable: Option<String>) -> Result<Option<SecretString>, Failure> {
        let what = "the secret of Turnstile";
        let found = match (variable, &self.secret_file) {
            (Some(text), _) => Some(text),
            (None, Some(file)) => {
                let missing = || Failure::new(format!("there is no file {} with {what}", file.display()));
                Some(private_file::read(file, what)?.ok_or_else(missing)?)
            }
            (None, None) => None,
        };
        match found.as_deref().map(str::trim) {
            Some("") => Err(Failure::new(format!("{what} is empty"))),
            found => Ok(found.map(SecretString::from)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn the_secret_is_in_the_variable_or_in_a_file_that_only_its_owner_may_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        let with_file = TurnstileSettings { secret_file: Some(file.clone()), ..TurnstileSettings::default() };
        let read = |settings: &TurnstileSettings, variable: Option<&str>| {
            let secret = settings.secret(variable.map(str::to_owned));
            secret.map(|secret| secret.map(|it| it.expose_secret().to_owned())).map_err(|failure| failure.to_string())
        };
        assert_eq!(read(&TurnstileSettings::default(), None), Ok(None));
        assert_eq!(read(&with_file, Some(" of the variable\n")), Ok(Some("of the variable".to_owned())));
        assert!(read(&with_file, None).unwrap_err().contains("there is no file"));
        fs::write(&file, "of the file\n").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        assert!(read(&with_file, None).unwrap_err().contains("chmod 600"));
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read(&with_file, None), Ok(Some("of the file".to_owned())));
        fs::write(&file, "\n").unwrap();
        assert!(read(&with_file, None).unwrap_err().contains("is empty"));
    }
}
