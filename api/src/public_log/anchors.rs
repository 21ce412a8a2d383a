//! Anchors: proofs of OpenTimestamps that published heads existed before a block of Bitcoin.
//!
//! One publication an hour is submitted; the publications before it are anchored with it, since each names the one before.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use providers::TimestampCalendar;
use public_log::{Attestation, HeadHash, Timestamp};
use tempfile::NamedTempFile;

use super::Publications;
use super::publication::SERVED_MAX;
use crate::failure::Failure;

/// The folder in the data folder.
const FOLDER: &str = "timestamps";

/// The interval between two submissions, and between two questions for the block of earlier ones.
const INTERVAL: Duration = Duration::from_hours(1);

/// The proofs of published heads.
pub struct Anchors {
    folder: PathBuf,
    calendars: Vec<TimestampCalendar>,
}

impl Anchors {
    /// Returns the proofs in the data folder, to be extended by these calendars.
    ///
    /// # Errors
    /// If the URL of a calendar is unusable, or the folder cannot be created.
    pub fn open(data: &Path, calendars: &[String]) -> Result<Self, Failure> {
        let calendar = |url: &String| {
            TimestampCalendar::new(url).map_err(|error| Failure::new(error).while_doing("timestamp_calendars"))
        };
        let calendars: Vec<TimestampCalendar> = calendars.iter().map(calendar).collect::<Result<_, _>>()?;
        let folder = data.join(FOLDER);
        if !calendars.is_empty() {
            fs::create_dir_all(&folder).map_err(|error| Failure::new(error).while_doing(folder.display()))?;
        }
        Ok(Self { folder, calendars })
    }

    /// Whether heads are submitted.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        !self.calendars.is_empty()
    }

    /// Returns the proof about a statement, if there is one. Blocks on the disk.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, digest: HeadHash) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.file(digest)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Submits the latest publication, unless that was done before, and asks for the blocks of earlier ones. What fails is
    /// tried again the next time.
    pub async fn extend(&self, publications: &Publications) {
        let latest = publications.latest(SERVED_MAX);
        let latest: Vec<HeadHash> = latest.iter().map(|publication| publication.signed.digest()).collect();
        if let Some(digest) = latest.first()
            && matches!(self.read(*digest), Ok(None))
        {
            self.stamp(*digest).await;
        }
        for digest in latest {
            if let Ok(Some(file)) = self.read(digest)
                && let Ok(proof) = Timestamp::read(&file)
            {
                self.upgrade(proof).await;
            }
        }
    }

    async fn stamp(&self, digest: HeadHash) {
        let mut proof: Option<Timestamp> = None;
        for calendar in &self.calendars {
            let answer = match calendar.stamp(&digest.to_bytes()).await {
                Ok(answer) => answer,
                Err(error) => {
                    tracing::warn!(calendar = calendar.url(), %error, "heads were not submitted");
                    continue;
                }
            };
            match Timestamp::from_calendar(digest, &answer) {
                Ok(read) => proof = Some(proof.map_or(read.clone(), |known| known.merged(read))),
                Err(error) => tracing::warn!(calendar = calendar.url(), %error, "an answer of a calendar is refused"),
            }
        }
        if let Some(proof) = proof {
            self.store(&proof);
        }
    }

    /// Asks the calendars for what they have promised. Only configured ones are asked, whatever address a proof names.
    async fn upgrade(&self, mut proof: Timestamp) {
        let before = proof.clone();
        for attestation in before.attestations() {
            let Attestation::Pending { calendar: url, commitment } = attestation else { continue };
            let Some(calendar) = self.calendars.iter().find(|calendar| calendar.url() == url.trim_end_matches('/'))
            else {
                continue;
            };
            match calendar.look_up(&commitment).await {
                Ok(Some(answer)) => {
                    if let Err(error) = proof.upgrade(&url, &commitment, &answer) {
                        tracing::warn!(calendar = url, %error, "an answer of a calendar is refused");
                    }
                }
                Ok(None) => {}
                Err(error) => tracing::info!(calendar = url, %error, "a calendar was not asked for a block"),
            }
        }
        if proof != before {
            self.store(&proof);
        }
    }

    fn store(&self, proof: &Timestamp) {
        let file = self.file(proof.digest());
        let stored = NamedTempFile::new_in(&self.folder).and_then(|mut temporary| {
            temporary.write_all(&proof.write())?;
            temporary.as_file().sync_all()?;
            temporary.persist(&file).map(drop).map_err(|error| error.error)
        });
        if let Err(error) = stored {
            tracing::warn!(file = %file.display(), %error, "a proof was not stored");
        }
    }

    fn file(&self, digest: HeadHash) -> PathBuf {
        self.folder.join(format!("{digest}.ots"))
    }
}

/// Extends the proofs once an hour, until it is aborted.
pub async fn anchor(anchors: Arc<Anchors>, publications: Arc<Publications>) {
    if !anchors.is_active() {
        return;
    }
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        anchors.extend(&publications).await;
    }
}
