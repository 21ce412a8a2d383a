//! The permissions of a file with a secret.

use std::path::Path;

/// The environment variable in which systemd names the folder of a service's credentials.
pub const CREDENTIALS_VARIABLE: &str = "CREDENTIALS_DIRECTORY";

/// Returns whether a file with these permissions is readable by its owner only.
///
/// A file directly in the folder of systemd's credentials may be readable by its group, as `0440`: systemd lets the user
/// of the service read it by an access control list, whose mask is shown in the place of the group's permissions. The
/// folder itself is closed to all others.
#[must_use]
pub fn is_private(mode: u32, path: &Path) -> bool {
    let credentials = std::env::var_os(CREDENTIALS_VARIABLE);
    is_private_beside(mode, path, credentials.as_deref().map(Path::new))
}

fn is_private_beside(mode: u32, path: &Path, credentials: Option<&Path>) -> bool {
    let is_credential = credentials.is_some_and(|folder| folder.is_absolute() && path.parent() == Some(folder));
    let permitted = if is_credential { 0o740 } else { 0o700 };
    mode & 0o777 & !permitted == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_credential_may_be_readable_by_its_group() {
        let folder = Path::new("/run/credentials/lienbook.service");
        let (inside, outside) = (folder.join("key"), Path::new("/etc/lienbook/key"));
        for (mode, is_in_folder, is_elsewhere) in [
            (0o100_600, true, true),
            (0o400, true, true),
            (0o440, true, false),
            (0o640, true, false),
            (0o460, false, false),
            (0o450, false, false),
            (0o444, false, false),
            (0o604, false, false),
        ] {
            assert_eq!(is_private_beside(mode, &inside, Some(folder)), is_in_folder, "{mode:o}");
            assert_eq!(is_private_beside(mode, outside, Some(folder)), is_elsewhere, "{mode:o}");
            assert_eq!(is_private_beside(mode, &inside, None), is_elsewhere, "{mode:o}");
        }
        let deeper = folder.join("more/key");
        assert!(!is_private_beside(0o440, &deeper, Some(folder)));
        assert!(!is_private_beside(0o440, &folder.join("../key"), Some(folder)));
        assert!(!is_private_beside(0o440, Path::new("key"), Some(Path::new(""))));
    }
}
