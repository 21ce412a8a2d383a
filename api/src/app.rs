//! Everything that handlers share.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::HttpRequest;
use devnet::DemoMarket;
use domain::{UnixMs, UserId};
use engine::Market;
use lending::desk::Desk;
use lending::quotes::{QuoteMemory, Quotes};
use lending::vault_watch::VaultWatch;
use persistence::SledJournal;
use signer::request::Description;
use tokio::time::timeout;

use crate::bot_check::{BotCheck, Guarded, Visitor};
use crate::clock;
use crate::config::public_url::PublicUrl;
use crate::config::quotas::Quotas;
use crate::config::settings::Settings;
use crate::courier::Courier;
use crate::demo::devnet::Devnet;
use crate::demo::post::DemoPost;
use crate::feed::census::SocketCensus;
use crate::http::api_error::ApiError;
use crate::http::client_ip;
use crate::http::error_code::ErrorCode;
use crate::http::idempotency::IdempotencyMemory;
use crate::http::origin::AllowedOrigins;
use crate::http::rate_limit::RateLimit;
use crate::http::security_headers::ContentPolicy;
use crate::live_ports::LivePorts;
use crate::metrics::Metrics;
use crate::node::Node;
use crate::prices::board::PriceBoard;
use crate::routes::chain::RecentStatus;
use crate::session::keyring::Keyring;
use crate::session::signed_message::Place;
use crate::share::gallery::Gallery;
use crate::vault_keys::VaultKeys;

/// How long whoever asks for the signer's id waits for a signer that was never heard.
const DESCRIBE_PATIENCE: Duration = Duration::from_secs(2);

/// The running server's parts.
pub struct App {
    /// What was set.
    pub settings: Settings,
    /// How browsers reach the server.
    pub public_url: PublicUrl,
    /// The market.
    pub market: Market,
    /// Where the market is kept.
    pub journal: Arc<SledJournal>,
    /// The chain; without one there are no loans.
    pub node: Option<Node>,
    /// Who holds the keys of the vaults.
    pub vault_keys: VaultKeys,
    /// What is known of instant offers beside the journal.
    pub quote_memory: QuoteMemory,
    /// Where loans are made; nowhere without a node.
    pub desk: Option<Desk<LivePorts>>,
    /// What follows the vaults on the chain; nobody does without a node.
    pub vault_watch: Option<Arc<VaultWatch<LivePorts>>>,
    /// Where the chain stood a moment ago.
    pub chain_status: RecentStatus,
    /// Keys of nonces, tokens, tickets and cursors.
    pub keys: Keyring,
    /// Pages that may write.
    pub origins: AllowedOrigins,
    /// What pages of ours may load.
    pub content_policy: ContentPolicy,
    /// Answers to repeated writes.
    pub idempotency: Arc<IdempotencyMemory>,
    /// Bounds on clients.
    pub rates: Rates,
    /// What people are told with outside of the app.
    pub courier: Courier,
    /// The bot check, if the operator wants one.
    pub bot_check: Option<BotCheck>,
    /// Pictures of shared links.
    pub gallery: Gallery,
    /// Counters.
    pub metrics: Metrics,
    /// Where prices come from.
    pub prices: PriceBoard,
    /// Open sockets.
    pub sockets: Arc<SocketCensus>,
    /// The simulated market, in the demo.
    pub demo: Option<Arc<DemoMarket>>,
    /// What its visitors may ask of its chain.
    pub devnet: Option<Arc<Devnet>>,
    /// Where messages to its visitors arrive.
    pub post: Option<Arc<DemoPost>>,
    /// Whether requests are welcome.
    pub readiness: Readiness,
}

/// Buckets of all clients.
pub struct Rates {
    /// Sign-ins and renewals by address.
    pub sign_ins: RateLimit<IpAddr>,
    /// Message nonces and feed tickets by address.
    pub tickets: RateLimit<IpAddr>,
    /// Public reads by address.
    pub reads: RateLimit<IpAddr>,
    /// The metrics page by address.
    pub metrics: RateLimit<IpAddr>,
    /// Reads of one's own things by user.
    pub own_reads: RateLimit<UserId>,
    /// E-mail addresses that are given, by address of the network.
    pub emails: RateLimit<IpAddr>,
    /// Writes by user.
    pub writes: RateLimit<UserId>,
    /// What asks node and indexer about whole wallets, by user.
    pub lookups: RateLimit<UserId>,
    /// Creations with an idempotency key by user. Each burns a nonce that is remembered for a day.
    pub keyed_creations: RateLimit<UserId>,
    /// Renewals of a session by user. Each is written to the journal.
    pub renewals: RateLimit<UserId>,
}

/// Whoever watches the server looks at its counters every few seconds.
const METRICS_PER_MINUTE: u32 = 120;

/// E-mail addresses that are given from one address of the network.
const EMAILS_PER_HOUR: u32 = 20;

impl Rates {
    /// Buckets of these sizes.
    #[must_use]
    pub fn new(quotas: &Quotas) -> Self {
        Self {
            sign_ins: RateLimit::new(quotas.sign_ins_per_minute),
            tickets: RateLimit::new(quotas.tickets_per_minute),
            reads: RateLimit::new(quotas.reads_per_minute),
            metrics: RateLimit::new(METRICS_PER_MINUTE),
            own_reads: RateLimit::new(quotas.reads_per_minute),
            emails: RateLimit::within(EMAILS_PER_HOUR, 3_600_000),
            writes: RateLimit::new(quotas.writes_per_minute),
            lookups: RateLimit::new(quotas.lookups_per_minute),
            keyed_creations: RateLimit::new(quotas.writes_per_minute.div_ceil(4)),
            renewals: RateLimit::new(quotas.sign_ins_per_minute.div_ceil(4)),
        }
    }
}

/// Whether the server takes requests: after its start and before its stop.
#[derive(Debug, Default)]
pub struct Readiness(AtomicBool);

impl Readiness {
    /// Whether it does.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Says whether it does.
    pub fn set(&self, is_ready: bool) {
        self.0.store(is_ready, Ordering::Release);
    }
}

impl App {
    /// Now.
    #[must_use]
    pub fn now(&self) -> UnixMs {
        clock::now()
    }

    /// Where loans are made.
    ///
    /// # Errors
    /// [`ErrorCode::NodeUnavailable`] when the server runs without a node.
    pub fn desk(&self) -> Result<&Desk<LivePorts>, ApiError> {
        let none = || ApiError::new(ErrorCode::NodeUnavailable, "this server has no Bitcoin node");
        self.desk.as_ref().ok_or_else(none)
    }

    /// The same for what asks node and indexer about whole wallets, within the user's rate of that.
    ///
    /// # Errors
    /// As [`Self::desk`], and [`ErrorCode::RateLimited`].
    pub fn desk_for_lookups(&self, user: UserId) -> Result<&Desk<LivePorts>, ApiError> {
        self.rates.lookups.take(user, self.now())?;
        self.desk()
    }

    /// The instant offers of the books, beside the signer that pays from them.
    #[must_use]
    pub fn quotes(&self) -> Quotes<'_, VaultKeys> {
        Quotes { market: &self.market, signer: &self.vault_keys, memory: &self.quote_memory }
    }

    /// The policy that the vaults' signer keeps to.
    ///
    /// # Errors
    /// [`ErrorCode::SignerUnset`], [`ErrorCode::SignerUnavailable`].
    pub async fn signer_policy(&self) -> Result<Arc<Description>, ApiError> {
        if !self.vault_keys.are_somewhere() {
            return Err(ApiError::plain(ErrorCode::SignerUnset));
        }
        match timeout(DESCRIBE_PATIENCE, self.vault_keys.policy()).await {
            Ok(described) => Ok(described?),
            Err(_) => Err(ApiError::plain(ErrorCode::SignerUnavailable)),
        }
    }

    /// The id of the vaults' signer (`canisterId`), which is the hash of its policy.
    ///
    /// # Errors
    /// As [`Self::signer_policy`].
    pub async fn signer_id(&self) -> Result<String, ApiError> {
        Ok(self.signer_policy().await?.policy_hash.to_string())
    }

    /// What messages must be signed for here.
    #[must_use]
    pub fn place(&self) -> Place<'_> {
        Place { domain: self.public_url.domain(), network: self.settings.network, nonces: &self.keys.nonces }
    }

    /// Which client a request comes from, as bounds count clients.
    #[must_use]
    pub fn client_ip(&self, request: &HttpRequest) -> IpAddr {
        client_ip::network_of(self.client_address(request))
    }

    /// The address that a request comes from.
    #[must_use]
    pub fn client_address(&self, request: &HttpRequest) -> IpAddr {
        let peer = request.peer_addr().map(|address| address.ip());
        let proxies = if self.settings.behind_proxy { self.settings.proxy_addresses.as_slice() } else { &[] };
        client_ip::of(request.headers(), peer, proxies)
    }

    /// Lets a person through to what the bot check guards: called when everything else about the request is right,
    /// before the market is asked, because a token can be used once.
    ///
    /// # Errors
    /// The four codes of Turnstile.
    pub async fn admit(&self, guarded: Guarded, visitor: Visitor, token: Option<&str>) -> Result<(), ApiError> {
        match &self.bot_check {
            Some(check) => check.admit(guarded, visitor, token, self.now()).await,
            None => Ok(()),
        }
    }
}
