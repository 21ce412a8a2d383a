//! Lookups of outputs in the node and in the indexer, before anything is signed.
//!
//! The node reports whether an output exists and its value, the indexer which assets it carries. For an indexer that
//! has not read the output's block yet there are some retries, then a refusal: an output unknown to it looks like a
//! plain coin.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bitcoin::{OutPoint, Transaction};
use engine::asset_index::{AssetError, AssetIndex as _, Brc20Index as _, InscriptionId};
use engine::chain::{Chain as _, ChainError, Unspent};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::signing::checked_template::CheckedTemplate;
use escrow::contract::signing::spent_output::{CarriedAssets, InputPolicy, SpentOutput, SpentOutputError};
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use thiserror::Error;

use crate::lookups::ports::Ports;

/// The most concurrent requests to one port.
const CONCURRENCY_MAX: usize = 16;
/// The most inputs of a transaction that are looked up.
pub const INPUTS_MAX: usize = 1_000;
/// The most blocks that an indexer may be behind the node.
pub const BLOCKS_BEHIND_MAX: u32 = 2;

/// The retries for a lagging indexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The number of retries.
    pub retries: u32,
    /// The delay before each.
    pub delay: Duration,
}

/// Two retries after five seconds each.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self { retries: 2, delay: Duration::from_secs(5) }
    }
}

/// Lookups of outputs.
#[derive(Debug)]
pub struct Lookup<'a, P> {
    /// The ports to query.
    pub ports: &'a P,
    /// The retries for a lagging indexer.
    pub retry_policy: RetryPolicy,
    /// Outputs spent by an unconfirmed transaction of ours that the new one is to replace: these count as spent only if
    /// the spend is confirmed.
    pub replaced: BTreeSet<OutPoint>,
}

/// The reason why nothing is known, or why the outputs must not be signed for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LookupError {
    /// More inputs than any valid transaction here has.
    #[error("the transaction spends {found} outputs, and at most {INPUTS_MAX} are looked up")]
    TooManyInputs {
        /// The number of inputs.
        found: usize,
    },
    /// The node gives no answer, or an invalid one.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The indexer gives no answer, or an invalid one.
    #[error(transparent)]
    Assets(#[from] AssetError),
    /// The indexer is stale.
    #[error("the indexer lags: it has read block {found}, and block {wanted} is needed")]
    Lagging {
        /// The height of the block that it must have read.
        wanted: u32,
        /// The height of the last block that it has read.
        found: u32,
    },
    /// An output is not what the transaction expects.
    #[error(transparent)]
    Spent(#[from] SpentOutputError),
}

/// An unspent output and the height of its block; `None` while it is unconfirmed.
pub(crate) type UnspentAtHeight = (Unspent, Option<u32>);

impl<'a, P: Ports> Lookup<'a, P> {
    /// Creates a lookup with the default retries.
    pub fn new(ports: &'a P) -> Self {
        Self { ports, retry_policy: RetryPolicy::default(), replaced: BTreeSet::new() }
    }

    /// Looks up all outputs that a transaction spends and checks them against what it expects.
    pub async fn check<'t>(
        &self,
        template: &'t Template,
        spending: &InputPolicy<'_>,
    ) -> Result<CheckedTemplate<'t>, LookupError> {
        let inputs = &template.psbt.unsigned_tx.input;
        if inputs.len() > INPUTS_MAX {
            return Err(LookupError::TooManyInputs { found: inputs.len() });
        }
        let looked_up = self.outputs(inputs.iter().map(|input| input.previous_output).collect()).await?;
        Ok(spending.check(template, &looked_up)?)
    }

    /// Returns what is known of outputs; spent and unknown ones are left out. The assets of an unconfirmed one are not
    /// looked up.
    pub async fn outputs(&self, outpoints: BTreeSet<OutPoint>) -> Result<BTreeMap<OutPoint, SpentOutput>, LookupError> {
        let unspent_outputs = self.unspent_outputs(outpoints).await?;
        let newest = unspent_outputs.values().filter_map(|(_, height)| *height).max();
        if let Some(newest) = newest {
            self.wait_until_indexed(newest).await?;
        }
        let carried =
            self.carried(unspent_outputs.iter().filter(|(_, (_, height))| height.is_some()).map(|(place, _)| *place));
        let mut carried = carried.await?;
        let known = unspent_outputs.into_iter().map(|(outpoint, (unspent, _))| {
            let assets = carried.remove(&outpoint).map(|carried| CarriedAssets {
                inscriptions: carried.inscriptions.iter().map(|inscribed| inscribed.offset).collect(),
                runes: carried.runes,
            });
            let Unspent { output, confirmations, is_coinbase } = unspent;
            (outpoint, SpentOutput { output, confirmations, is_coinbase, assets })
        });
        Ok(known.collect())
    }

    /// Returns the coins of one key that a transaction spends besides `other_inputs`, as the node reports them.
    ///
    /// # Errors
    /// [`SpentOutputError::MissingOrSpent`] and [`SpentOutputError::OutputMismatch`] besides those of a lookup.
    pub(crate) async fn own_coins(
        &self,
        unsigned: &Transaction,
        other_inputs: &BTreeSet<OutPoint>,
        key: CoinKey,
    ) -> Result<Vec<Coin>, LookupError> {
        let spent =
            unsigned.input.iter().map(|input| input.previous_output).filter(|spent| !other_inputs.contains(spent));
        let spent: Vec<OutPoint> = spent.take(INPUTS_MAX).collect();
        let unspent_outputs = self.unspent_outputs(spent.iter().copied().collect()).await?;
        let coins = spent.into_iter().map(|outpoint| {
            let (unspent, _) = unspent_outputs.get(&outpoint).ok_or(SpentOutputError::MissingOrSpent(outpoint))?;
            let coin = Coin { outpoint, output: unspent.output.clone(), key };
            if coin.matches_key() { Ok(coin) } else { Err(SpentOutputError::OutputMismatch(outpoint).into()) }
        });
        coins.collect()
    }

    /// Returns the unspent ones of these outputs with their heights, from the node.
    pub(crate) async fn unspent_outputs(
        &self,
        outpoints: BTreeSet<OutPoint>,
    ) -> Result<BTreeMap<OutPoint, UnspentAtHeight>, LookupError> {
        let chain = self.ports.chain();
        let asked = stream::iter(outpoints);
        let answers = asked.map(|outpoint| async move {
            let found = if self.replaced.contains(&outpoint) {
                chain.confirmed_unspent(outpoint).await
            } else {
                chain.unspent(outpoint).await
            };
            Ok((outpoint, found?))
        });
        let found: Vec<(OutPoint, Option<Unspent>)> =
            answers.buffer_unordered(CONCURRENCY_MAX).try_collect::<Vec<_>>().await.map_err(LookupError::Chain)?;
        // Asked last: a block that arrives meanwhile makes heights too large, and never too small.
        let tip = chain.tip().await?.height;
        let mut unspent_outputs = BTreeMap::new();
        for (outpoint, unspent) in found {
            let Some(unspent) = unspent else { continue };
            let height = match unspent.confirmations.checked_sub(1) {
                None => None,
                Some(above) => Some(tip.checked_sub(above).ok_or_else(|| {
                    ChainError::InvalidResponse(format!(
                        "{outpoint} has {above} blocks above it, and the tip has height {tip}"
                    ))
                })?),
            };
            unspent_outputs.insert(outpoint, (unspent, height));
        }
        Ok(unspent_outputs)
    }

    /// Returns the assets of outputs from the indexer; outputs unknown to it are left out.
    pub(crate) async fn carried(
        &self,
        outpoints: impl Iterator<Item = OutPoint>,
    ) -> Result<BTreeMap<OutPoint, engine::asset_index::OutputAssets>, LookupError> {
        let assets = self.ports.assets();
        let asked = stream::iter(outpoints.collect::<Vec<_>>());
        let answers = asked.map(|outpoint| async move { Ok((outpoint, assets.assets_in(outpoint).await?)) });
        let found: Vec<_> =
            answers.buffer_unordered(CONCURRENCY_MAX).try_collect().await.map_err(LookupError::Assets)?;
        Ok(found.into_iter().filter_map(|(outpoint, carried)| Some((outpoint, carried?))).collect())
    }

    /// Returns the number of an inscription from the indexer.
    pub(crate) async fn inscription_number(&self, id: InscriptionId) -> Result<Option<i64>, LookupError> {
        self.ports.assets().inscription_number(id).await.map_err(LookupError::Assets)
    }

    /// Has coins of runes that are to be pledged cross-checked by an independent indexer, where one is configured.
    pub(crate) async fn cross_check(&self, coins: &[AssetCoin]) -> Result<(), LookupError> {
        let checks = stream::iter(coins).map(|coin| async {
            let carried = engine::asset_index::OutputAssets { inscriptions: Vec::new(), runes: coin.runes.clone() };
            self.ports.assets().cross_check(coin.coin.outpoint, &carried).await
        });
        Ok(checks.buffer_unordered(CONCURRENCY_MAX).try_collect::<()>().await?)
    }

    /// Waits until the indexer has read a block, and is close enough to the node's best one.
    pub(crate) async fn wait_until_indexed(&self, block: u32) -> Result<(), LookupError> {
        self.wait_for_height(block, || self.ports.assets().height()).await
    }

    /// The same for the BRC-20 indexer.
    pub(crate) async fn wait_until_brc20_indexed(&self, block: u32) -> Result<(), LookupError> {
        self.wait_for_height(block, || self.ports.brc20().brc20_height()).await
    }

    /// Waits until the BRC-20 indexer has read the node's best block.
    pub(crate) async fn wait_for_brc20_tip(&self) -> Result<(), LookupError> {
        let tip = self.ports.chain().tip().await?.height;
        self.wait_until_brc20_indexed(tip).await
    }

    async fn wait_for_height<F>(&self, block: u32, height: impl Fn() -> F) -> Result<(), LookupError>
    where
        F: Future<Output = Result<u32, AssetError>>,
    {
        let mut retries = 0;
        loop {
            let tip = self.ports.chain().tip().await?.height;
            let wanted = block.max(tip.saturating_sub(BLOCKS_BEHIND_MAX));
            let found = height().await?;
            if found >= wanted {
                return Ok(());
            }
            if retries >= self.retry_policy.retries {
                return Err(LookupError::Lagging { wanted, found });
            }
            retries = retries.saturating_add(1);
            tokio::time::sleep(self.retry_policy.delay).await;
        }
    }
}
