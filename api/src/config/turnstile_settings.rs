//! When creating offers asks for a bot check, and whom to ask about it.

use std::path::PathBuf;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::private_file;
use crate::failure::Failure;

/// The variable that may hold the secret instead of a file.
pub const SECRET_VARIABLE: &str = "LIENBOOK_TURNSTILE_SECRET";

/// Cloudflare Turnstile on the creation and the edit of offers and on the preparation of loans; off without a site key. The secret is not among these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TurnstileSettings {
    /// The public key that pages show the challenge with.
    pub site_key: Option<String>,
    /// A file with the secret, that its owner alone can read.
    pub secret_file: Option<PathBuf>,
    /// Where tokens are verified, if not at Cloudflare's own address: by TLS, or in clear on this machine.
    pub verify_url: Option<String>,
    /// How many creations and edits of one user in a window need no token.
    pub unchecked_of_user: u32,
    /// How many of one IP address need none.
    pub unchecked_of_address: u32,
    /// How many prepared loans of one user in a window need no token: each holds an offer and its lender's money.
    pub unchecked_loans_of_user: u32,
    /// How many of one IP address need none.
    pub unchecked_loans_of_address: u32,
    /// How many tokens of one user may be refused in a window, before all of theirs are.
    pub failures_of_user: u32,
    /// How many of one IP address may be.
    pub failures_of_address: u32,
    /// The length of the window, in seconds; what was used comes back evenly over it.
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
    /// The secret: of the variable, else of the file.
    ///
    /// # Errors
    /// When the file cannot be read or others can read it, or there is no text in either.
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
    fn the_secret_stands_in_the_variable_or_in_a_file_of_its_owner_alone() {
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
