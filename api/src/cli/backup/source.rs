//! The journal of a backup: that of a running server, of a database, or of a data folder without a server.

use std::fmt;

use persistence::{ChainEnd, CommitFeed, CommitSource as _, FeedStart, PieceBuilder, StateDigest};

use super::round_error::RoundError;
use crate::cli::journal_place::JournalPlace;
use crate::failure::Failure;
use crate::journal::ServerJournal;
use crate::operator::commit_client::CommitClient;

/// The place of the journal, and the connection to it.
pub(super) struct BackupSource {
    place: JournalPlace,
    /// Whether a data folder is opened if no server runs on it. A backup that goes on would keep a server from it.
    opens_folder: bool,
    journal: Option<ServerJournal>,
    open: Option<Open>,
}

/// A place in the order of commits.
enum Open {
    Server(CommitClient),
    Journal(ServerJournal, CommitFeed),
}

impl BackupSource {
    /// The journal in a place.
    pub(super) const fn new(place: JournalPlace, opens_folder: bool) -> Self {
        Self { place, opens_folder, journal: None, open: None }
    }

    /// Makes the next commit that one after the end of the backup. Returns the identity of the journal; `None` if it has no
    /// commit yet.
    ///
    /// # Errors
    /// [`RoundError`]; final if the journal is not that of the backup.
    pub(super) fn start(&mut self, end: Option<&ChainEnd>) -> Result<Option<StateDigest>, RoundError> {
        if self.open.is_some() {
            return Ok(end.map(|end| end.journal));
        }
        let after = end.map_or(0, |end| end.point.position);
        let (start, open) = self.connect(after)?;
        let journal = ChainEnd::check_journal(end, &start)?;
        if journal.is_some() {
            self.open = Some(open);
        }
        Ok(journal)
    }

    /// Fills a piece with the next commits. Returns the last commit that was durable before they were read.
    ///
    /// # Errors
    /// [`RoundError`]; the next round starts anew.
    pub(super) fn fill(&mut self, piece: &mut PieceBuilder, bytes_max: usize) -> Result<u64, RoundError> {
        match &mut self.open {
            None => Ok(piece.point().position),
            Some(Open::Server(client)) => Ok(client.pull(bytes_max, &mut |commit| piece.push(commit))?),
            Some(Open::Journal(journal, feed)) => {
                let end = journal.end().map_err(persistence::BackupError::from)?;
                journal.read_feed(feed, bytes_max, &mut |commit| piece.push(&commit))?;
                Ok(end)
            }
        }
    }

    /// Forgets the place, so that the next round starts anew.
    pub(super) fn reset(&mut self) {
        self.open = None;
    }

    fn connect(&mut self, after: u64) -> Result<(FeedStart, Open), RoundError> {
        if let JournalPlace::Folder(data) = &self.place {
            if let Some((start, client)) = CommitClient::connect(data, after).map_err(RoundError::Transient)? {
                return Ok((start, Open::Server(client)));
            }
            if !self.opens_folder {
                let reason = format!("no server runs on {}", data.display());
                return Err(RoundError::Transient(Failure::new(reason)));
            }
        }
        let journal = match &self.journal {
            Some(journal) => journal.clone(),
            None => self.journal.insert(self.place.open().map_err(RoundError::Transient)?).clone(),
        };
        let (start, feed) = journal.start_feed(after).map_err(persistence::BackupError::from)?;
        Ok((start, Open::Journal(journal, feed)))
    }
}

impl fmt::Display for BackupSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}
