//! The numbers of signers: in all, for a signature, of liars, and for the acknowledgement of a cancellation.

/// The numbers of a shared vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The signers, n.
    pub signers: usize,
    /// The signatures that a payment requires, t.
    pub required: usize,
    /// The signers that lie together with the server, f.
    pub liars: usize,
    /// The signers that must have logged a cancellation before it is acknowledged.
    pub acknowledging: usize,
}

impl Rules {
    /// The rules of t of n with f liars: n - t + 1 + f signers acknowledge a cancellation.
    #[must_use]
    pub const fn of(required: usize, signers: usize, liars: usize) -> Self {
        Self { signers, required, liars, acknowledging: signers + 1 - required + liars }
    }

    /// Whether more than half sign, and no more than there are.
    #[must_use]
    pub const fn is_majority(required: usize, signers: usize) -> bool {
        2 * required > signers && required <= signers
    }

    /// The liars that an offer bears: two sets of t share 2t - n signers, and one of those must be honest.
    #[must_use]
    pub const fn liars_for_offers(required: usize, signers: usize) -> usize {
        (2 * required).saturating_sub(signers + 1)
    }

    /// The signers that may be away while the others lend.
    #[must_use]
    pub const fn spare(&self) -> usize {
        self.signers - self.required
    }
}
