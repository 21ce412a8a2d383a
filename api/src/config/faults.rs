//! Faults that the type of a single setting cannot refuse: values that the server cannot run with, or that contradict
//! each other.

use bitcoin::Network;
use domain::TermDays;
use escrow::address::WalletAddress;
use escrow::contract::vault::vault_signers::SIGNERS_MAX;

use super::settings::Settings;
use super::upstream_settings::{self, ExternalSources};
use crate::config::turnstile_test_keys::TestKey;
use crate::failure::Failure;

/// The largest number of threads that the HTTP server can start.
const WORKERS_MAX: usize = 512;

/// Each simulated lender keeps a socket open, and the demo permits this many from one IP address.
const DEMO_LENDERS_MAX: usize = 1_000;

impl Settings {
    /// Checks the settings as a whole.
    ///
    /// # Errors
    /// One line for each fault, all of them at once.
    pub fn validate(&self) -> Result<(), Failure> {
        let mut faults = Vec::new();
        if self.workers > WORKERS_MAX {
            faults.push(format!("the setting workers must be at most {WORKERS_MAX}, not {}", self.workers));
        }
        if let Some(lenders) = self.demo_lenders.filter(|lenders| *lenders > DEMO_LENDERS_MAX) {
            faults.push(format!("the setting demo_lenders must be at most {DEMO_LENDERS_MAX}, not {lenders}"));
        }
        faults.extend(self.delivery_faults());
        faults.extend(self.node_faults().map(str::to_owned));
        faults.extend(upstream_settings::faults(&self.upstreams, self.network));
        faults.extend(self.prices.faults().map(str::to_owned));
        faults.extend(self.traces.faults());
        faults.extend(self.embeds.faults());
        faults.extend(self.signer_faults());
        faults.extend(self.turnstile_faults().map(str::to_owned));
        faults.extend(self.missing().map(|name| format!("the setting {name} must be at least 1")));
        faults.extend(self.contradictions());
        if self.limits.negotiated_term_max > TermDays::MAX {
            faults.push(format!("the setting limits.negotiated_term_max must be at most {} days", TermDays::MAX));
        }
        if faults.is_empty() { Ok(()) } else { Err(Failure::all(faults)) }
    }

    /// Every setting that is 0 although that would refuse every client, or admit offers of 0 sats.
    fn missing(&self) -> impl Iterator<Item = &'static str> {
        let (limits, quotas) = (&self.limits, &self.quotas);
        [
            ("demo_block_seconds", self.demo_block_seconds == 0),
            ("limits.min_offer_inscription_sats", limits.min_offer_inscription_sats.get() == 0),
            ("limits.min_offer_rune_sats", limits.min_offer_rune_sats.get() == 0),
            ("limits.min_offer_brc20_sats", limits.min_offer_brc20_sats.get() == 0),
            ("limits.min_offer_instant_rune_sats", limits.min_offer_instant_rune_sats.get() == 0),
            ("limits.negotiated_interest_max", limits.negotiated_interest_max.basis_points() == 0),
            ("limits.negotiated_term_max", limits.negotiated_term_max.0 == 0),
            ("limits.count_max", limits.count_max == 0),
            ("limits.offers_per_lender_max", limits.offers_per_lender_max == 0),
            ("limits.reservations_max", limits.reservations_max == 0),
            ("quotas.sign_ins_per_minute", quotas.sign_ins_per_minute == 0),
            ("quotas.tickets_per_minute", quotas.tickets_per_minute == 0),
            ("quotas.writes_per_minute", quotas.writes_per_minute == 0),
            ("quotas.lookups_per_minute", quotas.lookups_per_minute == 0),
            ("quotas.reads_per_minute", quotas.reads_per_minute == 0),
            ("quotas.sockets_max", quotas.sockets_max == 0),
            ("quotas.sockets_per_ip_max", quotas.sockets_per_ip_max == 0),
            ("quotas.socket_frames_per_minute", quotas.socket_frames_per_minute == 0),
            ("quotas.unread_seconds", quotas.unread_seconds == 0),
            ("turnstile.failures_of_user", self.turnstile.failures_of_user == 0),
            ("turnstile.failures_of_address", self.turnstile.failures_of_address == 0),
            ("turnstile.window_s", self.turnstile.window_s == 0),
        ]
        .into_iter()
        .filter_map(|(name, is_missing)| is_missing.then_some(name))
    }

    /// A node without an address or credentials, or settings of a node that is not configured.
    fn node_faults(&self) -> impl Iterator<Item = &'static str> {
        let (node, ord) = (self.node_url.is_some(), self.ord_url.is_some());
        let external = ExternalSources::of(&self.upstreams, self.network);
        let (has_blocks, has_assets) = (node || external.has_blocks, ord || external.has_assets);
        // Otherwise users who sign for real bitcoin would be shown vaults and loans that no transaction backs.
        let is_without_sources = self.network == Network::Bitcoin && !(has_blocks && has_assets);
        let (cookie, user) = (self.node_cookie.is_some(), self.node_user.is_some());
        [
            (is_without_sources, "the setting network needs a node of your own on bitcoin: set node_url and ord_url"),
            (
                node && !has_assets,
                "the setting node_url also needs ord_url or unisat: a node does not know inscriptions and runes",
            ),
            (ord && !has_blocks, "the setting ord_url also needs node_url or an explorer"),
            (node && !cookie && !user, "the setting node_url also needs node_cookie or node_user"),
            (cookie && user, "the settings node_cookie and node_user exclude each other"),
            (!node && (cookie || user), "the settings node_cookie and node_user also need node_url"),
        ]
        .into_iter()
        .filter_map(|(is_fault, line)| is_fault.then_some(line))
    }

    /// Vault keys in two places, keys of real bitcoin in the process of the web server, or an invalid address of the
    /// platform.
    fn signer_faults(&self) -> impl Iterator<Item = String> {
        let sockets = self.all_signer_sockets().count();
        let both = self.signer_in_process && sockets > 0 || self.signer_socket.is_some() && sockets > 1;
        let signers = if self.signer_in_process { self.signers_in_process } else { sockets };
        let required = self.signers_required;
        let too_few = signers > 0 && !(signers / 2 + 1..=signers).contains(&required);
        let real = self.signer_in_process && self.network == Network::Bitcoin;
        let platform = self.platform_address.as_ref().and_then(|text| WalletAddress::parse(text, self.network).err());
        let previous: Vec<_> = self.all_previous_signer_sockets().collect();
        let both_previous = self.previous_signer_socket.is_some() && previous.len() > 1;
        let required_before = self.previous_signers_required;
        let too_few_before =
            !previous.is_empty() && !(previous.len() / 2 + 1..=previous.len()).contains(&required_before);
        let alone = !previous.is_empty() && sockets == 0;
        let twice = self.all_signer_sockets().find(|socket| previous.contains(socket));
        let exclusive = "the settings signer_socket, signer_sockets and signer_in_process exclude each other";
        let hint = "the setting signer_in_process is for demos and tests: on bitcoin set signer_socket";
        [
            both.then(|| exclusive.to_owned()),
            real.then(|| hint.to_owned()),
            too_few.then(|| {
                format!("the setting signers_required is {required}: of {signers} signers, more than half must sign")
            }),
            (signers > SIGNERS_MAX).then(|| format!("there are {signers} signers, and may be {SIGNERS_MAX}")),
            both_previous.then(|| {
                "the settings previous_signer_socket and previous_signer_sockets exclude each other".to_owned()
            }),
            alone.then(|| "previous signers also need signer_socket or signer_sockets: the new ones".to_owned()),
            twice.map(|socket| format!("the socket {} is of new and of previous signers", socket.display())),
            too_few_before.then(|| {
                let signers = previous.len();
                format!(
                    "the setting previous_signers_required is {required_before}: of {signers} signers, more than half must \
                     sign"
                )
            }),
            (previous.len() > SIGNERS_MAX)
                .then(|| format!("there are {} previous signers, and may be {SIGNERS_MAX}", previous.len())),
            platform.map(|error| format!("the setting platform_address is not accepted: {error}")),
        ]
        .into_iter()
        .flatten()
    }

    /// Test keys on another network than regtest, or settings of a bot check without a site key.
    fn turnstile_faults(&self) -> impl Iterator<Item = &'static str> {
        let turnstile = &self.turnstile;
        let is_test_key = turnstile.site_key.as_deref().and_then(TestKey::secret_of).is_some();
        let is_alone =
            turnstile.site_key.is_none() && (turnstile.secret_file.is_some() || turnstile.verify_url.is_some());
        [
            (
                is_test_key && self.network != Network::Regtest,
                "the setting turnstile.site_key is a published test key: it is for the network regtest alone",
            ),
            (is_alone, "the settings turnstile.secret_file and turnstile.verify_url also need turnstile.site_key"),
        ]
        .into_iter()
        .filter_map(|(is_fault, line)| is_fault.then_some(line))
    }

    /// Minimum offers that exceed the maximum offer.
    fn contradictions(&self) -> impl Iterator<Item = String> {
        let limits = &self.limits;
        let max = limits.max_offer_sats;
        [
            ("min_offer_inscription_sats", limits.min_offer_inscription_sats),
            ("min_offer_rune_sats", limits.min_offer_rune_sats),
            ("min_offer_brc20_sats", limits.min_offer_brc20_sats),
            ("min_offer_instant_rune_sats", limits.min_offer_instant_rune_sats),
        ]
        .into_iter()
        .filter(move |(_, min)| *min > max)
        .map(move |(name, min)| {
            let (min, max) = (min.get(), max.get());
            format!("the setting limits.{name} ({min}) must not exceed limits.max_offer_sats ({max})")
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::{Limits, Sats};

    use super::*;
    use crate::config::quotas::Quotas;
    use crate::config::turnstile_settings::TurnstileSettings;
    use crate::config::turnstile_test_keys::SITE_KEYS;
    use crate::config::upstream_settings::{UpstreamKind, UpstreamSettings};

    #[test]
    fn the_defaults_have_no_fault() {
        assert!(Settings::default().validate().is_ok());
    }

    #[test]
    fn a_smallest_offer_may_be_the_largest_but_not_larger() {
        let with_max = |max| {
            let limits = Limits { max_offer_sats: Sats::new(max), ..Limits::default() };
            Settings { limits, ..Settings::default() }.validate()
        };
        assert!(with_max(50_000).is_ok());
        let failure = with_max(49_999).unwrap_err();
        let named: Vec<_> = failure.lines().collect();
        assert_eq!(named.len(), 2, "{named:?}");
        assert!(named[0].contains("min_offer_rune_sats (50000)") && named[1].contains("min_offer_brc20_sats"));
    }

    #[test]
    fn a_quota_that_refuses_every_client_is_a_fault() {
        let quotas = Quotas { reads_per_minute: 0, sockets_max: 0, ..Quotas::default() };
        let failure = Settings { quotas, ..Settings::default() }.validate().unwrap_err();
        assert_eq!(failure.lines().count(), 2, "{failure}");
        assert!(failure.to_string().contains("quotas.reads_per_minute must be at least 1"), "{failure}");
    }

    #[test]
    fn a_node_has_an_address_an_indexer_and_one_kind_of_credentials() {
        let text = |given: bool| given.then(|| "http://127.0.0.1:1".to_owned());
        for bits in 0..16_u8 {
            let [node, ord, cookie, user] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
            let (node_url, ord_url, node_user) = (text(node), text(ord), text(user));
            let node_cookie = cookie.then(|| "cookie".into());
            let settings = Settings { node_url, node_cookie, node_user, ord_url, ..Settings::default() };
            let is_sound = if node { ord && cookie != user } else { !ord && !cookie && !user };
            assert_eq!(settings.validate().is_ok(), is_sound, "{settings:?}");
        }
    }

    #[test]
    fn mainnet_requires_a_node_and_an_indexer_of_the_operator() {
        use UpstreamKind::{Esplora, Mempool, Unisat};
        let with = |network, kinds: &[UpstreamKind], own: [bool; 2]| {
            let upstreams = kinds.iter().map(|kind| UpstreamSettings {
                kind: *kind,
                name: None,
                url: Some("http://127.0.0.1:9".to_owned()),
                key_variable: None,
                per_minute: None,
            });
            let url = |given: bool| given.then(|| "http://127.0.0.1:1".to_owned());
            let [node, ord] = own;
            let node_cookie = node.then(|| "cookie".into());
            let (node_url, ord_url, upstreams) = (url(node), url(ord), upstreams.collect());
            Settings { network, node_url, node_cookie, ord_url, upstreams, ..Settings::default() }.validate().is_ok()
        };
        let external_services = &[Mempool, Esplora, Unisat][..];
        for own in [[false, false], [true, false], [false, true]] {
            assert!(!with(Network::Bitcoin, external_services, own), "{own:?}");
            assert!(with(Network::Signet, external_services, own), "{own:?}");
        }
        assert!(with(Network::Bitcoin, &[], [true, true]));
        assert!(!with(Network::Signet, &[Mempool], [true, false]) && !with(Network::Signet, &[Unisat], [false, true]));
    }

    #[test]
    fn more_than_half_of_at_most_seven_signers_sign() {
        let faults = |settings: Settings| settings.validate().err().map_or(0, |failure| failure.lines().count());
        let sockets = |signers: usize, signers_required| Settings {
            signer_sockets: (0..signers).map(|number| format!("{number}.sock").into()).collect(),
            signers_required,
            ..Settings::default()
        };
        for (signers, required) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (7, 4), (7, 7)] {
            assert_eq!(faults(sockets(signers, required)), 0, "{required} of {signers}");
        }
        for (signers, required) in [(1, 0), (2, 1), (3, 1), (3, 4), (4, 2), (8, 5)] {
            assert_eq!(faults(sockets(signers, required)), 1, "{required} of {signers}");
        }
        let own = Settings { signer_in_process: true, signers_in_process: 3, ..Settings::default() };
        assert_eq!((faults(own.clone()), faults(Settings { signers_required: 2, ..own })), (1, 0));
        let both = Settings { signer_socket: Some("signer.sock".into()), ..sockets(2, 2) };
        assert_eq!(faults(both), 1);
    }

    #[test]
    fn previous_signers_are_others_than_the_new_ones_and_more_than_half_of_them_sign() {
        let faults = |settings: Settings| settings.validate().err().map_or(0, |failure| failure.lines().count());
        let before = |count: usize, required| Settings {
            signer_socket: Some("signer.sock".into()),
            previous_signer_sockets: (0..count).map(|number| format!("{number}.sock").into()).collect(),
            previous_signers_required: required,
            ..Settings::default()
        };
        for (count, required) in [(0, 1), (1, 1), (3, 2), (7, 5)] {
            assert_eq!(faults(before(count, required)), 0, "{required} of {count}");
        }
        for (count, required) in [(3, 1), (2, 3), (8, 5)] {
            assert_eq!(faults(before(count, required)), 1, "{required} of {count}");
        }
        let same = Settings { signer_socket: Some("0.sock".into()), ..before(1, 1) };
        let alone = Settings { signer_socket: None, ..before(1, 1) };
        let both = Settings { previous_signer_socket: Some("before.sock".into()), ..before(2, 2) };
        assert_eq!([same, alone, both].map(faults), [1, 1, 1]);
    }

    #[test]
    fn the_keys_of_vaults_are_in_one_place_and_never_in_process_on_mainnet() {
        let faults = |settings: Settings| settings.validate().err().map_or(0, |failure| failure.lines().count());
        let own = Settings { signer_in_process: true, ..Settings::default() };
        assert_eq!(faults(own.clone()), 0);
        assert_eq!(faults(Settings { signer_socket: Some("signer.sock".into()), ..own.clone() }), 1);
        let real = Settings { network: Network::Bitcoin, ..Settings::default() };
        assert_eq!(faults(Settings { network: Network::Bitcoin, ..own.clone() }), faults(real) + 1);
        let paid_at = |address: &str| Settings { platform_address: Some(address.to_owned()), ..own.clone() };
        assert_eq!(faults(paid_at("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080")), 0);
        assert_eq!(faults(paid_at("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx")), 1);
    }

    #[test]
    fn a_bot_check_of_test_keys_is_for_regtest_and_its_settings_belong_to_a_site_key() {
        let with = |network, turnstile| Settings { network, turnstile, ..Settings::default() }.validate();
        let of =
            |site_key: &str| TurnstileSettings { site_key: Some(site_key.to_owned()), ..TurnstileSettings::default() };
        for (site_key, _) in SITE_KEYS {
            assert!(with(Network::Regtest, of(site_key)).is_ok());
            for network in [Network::Signet, Network::Testnet, Network::Testnet4] {
                let failure = with(network, of(site_key)).unwrap_err().to_string();
                assert!(failure.contains("regtest alone"), "{failure}");
                assert!(with(network, of("0x4AAAAAAAreal")).is_ok());
            }
        }
        let alone = TurnstileSettings { secret_file: Some("secret".into()), ..TurnstileSettings::default() };
        assert!(with(Network::Regtest, alone).is_err());
        let shut = TurnstileSettings { window_s: 0, failures_of_user: 0, ..TurnstileSettings::default() };
        assert_eq!(with(Network::Regtest, shut).unwrap_err().lines().count(), 2);
    }

    #[test]
    fn the_largest_number_of_threads_is_accepted() {
        let with = |workers| Settings { workers, ..Settings::default() }.validate();
        assert!(with(WORKERS_MAX).is_ok());
        assert!(with(WORKERS_MAX + 1).is_err());
    }
}
