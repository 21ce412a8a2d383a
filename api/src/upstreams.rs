//! The upstreams of the settings, and what is counted of them.

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
    /// What is counted of them.
    pub meters: Meters,
}

impl MeteredUpstreams {
    /// Makes them, with their keys out of the environment; none is asked anything yet.
    ///
    /// # Errors
    /// A line for each that has no address or no key.
    pub fn of(settings: &Settings) -> Result<Self, Failure> {
        let meters = Meters::new().map_err(Failure::new)?;
        let around = Surroundings::new(settings.network, Arc::new(rand::random::<u32>), meters.clone());
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
        Ok(Self { upstreams, meters })
    }
}
