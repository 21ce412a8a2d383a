//! `lienbook backup`: ships the journal, piece by piece, to a folder or to a command.

pub(super) mod arguments;
mod backup_failure;
mod command_target;
mod round_error;
mod rounds;
mod source;
mod target;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use actix_web::rt::System;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use self::arguments::BackupArguments;
use self::round_error::RoundError;
use self::rounds::Rounds;
use self::source::BackupSource;
use self::target::BackupTarget;
use super::journal_place::JournalPlace;
use super::serve::StopSignals;
use super::terminal::note;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::number::grouped;
use crate::program_log::ProgramLog;

/// Ships until the process receives a signal to stop, or once.
pub(super) fn run(settings: &Settings, arguments: &BackupArguments) -> Result<(), Failure> {
    let log = ProgramLog::start(settings)?;
    let shipped = System::new().block_on(ship(settings, arguments));
    log.stop();
    shipped
}

async fn ship(settings: &Settings, arguments: &BackupArguments) -> Result<(), Failure> {
    // Before the target is locked, so that from the moment of the lock on, a signal shuts this process down cleanly.
    let mut stop = StopSignals::listen()?;
    let target = BackupTarget::open(arguments)?;
    let source = BackupSource::new(JournalPlace::of(settings), arguments.once);
    note(format_args!("Backing up the journal in {source} to {target} ..."));
    let mut rounds = Rounds::new(source, target, usize::from(arguments.piece_mb) * 1_024 * 1_024);
    let (every, is_once) = (Duration::from_secs(arguments.every.into()), arguments.once);
    let is_stopping = Arc::new(AtomicBool::new(false));
    let mut complete_at = Instant::now();
    loop {
        let stopping = Arc::clone(&is_stopping);
        let mut round = spawn_blocking(move || {
            let done = rounds.run(&stopping);
            (rounds, done)
        });
        let ended = tokio::select! {
            ended = &mut round => ended,
            () = stop.received() => {
                // The piece on its way is finished.
                is_stopping.store(true, Ordering::Release);
                round.await
            }
        };
        let done;
        (rounds, done) = ended.map_err(Failure::new)?;
        let is_stopping = is_stopping.load(Ordering::Acquire);
        match done {
            Ok(()) if is_once && !is_stopping => {
                let position = rounds.position();
                note(format_args!("The backup is complete up to commit {}.", grouped(position)));
                return Ok(());
            }
            Ok(()) => complete_at = Instant::now(),
            Err(RoundError::Transient(failure)) if !is_once => {
                let behind_s = complete_at.elapsed().as_secs();
                tracing::warn!(position = rounds.position(), behind_s, reason = %failure, "the backup is behind");
            }
            Err(RoundError::Transient(failure) | RoundError::Final(failure)) => return Err(failure),
        }
        let stopped = is_stopping
            || tokio::select! {
                () = sleep(every) => false,
                () = stop.received() => true,
            };
        if stopped {
            note(format_args!("Stopped. The backup has commit {}.", grouped(rounds.position())));
            return if is_once { Err(Failure::new("stopped before the backup was complete")) } else { Ok(()) };
        }
    }
}
