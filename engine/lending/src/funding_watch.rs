//! Follows what the lenders of manual offers hold, so that no offer is ranked whose lender lacks the coins.
//!
//! A look at a payment address is good until the next block, or for a minute. Only what is known to be missing pauses an
//! offer: when the node, the list of coins or the indexer gives no answer, everything stays as it is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bitcoin::{Amount, BlockHash};
use domain::{CollateralType, CollectionGroup, Command, GroupId, Offer, OfferId, Outpoint, Role, Sats, UserId};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError, Tip};
use escrow::contract::coin_choice::Contents;
use thiserror::Error;
use tokio::time::Instant;

use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::outpoint;
use crate::ports::Ports;

/// The most payment addresses that one round looks at; the next round goes on behind them.
pub const LOOKS_A_ROUND: usize = 64;
/// After so many addresses in a row of which nothing could be said a round looks at no other.
const FAILURES_MAX: usize = 3;
/// The most offers of one event.
const OFFERS_AN_EVENT: usize = 500;

/// How often the watch looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FundingPace {
    /// The rest between two rounds. A round without a new block costs no question to the node but one.
    pub round_every: Duration,
    /// How long a look at an address is good for where no block comes.
    pub look_every: Duration,
}

/// Three seconds, and a minute.
impl Default for FundingPace {
    fn default() -> Self {
        let [round_every, look_every] = [3, 60].map(Duration::from_secs);
        Self { round_every, look_every }
    }
}

/// Why a round ended early. Nothing was changed then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FundingError {
    /// The node gives no answer.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The market takes nothing in now.
    #[error(transparent)]
    Market(#[from] Refusal),
}

/// What a round came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FundingRound {
    /// Payment addresses that were looked at.
    pub looked: usize,
    /// Payment addresses of which nothing could be said.
    pub unclear: usize,
    /// Offers that were paused.
    pub paused: usize,
    /// Offers that are ranked again.
    pub resumed: usize,
}

/// A coin at a payment address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeenCoin {
    place: Outpoint,
    value: Amount,
    /// Whether it carries nothing; `false` where the indexer could not tell.
    is_plain: bool,
}

/// The confirmed coins of a payment address that may be plain, as they were at a block.
#[derive(Clone, Debug)]
struct Look {
    tip: BlockHash,
    at: Instant,
    coins: Vec<SeenCoin>,
}

impl Look {
    fn is_fresh(&self, tip: BlockHash, look_every: Duration) -> bool {
        self.tip == tip && self.at.elapsed() < look_every
    }
}

/// What an offer takes of its lender's payment address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Need {
    offer: OfferId,
    wanted: Amount,
    /// Whether a single coin must hold exactly that.
    is_exact: bool,
    /// Whether the offer is paused for want of it.
    is_paused: bool,
}

/// Whether coins that are promised to nothing else fund an offer; `None` where that depends on what some of them carry.
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
struct Memory {
    looks: BTreeMap<UserId, Look>,
    /// The last lender that was looked at.
    last: Option<UserId>,
}

/// Offers of one group whose funding moved.
#[derive(Default)]
struct Moves {
    unfunded: Vec<OfferId>,
    funded: Vec<OfferId>,
}

/// Follows the payment addresses of lenders.
pub struct FundingWatch<P> {
    desk: Desk<P>,
    pace: FundingPace,
    /// Locked for a whole round: of two at once one could decide by the older look.
    memory: tokio::sync::Mutex<Memory>,
}

impl<P: Ports> FundingWatch<P> {
    /// A watch that has seen nothing yet.
    #[must_use]
    pub fn new(desk: Desk<P>, pace: FundingPace) -> Self {
        Self { desk, pace, memory: tokio::sync::Mutex::default() }
    }

    /// Looks until the market closes. It may be dropped wherever it waits.
    pub async fn run(&self) {
        loop {
            match self.round().await {
                Ok(FundingRound { unclear: 0, .. }) => {}
                Ok(round) => tracing::warn!(?round, "the coins behind some offers are not known"),
                Err(FundingError::Market(Refusal::Closed)) => return,
                Err(error) => tracing::warn!(%error, "the coins behind offers could not be looked at"),
            }
            tokio::time::sleep(self.pace.round_every).await;
        }
    }

    /// Looks at addresses that are due, and pauses and resumes what follows from all that are known.
    ///
    /// # Errors
    /// [`FundingError`].
    pub async fn round(&self) -> Result<FundingRound, FundingError> {
        let mut memory = self.memory.lock().await;
        let tip = self.desk.ports.chain().tip().await?;
        let needs = self.needs().await?;
        memory.looks.retain(|lender, _| needs.contains_key(lender));
        let mut round = FundingRound::default();
        self.look(&mut memory, needs.keys().copied().collect(), tip, &mut round).await;
        let mut moves: BTreeMap<GroupId, Moves> = BTreeMap::new();
        for (lender, needs) in &needs {
            let look = memory.looks.get(lender).filter(|look| look.is_fresh(tip.hash, self.pace.look_every));
            let Some(look) = look else { continue };
            let free = self.free(&look.coins);
            for need in needs {
                let group = moves.entry(need.offer.group()).or_default();
                match is_funded(&free, need.wanted, need.is_exact) {
                    Some(false) if !need.is_paused => group.unfunded.push(need.offer),
                    Some(true) if need.is_paused => group.funded.push(need.offer),
                    _ => {}
                }
            }
        }
        for (group, Moves { unfunded, funded }) in moves {
            round.paused += unfunded.len();
            round.resumed += funded.len();
            for offers in unfunded.chunks(OFFERS_AN_EVENT) {
                let command = Command::MoveFunding { unfunded: offers.to_vec(), funded: Vec::new() };
                self.desk.market.command(group, command, None).await?;
            }
            for offers in funded.chunks(OFFERS_AN_EVENT) {
                let command = Command::MoveFunding { unfunded: Vec::new(), funded: offers.to_vec() };
                self.desk.market.command(group, command, None).await?;
            }
        }
        Ok(round)
    }

    /// What manual offers take, by lender. An offer that a borrower is signing for holds its coins already.
    async fn needs(&self) -> Result<BTreeMap<UserId, Vec<Need>>, FundingError> {
        let mut needs: BTreeMap<UserId, Vec<Need>> = BTreeMap::new();
        for group in self.desk.market.groups() {
            let is_exact = matches!(group.collateral, CollateralType::Brc20 { .. });
            for offer in self.desk.market.manual_offers(group.id).await? {
                if offer.held > Sats::ZERO {
                    continue;
                }
                let Ok(wanted) = self.desk.lender_pays_for(&group, &offer) else { continue };
                let is_paused = offer.paused.contains(domain::PauseReasons::FUNDING);
                let need = Need { offer: offer.id, wanted, is_exact, is_paused };
                needs.entry(offer.lender).or_default().push(need);
            }
        }
        Ok(needs)
    }

    /// Looks at the next addresses that are due.
    async fn look(&self, memory: &mut Memory, lenders: Vec<UserId>, tip: Tip, round: &mut FundingRound) {
        let last = memory.last;
        let (behind, before): (Vec<_>, Vec<_>) =
            lenders.into_iter().partition(|lender| last.is_none_or(|last| *lender > last));
        let is_due = |lender: &UserId| {
            memory.looks.get(lender).is_none_or(|look| !look.is_fresh(tip.hash, self.pace.look_every))
        };
        let due: Vec<UserId> = behind.into_iter().chain(before).filter(is_due).take(LOOKS_A_ROUND).collect();
        let mut failures = 0;
        for lender in due {
            memory.last = Some(lender);
            match self.look_at(lender, tip).await {
                Ok(look) => {
                    memory.looks.insert(lender, look);
                    round.looked += 1;
                    failures = 0;
                }
                Err(error) => {
                    tracing::debug!(%lender, %error, "the coins behind offers are not known");
                    memory.looks.remove(&lender);
                    round.unclear += 1;
                    failures += 1;
                    if failures >= FAILURES_MAX {
                        return;
                    }
                }
            }
        }
    }

    async fn look_at(&self, lender: UserId, tip: Tip) -> Result<Look, DeskError> {
        let party = self.desk.party(lender, Role::Lender).await?;
        let lookup = self.desk.lookup();
        // A stale list of coins cannot be told from an empty wallet.
        lookup.read_up_to(tip.height).await?;
        let holdings = lookup.holdings(&party.payment).await?;
        let may_pay = holdings.coins.iter().filter(|held| held.is_mature() && held.contents() != Contents::Assets);
        let coins = may_pay.map(|held| SeenCoin {
            place: outpoint::to_domain(held.coin.outpoint),
            value: held.coin.output.value,
            is_plain: held.contents() == Contents::Plain,
        });
        Ok(Look { tip: tip.hash, at: Instant::now(), coins: coins.collect() })
    }

    /// The coins that nothing was promised.
    fn free(&self, coins: &[SeenCoin]) -> Vec<SeenCoin> {
        let promised = self.desk.market.promised(coins.iter().map(|coin| coin.place));
        coins.iter().filter(|coin| !promised.contains(&coin.place)).copied().collect()
    }
}

impl<P: Ports> Desk<P> {
    /// What the lender of a manual offer pays into its loan: principal and platform fee.
    ///
    /// # Errors
    /// [`DeskError::OutOfRange`], and [`Refusal::UnknownGroup`] for a term that does not exist.
    pub(crate) fn lender_pays_for(&self, group: &Arc<CollectionGroup>, offer: &Offer) -> Result<Amount, DeskError> {
        let sub = group.sub_collection(offer.sub_collection).ok_or(Refusal::UnknownGroup)?;
        let interest = sub.interest.of(offer.principal).ok_or(DeskError::OutOfRange)?;
        let wanted = offer.principal.checked_add(self.platform_fee(interest)?).ok_or(DeskError::OutOfRange)?;
        Ok(Amount::from_sat(wanted.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coin(vout: u32, sats: u64, is_plain: bool) -> SeenCoin {
        SeenCoin { place: Outpoint { txid: [1; 32], vout }, value: Amount::from_sat(sats), is_plain }
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
    fn a_coin_that_may_carry_something_neither_funds_nor_pauses() {
        let coins = [coin(0, 60_000, true), coin(1, 50_000, false)];
        assert_eq!(is_funded(&coins, Amount::from_sat(60_000), false), Some(true));
        assert_eq!(is_funded(&coins, Amount::from_sat(70_000), false), None);
        assert_eq!(is_funded(&coins, Amount::from_sat(50_000), true), None);
        assert_eq!(is_funded(&coins, Amount::from_sat(110_001), false), Some(false));
    }
}
