//! Upstreams with one capability, tried in order.

use std::fmt;
use std::sync::Arc;

use engine::asset_index::InscriptionId;
use thiserror::Error;
use tokio::time::sleep;

use super::height_guard::{HeightGuard, Verdict};
use super::meters::Meters;
use super::trouble::Trouble;
use crate::capability::{Heighted, Inscriptions, Named, Sighting, Told};

/// The error that no upstream had an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct NoneLeft {
    /// The capability that was needed.
    pub capability: &'static str,
    /// The upstreams that were asked, in order, and the error of each.
    pub errors: Vec<(String, Trouble)>,
}

impl fmt::Display for NoneLeft {
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
pub struct Lineup<C: ?Sized> {
    capability: &'static str,
    members: Vec<Arc<C>>,
    guard: HeightGuard,
    metrics: Meters,
}

impl<C: Named + ?Sized> fmt::Debug for Lineup<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.members.iter().map(|member| member.name())).finish()
    }
}

impl<C: Named + ?Sized> Lineup<C> {
    /// Creates a lineup of these members, in this order.
    #[must_use]
    pub fn new(capability: &'static str, members: Vec<Arc<C>>, guard: HeightGuard, metrics: Meters) -> Self {
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
    /// [`NoneLeft`], with the error of each member.
    pub async fn first<'a, T>(&'a self, ask: impl Fn(&'a C) -> Told<'a, T> + Send + Sync) -> Result<T, NoneLeft> {
        let mut errors = Vec::new();
        for member in &self.members {
            match ask(member).await {
                Ok(answer) => return Ok(answer),
                Err(error) => self.pass_on(&mut errors, member, error),
            }
        }
        Err(self.none_left(errors))
    }

    /// Returns the first answer of a member that we do not run.
    ///
    /// # Errors
    /// [`NoneLeft`], with the error of each member.
    pub async fn first_of_strangers<'a, T>(
        &'a self,
        ask: impl Fn(&'a C) -> Told<'a, T> + Send + Sync,
    ) -> Result<T, NoneLeft> {
        let mut errors = Vec::new();
        for member in self.members.iter().filter(|member| !member.is_ours()) {
            match ask(member).await {
                Ok(answer) => return Ok(answer),
                Err(error) => self.pass_on(&mut errors, member, error),
            }
        }
        Err(self.none_left(errors))
    }

    /// Returns the member that we run, if there is one.
    #[must_use]
    pub fn ours(&self) -> Option<&Arc<C>> {
        self.members.iter().find(|member| member.is_ours())
    }

    /// Returns the error that no member had an answer.
    pub(crate) fn none_left(&self, errors: Vec<(String, Trouble)>) -> NoneLeft {
        NoneLeft { capability: self.capability, errors }
    }

    /// Counts a member that fails, and adds its error to the list.
    pub(crate) fn pass_on(&self, errors: &mut Vec<(String, Trouble)>, member: &C, error: Trouble) {
        self.left_out(member, &error);
        errors.push((member.name().to_owned(), error));
    }

    /// Counts a member that fails.
    pub fn left_out(&self, member: &C, error: &Trouble) {
        self.metrics.fell_back(self.capability, member.name());
        tracing::warn!(capability = self.capability, upstream = member.name(), %error, "an upstream failed");
    }
}

/// The description of an inscription by the members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The member that described it, with the description; `None` when none of those that answered knows it.
    pub by: Option<(String, Sighting)>,
    /// Whether every member that was asked answered: otherwise more may be learned at another time.
    pub is_final: bool,
}

impl Lineup<dyn Inscriptions> {
    /// Returns the answer of the first member that knows the inscription's name or attributes, else of the first that
    /// knows it.
    pub async fn described(&self, inscription: InscriptionId) -> Described {
        let mut described = Described { by: None, is_final: true };
        for member in &self.members {
            match member.sighting(inscription).await {
                Ok(Some(seen)) if seen.is_described() => {
                    return Described { by: Some((member.name().to_owned(), seen)), ..described };
                }
                Ok(Some(seen)) if described.by.is_none() => described.by = Some((member.name().to_owned(), seen)),
                Ok(_) => {}
                Err(error) => {
                    self.left_out(member.as_ref(), &error);
                    described.is_final = false;
                }
            }
        }
        described
    }
}

impl<C: Heighted + ?Sized> Lineup<C> {
    /// Returns the first answer of an external member that is in sync with the node and has read block `wanted` in any
    /// case. One that lags is waited for, and then skipped.
    ///
    /// # Errors
    /// [`NoneLeft`], with the error of each member.
    pub async fn first_in_step<'a, T>(
        &'a self,
        (tip, wanted): (u32, u32),
        ask: impl Fn(&'a C) -> Told<'a, T> + Send + Sync,
    ) -> Result<T, NoneLeft> {
        let mut errors = Vec::new();
        for member in self.members.iter().filter(|member| !member.is_ours()) {
            let answer = match self.in_step(member, tip, wanted).await {
                Ok(_) => ask(member).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => self.pass_on(&mut errors, member, error),
            }
        }
        Err(self.none_left(errors))
    }

    /// Checks that a member can have read up to this height.
    pub(crate) fn plausible(&self, height: u32, tip: u32) -> Result<(), Trouble> {
        match self.guard.judge(height, tip, 0, u8::MAX) {
            Verdict::Impossible => {
                Err(Trouble::nonsense(&format!("it has read block {height}, and the node's best is {tip}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether a member at this height may be asked.
    pub(crate) fn is_in_step(&self, height: u32, tip: u32, wanted: u32) -> bool {
        self.guard.judge(height, tip, wanted, 0) == Verdict::InStep
    }

    /// Waits until a member has read enough, and returns its height.
    pub(crate) async fn in_step(&self, member: &C, tip: u32, wanted: u32) -> Result<u32, Trouble> {
        let mut waits = 0;
        loop {
            let height = member.height().await?;
            match self.guard.judge(height, tip, wanted, waits) {
                Verdict::InStep => return Ok(height),
                Verdict::Wait(wait) => sleep(wait).await,
                Verdict::LeftBehind => return Err(Trouble::Behind { height, wanted: wanted.max(tip) }),
                Verdict::Impossible => return self.plausible(height, tip).map(|()| height),
            }
            waits += 1;
        }
    }
}
