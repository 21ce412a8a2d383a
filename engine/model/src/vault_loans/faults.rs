//! Planted faults: rules that the model does without, so that the search must find what they prevent.

/// A rule that is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A loan spends outputs that another one spends.
    SpentOutputsAreSpent,
    /// Collateral that is locked for another loan is accepted.
    PledgedCollateralIsAccepted,
    /// An offer that is reserved or lent is reserved again.
    TakenOffersAreReserved,
    /// A loan is reserved beyond the usable sats.
    HoldsExceedTheBalance,
    /// The end of a reservation does not release its hold.
    HoldsAreKept,
    /// A transaction that can never confirm is settled as if it were buried.
    FailedSpendsAreSettled,
    /// A transaction is broadcast before the journal is synced.
    BroadcastsBeforeSync,
    /// The signer does not count what it has signed.
    SignerCountsNothing,
}
