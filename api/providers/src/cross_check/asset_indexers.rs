//! Indexers of inscriptions and runes: one answers at a time, and collateral is cross-checked with the others.

mod cross_checkers;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bitcoin::{Amount, OutPoint};
use engine::asset_index::{AssetError, InscriptionId, OutputAssets, RuneEntry};
use ordinals::SpacedRune;

use self::cross_checkers::CrossCheckers;
use crate::capability::{Assets, InscriptionDetails, InscriptionIndex, Runes, UpstreamError, UpstreamFuture};
use crate::parsing::text::excerpt;
use crate::resilience::FallbackList;

/// Indexers of inscriptions and runes, in order of preference.
///
/// The first that has read the blocks in question answers; the next one is used when it gives no answer. Collateral
/// about to be pledged is cross-checked with the others: when two indexers disagree, neither is trusted.
pub struct AssetIndexers {
    upstreams: FallbackList<dyn Assets>,
    /// The last known height of each indexer.
    heights: Vec<AtomicU32>,
    /// The height that was reported last: no later answer is of an earlier block.
    reported_height: AtomicU32,
    /// Indexers that cross-check the locations of inscriptions.
    inscriptions: CrossCheckers<dyn InscriptionIndex>,
    /// Indexers that cross-check the runes in outputs.
    runes: CrossCheckers<dyn Runes>,
}

impl AssetIndexers {
    pub(crate) fn new(
        upstreams: FallbackList<dyn Assets>,
        inscriptions: FallbackList<dyn InscriptionIndex>,
        runes: FallbackList<dyn Runes>,
    ) -> Self {
        let heights = upstreams.members().iter().map(|_| AtomicU32::new(0)).collect();
        Self {
            upstreams,
            heights,
            reported_height: AtomicU32::new(0),
            inscriptions: CrossCheckers::of(inscriptions),
            runes: CrossCheckers::of(runes),
        }
    }

    /// Returns whether no indexer is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.upstreams.is_empty()
    }

    /// Returns the indexers in order of preference.
    #[must_use]
    pub fn members(&self) -> &[Arc<dyn Assets>] {
        self.upstreams.members()
    }

    /// Returns the indexers that cross-check inscriptions.
    #[must_use]
    pub fn cross_checkers(&self) -> &[Arc<dyn InscriptionIndex>] {
        self.inscriptions.upstreams.members()
    }

    /// Returns the indexers that cross-check runes.
    #[must_use]
    pub fn rune_cross_checkers(&self) -> &[Arc<dyn Runes>] {
        self.runes.upstreams.members()
    }

    /// Returns whether any indexer can cross-check.
    #[must_use]
    pub fn can_cross_check(&self) -> bool {
        !self.cross_checkers().is_empty() || !self.rune_cross_checkers().is_empty()
    }

    fn known(&self) -> impl Iterator<Item = (&Arc<dyn Assets>, &AtomicU32)> {
        self.members().iter().zip(&self.heights)
    }

    /// Returns the height of the first indexer that answers, regardless of the node's tip.
    pub async fn first_height(&self) -> Option<u32> {
        for member in self.members() {
            if let Ok(height) = member.height().await {
                self.upstreams.note_height(member.as_ref(), height);
                return Some(height);
            }
        }
        None
    }

    /// Returns the height that answers are of from now on: that of the first indexer near the node's tip, else the
    /// highest. Every later answer is of that block or a later one.
    ///
    /// # Errors
    /// [`AssetError`] when no indexer answers, or the node does not.
    pub async fn height<F>(&self, tip: impl Fn() -> F) -> Result<u32, AssetError>
    where
        F: Future<Output = Result<u32, AssetError>>,
    {
        let is_alone = self.members().len() == 1;
        let (mut best, mut node, mut errors) = (None, None, Vec::new());
        for (member, known) in self.known() {
            let height = match member.height().await {
                Ok(height) => height,
                Err(error) => {
                    errors.push((member.name(), error));
                    continue;
                }
            };
            known.store(height, Ordering::Release);
            if is_alone && member.is_self_hosted() {
                best = Some(height);
                break;
            }
            // The tip is read after the height, so it is never below what an indexer has read of the node.
            let tip = match node {
                Some(tip) => tip,
                None => *node.insert(tip().await?),
            };
            match self.upstreams.check_plausible(height, tip) {
                Ok(()) => best = best.max(Some(height.min(tip))),
                Err(error) => {
                    errors.push((member.name(), error));
                    continue;
                }
            }
            if self.upstreams.is_synced(height, tip, 0) {
                break;
            }
            self.upstreams.count_fallback(member.as_ref(), &UpstreamError::Behind { height, wanted: tip });
        }
        let height = best.ok_or_else(|| no_answer(errors))?;
        // The height that was reported last still holds, unless the node has disconnected that block.
        let held = node.map_or(0, |tip| self.reported_height.load(Ordering::Acquire).min(tip));
        self.reported_height.store(height.max(held), Ordering::Release);
        Ok(height)
    }

    /// Returns what an unspent, confirmed output carries; `None` for one that is unknown or spent in a block.
    ///
    /// # Errors
    /// [`AssetError`] when no indexer that has read far enough answers.
    pub async fn carried_by(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        self.first_answer(|member| member.carried_by(outpoint)).await
    }

    /// Returns the location of an inscription; `None` when it does not exist or was paid as a fee.
    ///
    /// # Errors
    /// As [`Self::carried_by`]; [`AssetError::Nonsense`] when its offset within the output is missing.
    pub async fn place_of(&self, id: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        let Some((_, seen)) = self.inscription(id).await? else { return Ok(None) };
        let offset =
            seen.offset_sats.ok_or_else(|| AssetError::InvalidResponse(format!("{id} is nowhere in its output")))?;
        Ok(Some((seen.outpoint, Amount::from_sat(offset))))
    }

    /// Returns the number of an inscription, from an indexer that counts them as ord does; `None` when there is no such
    /// inscription.
    ///
    /// # Errors
    /// As [`Self::carried_by`], and [`AssetError::InvalidResponse`] where no number is known.
    pub async fn number_of(&self, id: InscriptionId) -> Result<Option<i64>, AssetError> {
        self.first_answer(|member| -> UpstreamFuture<'_, _> {
            Box::pin(async move {
                let Some(seen) = member.inscription(id).await? else { return Ok(None) };
                let unknown = || UpstreamError::InvalidResponse(format!("{id} has no number"));
                seen.number.ok_or_else(unknown).map(Some)
            })
        })
        .await
    }

    /// Returns the location and description of an inscription, with the name of the indexer that answered.
    ///
    /// # Errors
    /// As [`Self::carried_by`].
    pub async fn inscription(&self, id: InscriptionId) -> Result<Option<(String, InscriptionDetails)>, AssetError> {
        self.first_answer(|member| -> UpstreamFuture<'_, _> {
            Box::pin(async move { Ok(member.inscription(id).await?.map(|seen| (member.name().to_owned(), seen))) })
        })
        .await
    }

    /// Returns a rune by its name.
    ///
    /// # Errors
    /// As [`Self::carried_by`].
    pub async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        self.first_answer(|member| member.rune(name)).await
    }

    /// Cross-checks an output that is about to be pledged, as of the node's tip. Where no other indexer is configured,
    /// or none answers, the first answer stands.
    ///
    /// # Errors
    /// [`AssetError::Nonsense`] when an indexer disagrees.
    pub async fn cross_check(&self, tip: u32, outpoint: OutPoint, carried: &OutputAssets) -> Result<(), AssetError> {
        for inscribed in &carried.inscriptions {
            let id = inscribed.id;
            let is_here = |seen: &InscriptionDetails| {
                seen.outpoint == outpoint && seen.offset_sats.is_none_or(|offset| offset == inscribed.offset.to_sat())
            };
            for (indexer, seen) in self.inscriptions.responses(tip, |member| member.inscription(id)).await {
                if !seen.as_ref().is_some_and(is_here) {
                    let elsewhere = seen.map_or_else(|| "nowhere".to_owned(), |seen| seen.satpoint());
                    let here = format!("{outpoint}:{}", inscribed.offset.to_sat());
                    let what = format!("inscription {id} is at {here}, and according to {indexer} {elsewhere}");
                    return Err(disagreement(&what));
                }
            }
        }
        if carried.runes.is_empty() {
            return Ok(());
        }
        let answers = self.runes.responses(tip, |member| -> UpstreamFuture<'_, _> {
            Box::pin(async move {
                let held = member.runes_in(outpoint).await?;
                match held.height {
                    // One of several machines behind one host name may be behind the others.
                    Some(height) if height < tip => Err(UpstreamError::Behind { height, wanted: tip }),
                    _ => Ok(held.value),
                }
            })
        });
        for (indexer, held) in answers.await {
            if held != carried.runes {
                let what =
                    format!("{outpoint} holds {:?} of runes, and according to {indexer} {held:?}", carried.runes);
                return Err(disagreement(&what));
            }
        }
        Ok(())
    }

    /// Returns the answer of the first indexer that has read far enough and gives one.
    async fn first_answer<'a, T>(
        &'a self,
        ask: impl Fn(&'a dyn Assets) -> UpstreamFuture<'a, T>,
    ) -> Result<T, AssetError> {
        let wanted = self.reported_height.load(Ordering::Acquire);
        let mut errors = Vec::new();
        for (member, known) in self.known() {
            let answer = match read_up_to(member.as_ref(), known, wanted).await {
                Ok(()) => ask(member.as_ref()).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => {
                    self.upstreams.count_fallback(member.as_ref(), &error);
                    errors.push((member.name(), error));
                }
            }
        }
        Err(no_answer(errors))
    }
}

/// Returns the error that no indexer answered; where only one was asked, its own error.
fn no_answer(mut errors: Vec<(&str, UpstreamError)>) -> AssetError {
    match (errors.pop(), errors.is_empty()) {
        (None, _) => AssetError::Unreachable("no indexer of inscriptions and runes is configured".to_owned()),
        (Some((_, error)), true) => error.into(),
        (Some(last), false) => {
            errors.push(last);
            let errors: Vec<String> = errors.iter().map(|(name, error)| format!("{name}: {error}")).collect();
            AssetError::Unreachable(excerpt(&format!("all indexers failed: {}", errors.join("; "))))
        }
    }
}

/// Checks whether an indexer has read a block. Heights are not rechecked: one that had read far enough before is not
/// asked again.
async fn read_up_to(member: &dyn Assets, known: &AtomicU32, wanted: u32) -> Result<(), UpstreamError> {
    if known.load(Ordering::Acquire) >= wanted {
        return Ok(());
    }
    let height = member.height().await?;
    known.store(height, Ordering::Release);
    if height < wanted { Err(UpstreamError::Behind { height, wanted }) } else { Ok(()) }
}

fn disagreement(what: &str) -> AssetError {
    tracing::error!(what, "indexers disagree; all answers are rejected");
    AssetError::InvalidResponse(excerpt(&format!("indexers disagree: {what}")))
}

impl fmt::Debug for AssetIndexers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.members().iter().map(|member| member.name())).finish()
    }
}
