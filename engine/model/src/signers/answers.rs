//! Requests to a signer, and sets of the answers that it gave.

/// A loan that the server asks signatures for, always by the same offer, which one loan takes as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loan {
    /// From one output of the vault.
    First,
    /// From another output: both loans can start.
    Second,
    /// From the output of the first one: only one of these two can start.
    FirstAgain,
}

impl Loan {
    /// Every loan.
    pub const ALL: [Self; 3] = [Self::First, Self::Second, Self::FirstAgain];
    /// The two that can both start.
    pub const TWO: [Self; 2] = [Self::First, Self::Second];

    /// Whether both spend the same output, so that one of them at most starts.
    #[must_use]
    pub const fn conflicts_with(self, other: Self) -> bool {
        matches!(self, Self::Second) == matches!(other, Self::Second)
    }

    const fn bit(self) -> u8 {
        match self {
            Self::First => 1,
            Self::Second => 2,
            Self::FirstAgain => 4,
        }
    }
}

/// A set of loans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loans(u8);

impl Loans {
    /// Whether a loan is in it.
    #[must_use]
    pub const fn has(self, loan: Loan) -> bool {
        self.0 & loan.bit() != 0
    }

    /// The set with one loan more.
    #[must_use]
    pub const fn with(self, loan: Loan) -> Self {
        Self(self.0 | loan.bit())
    }

    /// The loans in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Each loan in it.
    pub fn iter(self) -> impl Iterator<Item = Loan> {
        Loan::ALL.into_iter().filter(move |loan| self.has(*loan))
    }
}

/// A request to a signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// The lender's offer.
    Admit,
    /// The lender's cancellation of it.
    Cancel,
    /// The server's request to sign a loan.
    Sign(Loan),
}

impl Request {
    /// The requests that these loans allow.
    #[must_use]
    pub fn all(loans: &[Loan]) -> Vec<Self> {
        [Self::Admit, Self::Cancel].into_iter().chain(loans.iter().copied().map(Self::Sign)).collect()
    }
}
