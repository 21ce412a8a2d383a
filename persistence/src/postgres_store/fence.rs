//! The writer's row as an epoch sees it, and what follows for a commit whose outcome is unknown. Pure.

/// The state of the writer's row, seen by an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// The row has the epoch, and this is the last commit.
    Held(u64),
    /// Another writer has taken over.
    Lost,
}

/// The conclusion about a commit whose outcome is unknown, once the row was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It is the last commit, if its blocks are this writer's.
    Committed,
    /// It was not appended, and is sent again.
    SendAgain,
    /// The journal ends with a commit that this writer knows nothing of.
    Elsewhere {
        /// The last commit.
        position: u64,
    },
    /// Another writer has taken over: it is unknown for ever whether the commit was appended before, and it is not
    /// acknowledged.
    Deposed,
}

impl Resolution {
    /// Returns the conclusion about the commit with this number.
    #[must_use]
    pub const fn of(commit: u64, fence: Fence) -> Self {
        match fence {
            Fence::Held(position) if position == commit => Self::Committed,
            Fence::Held(position) if position + 1 == commit => Self::SendAgain,
            Fence::Held(position) => Self::Elsewhere { position },
            Fence::Lost => Self::Deposed,
        }
    }
}
