//! The age of a backup: the time since it had everything.

use std::path::Path;
use std::time::Duration;

use domain::UnixMs;
use persistence::CaughtUp;

use crate::cli::terminal::print;
use crate::failure::Failure;
use crate::number::grouped;

/// Checks the age by what the backup has noted, and that no piece has gone since. Reads no piece.
///
/// # Errors
/// Fails if the backup is too old, or it cannot be known.
pub(super) fn check(from: &Path, now: UnixMs, age_max: Duration) -> Result<(), Failure> {
    let unknown = || {
        let folder = from.display();
        Failure::new(format!(
            "{folder} does not say when the backup had everything: has `lienbook backup` completed a round?"
        ))
    };
    let CaughtUp { position, at } = CaughtUp::read(from).ok_or_else(unknown)?;
    let last = CaughtUp::last_commit(from).map_err(Failure::new)?;
    if last < position {
        let (last, position) = (grouped(last), grouped(position));
        return Err(Failure::new(format!(
            "the backup had commit {position}, and ends with commit {last}: pieces are missing"
        )));
    }
    match fault(at, now, age_max) {
        Some(fault) => Err(Failure::new(fault)),
        None => print(&format!(
            "The backup was complete up to commit {} {} s ago.\n",
            grouped(position),
            now.0.saturating_sub(at.0) / 1_000
        )),
    }
}

/// Returns the fault of a backup that had everything at a time, if it is too old now.
pub(super) fn fault(newest: UnixMs, now: UnixMs, age_max: Duration) -> Option<String> {
    let age = Duration::from_millis(now.0.saturating_sub(newest.0));
    (age > age_max).then(|| {
        format!(
            "the backup is {} s old, of {} s at most: is `lienbook backup` running?",
            age.as_secs(),
            age_max.as_secs()
        )
    })
}
