//! The volatility and activity of a collection.

/// The volatility of a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temper {
    /// Collections that are held for years.
    Calm,
    /// Most of the market.
    Usual,
    /// Collections that were hyped recently.
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

    /// The discount in basis points of LTV that careful lenders apply, compared with a calm collection.
    #[must_use]
    pub const fn caution_basis_points(self) -> u32 {
        match self {
            Self::Calm => 0,
            Self::Usual => 350,
            Self::Wild => 1_000,
        }
    }
}

/// The activity of lenders in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bustle {
    /// No lender quotes here.
    Deserted,
    /// A quote now and then.
    Sleepy,
    /// Most of the market.
    Usual,
    /// The most active books.
    Busy,
}

impl Bustle {
    /// The weight with which a lender visits this book rather than another.
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
