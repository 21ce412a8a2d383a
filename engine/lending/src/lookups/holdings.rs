//! The coins of a wallet that can pay, and its assets that can secure a loan.
//!
//! An indexer's list only says which outputs to look up in the node. Outputs that do not exist or pay to another script
//! are left out; outputs of unknown contents are kept as such.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::{Amount, OutPoint};
use engine::asset_index::{AssetError, AssetIndex as _, Brc20Balance, Brc20Index as _, Inscribed, InscriptionId};
use engine::chain::{Chain as _, ChainPosition, Unspent};
use engine::coin_index::{CoinIndex as _, LISTED_MAX};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::coin_selection::{Candidate, Contents};
use escrow::contract::transaction::spend::Spend;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use ordinals::RuneId;
use thiserror::Error;

use crate::lookups::lookup::{Lookup, LookupError};
use crate::lookups::ports::Ports;

/// The most concurrent requests to one port.
const CONCURRENCY_MAX: usize = 16;

/// A coin of a wallet, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldCoin {
    /// The coin, as the node reports it.
    pub coin: Coin,
    /// Its confirmations, its own block included.
    pub confirmations: u32,
    /// Whether it is a coinbase output, unspendable for 100 blocks.
    pub is_coinbase: bool,
    /// The assets that it carries; `None` when unknown.
    pub carried: Option<engine::asset_index::OutputAssets>,
}

/// An inscription alone on its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldInscription {
    /// Its id.
    pub id: InscriptionId,
    /// Its output.
    pub outpoint: OutPoint,
    /// The number of the output's sats before it.
    pub offset: Amount,
    /// The value of the output.
    pub value: Amount,
}

/// A transfer inscription that can still be moved, alone on its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldTransferInscription {
    /// Its inscription.
    pub inscription: HeldInscription,
    /// Its ticker, in lower case.
    pub ticker: String,
    /// Its amount in raw units of 18 decimals.
    pub amount: u128,
}

/// The holdings of one script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// The coins, by outpoint.
    pub coins: Vec<HeldCoin>,
}

/// The reason why an inscription cannot be pledged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InscriptionError {
    /// The lookup failed.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// There is no such inscription, or it was spent as a fee.
    #[error("there is no inscription {0}")]
    Unknown(InscriptionId),
    /// The transaction that reveals it, moves it, or brought it here is unconfirmed.
    #[error("the inscription {0} is unconfirmed")]
    Unconfirmed(InscriptionId),
    /// It is on an immature coinbase output.
    #[error("the inscription {0} is on an immature coinbase output")]
    Immature(InscriptionId),
    /// It is on an output of another script.
    #[error("the inscription {0} is not on this address")]
    NotYours(InscriptionId),
    /// Other inscriptions or runes would go with it.
    #[error("the inscription {id} shares the output {outpoint} with other inscriptions or runes")]
    SharesOutput {
        /// The inscription.
        id: InscriptionId,
        /// Its output.
        outpoint: OutPoint,
    },
}

impl HeldCoin {
    /// The class of its contents, for coin selection.
    #[must_use]
    pub fn contents(&self) -> Contents {
        match &self.carried {
            None => Contents::Unknown,
            Some(carried) if carried.is_plain() => Contents::Plain,
            Some(_) => Contents::Assets,
        }
    }

    /// The coin as a candidate for coin selection, which skips unspendable ones and reports them.
    #[must_use]
    pub fn candidate(&self) -> Candidate<'_> {
        Candidate {
            spend: Spend::Coin(&self.coin),
            contents: self.contents(),
            confirmations: self.confirmations,
            is_coinbase: self.is_coinbase,
        }
    }

    /// Whether it is confirmed and may be spent.
    #[must_use]
    pub const fn is_mature(&self) -> bool {
        self.confirmations >= if self.is_coinbase { COINBASE_MATURITY } else { 1 }
    }

    /// Returns the inscription that it carries, if it carries nothing else.
    #[must_use]
    pub fn only_inscription(&self) -> Option<HeldInscription> {
        let carried = self.carried.as_ref().filter(|carried| carried.runes.is_empty())?;
        let [Inscribed { id, offset }] = carried.inscriptions[..] else { return None };
        let value = self.coin.output.value;
        (offset < value).then_some(HeldInscription { id, outpoint: self.coin.outpoint, offset, value })
    }

    /// Returns the coin with its assets; `None` when they are unknown.
    #[must_use]
    pub fn asset_coin(&self) -> Option<AssetCoin> {
        let carried = self.carried.as_ref()?;
        let inscriptions = carried.inscriptions.iter().map(|inscribed| inscribed.offset).collect();
        Some(AssetCoin { coin: self.coin.clone(), inscriptions, runes: carried.runes.clone() })
    }
}

impl Holdings {
    /// Confirmed coins without assets, which can pay for a transaction.
    pub fn plain(&self) -> impl Iterator<Item = &HeldCoin> {
        self.coins.iter().filter(|coin| coin.is_mature() && coin.contents() == Contents::Plain)
    }

    /// All coins, for coin selection.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate<'_>> {
        self.coins.iter().map(HeldCoin::candidate).collect()
    }

    /// The inscriptions alone on a confirmed output, by outpoint.
    pub fn inscriptions(&self) -> impl Iterator<Item = HeldInscription> {
        self.coins.iter().filter(|coin| coin.is_mature()).filter_map(HeldCoin::only_inscription)
    }

    /// The confirmed coins that hold one rune and no other asset, by that rune.
    #[must_use]
    pub fn runes(&self) -> BTreeMap<RuneId, Vec<AssetCoin>> {
        let mut runes: BTreeMap<RuneId, Vec<AssetCoin>> = BTreeMap::new();
        for coin in self.coins.iter().filter(|coin| coin.is_mature()).filter_map(HeldCoin::asset_coin) {
            let ids: BTreeSet<RuneId> = coin.runes.iter().filter(|(_, raw)| *raw > 0).map(|(id, _)| *id).collect();
            if let (Some(id), 1, true) = (ids.first(), ids.len(), coin.inscriptions.is_empty()) {
                runes.entry(*id).or_default().push(coin);
            }
        }
        runes
    }
}

impl<P: Ports> Lookup<'_, P> {
    /// Returns the holdings of a key's script.
    pub async fn holdings(&self, key: &CoinKey) -> Result<Holdings, LookupError> {
        let script = key.script_pubkey();
        let listed = self.ports.coins().outputs_of(&script).await?;
        if listed.len() > LISTED_MAX {
            return Err(AssetError::InvalidResponse(format!("it lists {} outputs of one script", listed.len())).into());
        }
        let mut unspent_outputs = self.unspent_outputs(listed.into_iter().collect()).await?;
        // A list may contain outputs of another script.
        unspent_outputs.retain(|_, (unspent, _)| unspent.output.script_pubkey == script);
        if let Some(newest) = unspent_outputs.values().filter_map(|(_, height)| *height).max() {
            self.wait_until_indexed(newest).await?;
        }
        let confirmed = unspent_outputs.iter().filter(|(_, (_, height))| height.is_some()).map(|(place, _)| *place);
        let mut carried = self.carried(confirmed).await?;
        let coins = unspent_outputs.into_iter().map(|(outpoint, (unspent, _))| {
            let Unspent { output, confirmations, is_coinbase } = unspent;
            let coin = Coin { outpoint, output, key: *key };
            HeldCoin { coin, confirmations, is_coinbase, carried: carried.remove(&outpoint) }
        });
        Ok(Holdings { coins: coins.collect() })
    }

    /// Returns the coin of an inscription, if it is alone on a confirmed output of this key.
    pub async fn inscription(&self, id: InscriptionId, key: &CoinKey) -> Result<AssetCoin, InscriptionError> {
        let tip = self.ports.chain().tip().await.map_err(LookupError::from)?.height;
        // A stale indexer would report an outdated output.
        self.wait_until_indexed(tip).await?;
        let place = self.ports.assets().sat_point(id).await.map_err(LookupError::from)?;
        let Some((outpoint, offset)) = place else {
            let reveal = self.ports.chain().transaction(id.txid).await.map_err(LookupError::from)?;
            let is_waiting = reveal.is_some_and(|seen| seen.position == ChainPosition::InMempool);
            return Err(if is_waiting { InscriptionError::Unconfirmed(id) } else { InscriptionError::Unknown(id) });
        };
        let mut unspent_outputs = self.unspent_outputs(BTreeSet::from([outpoint])).await?;
        let Some((unspent, Some(height))) = unspent_outputs.remove(&outpoint) else {
            return Err(InscriptionError::Unconfirmed(id));
        };
        if unspent.output.script_pubkey != key.script_pubkey() {
            return Err(InscriptionError::NotYours(id));
        }
        self.wait_until_indexed(height).await?;
        let carried = self.carried(std::iter::once(outpoint)).await?.remove(&outpoint);
        let Unspent { output, confirmations, is_coinbase } = unspent;
        let held = HeldCoin { coin: Coin { outpoint, output, key: *key }, confirmations, is_coinbase, carried };
        if !held.is_mature() {
            return Err(InscriptionError::Immature(id));
        }
        let here = Inscribed { id, offset };
        let is_there = held.carried.as_ref().is_some_and(|carried| carried.inscriptions.contains(&here));
        if !is_there || offset >= held.coin.output.value {
            let why =
                format!("it reports inscription {id} at {outpoint}:{}, and an output without it", offset.to_sat());
            return Err(LookupError::Assets(AssetError::InvalidResponse(why)).into());
        }
        match (held.only_inscription(), held.asset_coin()) {
            (Some(_), Some(coin)) => {
                let carried = engine::asset_index::OutputAssets { inscriptions: vec![here], runes: Vec::new() };
                self.ports.assets().cross_check(outpoint, &carried).await.map_err(LookupError::from)?;
                Ok(coin)
            }
            _ => Err(InscriptionError::SharesOutput { id, outpoint }),
        }
    }

    /// Returns the BRC-20 balance of a key's script for a ticker, as of the node's best block.
    pub async fn brc20_balance(&self, key: &CoinKey, ticker: &str) -> Result<Brc20Balance, LookupError> {
        self.wait_for_brc20_tip().await?;
        Ok(self.ports.brc20().balance(&key.script_pubkey(), ticker).await?)
    }

    /// Returns the transfer inscriptions among the holdings of a key's script that can still be moved.
    pub async fn notes(&self, key: &CoinKey, holdings: &Holdings) -> Result<Vec<HeldTransferInscription>, LookupError> {
        self.wait_for_brc20_tip().await?;
        let (brc20, owner) = (self.ports.brc20(), key.script_pubkey());
        let asked = stream::iter(holdings.inscriptions().collect::<Vec<_>>());
        let answers = asked.map(|held| async move { Ok((held, brc20.transfer_inscription(held.id).await?)) });
        let found: Vec<_> = answers.buffered(CONCURRENCY_MAX).try_collect().await.map_err(LookupError::Assets)?;
        let notes = found.into_iter().filter_map(|(inscription, note)| {
            let note = note.filter(|note| !note.is_used && note.owner == owner)?;
            Some(HeldTransferInscription { inscription, ticker: note.ticker, amount: note.amount })
        });
        Ok(notes.collect())
    }
}
