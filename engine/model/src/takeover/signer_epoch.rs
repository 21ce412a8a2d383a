//! The epoch that a vault signer has seen, by which it refuses a server that another one has replaced.

/// The highest epoch in the signer's log; 0 before any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SignerEpoch(pub u8);

impl SignerEpoch {
    /// The signer's epoch after a request of a server with a lease, or of one without; `None` if it is refused.
    #[must_use]
    pub const fn after(self, epoch: Option<u8>, is_read: bool) -> Option<Self> {
        match epoch {
            Some(epoch) if epoch < self.0 => None,
            Some(epoch) => Some(Self(epoch)),
            None if self.0 > 0 && !is_read => None,
            None => Some(self),
        }
    }
}
