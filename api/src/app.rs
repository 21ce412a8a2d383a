//! The state that all handlers share.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::HttpRequest;
use domain::{UnixMs, UserId};
use engine::Market;
use escrow::envelope::Envelope;
use lending::instant_offers::service::{InstantOfferState, InstantOffers};
use lending::lookups::signer_router::SignerRouter;
use lending::service::loan_service::LoanService;
use lending::vaults::vault_watch::VaultWatch;
use signer::request::Description;
use signer::vault_signer::SignerError;
use tokio::time::timeout;

use crate::bot_check::{BotCheck, Guarded, Visitor};
use crate::clock;
use crate::cluster::{Cluster, node_credential};
use crate::config::public_url::PublicUrl;
use crate::config::quotas::Quotas;
use crate::config::settings::Settings;
use crate::delivery::Delivery;
use crate::http::api_error::ApiError;
use crate::http::client_ip;
use crate::http::content_policy::ContentPolicy;
use crate::http::error_code::ErrorCode;
use crate::http::idempotency::IdempotencyStore;
use crate::http::origin::AllowedOrigins;
use crate::http::quota_report::QuotaReport;
use crate::http::rate_client::RateClient;
use crate::http::rate_limit::RateLimit;
use crate::journal::ServerJournal;
use crate::live_ports::LivePorts;
use crate::metrics::Metrics;
use crate::node::Node;
use crate::node::chain_status::{RecentStatus, unavailable};
use crate::prices::board::PriceBoard;
use crate::public_log::{Anchors, PublicLog, Publications};
use crate::session::key_turns::KeyTurns;
use crate::session::key_uses::KeyUses;
use crate::session::keyring::Keyring;
use crate::session::nonce_issuer::{self, Purpose};
use crate::session::signed_message::SigningContext;
use crate::share::Emblems;
use crate::share::picture_cache::PictureCache;
use crate::signer_handle::SignerHandle;
use crate::sockets::socket_registry::SocketRegistry;

/// The timeout for the id of a signer that has not answered before.
const DESCRIBE_TIMEOUT: Duration = Duration::from_secs(2);

/// The parts of the running server.
pub struct App {
    /// The settings.
    pub settings: Settings,
    /// The address by which browsers reach the server.
    pub public_url: PublicUrl,
    /// The market.
    pub market: Market,
    /// The journal of the market.
    pub journal: ServerJournal,
    /// The public log of its books.
    pub public_log: Arc<PublicLog>,
    /// The published heads of that log.
    pub publications: Arc<Publications>,
    /// The proofs that published heads existed before a block.
    pub anchors: Arc<Anchors>,
    /// This node among those that share the journal; `None` if it is this server's alone.
    pub cluster: Option<Arc<Cluster>>,
    /// The node; without one there are no loans.
    pub node: Option<Node>,
    /// The vault signers.
    pub signer: SignerRouter<SignerHandle>,
    /// The state of instant offers that is not in the journal.
    pub instant_offer_state: InstantOfferState,
    /// The service for loans; `None` without a node.
    pub loan_service: Option<LoanService<LivePorts>>,
    /// The watcher of vault outputs on the chain; `None` without a node.
    pub vault_watch: Option<Arc<VaultWatch<LivePorts>>>,
    /// The recent state of the chain.
    pub chain_status: RecentStatus,
    /// The keys of nonces, tokens, tickets and cursors.
    pub keys: Keyring,
    /// The origins whose pages may write.
    pub origins: AllowedOrigins,
    /// The content security policy of this server's pages.
    pub content_policy: ContentPolicy,
    /// The answers to repeated writes.
    pub idempotency: Arc<IdempotencyStore>,
    /// The rate limits of clients.
    pub rates: Rates,
    /// The order in which API keys of one user quote.
    pub key_turns: KeyTurns,
    /// The last uses of API keys.
    pub key_uses: KeyUses,
    /// The delivery of messages by e-mail and Telegram and to webhooks.
    pub delivery: Arc<Delivery>,
    /// The bot check, if the operator has configured one.
    pub bot_check: Option<BotCheck>,
    /// The pictures of shared links.
    pub pictures: PictureCache,
    /// Counters.
    pub metrics: Arc<Metrics>,
    /// The state of the price sources.
    pub prices: PriceBoard,
    /// The open sockets.
    pub sockets: Arc<SocketRegistry>,
    /// The pictures that the server draws for its collections: those of a demo.
    pub emblems: Option<Emblems>,
    /// Whether the server accepts requests.
    pub readiness: Readiness,
}

/// The rate limits of all clients.
pub struct Rates {
    /// Sign-ins and renewals by IP address.
    pub sign_ins: RateLimit<IpAddr>,
    /// Message nonces and feed tickets by IP address.
    pub tickets: RateLimit<IpAddr>,
    /// Public reads by IP address.
    pub reads: RateLimit<IpAddr>,
    /// The metrics page by IP address.
    pub metrics: RateLimit<IpAddr>,
    /// Reads of the caller's own data by user or API key.
    pub own_reads: RateLimit<RateClient>,
    /// Submitted e-mail addresses by IP address.
    pub emails: RateLimit<IpAddr>,
    /// Requests that have webhooks called, by IP address.
    pub webhook_calls: RateLimit<IpAddr>,
    /// Writes by user or API key.
    pub writes: RateLimit<RateClient>,
    /// Requests to node and indexer about whole wallets, by user.
    pub lookups: RateLimit<UserId>,
    /// Creations with an idempotency key by user. Each consumes a nonce that is remembered for a day.
    pub keyed_creations: RateLimit<UserId>,
    /// Renewals of a session by user. Each is written to the journal.
    pub renewals: RateLimit<UserId>,
}

/// Monitoring reads the counters every few seconds.
const METRICS_PER_MINUTE: u32 = 120;

/// The number of e-mail addresses that may be submitted from one IP address.
const EMAILS_PER_HOUR: u32 = 20;

/// The number of requests from one IP address that have webhooks called: wallets cost nothing to create, and each could
/// name the server of another.
const WEBHOOK_CALLS_PER_HOUR: u32 = 120;

impl Rates {
    /// Builds the rate limits from the quotas.
    #[must_use]
    pub fn new(quotas: &Quotas) -> Self {
        Self {
            sign_ins: RateLimit::new(quotas.sign_ins_per_minute),
            tickets: RateLimit::new(quotas.tickets_per_minute),
            reads: RateLimit::new(quotas.reads_per_minute),
            metrics: RateLimit::new(METRICS_PER_MINUTE),
            own_reads: RateLimit::new(quotas.reads_per_minute),
            emails: RateLimit::within(EMAILS_PER_HOUR, 3_600_000),
            webhook_calls: RateLimit::within(WEBHOOK_CALLS_PER_HOUR, 3_600_000),
            writes: RateLimit::new(quotas.writes_per_minute),
            lookups: RateLimit::new(quotas.lookups_per_minute),
            keyed_creations: RateLimit::new(quotas.writes_per_minute.div_ceil(4)),
            renewals: RateLimit::new(quotas.sign_ins_per_minute.div_ceil(4)),
        }
    }
}

/// Whether the server accepts requests: true between its start and its stop.
#[derive(Debug, Default)]
pub struct Readiness(AtomicBool);

impl Readiness {
    /// Returns whether the server accepts requests.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Sets whether the server accepts requests.
    pub fn set(&self, is_ready: bool) {
        self.0.store(is_ready, Ordering::Release);
    }
}

impl App {
    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> UnixMs {
        clock::now()
    }

    /// Returns the envelope of a message to be signed now. It is useless without a signature by the address.
    #[must_use]
    pub fn fresh_envelope(&self, purpose: Purpose, address: String) -> Envelope {
        let issued = self.keys.nonces.issue(purpose, &address, self.now().seconds());
        Envelope {
            domain: self.public_url.domain().to_owned(),
            network: self.settings.network,
            address,
            nonce: nonce_issuer::to_text(issued.nonce),
            issued_s: issued.issued_s,
            expires_s: issued.expires_s,
        }
    }

    /// Returns whether the market is simulated: only then the server draws pictures of its collections.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.emblems.is_some()
    }

    /// Returns the node.
    ///
    /// # Errors
    /// [`ErrorCode::NodeUnavailable`] when the server runs without one, or the caller cannot use it.
    pub fn node(&self) -> Result<&Node, ApiError> {
        let node = self.node.as_ref().ok_or_else(|| unavailable("this server has no Bitcoin node"))?;
        // Before any cache, which all callers share.
        match node.unavailability() {
            Some(reason) => Err(unavailable(reason)),
            None => Ok(node),
        }
    }

    /// Returns the service for loans.
    ///
    /// # Errors
    /// [`ErrorCode::NodeUnavailable`] when the server runs without a node.
    pub fn loan_service(&self) -> Result<&LoanService<LivePorts>, ApiError> {
        let none = || ApiError::new(ErrorCode::NodeUnavailable, "this server has no Bitcoin node");
        self.loan_service.as_ref().ok_or_else(none)
    }

    /// Returns the service for loans for requests to node and indexer about whole wallets, within the user's rate
    /// limit.
    ///
    /// # Errors
    /// Those of [`Self::loan_service`], and [`ErrorCode::RateLimited`].
    pub fn loan_service_for_lookups(&self, user: UserId) -> Result<&LoanService<LivePorts>, ApiError> {
        self.rates.lookups.take(user, self.now())?;
        self.loan_service()
    }

    /// Returns the instant offers of the books together with the vault signer that funds them.
    #[must_use]
    pub fn instant_offers(&self) -> InstantOffers<'_, SignerRouter<SignerHandle>> {
        InstantOffers { market: &self.market, signer: &self.signer, state: &self.instant_offer_state }
    }

    /// Returns the policy of the signer of new vaults.
    ///
    /// # Errors
    /// [`ErrorCode::SignerUnset`], [`ErrorCode::SignerUnavailable`].
    pub async fn signer_policy(&self) -> Result<Arc<Description>, ApiError> {
        self.policy_of(async { Ok(self.signer.current()) }).await
    }

    /// Returns the policy of the signer that holds a user's vault, or would open it.
    ///
    /// # Errors
    /// Those of [`Self::signer_policy`].
    pub async fn vault_policy(&self, user: UserId) -> Result<Arc<Description>, ApiError> {
        self.policy_of(self.signer.port_of(user)).await
    }

    async fn policy_of(
        &self,
        port: impl Future<Output = Result<&SignerHandle, SignerError>>,
    ) -> Result<Arc<Description>, ApiError> {
        if !self.signer.current().is_configured() {
            return Err(ApiError::plain(ErrorCode::SignerUnset));
        }
        match timeout(DESCRIBE_TIMEOUT, async { port.await?.policy().await }).await {
            Ok(described) => Ok(described?),
            Err(_) => Err(ApiError::plain(ErrorCode::SignerUnavailable)),
        }
    }

    /// Returns the id of the signer of new vaults (`canisterId`), which is the hash of its policy.
    ///
    /// # Errors
    /// Those of [`Self::signer_policy`].
    pub async fn signer_id(&self) -> Result<String, ApiError> {
        Ok(self.signer_policy().await?.policy_hash.to_string())
    }

    /// Returns the id of the signer that holds a user's vault, or would open it.
    ///
    /// # Errors
    /// Those of [`Self::vault_policy`].
    pub async fn vault_signer_id(&self, user: UserId) -> Result<String, ApiError> {
        Ok(self.vault_policy(user).await?.policy_hash.to_string())
    }

    /// Returns the context that messages must be signed for.
    #[must_use]
    pub fn signing_context(&self) -> SigningContext<'_> {
        SigningContext { domain: self.public_url.domain(), network: self.settings.network, nonces: &self.keys.nonces }
    }

    /// Returns the client of a request for rate limits: its IPv4 address, or its IPv6 network.
    #[must_use]
    pub fn client_ip(&self, request: &HttpRequest) -> IpAddr {
        client_ip::network_of(self.client_address(request))
    }

    /// Counts a public read.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`].
    pub fn take_read(&self, request: &HttpRequest) -> Result<(), ApiError> {
        let report = QuotaReport::of(request);
        self.rates.reads.take_reported("reads", self.client_ip(request), self.now(), &report)
    }

    /// Returns the IP address of the client.
    #[must_use]
    pub fn client_address(&self, request: &HttpRequest) -> IpAddr {
        let forwarded = self.cluster.as_ref().and_then(|cluster| {
            let credential = request.headers().get(node_credential::HEADER)?.to_str().ok()?;
            cluster.credential().check(credential, request.path(), self.now())
        });
        if let Some(client) = forwarded {
            return client;
        }
        let peer = request.peer_addr().map(|address| address.ip());
        let proxies = if self.settings.behind_proxy { self.settings.proxy_addresses.as_slice() } else { &[] };
        client_ip::of(request.headers(), peer, proxies)
    }

    /// Checks a request that the bot check guards: called after all other checks and before the market's decision,
    /// because a token can be used once.
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
