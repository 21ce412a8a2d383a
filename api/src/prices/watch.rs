//! The rounds of requests to marketplaces, as a stream of market data.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use domain::{CollateralType, CollectionGroup, GroupId, UnitPrice, UnixMs};
use engine::Market;
use engine::market_data::{MarketData, MarketUpdate, PriceTick};
use futures_util::future::join_all;
use providers::capability::{Quote, TradedAsset};
use tokio::time::Instant;

use super::board::{PriceBoard, PriceStatus, SourceReport};
use super::judge::{HoldReason, Jump, PriceDecision, PriceRules, PriceState, Sample, anchor_after, judge};
use crate::clock;
use crate::config::price_settings::{PriceSettings, PricedCollection};
use crate::upstreams::MeteredUpstreams;

/// Asks every marketplace about every collection, in rounds.
pub struct PriceWatch {
    market: Market,
    upstreams: Arc<MeteredUpstreams>,
    board: PriceBoard,
    rules: PriceRules,
    every: Duration,
    names: Vec<PricedCollection>,
    /// The last sample of each source for each group.
    samples: BTreeMap<(GroupId, String), Sample>,
    /// Large moves that wait for confirmation.
    jumps: BTreeMap<GroupId, Jump>,
    /// The prices from which the moves of a single source are measured.
    anchors: BTreeMap<GroupId, UnitPrice>,
    waiting: VecDeque<MarketUpdate>,
    /// Groups that the current round has not reached yet.
    to_ask: VecDeque<Arc<CollectionGroup>>,
    next_round: Instant,
}

impl PriceWatch {
    /// Builds the watch of a market's prices, which publishes their state on the board.
    #[must_use]
    pub fn new(market: Market, upstreams: Arc<MeteredUpstreams>, board: PriceBoard, settings: &PriceSettings) -> Self {
        Self {
            market,
            upstreams,
            board,
            rules: PriceRules::of(settings),
            every: Duration::from_secs(u64::from(settings.every_s)),
            names: settings.collections.clone(),
            samples: BTreeMap::new(),
            jumps: BTreeMap::new(),
            anchors: BTreeMap::new(),
            waiting: VecDeque::new(),
            to_ask: VecDeque::new(),
            next_round: Instant::now(),
        }
    }

    /// Asks all marketplaces about one collection.
    async fn ask(&mut self, group: &CollectionGroup) {
        let upstreams = Arc::clone(&self.upstreams);
        let members = upstreams.upstreams.prices.members();
        let asked = members.iter().filter_map(|member| {
            let traded = traded_as(group, &self.names, member.name())?;
            Some(async move { (member.name(), member.quote(&traded).await) })
        });
        let quotes = join_all(asked).await;
        if quotes.is_empty() {
            return;
        }
        let now = clock::now();
        let (mut sources, mut volumes) = (Vec::new(), None);
        for (name, quote) in quotes {
            let key = (group.id, name.to_owned());
            let error = match quote {
                Ok(Some(Quote { price_scaled, volumes: reported })) => {
                    self.samples.insert(key.clone(), Sample { price: UnitPrice::from_scaled(price_scaled), at: now });
                    volumes = volumes.or(reported);
                    None
                }
                Ok(None) => {
                    // Nothing is for sale there, so its last price is no longer current.
                    self.samples.remove(&key);
                    Some("it has no price".to_owned())
                }
                Err(trouble) => Some(trouble.to_string()),
            };
            let sample = self.samples.get(&key).copied();
            sources.push(SourceReport { name: name.to_owned(), sample, error });
        }
        self.conclude(group, sources, now);
        self.waiting.extend(volumes.map(|volumes| MarketUpdate::Volumes { group: group.id, volumes }));
    }

    /// Judges the reports on a collection.
    fn conclude(&mut self, group: &CollectionGroup, sources: Vec<SourceReport>, now: UnixMs) {
        let known = self.market.row(group.id).and_then(|row| row.unit_price).map(|price| price.0);
        let samples: Vec<Sample> = sources.iter().filter_map(|source| source.sample).collect();
        let before = self.board.of(group.id);
        let mut adopted = before.as_ref().and_then(|standing| standing.adopted);
        // A price that was not set here is an operator's, and moves are measured from it.
        let is_own = known.is_some() && known == adopted.map(|(price, _)| price);
        let anchor = self.anchors.get(&group.id).copied().filter(|_| is_own).or(known);
        let state = PriceState { known, anchor, jump: self.jumps.remove(&group.id) };
        let verdict = judge(&self.rules, state, &samples, now);
        if let Some(anchor) = anchor_after(&self.rules, anchor, &verdict) {
            self.anchors.insert(group.id, anchor);
        }
        let hold = match verdict {
            PriceDecision::Take { price, .. } => {
                adopted = Some((price, now));
                let tick = PriceTick { group: group.id, price, observed_at: now };
                self.waiting.push_back(MarketUpdate::Price(tick));
                None
            }
            PriceDecision::Hold(hold) => Some(hold),
        };
        if let Some(HoldReason::Jump(jump)) = hold {
            self.jumps.insert(group.id, jump);
        }
        if hold != before.and_then(|standing| standing.hold) {
            if let Some(hold) = hold {
                tracing::warn!(collection = %group.slug, ?hold, "the price stays as it was");
            } else {
                tracing::info!(collection = %group.slug, "the price follows the marketplaces again");
            }
        }
        let is_one_source = samples.iter().filter(|sample| self.rules.is_fresh(sample, now)).count() == 1;
        self.board.set(group.id, PriceStatus { asked_at: now, adopted, hold, sources, is_one_source });
    }
}

impl MarketData for PriceWatch {
    async fn next(&mut self) -> Option<MarketUpdate> {
        loop {
            if let Some(news) = self.waiting.pop_front() {
                return Some(news);
            }
            if let Some(group) = self.to_ask.front().cloned() {
                self.ask(&group).await;
                self.to_ask.pop_front();
                continue;
            }
            tokio::time::sleep_until(self.next_round).await;
            self.next_round = Instant::now() + self.every;
            self.to_ask = self.market.groups().into();
        }
    }
}

/// Returns the name of a collection at an upstream service: that of a token is its own, that of a collection of
/// inscriptions is configured; `None` if it is not.
fn traded_as(group: &CollectionGroup, names: &[PricedCollection], upstream: &str) -> Option<TradedAsset> {
    let priced = names.iter().find(|priced| priced.collection == group.slug.to_string());
    let name = priced.and_then(|priced| priced.names.get(upstream)).cloned();
    match &group.collateral {
        CollateralType::Inscription => name.map(TradedAsset::Collection),
        CollateralType::Rune { rune_name, .. } => {
            Some(TradedAsset::Rune(name.unwrap_or_else(|| rune_name.replace(['•', '.'], ""))))
        }
        CollateralType::Brc20 { ticker, .. } => Some(TradedAsset::Brc20(name.unwrap_or_else(|| ticker.clone()))),
    }
}
