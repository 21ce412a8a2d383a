//! The state that handlers share, from the settings.

use std::net::SocketAddr;
use std::sync::Arc;

use bitcoin::Network;
use engine::clock::SystemClock;
use engine::{Market, Settings as EngineSettings};
use lending::instant_offers::service::InstantOfferState;
use lending::service::loan_service::LoanService;
use lending::vaults::vault_watch::VaultWatch;
use persistence::PostgresJournal;

use crate::app::{App, Rates, Readiness};
use crate::bot_check::BotCheck;
use crate::config::delivery_settings::DeliverySetup;
use crate::config::public_url::PublicUrl;
use crate::config::secret_source;
use crate::config::server_key::ServerKey;
use crate::config::settings::Settings;
use crate::config::turnstile_settings::SECRET_VARIABLE;
use crate::delivery::Delivery;
use crate::demo::Demo;
use crate::failure::Failure;
use crate::http::content_policy::ContentPolicy;
use crate::http::idempotency::IdempotencyStore;
use crate::http::origin::AllowedOrigins;
use crate::journal::ServerJournal;
use crate::live_ports::LivePorts;
use crate::market_setup::{loan_rules, market_settings};
use crate::metrics::Metrics;
use crate::node::Node;
use crate::node::chain_status::RecentStatus;
use crate::prices::board::PriceBoard;
use crate::public_log::{Anchors, PublicLog, Publications};
use crate::session::key_turns::KeyTurns;
use crate::session::key_uses::KeyUses;
use crate::session::keyring::Keyring;
use crate::share::picture_cache::PictureCache;
use crate::signer_handle::configured;
use crate::sockets::socket_registry::SocketRegistry;
use crate::upstreams::MeteredUpstreams;

/// Starts the market: one that decides, or one that follows the journal until this node has the lease.
fn start_market(journal: &ServerJournal, settings: &Settings, key: &ServerKey) -> Result<Market, Failure> {
    let market_settings = market_settings(settings);
    let started = match journal {
        ServerJournal::Sled(_) => Market::start(journal.port(), Arc::new(SystemClock), market_settings),
        ServerJournal::Postgres(shared) => {
            // The same on all nodes of this journal.
            let epoch = hex::encode(&key.derive(&format!("feed epoch {}", shared.identity()))[..8]);
            let market_settings = EngineSettings { book_epoch: Some(epoch), ..market_settings };
            Market::start_following(Arc::<PostgresJournal>::clone(shared), Arc::new(SystemClock), market_settings)
        }
    };
    started.map_err(Failure::new)
}

/// Builds the state that handlers share.
pub(super) fn assemble(
    (settings, delivery, key, log_key): (Settings, DeliverySetup, &ServerKey, &ServerKey),
    address: SocketAddr,
    journal: ServerJournal,
    node: Option<Node>,
    demo: Option<&mut Demo>,
    upstreams: &MeteredUpstreams,
) -> Result<App, Failure> {
    let metrics = Arc::new(Metrics::new(settings.network, upstreams.environment.metrics.clone())?);
    let public_url = settings.public_url.clone().unwrap_or_else(|| PublicUrl::of_listener(address));
    let mut addresses = vec![public_url.clone()];
    addresses.extend(public_url.localhost_alias());
    addresses.extend(settings.allowed_origins.iter().cloned());
    let secret = secret_source::find(SECRET_VARIABLE)?;
    let is_regtest = settings.network == Network::Regtest;
    let bot_check_gate = demo.as_deref().map(Demo::bot_check_gate);
    let bot_check = BotCheck::new(&settings.turnstile, is_regtest, secret, &addresses, bot_check_gate)?;
    let market = start_market(&journal, &settings, key)?;
    let signer = configured::signers(&settings, public_url.domain(), &market, demo.as_deref().map(Demo::signer_gate))?;
    let rules = Arc::new(loan_rules(&settings)?);
    let loan_service = node.clone().map(|node| {
        let ports = Arc::new(LivePorts { node, signer: signer.clone() });
        LoanService::new(market.clone(), ports, Arc::clone(&rules))
    });
    let idempotency =
        demo.as_deref().map_or_else(IdempotencyStore::default, |demo| IdempotencyStore::with_scope(demo.task_scope()));
    let emblems = demo.as_deref().map(Demo::emblems);
    let mut fallback = None;
    if let Some(demo) = demo {
        demo.open_faucet(&market, node.as_ref());
        fallback = Some(demo.open_inbox(&public_url)?);
    }
    let public_log = PublicLog::start(&journal, log_key)?;
    Ok(App {
        market,
        publications: Arc::new(Publications::open(&settings.data, &public_log)?),
        anchors: Arc::new(Anchors::open(&settings.data, &settings.timestamp_calendars)?),
        public_log,
        cluster: None,
        journal,
        node,
        signer,
        instant_offer_state: InstantOfferState::default(),
        vault_watch: loan_service.clone().map(VaultWatch::new).map(Arc::new),
        loan_service,
        chain_status: RecentStatus::default(),
        keys: Keyring::new(key, settings.journal.is_some()),
        content_policy: ContentPolicy::new(&addresses, bot_check.is_some(), &settings.embeds.origins)?,
        delivery: Arc::new(Delivery::new(&settings, delivery, fallback, key)?),
        bot_check,
        origins: AllowedOrigins::new(addresses.iter().map(ToString::to_string).collect()),
        idempotency: Arc::new(idempotency),
        rates: Rates::new(&settings.quotas),
        key_turns: KeyTurns::default(),
        key_uses: KeyUses::default(),
        pictures: PictureCache::default(),
        metrics,
        prices: PriceBoard::default(),
        sockets: Arc::new(SocketRegistry::new(settings.quotas.sockets_max, settings.quotas.sockets_per_ip_max)),
        emblems,
        readiness: Readiness::default(),
        public_url,
        settings,
    })
}
