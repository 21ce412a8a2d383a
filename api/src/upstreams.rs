//! The configured programs and upstream services, and what they share.

use std::sync::Arc;

use providers::resilience::UpstreamMetrics;
use providers::{BitcoinCore, Credentials, OrdServer, SelfHosted, UpstreamEnvironment, Upstreams};
use secrecy::SecretString;

use crate::config::secret_source;
use crate::config::settings::Settings;
use crate::failure::Failure;

/// The environment variable with the node's password, its only source.
pub const PASSWORD_VARIABLE: &str = "LIENBOOK_NODE_PASSWORD";

/// The operator's own programs, and public explorers, indexers and marketplaces.
#[derive(Debug)]
pub struct MeteredUpstreams {
    /// Bitcoin Core and ord, as far as they are configured.
    pub own: SelfHosted,
    /// All services by capability, the operator's own programs first.
    pub upstreams: Upstreams,
    /// The shared environment of the services.
    pub environment: UpstreamEnvironment,
}

impl MeteredUpstreams {
    /// Builds the adapters of external services, with their keys from the environment; no requests are sent yet.
    ///
    /// # Errors
    /// One line for each service without a URL or key.
    pub fn of(settings: &Settings) -> Result<Self, Failure> {
        Self::build(settings, upstream_environment(settings)?, SelfHosted::default())
    }

    /// Builds all adapters, those of the operator's own programs first.
    ///
    /// # Errors
    /// Those of [`Self::of`], and one line for an own program with an invalid address or no credentials.
    pub fn with_own(settings: &Settings, password: Option<String>) -> Result<Self, Failure> {
        let environment = upstream_environment(settings)?;
        let mut own = SelfHosted::default();
        if let Some(url) = &settings.node_url {
            let core = BitcoinCore::new(url, credentials(settings, password)?);
            let core = core.map_err(|error| Failure::new(format!("the setting node_url is not accepted: {error}")))?;
            own.core = Some(Arc::new(core.with_resilience(&environment)));
        }
        if let Some(url) = &settings.ord_url {
            let ord = OrdServer::new(url, settings.network);
            let ord = ord.map_err(|error| Failure::new(format!("the setting ord_url is not accepted: {error}")))?;
            own.ord = Some(Arc::new(ord.with_resilience(&environment)));
        }
        Self::build(settings, environment, own)
    }

    fn build(settings: &Settings, environment: UpstreamEnvironment, own: SelfHosted) -> Result<Self, Failure> {
        let (mut plans, mut faults) = (Vec::new(), Vec::new());
        for upstream in &settings.upstreams {
            let key = upstream.key_variable.as_deref().map(secret_source::find).transpose()?.flatten();
            match upstream.plan(settings.network, |_| key.clone()) {
                Ok(plan) => plans.extend(plan),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(Failure::all(faults));
        }
        let upstreams = Upstreams::new(own.clone(), plans, &environment)
            .map_err(|(name, error)| Failure::new(format!("the upstream {name} is not accepted: {error}")))?;
        Ok(Self { own, upstreams, environment })
    }
}

fn upstream_environment(settings: &Settings) -> Result<UpstreamEnvironment, Failure> {
    let meters = UpstreamMetrics::new().map_err(Failure::new)?;
    Ok(UpstreamEnvironment::new(settings.network, Arc::new(rand::random::<u32>), meters))
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
            "a node needs credentials: set node_cookie to its cookie file, or node_user together with the password",
        )),
    }
}
