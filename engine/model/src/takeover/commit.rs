//! Commits, the statements that append them, and the acknowledgements that clients got.

/// A commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commit {
    /// Its number among all that were sent.
    pub number: u8,
    /// The epoch of its writer.
    pub epoch: u8,
    /// The node that decided it.
    pub node: usize,
}

/// The statement that appends a commit to the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Append {
    /// The commit.
    pub commit: Commit,
    /// The number of commits that it follows.
    pub after: u8,
}

/// A commit that was acknowledged to its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Acknowledged {
    /// The commit.
    pub commit: Commit,
    /// Its place in the journal.
    pub position: u8,
}
