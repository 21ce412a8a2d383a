//! A command that takes pieces from its standard input.

use std::io::{self, ErrorKind, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use persistence::{BackupError, Piece, Spool};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, kill_process_group};

/// The time that a command may take for one piece, and that a process it has started may keep the piece unread.
const COMMAND_TIMEOUT: Duration = Duration::from_hours(1);
/// The interval of the checks whether it has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// The first pause while it does not read; each further one is twice as long, up to the interval above.
const WRITE_PAUSE_MIN: Duration = Duration::from_micros(100);

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
    let deadline = Instant::now() + timeout;
    let written = child.stdin.take().map_or(Ok(()), |input| {
        ioctl_fionbio(&input, true)?;
        piece.write_to(&mut BoundedInput { input, deadline })
    });
    // The command is not waited for before this, so that its process id, and that of its group, is still its own.
    if written.as_ref().is_err_and(|error| error.kind() == ErrorKind::TimedOut) {
        return Err(kill(&mut child));
    }
    let status = wait(&mut child, deadline)?;
    if !status.success() {
        return Err(CommandError::Failed(status));
    }
    written.map_err(CommandError::NotRead)
}

/// The standard input of a command, which is not written to after a deadline. A process that the command has left behind can
/// hold its other end, and never read.
struct BoundedInput {
    /// Does not block.
    input: ChildStdin,
    deadline: Instant,
}

impl Write for BoundedInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pause = WRITE_PAUSE_MIN;
        loop {
            match self.input.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                written => return written,
            }
            if Instant::now() >= self.deadline {
                return Err(ErrorKind::TimedOut.into());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(CHECK_INTERVAL);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.input.flush()
    }
}

/// Waits for a command, and kills it when its time is over.
fn wait(child: &mut Child, deadline: Instant) -> Result<ExitStatus, CommandError> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            return Err(kill(child));
        }
        thread::sleep(CHECK_INTERVAL);
    }
}

/// Kills the group of a command that was not waited for.
fn kill(child: &mut Child) -> CommandError {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // One that has just ended needs no signal.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
    child.wait().map_or_else(CommandError::Run, |_| CommandError::TimedOut)
}

#[cfg(test)]
mod tests {
    use domain::{BookEvent, Event, GroupId, Stream, UnitPrice, UnixMs};
    use engine::journal::{Append, Batch, Journal as _};
    use persistence::{CommitSource as _, Options, PieceBuilder, SledJournal};
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    /// The bytes that a pipe holds while they are not read.
    const PIPE_BYTES: usize = 64 * 1_024;

    /// A piece that is larger than a pipe holds.
    fn large_piece() -> Piece {
        let folder = tempfile::tempdir().unwrap();
        let journal = SledJournal::open(folder.path(), Options::default()).unwrap();
        let mut random = StdRng::seed_from_u64(1);
        let price = |_| {
            let price = UnitPrice::from_scaled(random.random_range(1..1 << 50));
            Event::Book(BookEvent::PriceMoved { price, observed_at: UnixMs(1) })
        };
        let events = (0..30_000).map(price).collect();
        let append = Append { stream: Stream::Book(GroupId(1)), after: 0, events };
        journal.append(Batch { at: UnixMs(1), appends: vec![append] }).blocking_recv().unwrap().unwrap();
        let (start, mut feed) = journal.start_feed(0).unwrap();
        let mut piece = PieceBuilder::new(None, start.journal.unwrap());
        journal.read_feed(&mut feed, usize::MAX, &mut |commit| piece.push(&commit)).unwrap();
        let piece = piece.seal().unwrap().unwrap();
        assert!(piece.file_bytes() > 2 * PIPE_BYTES, "{}", piece.file_bytes());
        piece
    }

    #[test]
    fn the_offer_of_a_piece_ends_in_time_whatever_the_command_leaves_behind() {
        let piece = large_piece();
        let timeout = Duration::from_millis(300);
        // The first two leave a process behind that holds the pipe and does not read.
        for command in [
            "exec 3<&0; sleep 15 <&3 & exit 0",
            "exec 3<&0; sleep 15 <&3 & exit 3",
            "sleep 15",
            "cat >/dev/null; sleep 15",
        ] {
            let refused = offer(command, &piece, timeout).unwrap_err();
            assert!(matches!(refused, CommandError::TimedOut), "{command}: {refused}");
        }
        let refused = offer("exit 0", &piece, COMMAND_TIMEOUT).unwrap_err();
        assert!(matches!(refused, CommandError::NotRead(_)), "{refused}");
        let refused = offer("cat >/dev/null; exit 3", &piece, COMMAND_TIMEOUT).unwrap_err();
        assert!(matches!(&refused, CommandError::Failed(status) if status.code() == Some(3)), "{refused}");
        // One that reads on after its parent has ended has taken the piece.
        offer("exec 3<&0; cat <&3 >/dev/null & exit 0", &piece, COMMAND_TIMEOUT).unwrap();
    }
}
