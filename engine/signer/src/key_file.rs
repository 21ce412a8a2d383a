//! The master seed on disk, encrypted in the age format.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use age::{scrypt, x25519};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;
use zeroize::{Zeroize as _, Zeroizing};

use crate::master_seed::{MasterSeed, SEED_LENGTH};
use crate::private_mode::is_private;

/// The scrypt work factor of passphrases, as a power of 2: about a second, and 256 MiB.
const WORK_FACTOR: u8 = 18;
/// The maximum work factor that is accepted: 16 times the cost.
const WORK_FACTOR_MAX: u8 = 22;
/// The minimum length of a passphrase, in characters, against offline guessing with a stolen file.
pub const PASSPHRASE_LENGTH_MIN: usize = 16;
/// The maximum length of a secret file, in bytes.
const FILE_LENGTH_MAX: u64 = 4_096;

/// The secret that encrypts the key file. Neither form is shown in debug output.
pub enum Lock {
    /// A passphrase, stretched by scrypt.
    Passphrase(SecretString),
    /// An identity file as `age-keygen` writes it.
    Identity(x25519::Identity),
}

/// The reason why there is no seed.
#[derive(Debug, Error)]
pub enum KeyFileError {
    /// A file cannot be used.
    #[error("{path}: {source}")]
    File {
        /// The file's path.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The file is readable by other users of the machine.
    #[error("{path} is readable by others: chmod 600 {path}")]
    ReadableByOthers {
        /// The file's path.
        path: PathBuf,
    },
    /// The file is longer than any of its kind.
    #[error("{path} has more than {FILE_LENGTH_MAX} bytes")]
    TooLong {
        /// The file's path.
        path: PathBuf,
    },
    /// A key file is never overwritten: that would lose every vault.
    #[error("{path} is there already; a key file is never written over")]
    Exists {
        /// The file's path.
        path: PathBuf,
    },
    /// The passphrase is too short.
    #[error("a passphrase has at least {PASSPHRASE_LENGTH_MIN} characters")]
    PassphraseShort,
    /// The file is not text, or has no identity.
    #[error("{path} holds no age identity (AGE-SECRET-KEY-1...) and no text")]
    NoSecret {
        /// The file's path.
        path: PathBuf,
    },
    /// Another passphrase or identity, or not an age file.
    #[error("{path} does not open: {reason}")]
    Locked {
        /// The file's path.
        path: PathBuf,
        /// The error of age, which reveals nothing of the secret.
        reason: String,
    },
    /// Something else was encrypted.
    #[error("{path} holds no seed of {SEED_LENGTH} bytes")]
    NoSeed {
        /// The file's path.
        path: PathBuf,
    },
}

impl Lock {
    /// Creates a lock from a passphrase; a trailing newline, as editors leave one, is not part of it.
    pub fn passphrase(text: &str) -> Result<Self, KeyFileError> {
        let text = text.trim_end_matches(['\r', '\n']);
        if text.chars().count() < PASSPHRASE_LENGTH_MIN {
            return Err(KeyFileError::PassphraseShort);
        }
        Ok(Self::Passphrase(SecretString::from(text.to_owned())))
    }

    /// Reads the passphrase from a file that only its owner can read.
    pub fn passphrase_file(path: &Path) -> Result<Self, KeyFileError> {
        Self::passphrase(&read_text(path)?)
    }

    /// Reads the first identity from a file of `age-keygen` that only its owner can read.
    pub fn identity_file(path: &Path) -> Result<Self, KeyFileError> {
        let text = read_text(path)?;
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let identity = line.and_then(|line| line.parse().ok());
        identity.map(Self::Identity).ok_or_else(|| KeyFileError::NoSecret { path: path.to_owned() })
    }

    fn encrypt(&self, plain: &[u8], work_factor: u8) -> Result<Vec<u8>, age::EncryptError> {
        match self {
            Self::Passphrase(passphrase) => {
                let mut recipient = scrypt::Recipient::new(passphrase.clone());
                recipient.set_work_factor(work_factor);
                age::encrypt(&recipient, plain)
            }
            Self::Identity(identity) => age::encrypt(&identity.to_public(), plain),
        }
    }

    fn decrypt(&self, sealed: &[u8]) -> Result<Vec<u8>, age::DecryptError> {
        match self {
            Self::Passphrase(passphrase) => {
                let mut identity = scrypt::Identity::new(passphrase.clone());
                identity.set_max_work_factor(WORK_FACTOR_MAX);
                age::decrypt(&identity, sealed)
            }
            Self::Identity(identity) => age::decrypt(identity, sealed),
        }
    }
}

/// Creates a key file with a new seed, readable by its owner only; it is durable when this returns.
pub fn create(path: &Path, lock: &Lock) -> Result<MasterSeed, KeyFileError> {
    create_with(path, lock, WORK_FACTOR)
}

fn create_with(path: &Path, lock: &Lock, work_factor: u8) -> Result<MasterSeed, KeyFileError> {
    let cannot = |source| KeyFileError::File { path: path.to_owned(), source };
    let seed = MasterSeed::random();
    let sealed = lock
        .encrypt(seed.expose(), work_factor)
        .map_err(|error| KeyFileError::Locked { path: path.to_owned(), reason: error.to_string() })?;
    let mut file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(KeyFileError::Exists { path: path.to_owned() });
        }
        opened => opened.map_err(cannot)?,
    };
    file.write_all(&sealed).and_then(|()| file.sync_all()).map_err(cannot)?;
    sync_folder_of(path).map_err(cannot)?;
    Ok(seed)
}

/// Opens a key file that only its owner can read.
pub fn open(path: &Path, lock: &Lock) -> Result<MasterSeed, KeyFileError> {
    let sealed = read_private(path)?;
    let mut plain = lock
        .decrypt(&sealed)
        .map(Zeroizing::new)
        .map_err(|error| KeyFileError::Locked { path: path.to_owned(), reason: error.to_string() })?;
    let mut seed = Box::new([0; SEED_LENGTH]);
    if plain.len() != SEED_LENGTH {
        return Err(KeyFileError::NoSeed { path: path.to_owned() });
    }
    seed.copy_from_slice(&plain);
    plain.zeroize();
    Ok(MasterSeed::new(seed))
}

/// Makes the directory entry of the file durable.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn read_text(path: &Path) -> Result<Zeroizing<String>, KeyFileError> {
    let bytes = read_private(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| KeyFileError::NoSecret { path: path.to_owned() })?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The mode is read from the opened file, so that the file cannot be swapped in between.
fn read_private(path: &Path) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    let cannot = |source| KeyFileError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(cannot)?;
    let mode = file.metadata().map_err(cannot)?.permissions().mode();
    if !is_private(mode, path) {
        return Err(KeyFileError::ReadableByOthers { path: path.to_owned() });
    }
    let mut bytes = Zeroizing::new(Vec::new());
    file.take(FILE_LENGTH_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_LENGTH_MAX {
        return Err(KeyFileError::TooLong { path: path.to_owned() });
    }
    Ok(bytes)
}

/// Creates an age identity in a file of its own, readable by its owner only.
///
/// # Errors
/// If the file exists, or cannot be written.
pub fn create_identity(path: &Path) -> Result<Lock, KeyFileError> {
    let cannot = |source| KeyFileError::File { path: path.to_owned(), source };
    let identity = x25519::Identity::generate();
    let mut file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(KeyFileError::Exists { path: path.to_owned() });
        }
        opened => opened.map_err(cannot)?,
    };
    let text = identity.to_string();
    file.write_all(text.expose_secret().as_bytes()).map_err(cannot)?;
    file.write_all(b"\n").and_then(|()| file.sync_all()).map_err(cannot)?;
    sync_folder_of(path).map_err(cannot)?;
    Ok(Lock::Identity(identity))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    const PASSPHRASE: &str = "nine lives and a saddle";

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_seed_is_opened_with_its_passphrase_and_with_no_other() {
        let folder = folder();
        let path = folder.path().join("vault.keys");
        let lock = Lock::passphrase(PASSPHRASE).unwrap();
        let made = create_with(&path, &lock, 10).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let sealed = fs::read(&path).unwrap();
        assert!(!sealed.windows(8).any(|part| part == &made.expose()[..8]), "the seed is not on the disk");
        assert_eq!(open(&path, &lock).unwrap().expose(), made.expose());
        let other = Lock::passphrase("nine lives and no saddle").unwrap();
        assert!(matches!(open(&path, &other), Err(KeyFileError::Locked { .. })));
        // A trailing newline that an editor left is not part of the passphrase.
        assert!(open(&path, &Lock::passphrase(&format!("{PASSPHRASE}\n")).unwrap()).is_ok());
    }

    #[test]
    fn a_seed_is_opened_with_its_identity_and_with_no_other() {
        let folder = folder();
        let [path, own, other] = ["vault.keys", "own.txt", "other.txt"].map(|name| folder.path().join(name));
        let made = create(&path, &create_identity(&own).unwrap()).unwrap();
        assert_eq!(open(&path, &Lock::identity_file(&own).unwrap()).unwrap().expose(), made.expose());
        let refused = open(&path, &create_identity(&other).unwrap());
        assert!(matches!(refused, Err(KeyFileError::Locked { .. })));
        assert!(matches!(create_identity(&own), Err(KeyFileError::Exists { .. })));
    }

    #[test]
    fn every_invalid_file_is_refused_with_its_path() {
        let folder = folder();
        let path = folder.path().join("vault.keys");
        let identity = create_identity(&folder.path().join("own.txt")).unwrap();
        assert!(matches!(open(&path, &identity), Err(KeyFileError::File { .. })));
        create(&path, &identity).unwrap();
        assert!(matches!(create(&path, &identity), Err(KeyFileError::Exists { .. })));
        for mode in [0o640, 0o604, 0o620, 0o610] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert!(matches!(open(&path, &identity), Err(KeyFileError::ReadableByOthers { .. })), "{mode:o}");
        }
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            path
        };
        let short = file("short", &identity.encrypt(&[7; SEED_LENGTH - 1], 1).unwrap());
        assert!(matches!(open(&short, &identity), Err(KeyFileError::NoSeed { .. })));
        let garbage = file("garbage", b"not an age file");
        assert!(matches!(open(&garbage, &identity), Err(KeyFileError::Locked { .. })));
        let long = file("long", &[b'x'; 5_000]);
        assert!(matches!(open(&long, &identity), Err(KeyFileError::TooLong { .. })));
        assert!(matches!(Lock::identity_file(&garbage), Err(KeyFileError::NoSecret { .. })));
        assert!(matches!(Lock::passphrase_file(&file("binary", &[0xff; 40])), Err(KeyFileError::NoSecret { .. })));
        assert!(matches!(Lock::passphrase_file(&file("empty", b"\n")), Err(KeyFileError::PassphraseShort)));
        assert!(Lock::passphrase_file(&file("good", PASSPHRASE.as_bytes())).is_ok());
    }

    #[test]
    fn no_altered_file_causes_a_panic() {
        let folder = folder();
        let path = folder.path().join("vault.keys");
        let identity = create_identity(&folder.path().join("own.txt")).unwrap();
        create(&path, &identity).unwrap();
        let sealed = fs::read(&path).unwrap();
        for place in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[place] ^= 1;
            fs::write(&path, &altered).unwrap();
            assert!(open(&path, &identity).is_err(), "byte {place} is not authenticated");
            fs::write(&path, &sealed[..place]).unwrap();
            assert!(open(&path, &identity).is_err(), "cut at {place}");
        }
    }
}
