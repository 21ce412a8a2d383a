//! The programs and upstreams of the settings, and what they share.

use std::sync::Arc;

use providers::fallback::Meters;
use providers::{BitcoinCore, Credentials, OrdServer, OwnPrograms, Surroundings, Upstreams};
use secrecy::SecretString;

use crate::config::settings::Settings;
use crate::failure::Failure;

/// The variable that holds the node's password: the only place for it.
pub const PASSWORD_VARIABLE: &str = "LIENBOOK_NODE_PASSWORD";

/// Programs of our own, and public explorers, indexers and marketplaces.
#[derive(Debug)]
pub struct MeteredUpstreams {
    /// Bitcoin Core and ord, as far as there are.
    pub own: OwnPrograms,
    /// Everybody by what they can be asked, our own first.
    pub upstreams: Upstreams,
    /// What they share.
    pub around: Surroundings,
}

impl MeteredUpstreams {
    /// Makes those that are not ours, with their keys out of the environment; none is asked anything yet.
    ///
    /// # Errors
    /// A line for each that has no address or no key.
    pub fn of(settings: &Settings) -> Result<Self, Failure> {
        Self::gathered(settings, surroundings(settings)?, OwnPrograms::default())
    }

    /// The same with our own programs before them.
    ///
    /// # Errors
    /// One line more for one of our own that cannot be asked at all.
    pub fn with_own(settings: &Settings, password: Option<String>) -> Result<Self, Failure> {
        let around = surroundings(settings)?;
        let mut own = OwnPrograms::default();
        if let Some(url) = &settings.node_url {
            let core = BitcoinCore::new(url, credentials(settings, password)?);
            let core = core.map_err(|error| Failure::new(format!("the setting node_url is not accepted: {error}")))?;
            own.core = Some(Arc::new(core.cared_for(&around)));
        }
        if let Some(url) = &settings.ord_url {
            let ord = OrdServer::new(url, settings.network);
            let ord = ord.map_err(|error| Failure::new(format!("the setting ord_url is not accepted: {error}")))?;
            own.ord = Some(Arc::new(ord.cared_for(&around)));
        }
        Self::gathered(settings, around, own)
    }

    fn gathered(settings: &Settings, around: Surroundings, own: OwnPrograms) -> Result<Self, Failure> {
        let (mut plans, mut faults) = (Vec::new(), Vec::new());
        for upstream in &settings.upstreams {
            match upstream.plan(settings.network, |name| std::env::var(name).ok()) {
                Ok(plan) => plans.extend(plan),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(Failure::all(faults));
        }
        let upstreams = Upstreams::new(own.clone(), plans, &around)
            .map_err(|(name, error)| Failure::new(format!("the upstream {name} is not accepted: {error}")))?;
        Ok(Self { own, upstreams, around })
    }
}

fn surroundings(settings: &Settings) -> Result<Surroundings, Failure> {
    let meters = Meters::new().map_err(Failure::new)?;
    Ok(Surroundings::new(settings.network, Arc::new(rand::random::<u32>), meters))
}

fn credentials(settings: &Settings, password: Option<String>) -> Result<Credentials, Failure> {
    match (&settings.node_cookie, &settings.node_user, password) {
        (Some(cookie), None, _) => Ok(Credentials::Cookie(cookie.clone())),
        (None, Some(name), Some(password)) => {
            Ok(Credentials::User { name: name.clone(), password: SecretString::from(password) })
        }
        (None, Some(_), None) => {
            Err(Failure::new(format!("the node's password is missing: put it into the variable {PASSWORD_VARIABLE}")))
        }
        _ => Err(Failure::new(
            "a node asks who you are: set node_cookie to its cookie file, or node_user beside the password",
        )),
    }
}
