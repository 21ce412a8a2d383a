//! How a collection behaves on the market.

/// How far a price strays in a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temper {
    /// Collections that are held for years.
    Calm,
    /// Most of the market.
    Usual,
    /// What everybody talked about last week.
    Wild,
}

impl Temper {
    /// Standard deviation of a day's move of the price's logarithm.
    #[must_use]
    pub const fn deviation_per_day(self) -> f64 {
        match self {
            Self::Calm => 0.016,
            Self::Usual => 0.032,
            Self::Wild => 0.058,
        }
    }

    /// By how many basis points of LTV careful lenders stay below what they would quote a calm collection.
    #[must_use]
    pub const fn caution_basis_points(self) -> u32 {
        match self {
            Self::Calm => 0,
            Self::Usual => 350,
            Self::Wild => 1_000,
        }
    }
}

/// How often lenders turn to a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bustle {
    /// Nobody quotes here.
    Deserted,
    /// A quote now and then.
    Sleepy,
    /// Most of the market.
    Usual,
    /// Where the market meets.
    Busy,
}

impl Bustle {
    /// How likely a lender turns to this book rather than to another.
    #[must_use]
    pub const fn weight(self) -> u32 {
        match self {
            Self::Deserted => 0,
            Self::Sleepy => 1,
            Self::Usual => 4,
            Self::Busy => 12,
        }
    }
}
