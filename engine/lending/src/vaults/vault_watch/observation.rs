//! The observation of one vault on the chain.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::hashes::Hash as _;
use bitcoin::{OutPoint, Transaction, Txid, consensus};
use domain::{OutputStatus, PendingSpend, SpendId, UnixMs, UserId, VaultRejection};
use engine::asset_index::AssetIndex as _;
use engine::chain::{Chain as _, ChainError, ChainPosition, Tip};
use engine::coin_index::{CoinIndex as _, LISTED_MAX};
use escrow::message_times::{CLOCK_SKEW_S_MAX, LIFETIME_S_MAX};
use thiserror::Error;

use super::decision::{Contents, Contradiction, Exclusion, OutputObservation, SpendStatus, VaultObservation};
use crate::lookups::lookup::{self, LookupError};
use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::vaults::vault::{LenderVault, NoVault, bitcoin_outpoint, ledger_outpoint, sats};

/// The time after which every message of a lender has expired: a withdrawal unsigned by then is never signed.
pub(super) const UNSIGNED_MS_MAX: u64 = (LIFETIME_S_MAX + CLOCK_SKEW_S_MAX) * 1_000;

/// The reason why an observation failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ObservationError {
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
    TipChanged,
    /// An output of the vault pays to another script.
    #[error("the node reports that {0} does not pay to the vault")]
    OtherScript(OutPoint),
    /// The ledger refuses it.
    #[error(transparent)]
    Ledger(#[from] VaultRejection),
    /// The journal holds an invalid transaction.
    #[error("the journal holds no valid transaction for the withdrawal {0}")]
    InvalidTransaction(Txid),
}

impl From<ChainError> for ObservationError {
    fn from(error: ChainError) -> Self {
        Self::Lookup(error.into())
    }
}

/// The times since which unsigned withdrawals have been known.
pub(super) type UnsignedSince = BTreeMap<(UserId, SpendId), UnixMs>;

/// An observation of one vault. It broadcasts again the journaled transactions that the node lacks.
pub(super) struct VaultObserver<'a, P> {
    pub(super) service: &'a LoanService<P>,
    pub(super) vault: &'a LenderVault,
    pub(super) tip: Tip,
    pub(super) now: UnixMs,
    pub(super) unsigned: &'a UnsignedSince,
}

impl<P: Ports> VaultObserver<'_, P> {
    /// Observes the vault.
    pub(super) async fn observe(&self) -> Result<VaultObservation, ObservationError> {
        let ledger = &self.vault.ledger;
        let script = self.vault.script_pubkey();
        let mut asked: BTreeSet<OutPoint> = ledger.outputs().map(|(outpoint, _)| bitcoin_outpoint(&outpoint)).collect();
        for (_, leaving) in ledger.pending_spends() {
            asked.extend(leaving.outpoints.iter().chain(&leaving.change).map(bitcoin_outpoint));
        }
        let own = asked.clone();
        asked.extend(self.listed().await);
        let lookup = self.service.lookup();
        let mut found = lookup.unspent_outputs(asked.clone()).await?;
        // A move that is not in the mempool yet: what it spends pays to the signers before.
        let moved = self.vault.moved_outputs();
        let is_other = |own: &&OutPoint| {
            !moved.contains(*own) && found.get(own).is_some_and(|it| it.0.output.script_pubkey != script)
        };
        if let Some(other) = own.iter().find(is_other) {
            return Err(ObservationError::OtherScript(*other));
        }
        // A list may contain outputs of another script.
        found.retain(|_, (unspent, _)| unspent.output.script_pubkey == script);
        let contents = self.contents(&found).await;
        let mut observation = VaultObservation { tip: self.tip.height, ..VaultObservation::default() };
        for outpoint in asked {
            let seen = match found.get(&outpoint) {
                None if own.contains(&outpoint) => OutputObservation::Absent,
                None => continue,
                Some((_, None)) => OutputObservation::Unconfirmed,
                Some((unspent, Some(height))) => {
                    let contents = contents.get(&outpoint).copied().unwrap_or(Contents::Plain);
                    OutputObservation::Mined { amount: sats(unspent.output.value), height: *height, contents }
                }
            };
            observation.outputs.insert(ledger_outpoint(&outpoint), seen);
        }
        for (spend, leaving) in ledger.pending_spends() {
            observation.spends.insert(spend, self.spend(spend, leaving).await?);
        }
        if self.service.ports.chain().tip().await?.hash == self.tip.hash {
            Ok(observation)
        } else {
            Err(ObservationError::TipChanged)
        }
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
    async fn contents(&self, found: &BTreeMap<OutPoint, lookup::UnspentAtHeight>) -> BTreeMap<OutPoint, Contents> {
        let is_new = |outpoint: &OutPoint, height: u32| {
            let known = self.vault.ledger.output(&ledger_outpoint(outpoint));
            known.is_none_or(|known| known.status != OutputStatus::Confirmed { height })
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
                _ if unspent.is_coinbase && unspent.confirmations < COINBASE_MATURITY => Exclusion::Immature,
                Ok(read) if *read >= height => {
                    readable.push(*outpoint);
                    Exclusion::Unindexed
                }
                _ => Exclusion::Unindexed,
            };
            contents.insert(*outpoint, Contents::Excluded(held_back));
        }
        match self.service.lookup().carried(readable.into_iter()).await {
            Ok(carried) => contents.extend(carried.into_iter().map(|(outpoint, carried)| {
                (outpoint, if carried.is_plain() { Contents::Plain } else { Contents::Excluded(Exclusion::Assets) })
            })),
            Err(error) => tracing::warn!(lender = %self.vault.lender, %error, "the contents of outputs are unknown"),
        }
        contents
    }

    /// Queries a transaction of ours, and broadcasts it again where the node lacks it.
    async fn spend(&self, spend: SpendId, leaving: &PendingSpend) -> Result<SpendStatus, ObservationError> {
        let (lender, txid) = (self.vault.lender, Txid::from_byte_array(leaving.txid));
        match self.service.ports.chain().transaction(txid).await?.map(|seen| seen.position) {
            Some(ChainPosition::Confirmed { height, .. }) => return Ok(SpendStatus::Mined { height }),
            Some(ChainPosition::InMempool) => return Ok(SpendStatus::InMempool),
            None => {}
        }
        let Some(bytes) = &leaving.transaction else { return Ok(self.unsigned(spend)) };
        let transaction: Transaction =
            consensus::deserialize(bytes).map_err(|_| ObservationError::InvalidTransaction(txid))?;
        // A node that dropped a child may have dropped its parent first, and accepts it only together with the child.
        let mut package = Vec::new();
        if let SpendId::FeeBump(parent) = spend {
            let mut parents = self.vault.ledger.pending_spends().filter(|(_, other)| other.txid == parent);
            let bytes = parents.find_map(|(_, other)| other.transaction.as_ref());
            package.extend(bytes.and_then(|bytes| consensus::deserialize(bytes).ok()));
        }
        package.push(transaction);
        match self.service.ports.chain().broadcast(&package).await {
            Ok(()) => {
                tracing::info!(%lender, %txid, "a transaction of a vault was broadcast again");
                Ok(SpendStatus::InMempool)
            }
            Err(ChainError::Rejected(refusal)) => {
                tracing::warn!(%lender, %refusal, "the node refused a transaction of a vault");
                self.missing_inputs(leaving).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the observation of an unsigned transaction, which cannot be on the chain.
    fn unsigned(&self, spend: SpendId) -> SpendStatus {
        let since = self.unsigned.get(&(self.vault.lender, spend));
        let is_over = since.is_some_and(|since| self.now.0.saturating_sub(since.0) >= UNSIGNED_MS_MAX);
        if is_over { SpendStatus::Abandoned } else { SpendStatus::Absent }
    }

    /// Finds the inputs that another confirmed transaction has spent (the parent is confirmed and the output is not
    /// unspent in blocks), and those whose parent is unknown to the node.
    async fn missing_inputs(&self, leaving: &PendingSpend) -> Result<SpendStatus, ObservationError> {
        let chain = self.service.ports.chain();
        let (mut taken, mut dropped) = (Vec::new(), Vec::new());
        for outpoint in &leaving.outpoints {
            if chain.confirmed_unspent(bitcoin_outpoint(outpoint)).await?.is_some() {
                continue;
            }
            let parent = chain.transaction(Txid::from_byte_array(outpoint.txid)).await?;
            match parent.map(|parent| parent.position) {
                Some(ChainPosition::Confirmed { .. }) => taken.push(*outpoint),
                Some(ChainPosition::InMempool) => {}
                None => dropped.push(*outpoint),
            }
        }
        Ok(match (taken.is_empty(), dropped.is_empty()) {
            (false, _) => SpendStatus::Conflicted(taken),
            (true, false) => SpendStatus::ParentDropped { outpoints: dropped, blocks: 0 },
            (true, true) => SpendStatus::Absent,
        })
    }
}
