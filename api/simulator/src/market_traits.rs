//! The volatility and activity of a collection.

/// The volatility of a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// Collections that are held for years.
    Low,
    /// Most of the market.
    Normal,
    /// Collections that were hyped recently.
    High,
}

impl Volatility {
    /// Standard deviation of a day's move of the price's logarithm.
    #[must_use]
    pub const fn deviation_per_day(self) -> f64 {
        match self {
            Self::Low => 0.016,
            Self::Normal => 0.032,
            Self::High => 0.058,
        }
    }

    /// The discount in basis points of LTV that careful lenders apply, compared with a calm collection.
    #[must_use]
    pub const fn ltv_discount_basis_points(self) -> u32 {
        match self {
            Self::Low => 0,
            Self::Normal => 350,
            Self::High => 1_000,
        }
    }
}

/// The activity of lenders in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// No lender quotes here.
    Inactive,
    /// A quote now and then.
    Low,
    /// Most of the market.
    Normal,
    /// The most active books.
    High,
}

impl Activity {
    /// The weight with which a lender visits this book rather than another.
    #[must_use]
    pub const fn weight(self) -> u32 {
        match self {
            Self::Inactive => 0,
            Self::Low => 1,
            Self::Normal => 4,
            Self::High => 12,
        }
    }
}
