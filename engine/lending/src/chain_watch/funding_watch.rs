//! A watch over the payment addresses of lenders of manual offers, so that an offer without coins behind it is not
//! ranked.
//!
//! The observation of an address is valid until the next block, or for a minute. Only coins known to be missing pause
//! an offer: while the node, the coin index or the asset index does not answer, nothing changes.

use std::collections::BTreeMap;
use std::time::Duration;

use bitcoin::{Amount, BlockHash};
use domain::{CollateralType, Command, GroupId, OfferId, Outpoint, Role, Sats, UserId};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError, Tip};
use escrow::contract::transaction::coin_selection::Contents;
use thiserror::Error;
use tokio::time::Instant;

use crate::lookups::ports::Ports;
use crate::records::outpoint;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::watch_times::Watch;

/// The most payment addresses checked in one round; the next round continues behind them.
pub const ADDRESSES_PER_ROUND: usize = 64;
/// The number of consecutive failed addresses after which a round checks no others.
const FAILURES_MAX: usize = 3;
/// The most offers of one event.
const OFFERS_PER_EVENT: usize = 500;

/// The intervals of the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FundingWatchIntervals {
    /// The pause between two rounds. A round without a new block costs a single request to the node.
    pub round_interval: Duration,
    /// The time for which the observation of an address is valid without a new block.
    pub observation_max_age: Duration,
}

/// Three seconds, and a minute.
impl Default for FundingWatchIntervals {
    fn default() -> Self {
        let [round_interval, observation_max_age] = [3, 60].map(Duration::from_secs);
        Self { round_interval, observation_max_age }
    }
}

/// The reason why a round ended early. Nothing was changed by it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FundingError {
    /// The node does not answer.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The market does not accept commands now.
    #[error(transparent)]
    Market(#[from] Refusal),
}

/// The result of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FundingRound {
    /// Payment addresses checked.
    pub checked: usize,
    /// Payment addresses whose coins are unknown.
    pub failed: usize,
    /// Offers paused.
    pub paused: usize,
    /// Offers resumed.
    pub resumed: usize,
}

/// A coin at a payment address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeenCoin {
    outpoint: Outpoint,
    value: Amount,
    /// Whether it carries no asset; `false` where the indexer does not know.
    is_plain: bool,
}

/// The confirmed coins of a payment address that carry no known asset, as of a block.
#[derive(Clone, Debug)]
struct AddressObservation {
    tip: BlockHash,
    at: Instant,
    coins: Vec<SeenCoin>,
}

impl AddressObservation {
    fn is_fresh(&self, tip: BlockHash, look_every: Duration) -> bool {
        self.tip == tip && self.at.elapsed() < look_every
    }
}

/// The coins that an offer requires at its lender's payment address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Need {
    offer: OfferId,
    wanted: Amount,
    /// Whether a single coin must hold exactly that.
    is_exact: bool,
    /// Whether the offer is paused for lack of funding.
    is_paused: bool,
}

/// Whether unreserved coins fund an offer; `None` where that depends on the unknown contents of some.
fn is_funded(free: &[SeenCoin], wanted: Amount, is_exact: bool) -> Option<bool> {
    if suffices(free.iter().filter(|coin| coin.is_plain), wanted, is_exact) {
        return Some(true);
    }
    (!suffices(free.iter(), wanted, is_exact)).then_some(false)
}

fn suffices<'coin>(mut coins: impl Iterator<Item = &'coin SeenCoin>, wanted: Amount, is_exact: bool) -> bool {
    if is_exact {
        return coins.any(|coin| coin.value == wanted);
    }
    let add = |sum: Amount, coin: &SeenCoin| sum.checked_add(coin.value).unwrap_or(Amount::MAX);
    coins.fold(Amount::ZERO, add) >= wanted
}

#[derive(Debug, Default)]
struct State {
    observations: BTreeMap<UserId, AddressObservation>,
    /// The last lender checked.
    last: Option<UserId>,
}

/// Offers of one group whose funding changed.
#[derive(Default)]
struct FundingChanges {
    unfunded: Vec<OfferId>,
    funded: Vec<OfferId>,
}

/// The watch over lenders' payment addresses.
pub struct FundingWatch<P> {
    service: LoanService<P>,
    intervals: FundingWatchIntervals,
    /// Locked for a whole round: of two concurrent rounds one could decide by an older observation.
    state: tokio::sync::Mutex<State>,
}

impl<P: Ports> FundingWatch<P> {
    /// Creates a watch without observations.
    #[must_use]
    pub fn new(service: LoanService<P>, intervals: FundingWatchIntervals) -> Self {
        Self { service, intervals, state: tokio::sync::Mutex::default() }
    }

    /// Runs rounds until the market closes. Cancel-safe.
    pub async fn run(&self) {
        loop {
            let round = self.round().await;
            if round.is_ok() {
                self.service.watch_times.record(Watch::Funding, self.service.market.now());
            }
            match round {
                Ok(FundingRound { failed: 0, .. }) => {}
                Ok(round) => tracing::warn!(?round, "the funding of some offers is unknown"),
                Err(FundingError::Market(Refusal::Closed)) => return,
                Err(error) => tracing::warn!(%error, "the funding of offers could not be checked"),
            }
            tokio::time::sleep(self.intervals.round_interval).await;
        }
    }

    /// Checks addresses that are due, then pauses and resumes offers by all valid observations.
    ///
    /// # Errors
    /// [`FundingError`].
    pub async fn round(&self) -> Result<FundingRound, FundingError> {
        let mut state = self.state.lock().await;
        let tip = self.service.ports.chain().tip().await?;
        let needs = self.needs().await?;
        state.observations.retain(|lender, _| needs.contains_key(lender));
        let mut round = FundingRound::default();
        self.refresh(&mut state, needs.keys().copied().collect(), tip, &mut round).await;
        let mut changes: BTreeMap<GroupId, FundingChanges> = BTreeMap::new();
        for (lender, needs) in &needs {
            let observation = state
                .observations
                .get(lender)
                .filter(|observation| observation.is_fresh(tip.hash, self.intervals.observation_max_age));
            let Some(observation) = observation else { continue };
            let free = self.free(&observation.coins);
            for need in needs {
                let group = changes.entry(need.offer.group()).or_default();
                match is_funded(&free, need.wanted, need.is_exact) {
                    Some(false) if !need.is_paused => group.unfunded.push(need.offer),
                    Some(true) if need.is_paused => group.funded.push(need.offer),
                    _ => {}
                }
            }
        }
        for (group, FundingChanges { unfunded, funded }) in changes {
            round.paused += unfunded.len();
            round.resumed += funded.len();
            for offers in unfunded.chunks(OFFERS_PER_EVENT) {
                let command = Command::SetFunding { unfunded: offers.to_vec(), funded: Vec::new() };
                self.service.market.command(group, command, None).await?;
            }
            for offers in funded.chunks(OFFERS_PER_EVENT) {
                let command = Command::SetFunding { unfunded: Vec::new(), funded: offers.to_vec() };
                self.service.market.command(group, command, None).await?;
            }
        }
        Ok(round)
    }

    /// Returns the coins that manual offers require, by lender. An offer with a reservation has its coins reserved
    /// already.
    async fn needs(&self) -> Result<BTreeMap<UserId, Vec<Need>>, FundingError> {
        let mut needs: BTreeMap<UserId, Vec<Need>> = BTreeMap::new();
        for group in self.service.market.groups() {
            let is_exact = matches!(group.collateral, CollateralType::Brc20 { .. });
            for (offer, terms) in self.service.market.manual_offers(group.id).await? {
                if offer.held > Sats::ZERO {
                    continue;
                }
                let Ok(wanted) = self.service.lender_pays_for(&offer, terms) else { continue };
                let is_paused = offer.paused.contains(domain::PauseReasons::FUNDING);
                let need = Need { offer: offer.id, wanted, is_exact, is_paused };
                needs.entry(offer.lender).or_default().push(need);
            }
        }
        Ok(needs)
    }

    /// Checks the next addresses that are due.
    async fn refresh(&self, state: &mut State, lenders: Vec<UserId>, tip: Tip, round: &mut FundingRound) {
        let last = state.last;
        let (behind, before): (Vec<_>, Vec<_>) =
            lenders.into_iter().partition(|lender| last.is_none_or(|last| *lender > last));
        let is_due = |lender: &UserId| {
            state
                .observations
                .get(lender)
                .is_none_or(|observation| !observation.is_fresh(tip.hash, self.intervals.observation_max_age))
        };
        let due: Vec<UserId> = behind.into_iter().chain(before).filter(is_due).take(ADDRESSES_PER_ROUND).collect();
        let mut failures = 0;
        for lender in due {
            state.last = Some(lender);
            match self.observe(lender, tip).await {
                Ok(observation) => {
                    state.observations.insert(lender, observation);
                    round.checked += 1;
                    failures = 0;
                }
                Err(error) => {
                    tracing::debug!(%lender, %error, "the funding of offers is unknown");
                    state.observations.remove(&lender);
                    round.failed += 1;
                    failures += 1;
                    if failures >= FAILURES_MAX {
                        return;
                    }
                }
            }
        }
    }

    async fn observe(&self, lender: UserId, tip: Tip) -> Result<AddressObservation, LoanServiceError> {
        let party = self.service.party(lender, Role::Lender).await?;
        let lookup = self.service.lookup();
        // A stale coin list cannot be distinguished from an empty wallet.
        lookup.wait_until_indexed(tip.height).await?;
        let holdings = lookup.holdings(&party.payment).await?;
        let may_pay = holdings.coins.iter().filter(|held| held.is_mature() && held.contents() != Contents::Assets);
        let coins = may_pay.map(|held| SeenCoin {
            outpoint: outpoint::to_domain(held.coin.outpoint),
            value: held.coin.output.value,
            is_plain: held.contents() == Contents::Plain,
        });
        Ok(AddressObservation { tip: tip.hash, at: Instant::now(), coins: coins.collect() })
    }

    /// Returns the unreserved coins.
    fn free(&self, coins: &[SeenCoin]) -> Vec<SeenCoin> {
        let reserved = self.service.market.locked_outputs(coins.iter().map(|coin| coin.outpoint));
        coins.iter().filter(|coin| !reserved.contains(&coin.outpoint)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coin(vout: u32, sats: u64, is_plain: bool) -> SeenCoin {
        SeenCoin { outpoint: Outpoint { txid: [1; 32], vout }, value: Amount::from_sat(sats), is_plain }
    }

    #[test]
    fn any_coins_fund_an_offer_that_they_add_up_to() {
        let coins = [coin(0, 60_000, true), coin(1, 50_000, true)];
        assert_eq!(is_funded(&coins, Amount::from_sat(110_000), false), Some(true));
        assert_eq!(is_funded(&coins, Amount::from_sat(110_001), false), Some(false));
        assert_eq!(is_funded(&[], Amount::from_sat(1), false), Some(false));
    }

    #[test]
    fn one_coin_of_exactly_the_sum_funds_a_brc20_offer() {
        let coins = [coin(0, 60_000, true), coin(1, 50_000, true)];
        assert_eq!(is_funded(&coins, Amount::from_sat(50_000), true), Some(true));
        assert_eq!(is_funded(&coins, Amount::from_sat(40_000), true), Some(false));
        assert_eq!(is_funded(&coins, Amount::from_sat(110_000), true), Some(false));
    }

    #[test]
    fn a_coin_of_unknown_contents_neither_funds_nor_pauses() {
        let coins = [coin(0, 60_000, true), coin(1, 50_000, false)];
        assert_eq!(is_funded(&coins, Amount::from_sat(60_000), false), Some(true));
        assert_eq!(is_funded(&coins, Amount::from_sat(70_000), false), None);
        assert_eq!(is_funded(&coins, Amount::from_sat(50_000), true), None);
        assert_eq!(is_funded(&coins, Amount::from_sat(110_001), false), Some(false));
    }
}
