//! A command that takes pieces from its standard input.

use std::io::{self, BufWriter, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use persistence::{BackupError, Piece, Spool};
use rustix::process::{Pid, Signal, kill_process_group};

/// The time that a command may take for one piece.
const COMMAND_TIMEOUT: Duration = Duration::from_hours(1);
/// The interval of the checks whether it has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// The command, and the state that outlives this process.
pub(super) struct CommandTarget {
    pub(super) command: String,
    pub(super) spool: Spool,
}

/// The reason why a command has not taken a piece. It is offered again.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// It cannot be run.
    #[error("the command of the backup cannot be run: {0}")]
    Run(#[from] io::Error),
    /// It has ended with another status than 0.
    #[error("the command of the backup has failed: {0}")]
    Failed(ExitStatus),
    /// It has ended with 0 before it had read the whole piece.
    #[error("the command of the backup has not read the whole piece: {0}")]
    NotRead(io::Error),
    /// It has not ended in time.
    #[error("the command of the backup was killed: it took longer than {} s for a piece", COMMAND_TIMEOUT.as_secs())]
    TimedOut,
    /// The state cannot be written.
    #[error(transparent)]
    State(#[from] BackupError),
}

impl CommandTarget {
    /// Offers the pending piece to the command, if there is one.
    ///
    /// # Errors
    /// [`CommandError`].
    pub(super) fn deliver(&mut self) -> Result<(), CommandError> {
        if let Some(piece) = self.spool.pending() {
            offer(&self.command, piece, COMMAND_TIMEOUT)?;
        }
        Ok(self.spool.taken()?)
    }
}

fn offer(command: &str, piece: &Piece, timeout: Duration) -> Result<(), CommandError> {
    let (name, header) = (piece.name(), piece.header());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::piped());
    shell.env("LIENBOOK_PIECE", name.to_string());
    shell.env("LIENBOOK_PIECE_FIRST", header.first.to_string());
    shell.env("LIENBOOK_PIECE_LAST", header.last.to_string());
    shell.env("LIENBOOK_PIECE_TIME", name.time());
    shell.env("LIENBOOK_PIECE_BYTES", piece.file_bytes().to_string());
    // A group of its own: an interrupt of the terminal does not end it in the middle of a piece.
    let mut child = shell.process_group(0).spawn()?;
    let input = child.stdin.take();
    let (written, status) = thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let Some(input) = input else { return Ok(()) };
            let mut input = BufWriter::new(input);
            piece.write_to(&mut input)?;
            input.flush()
        });
        let status = wait(&mut child, timeout);
        (writing.join().unwrap_or_else(|_| Err(io::Error::other("the writer has panicked"))), status)
    });
    let status = status?;
    if !status.success() {
        return Err(CommandError::Failed(status));
    }
    written.map_err(CommandError::NotRead)
}

/// Waits for a command, and kills its whole group when its time is over.
fn wait(child: &mut Child, timeout: Duration) -> Result<ExitStatus, CommandError> {
    let started_at = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started_at.elapsed() >= timeout {
            let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            // One that has just ended needs no signal.
            let _ = group.map(|group| kill_process_group(group, Signal::KILL));
            child.wait()?;
            return Err(CommandError::TimedOut);
        }
        thread::sleep(CHECK_INTERVAL);
    }
}
