//! How fast the simulated lenders live.

/// The pace of the simulated lenders, all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Within how many milliseconds of the start everybody has signed in and quoted.
    pub opening_ms: u64,
    /// How many milliseconds one lender usually rests between two looks at a book.
    pub rest_ms: u64,
    /// The shortest time between two acts of the whole market.
    pub gap_ms: u64,
    /// How many requests may be under way at once.
    pub requests_max: usize,
}

impl Pace {
    /// A market to watch: full books within 15 seconds, then 5 to 15 acts a second.
    pub const LIVELY: Self = Self { opening_ms: 9_000, rest_ms: 1_200, gap_ms: 66, requests_max: 8 };
    /// A market to test against: one request at a time, and few of them.
    pub const CALM: Self = Self { opening_ms: 2_000, rest_ms: 20_000, gap_ms: 200, requests_max: 1 };
}

impl Default for Pace {
    fn default() -> Self {
        Self::LIVELY
    }
}
