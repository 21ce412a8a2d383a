//! The pace of the simulated users.

/// The pace of the simulated users, all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The time in milliseconds after the start within which all have signed in and quoted.
    pub opening_ms: u64,
    /// The usual rest of one lender between two visits to a book, in milliseconds.
    pub rest_ms: u64,
    /// The shortest time between two actions of the whole market, in milliseconds.
    pub gap_ms: u64,
    /// The maximum number of concurrent requests.
    pub requests_max: usize,
    /// The shortest time between two loans of the whole market, in milliseconds.
    pub loan_gap_ms: u64,
    /// The usual time in milliseconds that users take before they sign.
    pub signing_ms: u64,
    /// The usual time in milliseconds for which a borrower with an early repayment keeps the money.
    pub early_repayment_ms: u64,
}

impl Pace {
    /// A market to watch: full books within 15 seconds, then 5 to 15 actions a second and about four loans a minute.
    pub const LIVELY: Self = Self {
        opening_ms: 9_000,
        rest_ms: 1_200,
        gap_ms: 66,
        requests_max: 8,
        loan_gap_ms: 14_000,
        signing_ms: 9_000,
        early_repayment_ms: 240_000,
    };
    /// A market for tests: one request at a time, and few of them.
    pub const CALM: Self = Self {
        opening_ms: 2_000,
        rest_ms: 20_000,
        gap_ms: 200,
        requests_max: 1,
        loan_gap_ms: 60_000,
        signing_ms: 20_000,
        early_repayment_ms: 600_000,
    };
    /// A market in which loans start and end as fast as blocks allow.
    pub const HURRIED: Self = Self {
        opening_ms: 200,
        rest_ms: 300,
        gap_ms: 5,
        requests_max: 8,
        loan_gap_ms: 50,
        signing_ms: 100,
        early_repayment_ms: 1_000,
    };
}

impl Default for Pace {
    fn default() -> Self {
        Self::LIVELY
    }
}
