//! The settings of public explorers, indexers and marketplaces: their order, addresses and keys.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use bitcoin::Network;
use providers::{ProviderKind, UpstreamConfig};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// The largest number of upstream services; more are a mistake.
const UPSTREAMS_MAX: usize = 32;

/// An upstream service. Services are asked in the order of the list; the key is not one of these settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamSettings {
    /// The API that the service provides.
    pub kind: UpstreamKind,
    /// Its name in the log, in figures and in `lienbook check`, if not its kind.
    #[serde(default)]
    pub name: Option<String>,
    /// Its URL, if not the usual one for the network: over TLS, or without TLS on this machine.
    #[serde(default)]
    pub url: Option<String>,
    /// The environment variable with the API key.
    #[serde(default)]
    pub key_variable: Option<String>,
    /// The number of requests per minute that it permits, if not the default.
    #[serde(default)]
    pub per_minute: Option<NonZeroU32>,
}

/// The API of an upstream service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpstreamKind {
    /// mempool.space: blocks, fees, addresses, broadcast.
    Mempool,
    /// Esplora: the same.
    Esplora,
    /// `UniSat`: inscriptions and runes, BRC-20, prices.
    Unisat,
    /// Best in Slot: BRC-20, cross-checks, prices.
    BestInSlot,
    /// Ordiscan: balances and prices of runes.
    Ordiscan,
    /// Satflow: floor prices of inscriptions.
    Satflow,
    /// Magic Eden, which is closed: accepted, so that a server with older settings starts, but never asked.
    MagicEden,
}

impl UpstreamKind {
    /// Returns its name in the settings.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mempool => "mempool",
            Self::Esplora => "esplora",
            Self::Unisat => "unisat",
            Self::BestInSlot => "bestinslot",
            Self::Ordiscan => "ordiscan",
            Self::Satflow => "satflow",
            Self::MagicEden => "magiceden",
        }
    }

    /// Whether it can replace a node.
    const fn serves_blocks(self) -> bool {
        matches!(self, Self::Mempool | Self::Esplora)
    }

    /// Whether it can replace ord.
    const fn serves_assets(self) -> bool {
        matches!(self, Self::Unisat)
    }

    /// Returns the kind of its adapter; `None` for a service that has closed.
    const fn api(self) -> Option<ProviderKind> {
        match self {
            Self::Mempool => Some(ProviderKind::Mempool),
            Self::Esplora => Some(ProviderKind::Esplora),
            Self::Unisat => Some(ProviderKind::Unisat),
            Self::BestInSlot => Some(ProviderKind::BestInSlot),
            Self::Ordiscan => Some(ProviderKind::Ordiscan),
            Self::Satflow => Some(ProviderKind::Satflow),
            Self::MagicEden => None,
        }
    }
}

impl UpstreamSettings {
    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.kind.word())
    }

    /// Returns a line for the operator about a configured service that has closed.
    #[must_use]
    pub fn closed(&self) -> Option<String> {
        let name = self.name();
        self.kind.api().is_none().then(|| {
            format!(
                "the upstream {name} is not asked: Magic Eden has closed its Bitcoin market. Remove it from the \
                 settings, and list satflow for floors of inscriptions"
            )
        })
    }

    /// Returns the plan of its adapter, with its key from the environment; `None` for a service that has closed.
    ///
    /// # Errors
    /// One line: no URL for the network, or no key in the variable.
    pub fn plan(
        &self,
        network: Network,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<UpstreamConfig>, String> {
        let name = self.name();
        let Some(api) = self.kind.api() else { return Ok(None) };
        let url = self.url.as_deref().or_else(|| api.default_url(network));
        let url = url.ok_or_else(|| format!("the upstream {name} needs an url: there is none for {network}"))?;
        let key = match &self.key_variable {
            Some(wanted) => {
                let found = variable(wanted).filter(|key| !key.trim().is_empty());
                Some(found.ok_or_else(|| format!("the upstream {name} has no key in the variable {wanted}"))?)
            }
            None if api.needs_key() && self.url.is_none() => {
                return Err(format!("the upstream {name} needs a key_variable: it answers no request without a key"));
            }
            None => None,
        };
        Ok(Some(UpstreamConfig {
            name: name.to_owned(),
            kind: api,
            url: url.to_owned(),
            key: key.map(SecretString::from),
            per_minute: self.per_minute.unwrap_or_else(|| api.default_per_minute()),
        }))
    }
}

/// The external services that can replace programs of the operator: none on mainnet, because they may give false
/// answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExternalSources {
    /// Whether there is an explorer instead of a node.
    pub(super) has_blocks: bool,
    /// Whether there is an indexer instead of ord.
    pub(super) has_assets: bool,
}

impl ExternalSources {
    pub(super) fn of(upstreams: &[UpstreamSettings], network: Network) -> Self {
        let has = |can: fn(UpstreamKind) -> bool| {
            network != Network::Bitcoin && upstreams.iter().any(|upstream| can(upstream.kind))
        };
        Self { has_blocks: has(UpstreamKind::serves_blocks), has_assets: has(UpstreamKind::serves_assets) }
    }
}

/// Returns the faults of a list, without reading keys.
pub(super) fn faults(upstreams: &[UpstreamSettings], network: Network) -> Vec<String> {
    let mut faults = Vec::new();
    if upstreams.len() > UPSTREAMS_MAX {
        faults.push(format!("there are more than {UPSTREAMS_MAX} upstreams"));
    }
    let mut names = BTreeSet::new();
    for upstream in upstreams {
        let name = upstream.name();
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.len() > 40 || !name.bytes().all(is_word) {
            faults.push(format!("the upstream name {name:?} must be up to 40 letters, digits, dots and hyphens"));
        }
        if !names.insert(name) {
            faults.push(format!("two upstreams are called {name}: give one another name"));
        }
        faults.extend(upstream.plan(network, |_| Some("key".to_owned())).err());
    }
    faults
}

#[cfg(test)]
mod tests {
    use figment::Figment;
    use figment::providers::{Format as _, Toml};
    use secrecy::ExposeSecret as _;

    use super::*;

    fn of(kind: UpstreamKind) -> UpstreamSettings {
        UpstreamSettings { kind, name: None, url: None, key_variable: None, per_minute: None }
    }

    #[test]
    fn an_upstream_has_its_usual_url_unless_another_is_configured() {
        let plan = of(UpstreamKind::Mempool).plan(Network::Signet, |_| None).unwrap().unwrap();
        assert_eq!((plan.name.as_str(), plan.url.as_str()), ("mempool", "https://mempool.space/signet/api"));
        let own = UpstreamSettings {
            url: Some("http://127.0.0.1:3002".to_owned()),
            name: Some("own".to_owned()),
            ..of(UpstreamKind::Esplora)
        };
        let plan = own.plan(Network::Regtest, |_| None).unwrap().unwrap();
        assert_eq!((plan.name.as_str(), plan.url.as_str()), ("own", "http://127.0.0.1:3002"));
        let nowhere = of(UpstreamKind::Satflow).plan(Network::Signet, |_| None).unwrap_err();
        assert!(nowhere.contains("satflow needs an url"), "{nowhere}");
    }

    #[test]
    fn a_key_is_read_only_from_its_variable() {
        let unisat = UpstreamSettings { key_variable: Some("KEY".to_owned()), ..of(UpstreamKind::Unisat) };
        let plan = |key: &str| {
            let key = key.to_owned();
            unisat.plan(Network::Bitcoin, move |name| (name == "KEY").then_some(key.clone()))
        };
        assert_eq!(plan("sesame").unwrap().unwrap().key.unwrap().expose_secret(), "sesame");
        assert!(!format!("{:?}", plan("sesame")).contains("sesame"));
        assert!(plan(" ").unwrap_err().contains("no key in the variable KEY"));
        let keyless = of(UpstreamKind::Unisat).plan(Network::Bitcoin, |_| None).unwrap_err();
        assert!(keyless.contains("needs a key_variable"), "{keyless}");
    }

    #[test]
    fn a_closed_service_is_accepted_and_reported_and_never_asked() {
        let written = "kind = \"magiceden\"\nkey_variable = \"UNSET\"";
        let gone: UpstreamSettings = Figment::from(Toml::string(written)).extract().unwrap();
        for network in [Network::Bitcoin, Network::Signet] {
            assert!(matches!(gone.plan(network, |_| None), Ok(None)));
            assert_eq!(faults(&[gone.clone(), of(UpstreamKind::Mempool)], network), Vec::<String>::new());
        }
        let line = gone.closed().unwrap();
        assert!(line.contains("magiceden is not asked") && line.contains("list satflow"), "{line}");
        assert_eq!(of(UpstreamKind::Satflow).closed(), None);
    }

    #[test]
    fn a_list_has_one_of_each_name() {
        let twice = [of(UpstreamKind::Mempool), of(UpstreamKind::Mempool)];
        assert_eq!(faults(&twice[..1], Network::Bitcoin), Vec::<String>::new());
        assert_eq!(faults(&twice, Network::Bitcoin).len(), 1);
        let odd = UpstreamSettings { name: Some("a b".to_owned()), ..of(UpstreamKind::Mempool) };
        assert_eq!(faults(&[odd], Network::Bitcoin).len(), 1);
        let many: Vec<_> = (0..33)
            .map(|index| UpstreamSettings { name: Some(format!("m{index}")), ..of(UpstreamKind::Mempool) })
            .collect();
        assert_eq!(faults(&many, Network::Bitcoin).len(), 1);
    }
}
