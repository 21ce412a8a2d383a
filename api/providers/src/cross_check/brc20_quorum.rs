//! A quorum of BRC-20 indexers: the ownership of collateral requires that all of them agree.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bitcoin::ScriptBuf;
use engine::asset_index::{AssetError, Brc20Balance, InscriptionId, TransferInscription};
use futures_util::future::join_all;

use crate::capability::{AsOf, Brc20, UpstreamError, UpstreamFuture};
use crate::parsing::text::excerpt;
use crate::resilience::FallbackList;

/// BRC-20 indexers that have to agree.
///
/// All indexers that have read enough blocks are asked, and their answers must be equal. One that gives no answer, or
/// is too far behind, is left out; a single answer suffices where only one is configured or reachable.
pub struct Brc20Quorum {
    upstreams: FallbackList<dyn Brc20>,
    /// The last known height of each indexer.
    heights: Vec<AtomicU32>,
    /// The height that was reported last: no later answer is of an earlier block.
    reported_height: AtomicU32,
}

impl Brc20Quorum {
    pub(crate) fn new(upstreams: FallbackList<dyn Brc20>) -> Self {
        let heights = upstreams.members().iter().map(|_| AtomicU32::new(0)).collect();
        Self { upstreams, heights, reported_height: AtomicU32::new(0) }
    }

    /// Returns whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.upstreams.is_empty()
    }

    /// Returns its members.
    #[must_use]
    pub fn members(&self) -> &[Arc<dyn Brc20>] {
        self.upstreams.members()
    }

    /// Returns the highest block that a member has read, at most the node's tip. Every later answer is of that block or
    /// a later one.
    ///
    /// # Errors
    /// [`AssetError::Unreachable`] when no member answers.
    pub async fn height(&self, tip: u32) -> Result<u32, AssetError> {
        let asked = self.members().iter().zip(&self.heights).map(|(member, known)| async move {
            let height = member.height().await?;
            self.upstreams.note_height(member.as_ref(), height);
            self.upstreams.check_plausible(height, tip)?;
            known.store(height, Ordering::Release);
            Ok::<u32, UpstreamError>(height)
        });
        let answers = join_all(asked).await;
        let (mut best, mut errors) = (None, Vec::new());
        for (member, answer) in self.members().iter().zip(answers) {
            match answer {
                Ok(height) => best = best.max(Some(height)),
                Err(error) => errors.push((member.name(), error)),
            }
        }
        let height = best.ok_or_else(|| self.no_answer(&errors))?.min(tip);
        self.reported_height.store(height, Ordering::Release);
        Ok(height)
    }

    /// Returns the balance of a script in a ticker.
    ///
    /// # Errors
    /// [`AssetError::Unreachable`] when no member answers; [`AssetError::Nonsense`] when two disagree.
    pub async fn balance(&self, tip: u32, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        self.agreed(tip, &format!("the {ticker} of {owner}"), |member| member.balance(owner, ticker)).await
    }

    /// Returns the transfer that an inscription is, if it is a valid one.
    ///
    /// # Errors
    /// As [`Self::balance`].
    pub async fn note(&self, tip: u32, id: InscriptionId) -> Result<Option<TransferInscription>, AssetError> {
        self.agreed(tip, &format!("the note {id}"), |member| member.note(id)).await
    }

    /// Returns the answer of all members that give one.
    async fn agreed<'a, T: PartialEq>(
        &'a self,
        tip: u32,
        what: &str,
        ask: impl Fn(&'a dyn Brc20) -> UpstreamFuture<'a, AsOf<T>> + Sync,
    ) -> Result<T, AssetError> {
        let wanted = self.reported_height.load(Ordering::Acquire).min(tip);
        let asked = self.members().iter().zip(&self.heights).map(|(member, known)| {
            let ask = &ask;
            async move {
                // Heights are not rechecked: a member that had read far enough before is not asked again.
                if !self.upstreams.is_synced(known.load(Ordering::Acquire), tip, wanted) {
                    let height = self.upstreams.wait_until_synced(member.as_ref(), tip, wanted).await?;
                    known.store(height, Ordering::Release);
                }
                let AsOf { height, value } = ask(member.as_ref()).await?;
                // One of several machines behind one host name may be behind the others.
                match height {
                    Some(height) if height < wanted => Err(UpstreamError::Behind { height, wanted }),
                    _ => Ok(value),
                }
            }
        });
        let answers = join_all(asked).await;
        let mut answered: Vec<(&str, T)> = Vec::new();
        let mut errors = Vec::new();
        for (member, answer) in self.members().iter().zip(answers) {
            match answer {
                Ok(value) => answered.push((member.name(), value)),
                Err(error) => {
                    self.upstreams.count_fallback(member.as_ref(), &error);
                    errors.push((member.name(), error));
                }
            }
        }
        let mut answered = answered.into_iter();
        let Some((first, value)) = answered.next() else { return Err(self.no_answer(&errors)) };
        match answered.find(|(_, other)| *other != value) {
            None => Ok(value),
            Some((other, _)) => {
                tracing::error!(first, other, what, "indexers disagree; all answers are rejected");
                Err(AssetError::InvalidResponse(excerpt(&format!("{first} and {other} disagree on {what}"))))
            }
        }
    }

    fn no_answer(&self, errors: &[(&str, UpstreamError)]) -> AssetError {
        if self.is_empty() {
            return AssetError::Unreachable("no BRC-20 indexer is configured".to_owned());
        }
        let errors: Vec<String> = errors.iter().map(|(name, error)| format!("{name}: {error}")).collect();
        AssetError::Unreachable(excerpt(&format!("all BRC-20 indexers failed: {}", errors.join("; "))))
    }
}

impl fmt::Debug for Brc20Quorum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.members().iter().map(|member| member.name())).finish()
    }
}
