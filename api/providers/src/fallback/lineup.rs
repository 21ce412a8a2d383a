//! Upstreams of one capability, tried in order.

use std::fmt;
use std::sync::Arc;

use engine::asset_index::InscriptionId;
use thiserror::Error;
use tokio::time::sleep;

use super::height_guard::{HeightGuard, Verdict};
use super::meters::Meters;
use super::trouble::Trouble;
use crate::capability::{Heighted, Inscriptions, Named, Sighting, Told};

/// Nobody had an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct NoneLeft {
    /// What was asked for.
    pub capability: &'static str,
    /// Who was asked, in order, and what came instead.
    pub troubles: Vec<(String, Trouble)>,
}

impl fmt::Display for NoneLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.troubles.is_empty() {
            return write!(f, "no upstream for {} is configured", self.capability);
        }
        write!(f, "no upstream for {} helps", self.capability)?;
        for (index, (name, trouble)) in self.troubles.iter().enumerate() {
            write!(f, "{} {name}: {trouble}", if index == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

/// Upstreams of one capability in the order in which they are tried.
pub struct Lineup<C: ?Sized> {
    capability: &'static str,
    members: Vec<Arc<C>>,
    guard: HeightGuard,
    meters: Meters,
}

impl<C: Named + ?Sized> fmt::Debug for Lineup<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.members.iter().map(|member| member.name())).finish()
    }
}

impl<C: Named + ?Sized> Lineup<C> {
    /// These, in this order.
    #[must_use]
    pub fn new(capability: &'static str, members: Vec<Arc<C>>, guard: HeightGuard, meters: Meters) -> Self {
        Self { capability, members, guard, meters }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// All of them.
    #[must_use]
    pub fn members(&self) -> &[Arc<C>] {
        &self.members
    }

    /// The first answer there is.
    ///
    /// # Errors
    /// [`NoneLeft`], with everybody's trouble.
    pub async fn first<'a, T>(&'a self, ask: impl Fn(&'a C) -> Told<'a, T> + Send + Sync) -> Result<T, NoneLeft> {
        let mut troubles = Vec::new();
        for member in &self.members {
            match ask(member).await {
                Ok(answer) => return Ok(answer),
                Err(trouble) => self.pass_on(&mut troubles, member, trouble),
            }
        }
        Err(self.none_left(troubles))
    }

    /// The first answer of those that are not ours.
    ///
    /// # Errors
    /// [`NoneLeft`], with everybody's trouble.
    pub async fn first_of_strangers<'a, T>(
        &'a self,
        ask: impl Fn(&'a C) -> Told<'a, T> + Send + Sync,
    ) -> Result<T, NoneLeft> {
        let mut troubles = Vec::new();
        for member in self.members.iter().filter(|member| !member.is_ours()) {
            match ask(member).await {
                Ok(answer) => return Ok(answer),
                Err(trouble) => self.pass_on(&mut troubles, member, trouble),
            }
        }
        Err(self.none_left(troubles))
    }

    /// The one of them that is ours.
    #[must_use]
    pub fn ours(&self) -> Option<&Arc<C>> {
        self.members.iter().find(|member| member.is_ours())
    }

    /// That nobody had an answer.
    pub(crate) fn none_left(&self, troubles: Vec<(String, Trouble)>) -> NoneLeft {
        NoneLeft { capability: self.capability, troubles }
    }

    /// Counts a member that does not help, and notes its trouble.
    pub(crate) fn pass_on(&self, troubles: &mut Vec<(String, Trouble)>, member: &C, trouble: Trouble) {
        self.left_out(member, &trouble);
        troubles.push((member.name().to_owned(), trouble));
    }

    /// Counts a member that does not help.
    pub fn left_out(&self, member: &C, trouble: &Trouble) {
        self.meters.fell_back(self.capability, member.name());
        tracing::warn!(capability = self.capability, upstream = member.name(), %trouble, "an upstream does not help");
    }
}

/// What members say of an inscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Who says it, and what; `None` when none of those who answered knows it.
    pub by: Option<(String, Sighting)>,
    /// Whether everybody answered who was asked: otherwise there may be more to say at another time.
    pub is_final: bool,
}

impl Lineup<dyn Inscriptions> {
    /// What the first member says who knows what an inscription is called or has, else the first who knows it at all.
    pub async fn described(&self, inscription: InscriptionId) -> Described {
        let mut described = Described { by: None, is_final: true };
        for member in &self.members {
            match member.sighting(inscription).await {
                Ok(Some(seen)) if seen.is_described() => {
                    return Described { by: Some((member.name().to_owned(), seen)), ..described };
                }
                Ok(Some(seen)) if described.by.is_none() => described.by = Some((member.name().to_owned(), seen)),
                Ok(_) => {}
                Err(trouble) => {
                    self.left_out(member.as_ref(), &trouble);
                    described.is_final = false;
                }
            }
        }
        described
    }
}

impl<C: Heighted + ?Sized> Lineup<C> {
    /// The first answer of a stranger who has read as far as the node, or nearly, and block `wanted` in any case. Who lags
    /// is waited for, and then left.
    ///
    /// # Errors
    /// [`NoneLeft`], with everybody's trouble.
    pub async fn first_in_step<'a, T>(
        &'a self,
        (tip, wanted): (u32, u32),
        ask: impl Fn(&'a C) -> Told<'a, T> + Send + Sync,
    ) -> Result<T, NoneLeft> {
        let mut troubles = Vec::new();
        for member in self.members.iter().filter(|member| !member.is_ours()) {
            let answer = match self.in_step(member, tip, wanted).await {
                Ok(_) => ask(member).await,
                Err(trouble) => Err(trouble),
            };
            match answer {
                Ok(answer) => return Ok(answer),
                Err(trouble) => self.pass_on(&mut troubles, member, trouble),
            }
        }
        Err(self.none_left(troubles))
    }

    /// Whether a member may have read so many blocks.
    pub(crate) fn plausible(&self, height: u32, tip: u32) -> Result<(), Trouble> {
        match self.guard.judge(height, tip, 0, u8::MAX) {
            Verdict::Impossible => {
                Err(Trouble::nonsense(&format!("it has read block {height}, and the node's best is {tip}")))
            }
            _ => Ok(()),
        }
    }

    /// Whether somebody at this height may be asked.
    pub(crate) fn is_in_step(&self, height: u32, tip: u32, wanted: u32) -> bool {
        self.guard.judge(height, tip, wanted, 0) == Verdict::InStep
    }

    /// Waits until a member has read enough, and gives its height.
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
