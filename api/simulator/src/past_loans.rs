//! The history of a demo before its start: loans of the past weeks, so that some are due and some can be claimed within
//! minutes.

use std::collections::BTreeMap;

use bitcoin::Network;
use domain::{Bundle, CollateralType, GroupId, Ltv, ProcessType, Sats, SubCollectionId, TermDays, UnitPrice};
use escrow::wallet_key::{WalletKey, WalletKeyError};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

use crate::amount::principal_at;
use crate::borrower_profile::BorrowerProfile;
use crate::demo_group::DemoGroup;
use crate::demo_market::DemoMarket;
use crate::pace::Pace;
use crate::profile::Profile;
use crate::seeded::seeded_rng;

const MINUTE_S: u64 = 60;
const HOUR_S: u64 = 3_600;
const DAY_S: u64 = 86_400;
/// The time between the preparation of a manual loan and its claim time, in seconds, in addition to the term: the time
/// limits of both signatures, and a day of grace.
const SIGNING_AND_GRACE_S: u64 = 15 * MINUTE_S + 12 * HOUR_S + DAY_S;
/// The lowest principal, above every minimum.
const PRINCIPAL_MIN: Sats = Sats::new(60_000);
/// The highest principal, so that every wallet can fund it.
const PRINCIPAL_MAX: Sats = Sats::new(15_000_000);

/// The number of loans against inscriptions that can be claimed from the first minute on, and the same of BRC-20.
const UNPAID: usize = 8;
const UNPAID_TOKENS: usize = 1;
/// The number of claimable loans against several inscriptions, and the number of these.
const UNPAID_SEVERAL: usize = 2;
const UNPAID_TOGETHER: u32 = 5;
/// One in this many of the other loans is against several inscriptions, and their number.
const TOGETHER_EVERY: usize = 12;
const TOGETHER: u32 = 3;
/// The longest term of a past loan, in days: of inscriptions, and of BRC-20.
const TERM_MAX: u16 = 14;
const TOKEN_TERM_MAX: u16 = 30;

/// The state of a past loan at the start of the demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastOutcome {
    /// It is open.
    Open,
    /// It was repaid this many seconds before the start.
    Repaid(u64),
    /// Its collateral was claimed this many seconds before the start.
    Claimed(u64),
}

/// A manual loan against inscriptions, or a bundle of BRC-20, that was made in the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastLoan {
    /// The lender's number; the number after the last simulated lender is the lender without a simulation.
    pub lender: usize,
    /// The borrower's number; the number after the last simulated borrower is a borrower who never repays.
    pub borrower: usize,
    /// The group of the collateral.
    pub group: GroupId,
    /// The sub-collection.
    pub sub: SubCollectionId,
    /// The number of inscriptions that secure it together; 1 for a bundle of BRC-20.
    pub count: u32,
    /// The amount lent.
    pub principal: Sats,
    /// The time of preparation, in seconds before the start.
    pub prepared_s_ago: u64,
    /// The state at the start.
    pub outcome: PastOutcome,
}

impl PastLoan {
    /// Returns the same loan against this number of inscriptions, with a principal for each.
    fn against(self, count: u32) -> Self {
        Self { count, principal: Sats::new(self.principal.get() * u64::from(count)), ..self }
    }
}

impl DemoMarket {
    /// The wallet seed of a lender without a simulation, so that a visitor who uses this wallet finds loans to claim.
    pub const UNSIMULATED_LENDER_SEED: [u8; 32] = *b"a lender who claims, in the demo";

    /// The age, in seconds, of the chain of a demo with a history.
    pub const HISTORY_S: u64 = 36 * DAY_S;

    /// Returns the past loans, the earliest first: a fifth of them repaid, some claimed, and the others open. Of these
    /// some can be claimed and some are due from the first minutes on, and ever fewer in the hours after. Those of the
    /// lender without a simulation can be claimed already.
    #[must_use]
    pub fn past_loans(&self, prices: &BTreeMap<GroupId, UnitPrice>) -> Vec<PastLoan> {
        let mut rng = seeded_rng(self.seed, "past", "loans");
        let is_open = |demo: &&DemoGroup| {
            demo.activity.weight() > 0 && demo.group.is_lending_allowed && prices.contains_key(&demo.group.id)
        };
        let is_token = |demo: &&DemoGroup| matches!(demo.group.collateral, CollateralType::Brc20 { .. });
        let is_picture = |demo: &&DemoGroup| demo.group.collateral == CollateralType::Inscription;
        let places: Vec<&DemoGroup> = self.groups.iter().filter(is_open).filter(is_picture).collect();
        let tokens: Vec<&DemoGroup> = self.groups.iter().filter(is_open).filter(is_token).collect();
        let mut loans = Vec::new();
        if self.lenders == 0 {
            return loans;
        }
        for number in 0..self.borrowers * 8 / 5 {
            let Some((group, sub, term, principal)) = draft(&places, prices, TERM_MAX, &mut rng) else { break };
            let (prepared_s_ago, outcome) = fate(number, term, self.pace, &mut rng);
            let lender = rng.random_range(0..self.lenders);
            let borrower = number % self.borrowers;
            let is_together = number % TOGETHER_EVERY == TOGETHER_EVERY - 1;
            let loan = PastLoan { lender, borrower, group, sub, count: 1, principal, prepared_s_ago, outcome };
            loans.push(if is_together { loan.against(TOGETHER) } else { loan });
        }
        loans.extend(self.unpaid(&places, &tokens, prices));
        loans.sort_by_key(|loan| std::cmp::Reverse(loan.prepared_s_ago));
        loans
    }

    fn unpaid(
        &self,
        places: &[&DemoGroup],
        tokens: &[&DemoGroup],
        prices: &BTreeMap<GroupId, UnitPrice>,
    ) -> Vec<PastLoan> {
        let mut rng = seeded_rng(self.seed, "past", "unpaid");
        let (lender, borrower) = (self.lenders, self.borrowers);
        let mut loan = |places: &[&DemoGroup], term_max| {
            let (group, sub, term, principal) = draft(places, prices, term_max, &mut rng)?;
            let prepared_s_ago = claimable_s(term) + rng.random_range(HOUR_S..8 * HOUR_S);
            let outcome = PastOutcome::Open;
            Some(PastLoan { lender, borrower, group, sub, count: 1, principal, prepared_s_ago, outcome })
        };
        let mut loans: Vec<PastLoan> = (0..UNPAID).map_while(|_| loan(places, TERM_MAX)).collect();
        let several = (0..UNPAID_SEVERAL).map_while(|_| loan(places, TERM_MAX));
        loans.extend(several.map(|loan| loan.against(UNPAID_TOGETHER)));
        loans.extend((0..UNPAID_TOKENS).map_while(|_| loan(tokens, TOKEN_TERM_MAX)));
        loans
    }

    /// The wallet of the lender with that number.
    ///
    /// # Errors
    /// [`WalletKeyError::UnusableSeed`], for one seed in 2^127.
    pub fn lender_wallet(&self, index: usize, network: Network) -> Result<WalletKey, WalletKeyError> {
        let is_played = index < self.lenders;
        let draw = || Profile::draw(self.seed, index, &self.groups).wallet_seed;
        WalletKey::from_seed(if is_played { draw() } else { Self::UNSIMULATED_LENDER_SEED }, network)
    }

    /// The wallet of the borrower with that number.
    ///
    /// # Errors
    /// As [`Self::lender_wallet`].
    pub fn borrower_wallet(&self, index: usize, network: Network) -> Result<WalletKey, WalletKeyError> {
        WalletKey::from_seed(BorrowerProfile::draw(self.seed, index, &self.groups).wallet_seed, network)
    }
}

/// Draws collateral and principal, at no more than half of the collateral's value.
fn draft(
    places: &[&DemoGroup],
    prices: &BTreeMap<GroupId, UnitPrice>,
    term_max: u16,
    rng: &mut impl Rng,
) -> Option<(GroupId, SubCollectionId, TermDays, Sats)> {
    for _ in 0..100 {
        let demo = places.choose(rng)?;
        let subs = &demo.group.sub_collections;
        let short: Vec<_> =
            subs.iter().filter(|sub| sub.term.0 <= term_max && sub.accepts(ProcessType::Manual)).collect();
        let (Some(sub), Some(price)) = (short.choose(rng), prices.get(&demo.group.id)) else { continue };
        let ltv = Ltv::from_basis_points(rng.random_range(3_000..5_500));
        let Bundle::Fixed(pledged) = sub.bundle else { continue };
        let principal = principal_at(price.value_floor(pledged), ltv);
        if (PRINCIPAL_MIN..=PRINCIPAL_MAX).contains(&principal) {
            return Some((demo.group.id, sub.id, sub.term, principal));
        }
    }
    None
}

/// The time from the preparation of a loan to its claim time, in seconds.
fn claimable_s(term: TermDays) -> u64 {
    u64::from(term.0) * DAY_S + SIGNING_AND_GRACE_S
}

/// The time at which the loan with this number was prepared, in seconds before the start, and its state.
fn fate(number: usize, term: TermDays, pace: Pace, rng: &mut impl Rng) -> (u64, PastOutcome) {
    let term_s = u64::from(term.0) * DAY_S;
    let claimable_s = claimable_s(term);
    let soon_s = soon(number / 10, pace);
    match number % 10 {
        0 | 1 => {
            let ended_s_ago = rng.random_range(HOUR_S..10 * DAY_S);
            (ended_s_ago + rng.random_range(DAY_S..term_s), PastOutcome::Repaid(ended_s_ago))
        }
        2 => {
            let ended_s_ago = rng.random_range(HOUR_S..10 * DAY_S);
            (ended_s_ago + claimable_s + rng.random_range(HOUR_S..8 * HOUR_S), PastOutcome::Claimed(ended_s_ago))
        }
        3 => (claimable_s - soon_s, PastOutcome::Open),
        4 => (claimable_s - soon_s - soon_s / 3, PastOutcome::Open),
        5 => (claimable_s - soon_s - soon_s / 2 - MINUTE_S, PastOutcome::Open),
        6 => (term_s - soon_s, PastOutcome::Open),
        7 => (term_s - soon_s - soon_s / 2, PastOutcome::Open),
        _ => (rng.random_range(6 * HOUR_S..term_s), PastOutcome::Open),
    }
}

/// Two minutes, six, twelve, twenty and so on in a market to watch, in seconds.
fn soon(row: usize, pace: Pace) -> u64 {
    let row = u64::try_from(row).unwrap_or(0);
    (2 + row * 3 + row * row) * pace.early_repayment_ms / 4_000
}

#[cfg(test)]
mod tests {
    use domain::UnixMs;
    use proptest::prelude::*;

    use super::*;

    fn past(seed: u64, lenders: usize) -> Vec<PastLoan> {
        let market = DemoMarket::new(seed).with_lenders(lenders, Pace::LIVELY);
        let feed = market.price_feed(UnixMs(1_800_000_000_000));
        market.past_loans(&feed.prices().into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_market_has_loans_that_are_due_and_loans_that_can_be_claimed_soon(seed: u64) {
            let market = DemoMarket::new(seed);
            let loans = past(seed, market.lenders);
            prop_assert_eq!(loans.len(), 48 + UNPAID + UNPAID_SEVERAL + UNPAID_TOKENS, "seed {}", seed);
            let together = loans.iter().filter(|loan| loan.count > 1).map(|loan| (loan.count, loan.lender == market.lenders));
            prop_assert_eq!(together.filter(|(count, is_unpaid)| (*count == UNPAID_TOGETHER) == *is_unpaid).count(), 4 + UNPAID_SEVERAL);
            let (mut due, mut claimable, mut unpaid) = (0, 0, 0);
            for loan in &loans {
                prop_assert!(loan.prepared_s_ago < DemoMarket::HISTORY_S - DAY_S, "seed {}: {:?}", seed, loan);
                let term = market.group(loan.group).unwrap().group.sub_collection(loan.sub).unwrap().term;
                if loan.lender == market.lenders {
                    prop_assert_eq!((loan.borrower, loan.outcome), (market.borrowers, PastOutcome::Open));
                    prop_assert!(loan.prepared_s_ago >= claimable_s(term) + HOUR_S, "seed {}: {:?}", seed, loan);
                    unpaid += 1;
                    continue;
                }
                prop_assert!(loan.lender < market.lenders && loan.borrower < market.borrowers);
                let term_s = u64::from(term.0) * DAY_S;
                let half_hour = |at_s: u64| (1..=30 * MINUTE_S).contains(&at_s.saturating_sub(loan.prepared_s_ago));
                match loan.outcome {
                    PastOutcome::Open => {
                        due += u32::from(half_hour(term_s));
                        claimable += u32::from(half_hour(claimable_s(term)));
                        prop_assert!(loan.prepared_s_ago < claimable_s(term), "it can be claimed already");
                    }
                    PastOutcome::Repaid(s_ago) => prop_assert!(s_ago < loan.prepared_s_ago),
                    PastOutcome::Claimed(s_ago) => {
                        prop_assert!(s_ago + claimable_s(term) < loan.prepared_s_ago);
                    }
                }
            }
            prop_assert!(due >= 4 && claimable >= 6, "seed {}: {} due, {} claimable", seed, due, claimable);
            prop_assert_eq!(unpaid, UNPAID + UNPAID_SEVERAL + UNPAID_TOKENS, "seed {}", seed);
            prop_assert_eq!(past(seed, market.lenders), loans);
        }
    }

    #[test]
    fn a_market_without_lenders_has_no_past_loans() {
        assert_eq!(past(7, 0), []);
    }
}
