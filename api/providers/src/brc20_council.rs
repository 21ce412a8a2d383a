//! A quorum of BRC-20 indexers: the ownership of collateral requires that all of them agree.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bitcoin::ScriptBuf;
use engine::asset_index::{AssetError, Brc20Balance, InscriptionId, TransferNote};
use futures_util::future::join_all;

use crate::capability::{AsOf, Brc20, Told};
use crate::fallback::{Lineup, Trouble};
use crate::text::excerpt;

/// BRC-20 indexers that have to agree.
///
/// All indexers that have read enough blocks are asked, and their answers must be equal. One that gives no answer, or
/// is too far behind, is left out; a single answer suffices where only one is configured or reachable.
pub struct Brc20Council {
    lineup: Lineup<dyn Brc20>,
    /// The last known height of each indexer.
    heights: Vec<AtomicU32>,
    /// The height that was reported last: no later answer is of an earlier block.
    told: AtomicU32,
}

impl Brc20Council {
    pub(crate) fn new(upstreams: Lineup<dyn Brc20>) -> Self {
        let heights = upstreams.members().iter().map(|_| AtomicU32::new(0)).collect();
        Self { lineup: upstreams, heights, told: AtomicU32::new(0) }
    }

    /// Returns whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lineup.is_empty()
    }

    /// Returns its members.
    #[must_use]
    pub fn members(&self) -> &[Arc<dyn Brc20>] {
        self.lineup.members()
    }

    /// Returns the highest block that a member has read, at most the node's tip. Every later answer is of that block or
    /// a later one.
    ///
    /// # Errors
    /// [`AssetError::Unreachable`] when no member answers.
    pub async fn height(&self, tip: u32) -> Result<u32, AssetError> {
        let asked = self.members().iter().zip(&self.heights).map(|(member, known)| async move {
            let height = member.height().await?;
            self.lineup.plausible(height, tip)?;
            known.store(height, Ordering::Release);
            Ok::<u32, Trouble>(height)
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
        self.told.store(height, Ordering::Release);
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
    pub async fn note(&self, tip: u32, id: InscriptionId) -> Result<Option<TransferNote>, AssetError> {
        self.agreed(tip, &format!("the note {id}"), |member| member.note(id)).await
    }

    /// Returns the answer of all members that give one.
    async fn agreed<'a, T: PartialEq>(
        &'a self,
        tip: u32,
        what: &str,
        ask: impl Fn(&'a dyn Brc20) -> Told<'a, AsOf<T>> + Sync,
    ) -> Result<T, AssetError> {
        let wanted = self.told.load(Ordering::Acquire).min(tip);
        let asked = self.members().iter().zip(&self.heights).map(|(member, known)| {
            let ask = &ask;
            async move {
                // Heights are not rechecked: a member that had read far enough before is not asked again.
                if !self.lineup.is_in_step(known.load(Ordering::Acquire), tip, wanted) {
                    let height = self.lineup.in_step(member.as_ref(), tip, wanted).await?;
                    known.store(height, Ordering::Release);
                }
                let AsOf { height, value } = ask(member.as_ref()).await?;
                // One of several machines behind one host name may be behind the others.
                match height {
                    Some(height) if height < wanted => Err(Trouble::Behind { height, wanted }),
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
                    self.lineup.left_out(member.as_ref(), &error);
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
                Err(AssetError::Nonsense(excerpt(&format!("{first} and {other} disagree on {what}"))))
            }
        }
    }

    fn no_answer(&self, errors: &[(&str, Trouble)]) -> AssetError {
        if self.is_empty() {
            return AssetError::Unreachable("no BRC-20 indexer is configured".to_owned());
        }
        let errors: Vec<String> = errors.iter().map(|(name, error)| format!("{name}: {error}")).collect();
        AssetError::Unreachable(excerpt(&format!("all BRC-20 indexers failed: {}", errors.join("; "))))
    }
}

impl fmt::Debug for Brc20Council {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.members().iter().map(|member| member.name())).finish()
    }
}
