//! Public explorers, indexers and marketplaces: which, in which order, and how they know us.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use bitcoin::Network;
use providers::{Kind, UpstreamPlan};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// More than these are a mistake.
const UPSTREAMS_MAX: usize = 32;

/// One upstream. Its place in the list is its place in the order; its key is not among these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamSettings {
    /// Which API it speaks.
    pub kind: UpstreamKind,
    /// How it is called in the log, in figures and by `lienbook check`, if not by its kind.
    #[serde(default)]
    pub name: Option<String>,
    /// Where it is, if not where everybody finds it for the network: by TLS, or in clear on this machine.
    #[serde(default)]
    pub url: Option<String>,
    /// The variable that holds the key it gave us.
    #[serde(default)]
    pub key_variable: Option<String>,
    /// How many questions a minute it allows, if not as many as is usual.
    #[serde(default)]
    pub per_minute: Option<NonZeroU32>,
}

/// Which API an upstream speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpstreamKind {
    /// mempool.space's: blocks, fees, addresses, sending on.
    Mempool,
    /// Esplora's: the same.
    Esplora,
    /// `UniSat`'s: inscriptions and runes, BRC-20, prices.
    Unisat,
    /// Best in Slot's: BRC-20, a second look, prices.
    BestInSlot,
    /// Ordiscan's: balances and prices of runes.
    Ordiscan,
    /// Satflow's: floors of inscriptions.
    Satflow,
    /// Magic Eden's, which is gone: read, so that a server of earlier settings starts, and never asked.
    MagicEden,
}

impl UpstreamKind {
    /// As it is written.
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

    /// Whether it can stand in the place of a node.
    const fn tells_blocks(self) -> bool {
        matches!(self, Self::Mempool | Self::Esplora)
    }

    /// Whether it can stand in the place of ord.
    const fn tells_assets(self) -> bool {
        matches!(self, Self::Unisat)
    }

    /// Which adapter asks it; `None` for one that has closed.
    const fn api(self) -> Option<Kind> {
        match self {
            Self::Mempool => Some(Kind::Mempool),
            Self::Esplora => Some(Kind::Esplora),
            Self::Unisat => Some(Kind::Unisat),
            Self::BestInSlot => Some(Kind::BestInSlot),
            Self::Ordiscan => Some(Kind::Ordiscan),
            Self::Satflow => Some(Kind::Satflow),
            Self::MagicEden => None,
        }
    }
}

impl UpstreamSettings {
    /// How it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.kind.word())
    }

    /// A line for the operator about an upstream that is in the settings and has closed.
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

    /// What it is made of, with its key out of the environment; `None` for one that has closed.
    ///
    /// # Errors
    /// One line: no address for the network, no key in the variable.
    pub fn plan(
        &self,
        network: Network,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<UpstreamPlan>, String> {
        let name = self.name();
        let Some(api) = self.kind.api() else { return Ok(None) };
        let url = self.url.as_deref().or_else(|| api.usual_url(network));
        let url = url.ok_or_else(|| format!("the upstream {name} needs an url: there is none for {network}"))?;
        let key = match &self.key_variable {
            Some(wanted) => {
                let found = variable(wanted).filter(|key| !key.trim().is_empty());
                Some(found.ok_or_else(|| format!("the upstream {name} has no key in the variable {wanted}"))?)
            }
            None if api.needs_key() && self.url.is_none() => {
                return Err(format!("the upstream {name} needs a key_variable: it answers nobody without a key"));
            }
            None => None,
        };
        Ok(Some(UpstreamPlan {
            name: name.to_owned(),
            kind: api,
            url: url.to_owned(),
            key: key.map(SecretString::from),
            per_minute: self.per_minute.unwrap_or_else(|| api.usual_per_minute()),
        }))
    }
}

/// What can be stood on without a program of one's own: nothing where money is real, for strangers can lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ground {
    /// Whether there is an explorer in the place of a node.
    pub(super) has_blocks: bool,
    /// Whether there is an indexer in the place of ord.
    pub(super) has_assets: bool,
}

impl Ground {
    pub(super) fn of(upstreams: &[UpstreamSettings], network: Network) -> Self {
        let has = |can: fn(UpstreamKind) -> bool| {
            network != Network::Bitcoin && upstreams.iter().any(|upstream| can(upstream.kind))
        };
        Self { has_blocks: has(UpstreamKind::tells_blocks), has_assets: has(UpstreamKind::tells_assets) }
    }
}

/// What is wrong with a list, without looking for keys.
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
    fn an_upstream_is_where_everybody_finds_it_unless_it_is_said() {
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
    fn a_key_stands_in_its_variable_and_nowhere_else() {
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
    fn what_has_closed_is_read_and_named_and_never_asked() {
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
        let crowd: Vec<_> = (0..33)
            .map(|index| UpstreamSettings { name: Some(format!("m{index}")), ..of(UpstreamKind::Mempool) })
            .collect();
        assert_eq!(faults(&crowd, Network::Bitcoin).len(), 1);
    }
}
