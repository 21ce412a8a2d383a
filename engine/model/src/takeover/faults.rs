//! Planted faults.

/// A rule that is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An append does not compare the epoch.
    AppendsIgnoreEpochs,
    /// An append does not compare the position.
    AppendsIgnorePositions,
    /// An append compares neither.
    AppendsCompareNothing,
    /// A claim leaves the epoch of the writer's row as it is, and a node begins without asking for it.
    ClaimsLeaveTheRow,
    /// A claim gives a node the epoch of the one before it.
    ClaimsKeepTheEpoch,
    /// A node begins to write without having read to the end.
    BeginsWithoutReading,
    /// The database answers before the standby has the commit.
    AnswersBeforeReplication,
    /// The signer signs for any epoch.
    SignerIgnoresEpochs,
    /// The lease is claimed before it has expired.
    ClaimsIgnoreTheLease,
}
