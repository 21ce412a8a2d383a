//! Upstreams with one capability, tried in order.

use std::fmt;
use std::sync::Arc;

use engine::asset_index::InscriptionId;
use thiserror::Error;
use tokio::time::sleep;

use super::height_guard::{HeightCheck, HeightGuard};
use super::metrics::UpstreamMetrics;
use crate::capability::{HasHeight, InscriptionDetails, Inscriptions, Named, UpstreamError, UpstreamFuture};

/// The error that no upstream had an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct AllUpstreamsFailed {
    /// The capability that was needed.
    pub capability: &'static str,
    /// The upstreams that were asked, in order, and the error of each.
    pub errors: Vec<(String, UpstreamError)>,
}

impl fmt::Display for AllUpstreamsFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.errors.is_empty() {
            return write!(f, "no upstream for {} is configured", self.capability);
        }
        write!(f, "all upstreams for {} failed", self.capability)?;
        for (index, (name, error)) in self.errors.iter().enumerate() {
            write!(f, "{} {name}: {error}", if index == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

/// Upstreams with one capability in the order in which they are tried.
pub struct FallbackList<C: ?Sized> {
    capability: &'static str,
    members: Vec<Arc<C>>,
    guard: HeightGuard,
    metrics: UpstreamMetrics,
}

impl<C: Named + ?Sized> fmt::Debug for FallbackList<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.members.iter().map(|member| member.name())).finish()
    }
}

impl<C: Named + ?Sized> FallbackList<C> {
    /// Creates a fallback list of these members, in this order.
    #[must_use]
    pub fn new(capability: &'static str, members: Vec<Arc<C>>, guard: HeightGuard, metrics: UpstreamMetrics) -> Self {
        for member in &members {
            metrics.set_capability(capability, member.name());
        }
        Self { capability, members, guard, metrics }
    }

    /// Returns whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns its members.
    #[must_use]
    pub fn members(&self) -> &[Arc<C>] {
        &self.members
    }

    /// Returns the first answer.
    ///
    /// # Errors
    /// [`AllUpstreamsFailed`], with the error of each member.
    pub async fn first<'a, T>(
        &'a self,
        ask: impl Fn(&'a C) -> UpstreamFuture<'a, T> + Send + Sync,
    ) -> Result<T, AllUpstreamsFailed> {
        let mut errors = Vec::new();
        for member in &self.members {
            match ask(member).await {
                Ok(answer) => return Ok(answer),
                Err(error) => self.add_failure(&mut errors, member, error),
            }
        }
        Err(self.all_failed(errors))
    }

    /// Returns the first answer of a member that we do not run.
    ///
    /// # Errors
    /// [`AllUpstreamsFailed`], with the error of each member.
    pub async fn first_external<'a, T>(
        &'a self,
        ask: impl Fn(&'a C) -> UpstreamFuture<'a, T> + Send + Sync,
    ) -> Result<T, AllUpstreamsFailed> {
        let mut errors = Vec::new();
        for member in self.members.iter().filter(|member| !member.is_self_hosted()) {
            match ask(member).await {
                Ok(answer) => return Ok(answer),
                Err(error) => self.add_failure(&mut errors, member, error),
            }
        }
        Err(self.all_failed(errors))
    }

    /// Returns the member that we run, if there is one.
    #[must_use]
    pub fn self_hosted(&self) -> Option<&Arc<C>> {
        self.members.iter().find(|member| member.is_self_hosted())
    }

    /// Records the height of the last block that a member reports.
    pub(crate) fn note_height(&self, member: &C, height: u32) {
        self.metrics.set_height(member.name(), height);
    }

    /// Returns the error that no member had an answer.
    pub(crate) fn all_failed(&self, errors: Vec<(String, UpstreamError)>) -> AllUpstreamsFailed {
        AllUpstreamsFailed { capability: self.capability, errors }
    }

    /// Counts a member that fails, and adds its error to the list.
    pub(crate) fn add_failure(&self, errors: &mut Vec<(String, UpstreamError)>, member: &C, error: UpstreamError) {
        self.count_fallback(member, &error);
        errors.push((member.name().to_owned(), error));
    }

    /// Counts a member that fails.
    pub fn count_fallback(&self, member: &C, error: &UpstreamError) {
        self.metrics.count_fallback(self.capability, member.name());
        tracing::warn!(capability = self.capability, upstream = member.name(), %error, "an upstream failed");
    }
}

/// The description of an inscription by the members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptionResult {
    /// The member that described it, with the description; `None` when none of those that answered knows it.
    pub by: Option<(String, InscriptionDetails)>,
    /// Whether every member that was asked answered: otherwise more may be learned at another time.
    pub is_complete: bool,
}

impl FallbackList<dyn Inscriptions> {
    /// Returns the answer of the first member that knows the inscription's name or attributes, else of the first that
    /// knows it.
    pub async fn describe(&self, inscription: InscriptionId) -> DescriptionResult {
        let mut described = DescriptionResult { by: None, is_complete: true };
        for member in &self.members {
            match member.inscription(inscription).await {
                Ok(Some(seen)) if seen.has_metadata() => {
                    return DescriptionResult { by: Some((member.name().to_owned(), seen)), ..described };
                }
                Ok(Some(seen)) if described.by.is_none() => described.by = Some((member.name().to_owned(), seen)),
                Ok(_) => {}
                Err(error) => {
                    self.count_fallback(member.as_ref(), &error);
                    described.is_complete = false;
                }
            }
        }
        described
    }
}

impl<C: HasHeight + ?Sized> FallbackList<C> {
    /// Returns the first answer of an external member that is in sync with the node and has read block `wanted` in any
    /// case. One that lags is waited for, and then skipped.
    ///
    /// # Errors
    /// [`AllUpstreamsFailed`], with the error of each member.
    pub async fn first_synced<'a, T>(
        &'a self,
        (tip, wanted): (u32, u32),
        ask: impl Fn(&'a C) -> UpstreamFuture<'a, T> + Send + Sync,
    ) -> Result<T, AllUpstreamsFailed> {
        let mut errors = Vec::new();
        for member in self.members.iter().filter(|member| !member.is_self_hosted()) {
            let answer = match self.wait_until_synced(member, tip, wanted).await {
                Ok(_) => ask(member).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => self.add_failure(&mut errors, member, error),
            }
        }
        Err(self.all_failed(errors))
    }

    /// Checks that a member can have read up to this height.
    pub(crate) fn check_plausible(&self, height: u32, tip: u32) -> Result<(), UpstreamError> {
        match self.guard.check(height, tip, 0, u8::MAX) {
            HeightCheck::Implausible => Err(UpstreamError::invalid_response(&format!(
                "it has read block {height}, and the node's best is {tip}"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns whether a member at this height may be asked.
    pub(crate) fn is_synced(&self, height: u32, tip: u32, wanted: u32) -> bool {
        self.guard.check(height, tip, wanted, 0) == HeightCheck::InSync
    }

    /// Waits until a member has read enough, and returns its height.
    pub(crate) async fn wait_until_synced(&self, member: &C, tip: u32, wanted: u32) -> Result<u32, UpstreamError> {
        let mut waits = 0;
        loop {
            let height = member.height().await?;
            self.note_height(member, height);
            match self.guard.check(height, tip, wanted, waits) {
                HeightCheck::InSync => return Ok(height),
                HeightCheck::Wait(wait) => sleep(wait).await,
                HeightCheck::Lagging => return Err(UpstreamError::Behind { height, wanted: wanted.max(tip) }),
                HeightCheck::Implausible => return self.check_plausible(height, tip).map(|()| height),
            }
            waits += 1;
        }
    }
}
