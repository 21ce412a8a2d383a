//! The place of a journal that a command works on: a data folder, or a database.

use std::fmt;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

use persistence::{
    JournalTotals, Options, Pieces, PostgresJournal, PostgresOptions, RestoreError, RestoredBackup, SledJournal,
    SynchronousStandbys, Until, VerifyReport,
};

use crate::config::journal_url::JournalUrl;
use crate::config::secret_source;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::journal::ServerJournal;

/// The prefix of the name of a variable that holds a URL.
const VARIABLE_PREFIX: &str = "env:";

/// A place. Its text form lacks the password of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JournalPlace {
    /// A data folder, which one process uses at a time.
    Folder(PathBuf),
    /// A database, which can be read while nodes append.
    Database(JournalUrl),
}

impl JournalPlace {
    /// Returns the place of the settings.
    pub(super) fn of(settings: &Settings) -> Self {
        match &settings.journal {
            Some(url) => Self::Database(url.clone()),
            None => Self::Folder(settings.data.clone()),
        }
    }

    /// Parses a folder, a `postgres://` URL, or `env:NAME`, which names a variable or credential with such a URL. `flag`
    /// is named by failures, which never contain the text.
    ///
    /// # Errors
    /// Fails if it is empty, a URL of something else, or the name of a variable that is not set.
    pub(super) fn parse(flag: &str, text: &str) -> Result<Self, Failure> {
        let database = |text: &str| {
            let url = text.trim().parse().map_err(|error| Failure::new(error).while_doing(flag))?;
            Ok(Self::Database(url))
        };
        if let Some(name) = text.strip_prefix(VARIABLE_PREFIX) {
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let held = if is_name { secret_source::find(name)? } else { None };
            let absent = || Failure::new(format!("{flag}: there is no variable {name}"));
            return database(&held.ok_or_else(absent)?);
        }
        match text {
            "" => Err(Failure::new(format!("{flag}: expected a data folder or a postgres:// URL"))),
            _ if text.contains("://") => database(text),
            _ => Ok(Self::Folder(PathBuf::from(text))),
        }
    }

    /// Opens an existing journal, to read it.
    ///
    /// # Errors
    /// Fails if there is none, it is damaged or cannot be reached, or another process uses the folder.
    pub(super) fn open(&self) -> Result<ServerJournal, Failure> {
        match self {
            Self::Folder(folder) if !folder.join("journal").exists() => {
                Err(Failure::new(format!("{} has no journal", folder.display())))
            }
            Self::Folder(folder) => {
                let journal = SledJournal::open(folder, Options::default()).map_err(Failure::new)?;
                Ok(ServerJournal::Sled(Arc::new(journal)))
            }
            Self::Database(url) => {
                let opened = PostgresJournal::open_existing(url.address(), PostgresOptions::default());
                Ok(ServerJournal::Postgres(Arc::new(opened.map_err(Failure::new)?)))
            }
        }
    }

    /// Creates a journal from an export. A database needs at least `standbys` synchronous standbys.
    ///
    /// # Errors
    /// [`RestoreError`]; then there is still no journal.
    pub(super) fn restore(
        &self,
        standbys: u32,
        input: &mut impl BufRead,
        progress: &mut dyn FnMut(u64),
    ) -> Result<JournalTotals, RestoreError> {
        match self {
            Self::Folder(folder) => persistence::restore(folder, &Options::default(), input, progress),
            Self::Database(url) => {
                let standbys = SynchronousStandbys::at_least(standbys);
                let options = PostgresOptions { standbys, ..PostgresOptions::default() };
                persistence::restore_postgres(url.address(), &options, input, progress)
            }
        }
    }

    /// Creates a journal from a backup, up to a moment. A database needs at least `standbys` synchronous standbys.
    ///
    /// # Errors
    /// Fails if the place has a journal or the backup is not sound; nothing is left then.
    pub(super) fn restore_backup(
        &self,
        standbys: u32,
        pieces: &mut Pieces<'_>,
        until: Until,
        progress: &mut dyn FnMut(u64),
    ) -> Result<RestoredBackup, RestoreError> {
        match self {
            Self::Folder(folder) => persistence::restore_backup(folder, &Options::default(), pieces, until, progress),
            Self::Database(url) => {
                let standbys = SynchronousStandbys::at_least(standbys);
                let options = PostgresOptions { standbys, ..PostgresOptions::default() };
                persistence::restore_backup_postgres(url.address(), &options, pieces, until, progress)
            }
        }
    }

    /// Verifies every record.
    ///
    /// # Errors
    /// Fails if there is no journal or it cannot be read; damage is in the report.
    pub(super) fn verify(&self) -> Result<VerifyReport, Failure> {
        match self {
            Self::Folder(folder) => persistence::verify(folder, &Options::default()).map_err(Failure::new),
            Self::Database(url) => persistence::verify_postgres(url.address()).map_err(Failure::new),
        }
    }
}

impl fmt::Display for JournalPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Database(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_database() {
        let parse = |text: &str| JournalPlace::parse("--from", text).map_err(|failure| failure.to_string());
        assert_eq!(parse("./data"), Ok(JournalPlace::Folder("./data".into())));
        let database = parse("postgres://ana:hunter2@127.0.0.1/book").unwrap();
        assert!(matches!(&database, JournalPlace::Database(_)), "{database}");
        assert_eq!(database.to_string(), "postgres://ana@127.0.0.1:5432/book");
        for text in ["", "env:", "env:../secret", "env:NOT_SET_ANYWHERE", "mysql://ana:hunter2@db/book"] {
            let refused = parse(text).unwrap_err();
            assert!(refused.starts_with("--from: ") && !refused.contains("hunter2"), "{text}: {refused}");
        }
    }
}
