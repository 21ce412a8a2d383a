//! How fast the simulated people live.

/// The pace of the simulated people, all of them together.
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
    /// The shortest time between two loans of the whole market, in milliseconds.
    pub loan_gap_ms: u64,
    /// How many milliseconds people usually take before they sign something.
    pub signing_ms: u64,
    /// For how many milliseconds a borrower who soon has the money back usually keeps it.
    pub patience_ms: u64,
}

impl Pace {
    /// A market to watch: full books within 15 seconds, then 5 to 15 acts a second and about four loans a minute.
    pub const LIVELY: Self = Self {
        opening_ms: 9_000,
        rest_ms: 1_200,
        gap_ms: 66,
        requests_max: 8,
        loan_gap_ms: 14_000,
        signing_ms: 9_000,
        patience_ms: 240_000,
    };
    /// A market to test against: one request at a time, and few of them.
    pub const CALM: Self = Self {
        opening_ms: 2_000,
        rest_ms: 20_000,
        gap_ms: 200,
        requests_max: 1,
        loan_gap_ms: 60_000,
        signing_ms: 20_000,
        patience_ms: 600_000,
    };
    /// A market in which loans come and go as fast as blocks let them.
    pub const HURRIED: Self = Self {
        opening_ms: 200,
        rest_ms: 300,
        gap_ms: 5,
        requests_max: 8,
        loan_gap_ms: 50,
        signing_ms: 100,
        patience_ms: 1_000,
    };
}

impl Default for Pace {
    fn default() -> Self {
        Self::LIVELY
    }
}
