//! The observation of one vault on the chain.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::hashes::Hash as _;
use bitcoin::{OutPoint, Transaction, Txid, consensus};
use domain::{Departure, Leaving, Standing, UnixMs, UserId, VaultRejection};
use engine::asset_index::AssetIndex as _;
use engine::chain::{Chain as _, ChainError, Presence, Tip};
use engine::coin_index::{CoinIndex as _, LISTED_MAX};
use escrow::message_times::{CLOCK_SKEW_S_MAX, LIFETIME_S_MAX};
use thiserror::Error;

use super::decision::{Contents, Contradiction, DepartureLook, HeldBack, Look, OutputLook};
use crate::desk::Desk;
use crate::lookup::{self, LookupError};
use crate::ports::Ports;
use crate::vault::{NoVault, OwnVault, in_ledger, on_chain, sats};

/// The time after which every message of a lender has expired: a withdrawal unsigned by then is never signed.
pub(super) const UNSIGNED_MS_MAX: u64 = (LIFETIME_S_MAX + CLOCK_SKEW_S_MAX) * 1_000;

/// The reason why an observation failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LookError {
    /// The vault is not usable.
    #[error(transparent)]
    Vault(#[from] NoVault),
    /// A lookup failed, or gave an invalid answer.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The answers contradict each other.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// A block arrived meanwhile: some of the answers are stale.
    #[error("a block arrived during the observation")]
    Moved,
    /// An output of the vault pays to another script.
    #[error("the node reports that {0} does not pay to the vault")]
    OtherScript(OutPoint),
    /// The ledger refuses it.
    #[error(transparent)]
    Ledger(#[from] VaultRejection),
    /// The journal holds an invalid transaction.
    #[error("the journal holds no valid transaction for the withdrawal {0}")]
    NoTransaction(Txid),
}

impl From<ChainError> for LookError {
    fn from(error: ChainError) -> Self {
        Self::Lookup(error.into())
    }
}

/// The times since which unsigned withdrawals have been known.
pub(super) type Unsigned = BTreeMap<(UserId, Departure), UnixMs>;

/// An observation of one vault. It broadcasts again the journaled transactions that the node lacks.
pub(super) struct Looking<'a, P> {
    pub(super) service: &'a Desk<P>,
    pub(super) vault: &'a OwnVault,
    pub(super) tip: Tip,
    pub(super) now: UnixMs,
    pub(super) unsigned: &'a Unsigned,
}

impl<P: Ports> Looking<'_, P> {
    /// Observes the vault.
    pub(super) async fn look(&self) -> Result<Look, LookError> {
        let ledger = &self.vault.ledger;
        let script = self.vault.script_pubkey();
        let mut asked: BTreeSet<OutPoint> = ledger.outputs().map(|(outpoint, _)| on_chain(&outpoint)).collect();
        for (_, leaving) in ledger.departures() {
            asked.extend(leaving.outpoints.iter().chain(&leaving.change).map(on_chain));
        }
        let own = asked.clone();
        asked.extend(self.listed().await);
        let lookup = self.service.lookup();
        let mut found = lookup.standing(asked.clone()).await?;
        if let Some(other) = own.iter().find(|own| found.get(own).is_some_and(|it| it.0.output.script_pubkey != script))
        {
            return Err(LookError::OtherScript(*other));
        }
        // A list may contain outputs of another script.
        found.retain(|_, (unspent, _)| unspent.output.script_pubkey == script);
        let contents = self.contents(&found).await;
        let mut observation = Look { tip: self.tip.height, ..Look::default() };
        for outpoint in asked {
            let seen = match found.get(&outpoint) {
                None if own.contains(&outpoint) => OutputLook::Absent,
                None => continue,
                Some((_, None)) => OutputLook::Waiting,
                Some((unspent, Some(height))) => {
                    let contents = contents.get(&outpoint).copied().unwrap_or(Contents::Plain);
                    OutputLook::Mined { amount: sats(unspent.output.value), height: *height, contents }
                }
            };
            observation.outputs.insert(in_ledger(&outpoint), seen);
        }
        for (departure, leaving) in ledger.departures() {
            observation.departures.insert(departure, self.departure(departure, leaving).await?);
        }
        if self.service.ports.chain().tip().await?.hash == self.tip.hash { Ok(observation) } else { Err(LookError::Moved) }
    }

    /// Returns further outputs to look up, from the coin index. Without its answer the known ones are still followed.
    async fn listed(&self) -> Vec<OutPoint> {
        let lender = self.vault.lender;
        match self.service.ports.coins().outputs_of(&self.vault.script_pubkey()).await {
            Ok(listed) if listed.len() <= LISTED_MAX => return listed,
            Ok(listed) => {
                tracing::warn!(%lender, listed = listed.len(), "the coin index lists too many outputs of a vault");
            }
            Err(error) => tracing::warn!(%lender, %error, "the coin index did not list a vault's outputs"),
        }
        Vec::new()
    }

    /// Returns the contents of outputs that the ledger does not have as confirmed at this height.
    async fn contents(&self, found: &BTreeMap<OutPoint, lookup::Standing>) -> BTreeMap<OutPoint, Contents> {
        let is_new = |outpoint: &OutPoint, height: u32| {
            let known = self.vault.ledger.output(&in_ledger(outpoint));
            known.is_none_or(|known| known.standing != Standing::Confirmed { height })
        };
        let new = found.iter().filter_map(|(outpoint, (unspent, height))| Some((outpoint, unspent, (*height)?)));
        let new: Vec<_> = new.filter(|(outpoint, _, height)| is_new(outpoint, *height)).collect();
        if new.is_empty() {
            return BTreeMap::new();
        }
        let read = self.service.ports.assets().height().await;
        let mut readable = Vec::new();
        let mut contents = BTreeMap::new();
        for (outpoint, unspent, height) in new {
            let held_back = match &read {
                _ if unspent.is_coinbase && unspent.confirmations < COINBASE_MATURITY => HeldBack::Immature,
                Ok(read) if *read >= height => {
                    readable.push(*outpoint);
                    HeldBack::Unread
                }
                _ => HeldBack::Unread,
            };
            contents.insert(*outpoint, Contents::HeldBack(held_back));
        }
        match self.service.lookup().carried(readable.into_iter()).await {
            Ok(carried) => contents.extend(carried.into_iter().map(|(outpoint, carried)| {
                (outpoint, if carried.is_plain() { Contents::Plain } else { Contents::HeldBack(HeldBack::Assets) })
            })),
            Err(error) => tracing::warn!(lender = %self.vault.lender, %error, "the contents of outputs are unknown"),
        }
        contents
    }

    /// Queries a transaction of ours, and broadcasts it again where the node lacks it.
    async fn departure(&self, departure: Departure, leaving: &Leaving) -> Result<DepartureLook, LookError> {
        let (lender, txid) = (self.vault.lender, Txid::from_byte_array(leaving.txid));
        match self.service.ports.chain().transaction(txid).await?.map(|seen| seen.presence) {
            Some(Presence::Confirmed { height, .. }) => return Ok(DepartureLook::Mined { height }),
            Some(Presence::Waiting) => return Ok(DepartureLook::Waiting),
            None => {}
        }
        let Some(bytes) = &leaving.transaction else { return Ok(self.unsigned(departure)) };
        let transaction: Transaction = consensus::deserialize(bytes).map_err(|_| LookError::NoTransaction(txid))?;
        // A node that dropped a child may have dropped its parent first, and accepts it only together with the child.
        let mut package = Vec::new();
        if let Departure::FeeBump(parent) = departure {
            let mut parents = self.vault.ledger.departures().filter(|(_, other)| other.txid == parent);
            let bytes = parents.find_map(|(_, other)| other.transaction.as_ref());
            package.extend(bytes.and_then(|bytes| consensus::deserialize(bytes).ok()));
        }
        package.push(transaction);
        match self.service.ports.chain().broadcast(&package).await {
            Ok(()) => {
                tracing::info!(%lender, %txid, "a transaction of a vault was broadcast again");
                Ok(DepartureLook::Waiting)
            }
            Err(ChainError::Refused(refusal)) => {
                tracing::warn!(%lender, %refusal, "the node refused a transaction of a vault");
                self.missing_inputs(leaving).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the observation of an unsigned transaction, which cannot be on the chain.
    fn unsigned(&self, departure: Departure) -> DepartureLook {
        let since = self.unsigned.get(&(self.vault.lender, departure));
        let is_over = since.is_some_and(|since| self.now.0.saturating_sub(since.0) >= UNSIGNED_MS_MAX);
        if is_over { DepartureLook::Abandoned } else { DepartureLook::Absent }
    }

    /// Finds the inputs that another confirmed transaction has spent (the parent is confirmed and the output is not
    /// unspent in blocks), and those whose parent is unknown to the node.
    async fn missing_inputs(&self, leaving: &Leaving) -> Result<DepartureLook, LookError> {
        let chain = self.service.ports.chain();
        let (mut taken, mut dropped) = (Vec::new(), Vec::new());
        for outpoint in &leaving.outpoints {
            if chain.unspent_in_blocks(on_chain(outpoint)).await?.is_some() {
                continue;
            }
            let parent = chain.transaction(Txid::from_byte_array(outpoint.txid)).await?;
            match parent.map(|parent| parent.presence) {
                Some(Presence::Confirmed { .. }) => taken.push(*outpoint),
                Some(Presence::Waiting) => {}
                None => dropped.push(*outpoint),
            }
        }
        Ok(match (taken.is_empty(), dropped.is_empty()) {
            (false, _) => DepartureLook::Overtaken(taken),
            (true, false) => DepartureLook::Forgotten { outpoints: dropped, blocks: 0 },
            (true, true) => DepartureLook::Absent,
        })
    }
}
