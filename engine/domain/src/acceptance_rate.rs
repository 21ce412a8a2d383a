//! A lender's acceptance rate: the share of accepted requests that the lender counter-signed.

use serde::{Deserialize, Serialize};

/// The outcome of a request that waited for its lender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestOutcome {
    /// The lender signed in time.
    CounterSigned,
    /// The lender declined, or did not sign in time.
    Lapsed,
}

/// The counter-signed among the accepted requests, over a lender's last [`AcceptanceRate::REQUESTS_MAX`] requests.
///
/// A request counts once it is decided: one that still waits does not count, nor does one that the borrower ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceRate {
    /// A bit per request, the latest lowest; set when the request was counter-signed.
    counter_signed: u64,
    requests: u32,
}

impl AcceptanceRate {
    /// The number of requests that are remembered.
    pub const REQUESTS_MAX: u32 = 50;

    /// Adds a decided request, and drops the oldest beyond the maximum.
    pub const fn apply(&mut self, outcome: RequestOutcome) {
        let remembered = (1 << Self::REQUESTS_MAX) - 1;
        let latest = match outcome {
            RequestOutcome::CounterSigned => 1,
            RequestOutcome::Lapsed => 0,
        };
        self.counter_signed = (self.counter_signed << 1 | latest) & remembered;
        if self.requests < Self::REQUESTS_MAX {
            self.requests += 1;
        }
    }

    /// The number of requests that the rate covers.
    #[must_use]
    pub const fn requests(self) -> u32 {
        self.requests
    }

    /// The number of them that were counter-signed.
    #[must_use]
    pub const fn counter_signed(self) -> u32 {
        self.counter_signed.count_ones()
    }

    /// The rate in percent, rounded down; `None` for a new lender, for which clients may show 100.
    #[must_use]
    pub const fn percent(self) -> Option<u32> {
        (self.counter_signed() * 100).checked_div(self.requests)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcome(is_signed: bool) -> RequestOutcome {
        if is_signed { RequestOutcome::CounterSigned } else { RequestOutcome::Lapsed }
    }

    #[test]
    fn a_lender_is_new_until_the_first_request_is_decided() {
        let mut rate = AcceptanceRate::default();
        assert_eq!(rate.percent(), None);
        rate.apply(RequestOutcome::Lapsed);
        assert_eq!(rate.percent(), Some(0));
        rate.apply(RequestOutcome::CounterSigned);
        rate.apply(RequestOutcome::CounterSigned);
        assert_eq!(rate.percent(), Some(66));
    }

    proptest! {
        #[test]
        fn only_the_last_fifty_count(history in proptest::collection::vec(any::<bool>(), 0..200)) {
            let mut rate = AcceptanceRate::default();
            for (index, is_signed) in history.iter().enumerate() {
                rate.apply(outcome(*is_signed));
                let last: Vec<_> = history[..=index].iter().rev().take(50).collect();
                let signed = last.iter().filter(|is_signed| ***is_signed).count();
                prop_assert_eq!(usize::try_from(rate.requests()).unwrap(), last.len());
                prop_assert_eq!(usize::try_from(rate.counter_signed()).unwrap(), signed);
                prop_assert_eq!(rate.percent().map(|it| usize::try_from(it).unwrap()), Some(signed * 100 / last.len()));
            }
        }
    }
}
