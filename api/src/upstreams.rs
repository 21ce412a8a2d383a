//! The upstreams of the settings, and what they share.

use std::sync::Arc;

use providers::fallback::Meters;
use providers::{Surroundings, Upstreams};

use crate::config::settings::Settings;
use crate::failure::Failure;

/// Public explorers, indexers and marketplaces.
#[derive(Debug)]
pub struct MeteredUpstreams {
    /// By what they can be asked.
    pub upstreams: Upstreams,
    /// What they share, and the node and ord with them.
    pub around: Surroundings,
}

impl MeteredUpstreams {
    /// Makes them, with their keys out of the environment; none is asked anything yet.
    ///
    /// # Errors
    /// A line for each that has no address or no key.
    pub fn of(settings: &Settings) -> Result<Self, Failure> {
        let meters = Meters::new().map_err(Failure::new)?;
        let around = Surroundings::new(settings.network, Arc::new(rand::random::<u32>), meters);
        let (mut plans, mut faults) = (Vec::new(), Vec::new());
        for upstream in &settings.upstreams {
            match upstream.plan(settings.network, |name| std::env::var(name).ok()) {
                Ok(plan) => plans.push(plan),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(Failure::all(faults));
        }
        let upstreams = Upstreams::new(plans, &around)
            .map_err(|(name, error)| Failure::new(format!("the upstream {name} is not accepted: {error}")))?;
        Ok(Self { upstreams, around })
    }
}
