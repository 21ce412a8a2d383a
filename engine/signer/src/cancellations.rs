//! Cancellations of offers that may arrive later.
//!
//! A signer that shares vaults can get a cancellation before the offer, or without it. Its answer counts as a cancellation for
//! the lender, so the offer must not be admitted afterwards, for as long as its message could be fresh.

use std::collections::BTreeMap;

use escrow::message_times::{CLOCK_SKEW_S_MAX, LIFETIME_S_MAX};

/// The maximum number of remembered offers of one lender. Beyond it the oldest is dropped, and everything that the lender
/// signed before it counts as cancelled.
const OFFERS_MAX: usize = 65_536;

/// The cancellations of all lenders.
#[derive(Debug, Default)]
pub(crate) struct Cancellations {
    lenders: BTreeMap<u64, LenderCancellations>,
}

#[derive(Debug, Default)]
struct LenderCancellations {
    /// Offers by their ids, each with the second at which the message that cancels it was issued.
    offers: BTreeMap<String, u64>,
    /// The second before which every message is cancelled.
    all_before_s: u64,
}

impl Cancellations {
    /// Remembers an offer that a message cancels which was issued at this second.
    pub(crate) fn push(&mut self, lender_id: u64, offer_id: &str, issued_s: u64) {
        let lender = self.lenders.entry(lender_id).or_default();
        if lender.offers.len() >= OFFERS_MAX
            && let Some((oldest, at_s)) = lender.offers.iter().min_by_key(|(_, at_s)| **at_s)
        {
            let (oldest, at_s) = (oldest.clone(), *at_s);
            lender.offers.remove(&oldest);
            lender.all_before_s = lender.all_before_s.max(at_s.saturating_add(CLOCK_SKEW_S_MAX));
        }
        lender.offers.insert(offer_id.to_owned(), issued_s);
    }

    /// Remembers that all offers were cancelled by a message that was issued at this second.
    pub(crate) fn push_all(&mut self, lender_id: u64, issued_s: u64) {
        let lender = self.lenders.entry(lender_id).or_default();
        lender.all_before_s = lender.all_before_s.max(issued_s);
    }

    /// Returns whether an offer was cancelled whose message was issued at this second.
    pub(crate) fn cancels(&self, lender_id: u64, offer_id: &str, issued_s: u64) -> bool {
        let lender = self.lenders.get(&lender_id);
        lender.is_some_and(|lender| issued_s < lender.all_before_s || lender.offers.contains_key(offer_id))
    }

    /// Removes what no fresh message can contradict any more.
    pub(crate) fn prune(&mut self, now_s: u64) {
        self.lenders.retain(|_, lender| {
            lender.offers.retain(|_, issued_s| end_of_messages_s(*issued_s) > now_s);
            !lender.offers.is_empty() || end_of_messages_s(lender.all_before_s) > now_s
        });
    }
}

/// Returns the second from which no message can be fresh that was issued before this one, by whichever of two clocks.
const fn end_of_messages_s(issued_s: u64) -> u64 {
    issued_s.saturating_add(LIFETIME_S_MAX + 2 * CLOCK_SKEW_S_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellations_last_as_long_as_the_messages_that_they_cancel() {
        let mut cancellations = Cancellations::default();
        cancellations.push(4, "of_1", 1_000);
        assert!(cancellations.cancels(4, "of_1", 2_000));
        assert!(!cancellations.cancels(4, "of_2", 900) && !cancellations.cancels(5, "of_1", 900));
        cancellations.push_all(4, 1_500);
        assert!(cancellations.cancels(4, "of_2", 1_499));
        assert!(!cancellations.cancels(4, "of_2", 1_500));
        cancellations.prune(1_719);
        assert!(cancellations.cancels(4, "of_1", 2_000));
        cancellations.prune(1_720);
        assert!(!cancellations.cancels(4, "of_1", 2_000) && cancellations.cancels(4, "of_1", 1_499));
        cancellations.prune(2_220);
        assert!(cancellations.lenders.is_empty());
    }

    #[test]
    fn beyond_the_limit_nothing_is_forgotten() {
        let mut cancellations = Cancellations::default();
        cancellations.push(4, "oldest", 900);
        for number in 0..OFFERS_MAX {
            cancellations.push(4, &format!("of_{number}"), 1_000);
        }
        assert_eq!(cancellations.lenders[&4].offers.len(), OFFERS_MAX);
        assert!(cancellations.cancels(4, "oldest", 959) && cancellations.cancels(4, "of_0", 1_000));
        assert!(!cancellations.cancels(4, "new", 960));
    }
}
