//! The sources of a secret that is not a setting: an environment variable, else a credential of the systemd service.

use std::path::{Path, PathBuf};

use signer::private_mode::CREDENTIALS_VARIABLE;

use super::private_file;
use crate::failure::Failure;

/// The prefix of the credentials that a unit loads from a folder (`LoadCredential=secret:FOLDER`).
const FOLDER_PREFIX: &str = "secret_";

/// Returns the secret with the name of a variable, such as `LIENBOOK_SMTP_PASSWORD`: from this variable, else from the
/// credential of the same name, without its last line feed; `None` if neither exists.
///
/// # Errors
/// Fails if the credential cannot be read, or by others than its owner.
pub fn find(name: &str) -> Result<Option<String>, Failure> {
    let credentials = std::env::var_os(CREDENTIALS_VARIABLE).map(PathBuf::from);
    find_in(name, std::env::var(name).ok(), credentials.as_deref())
}

fn find_in(name: &str, variable: Option<String>, credentials: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(folder) = credentials.filter(|_| variable.is_none()) else { return Ok(variable) };
    for file in [name.to_owned(), format!("{FOLDER_PREFIX}{name}")] {
        if let Some(text) = private_file::read(&folder.join(file), &format!("the credential {name}"))? {
            return Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_secret_is_in_the_variable_or_in_a_credential_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let put = |file: &str, text: &str, mode| {
            fs::write(folder.path().join(file), text).unwrap();
            fs::set_permissions(folder.path().join(file), Permissions::from_mode(mode)).unwrap();
        };
        let find = |name: &str, variable: Option<&str>| {
            find_in(name, variable.map(str::to_owned), Some(folder.path())).map_err(|failure| failure.to_string())
        };
        assert_eq!(find("A", None), Ok(None));
        assert_eq!(find("A", Some("sesame")), Ok(Some("sesame".to_owned())));
        put("secret_A", "from the folder\n", 0o400);
        assert_eq!(find("A", None), Ok(Some("from the folder".to_owned())));
        put("A", "its own", 0o400);
        assert_eq!(find("A", None), Ok(Some("its own".to_owned())));
        assert_eq!(find("A", Some("sesame")), Ok(Some("sesame".to_owned())), "a variable comes first");
        put("B", "open", 0o444);
        let refused = find("B", None).unwrap_err();
        assert!(refused.contains("the credential B") && !refused.contains("open"), "{refused}");
        assert_eq!(find_in("A", None, None).unwrap(), None);
    }
}
