//! Everything that can be set.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};
use std::path::PathBuf;

use bitcoin::Network;
use domain::Limits;
use serde::{Deserialize, Serialize};

use super::price_settings::PriceSettings;
use super::public_url::PublicUrl;
use super::quotas::Quotas;
use super::turnstile_settings::TurnstileSettings;
use super::upstream_settings::UpstreamSettings;

/// The settings of one server. Secrets are not among them: see [`super::session_key`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Where to listen. Port 0 takes any free port.
    pub listen: SocketAddr,
    /// The folder that holds the journal and the session key.
    pub data: PathBuf,
    /// What the simulated market of the demo grows from.
    pub seed: u64,
    /// How browsers reach the server; by default the address it listens on.
    pub public_url: Option<PublicUrl>,
    /// Other origins whose pages may use the server, such as a development server in front of it.
    pub allowed_origins: Vec<PublicUrl>,
    /// Where to serve figures for operators (`/metrics`, `/operator`): not on the public port, and by default on this
    /// machine alone. Port 0 takes any free port.
    pub metrics_listen: SocketAddr,
    /// Whether one proxy stands in front, whose `X-Forwarded-For` names the client.
    pub behind_proxy: bool,
    /// The addresses that the proxy connects from: nothing that others send of that header is believed.
    pub proxy_addresses: Vec<IpAddr>,
    /// The Bitcoin network of all addresses.
    #[serde(with = "super::network")]
    pub network: Network,
    /// The JSON-RPC of a Bitcoin Core node with `txindex=1`, such as `http://127.0.0.1:8332`.
    pub node_url: Option<String>,
    /// The node's cookie file.
    pub node_cookie: Option<PathBuf>,
    /// The user that the node knows, instead of a cookie; the password stands in `LIENBOOK_NODE_PASSWORD`.
    pub node_user: Option<String>,
    /// An ord server with `--index-runes` and `--index-addresses` beside the node.
    pub ord_url: Option<String>,
    /// Public explorers, indexers and marketplaces, in the order in which they are asked.
    pub upstreams: Vec<UpstreamSettings>,
    /// When a price that marketplaces tell is believed.
    pub prices: PriceSettings,
    /// The socket of the signer that holds the vaults' keys; without one there are no instant offers.
    pub signer_socket: Option<PathBuf>,
    /// Hold the vaults' keys in this process instead, in the data folder: for demos and tests.
    pub signer_in_process: bool,
    /// The mail server by which people are told, `smtps://host` or `smtp://host` with STARTTLS; without one there are no
    /// mails.
    pub smtp_url: Option<String>,
    /// The user that the mail server knows, if it asks; the password stands in `LIENBOOK_SMTP_PASSWORD`.
    pub smtp_user: Option<String>,
    /// Whom mails come from, such as `Lienbook <notices@lienbook.example>`.
    pub mail_from: Option<String>,
    /// Where Telegram answers, if not at its own address. There is a bot where `LIENBOOK_TELEGRAM_TOKEN` holds its token.
    pub telegram_url: Option<String>,
    /// Where the platform is paid its share of the interest; without one it takes none.
    pub platform_address: Option<String>,
    /// A file that holds the session key, instead of `<data>/session.key`.
    pub session_key_file: Option<PathBuf>,
    /// What is written to the log: a level, or directives as `lienbook=debug,engine=info`.
    pub log: String,
    /// Threads that serve requests; 0 means one for each core.
    pub workers: usize,
    /// How many simulated lenders the demo starts, if not as many as usual; there are half as many borrowers.
    pub demo_lenders: Option<usize>,
    /// After how many seconds the demo's chain has another block.
    pub demo_block_seconds: u64,
    /// What an offer must keep to.
    pub limits: Limits,
    /// What one client may use.
    pub quotas: Quotas,
    /// When creating offers asks for a bot check.
    pub turnstile: TurnstileSettings,
}

impl Settings {
    /// The folder of a server that nobody gave one.
    pub const DEFAULT_DATA: &'static str = "./lienbook-data";

    /// The folder of a demo that nobody gave one; a second start continues the same market, deleting it begins anew.
    #[must_use]
    pub fn default_demo_data(seed: u64) -> PathBuf {
        PathBuf::from(format!("./.cache/lienbook-demo-{seed}"))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080)),
            data: PathBuf::from(Self::DEFAULT_DATA),
            seed: 1,
            public_url: None,
            allowed_origins: Vec::new(),
            metrics_listen: SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)),
            behind_proxy: false,
            proxy_addresses: vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
            network: Network::Regtest,
            node_url: None,
            node_cookie: None,
            node_user: None,
            ord_url: None,
            upstreams: Vec::new(),
            prices: PriceSettings::default(),
            signer_socket: None,
            signer_in_process: false,
            smtp_url: None,
            smtp_user: None,
            mail_from: None,
            telegram_url: None,
            platform_address: None,
            session_key_file: None,
            // Requests that are no HTTP are the clients' errors, not ours, and anybody can send thousands of them.
            log: "warn,actix_http=off,lienbook=info".to_owned(),
            workers: 0,
            demo_lenders: None,
            demo_block_seconds: 10,
            limits: Limits::default(),
            quotas: Quotas::default(),
            turnstile: TurnstileSettings::default(),
        }
    }
}
