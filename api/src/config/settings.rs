//! All settings of the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};
use std::path::PathBuf;

use bitcoin::Network;
use domain::Limits;
use serde::{Deserialize, Serialize};

use super::embed_settings::EmbedSettings;
use super::journal_url::JournalUrl;
use super::log_format::LogFormat;
use super::price_settings::PriceSettings;
use super::public_url::PublicUrl;
use super::quotas::Quotas;
use super::trace_settings::TraceSettings;
use super::turnstile_settings::TurnstileSettings;
use super::upstream_settings::UpstreamSettings;

/// The settings of one server. Secrets are not among them: see [`super::server_key`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Settings {
    /// The address to listen on. Port 0 selects any free port.
    pub listen: SocketAddr,
    /// The folder that holds the journal and the session key.
    pub data: PathBuf,
    /// The database of the journal, `postgres://user:password@host/database`, for several nodes; by default the journal
    /// is in the data folder.
    pub journal: Option<JournalUrl>,
    /// The number of synchronous standbys without which the database is refused; 0 accepts a single database server.
    pub journal_standbys: u32,
    /// The name of this node, which no other node of the journal has; by default the host's name and the port.
    pub node_name: Option<String>,
    /// The URL at which the other nodes reach this one; by default the address that it listens on.
    pub advertise_url: Option<PublicUrl>,
    /// The NATS server over which the nodes announce commits to each other; without one they look for them.
    pub nats_url: Option<String>,
    /// The seed of the demo's simulated market.
    pub seed: u64,
    /// The URL that browsers use; by default the address that the server listens on.
    pub public_url: Option<PublicUrl>,
    /// Other origins whose pages may use the server, such as a development server in front of it.
    pub allowed_origins: Vec<PublicUrl>,
    /// The sites that may embed a page.
    pub embeds: EmbedSettings,
    /// The address for the operator's metrics (`/metrics`, `/operator`): never the public port, and by default on this
    /// machine only. Port 0 selects any free port.
    pub metrics_listen: SocketAddr,
    /// Whether one reverse proxy is in front, whose `X-Forwarded-For` names the client.
    pub behind_proxy: bool,
    /// The addresses that the proxy connects from; the header is ignored on connections from others.
    pub proxy_addresses: Vec<IpAddr>,
    /// The Bitcoin network of all addresses.
    #[serde(with = "super::network")]
    pub network: Network,
    /// The JSON-RPC URL of a Bitcoin Core node with `txindex=1`, such as `http://127.0.0.1:8332`.
    pub node_url: Option<String>,
    /// The node's cookie file.
    pub node_cookie: Option<PathBuf>,
    /// The user name at the node, instead of a cookie; the password is in `LIENBOOK_NODE_PASSWORD`.
    pub node_user: Option<String>,
    /// The URL of an ord server with `--index-runes` and `--index-addresses` on the same node.
    pub ord_url: Option<String>,
    /// Public explorers, indexers and marketplaces, in the order in which they are asked.
    pub upstreams: Vec<UpstreamSettings>,
    /// The rules by which prices from marketplaces are adopted.
    pub prices: PriceSettings,
    /// The socket of the vault signer, which holds the keys of vaults; without one there are no instant offers.
    pub signer_socket: Option<PathBuf>,
    /// The sockets of several signers that share the vaults, instead of one.
    pub signer_sockets: Vec<PathBuf>,
    /// The number of signers that sign each payment from a vault; their policy says the same.
    pub signers_required: usize,
    /// The socket of the signer that vaults had before: it goes on with those until their lenders move them.
    pub previous_signer_socket: Option<PathBuf>,
    /// The sockets of several such signers, instead of one.
    pub previous_signer_sockets: Vec<PathBuf>,
    /// The number of them that sign each payment; their policy says the same.
    pub previous_signers_required: usize,
    /// Holds the keys of vaults in this process instead, in the data folder: for demos and tests.
    pub signer_in_process: bool,
    /// The number of signers in this process.
    pub signers_in_process: usize,
    /// The mail server for notifications, `smtps://host` or `smtp://host` with STARTTLS; without one no mails are sent.
    pub smtp_url: Option<String>,
    /// The user name at the mail server, if it requires one; the password is in `LIENBOOK_SMTP_PASSWORD`.
    pub smtp_user: Option<String>,
    /// The sender of mails, such as `Lienbook <notices@lienbook.example>`.
    pub mail_from: Option<String>,
    /// The URL of the Telegram API, if not the usual one. The bot is enabled by its token in `LIENBOOK_TELEGRAM_TOKEN`.
    pub telegram_url: Option<String>,
    /// Whether users can register webhooks.
    pub webhooks: bool,
    /// Whether webhooks and push services may be on this machine, also without TLS: for demos and tests.
    pub webhook_loopback: bool,
    /// Whether users can subscribe browsers to Web Push. The key is derived from the session key, unless it is in
    /// `LIENBOOK_PUSH_KEY`.
    pub push: bool,
    /// The URL by which push services reach the operator, `mailto:` or `https:`; by default the public URL.
    pub push_contact: Option<String>,
    /// The address for the platform's share of the interest; without one no share is taken.
    pub platform_address: Option<String>,
    /// A file that holds the session key, instead of `<data>/session.key`.
    pub session_key_file: Option<PathBuf>,
    /// A file that holds the key of the public log, instead of `<data>/log.key`.
    pub log_key_file: Option<PathBuf>,
    /// The seconds between two publications of the heads of the public log, if something has happened in between.
    pub heads_interval_s: u64,
    /// The calendars of OpenTimestamps that heads are submitted to, once an hour; none by default.
    pub timestamp_calendars: Vec<String>,
    /// The contents of the log: a level, or directives such as `lienbook=debug,engine=info`.
    pub log: String,
    /// The format of the log: `text`, or `json` with an object on each line.
    pub log_format: LogFormat,
    /// The export of traces.
    pub traces: TraceSettings,
    /// The number of threads that serve requests; 0 means one per core.
    pub workers: usize,
    /// The number of simulated lenders in the demo, if not the default; there are half as many borrowers.
    pub demo_lenders: Option<usize>,
    /// Whether the demo's prices and terms stay, and its simulated users trade no more once the order books are full.
    pub demo_static: bool,
    /// The interval between blocks of the demo's chain, in seconds.
    pub demo_block_seconds: u64,
    /// The limits of offers.
    pub limits: Limits,
    /// The limits of one client.
    pub quotas: Quotas,
    /// The rules for bot checks.
    pub turnstile: TurnstileSettings,
}

impl Settings {
    /// The default data folder.
    pub const DEFAULT_DATA: &'static str = "./lienbook-data";

    /// Returns the default data folder of a demo; a second start continues the same market, deleting the folder
    /// restarts it.
    #[must_use]
    pub fn default_demo_data(seed: u64) -> PathBuf {
        PathBuf::from(format!("./.cache/lienbook-demo-{seed}"))
    }

    /// Returns the sockets of all vault signers, one or several.
    pub fn all_signer_sockets(&self) -> impl Iterator<Item = &PathBuf> {
        self.signer_socket.iter().chain(&self.signer_sockets)
    }

    /// Returns the sockets of the signers that vaults had before.
    pub fn all_previous_signer_sockets(&self) -> impl Iterator<Item = &PathBuf> {
        self.previous_signer_socket.iter().chain(&self.previous_signer_sockets)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080)),
            data: PathBuf::from(Self::DEFAULT_DATA),
            journal: None,
            journal_standbys: 1,
            node_name: None,
            advertise_url: None,
            nats_url: None,
            seed: 1,
            public_url: None,
            allowed_origins: Vec::new(),
            embeds: EmbedSettings::default(),
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
            signer_sockets: Vec::new(),
            previous_signer_socket: None,
            previous_signer_sockets: Vec::new(),
            previous_signers_required: 1,
            signers_required: 1,
            signer_in_process: false,
            signers_in_process: 1,
            smtp_url: None,
            smtp_user: None,
            mail_from: None,
            telegram_url: None,
            webhooks: true,
            webhook_loopback: false,
            push: true,
            push_contact: None,
            platform_address: None,
            session_key_file: None,
            log_key_file: None,
            heads_interval_s: 600,
            timestamp_calendars: Vec::new(),
            // Requests that are not HTTP are errors of clients, and any client can send thousands of them.
            log: "warn,actix_http=off,lienbook=info".to_owned(),
            log_format: LogFormat::Text,
            traces: TraceSettings::default(),
            workers: 0,
            demo_lenders: None,
            demo_static: false,
            demo_block_seconds: 10,
            limits: Limits::default(),
            quotas: Quotas::default(),
            turnstile: TurnstileSettings::default(),
        }
    }
}
