//! The simulated market: collections, prices, lenders and borrowers, on an embedded chain.
//!
//! The server knows it by [`Demo`] alone, which `no_demo.rs` replaces in a build without the feature `demo`.

pub mod devnet;
pub mod devnet_routes;
pub mod faucet;
pub mod history;
pub mod inbox;
pub mod inbox_routes;
pub mod mail_catcher;
pub mod miner;
mod openapi;
mod operator;
mod prices;
mod routes;
mod seed_file;
mod simulation;
pub mod telegram_double;
mod terms;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use engine::Market;
use simulator::{DemoMarket, Pace};

use self::devnet::{DemoChain, Devnet};
use self::inbox::DemoInbox;
use self::simulation::Simulation;
use crate::bot_check::BotCheckGate;
use crate::config::delivery_settings::MailAccess;
use crate::config::public_url::PublicUrl;
use crate::config::settings::Settings;
use crate::delivery::bot::Bot;
use crate::failure::Failure;
use crate::http::idempotency::TaskScope;
use crate::journal::ServerJournal;
use crate::node::Node;
use crate::outage;
use crate::progress::ProgressCallback;
use crate::share::Emblems;
use crate::signer_handle::SignerGate;

pub use self::openapi::describe;
pub use self::routes::DemoRoutes;

/// The demo of a server: its market, its chain and messages, and once it is started, its simulated users.
pub struct Demo {
    market: Arc<DemoMarket>,
    /// The chain of the data folder; `None` on a given node.
    chain: Option<DemoChain>,
    /// Whether the past was generated at this start.
    has_history: bool,
    inbox: Option<web::Data<DemoInbox>>,
    devnet: Option<web::Data<Devnet>>,
    simulation: Option<Simulation>,
}

impl From<DemoMarket> for Demo {
    fn from(market: DemoMarket) -> Self {
        let market = Arc::new(market);
        Self { market, chain: None, has_history: false, inbox: None, devnet: None, simulation: None }
    }
}

impl Demo {
    /// Returns the demo that the settings describe, at a lively pace.
    ///
    /// # Errors
    /// Never in this build.
    pub fn of(settings: &Settings) -> Result<Self, Failure> {
        let market = DemoMarket::new(settings.seed);
        let lenders = settings.demo_lenders.unwrap_or(market.lenders);
        Ok(market.with_lenders(lenders, Pace::LIVELY).with_static(settings.demo_static).into())
    }

    /// Returns the sentence that announces the simulated users.
    #[must_use]
    pub fn announcement(&self) -> String {
        let DemoMarket { lenders, borrowers, .. } = &*self.market;
        format!(
            "{lenders} simulated lenders and {borrowers} borrowers are signing in with their wallets and begin to trade."
        )
    }

    /// Opens the chain of the data folder unless there is a node, generates the past of a new one, and returns the node.
    /// The caller has locked the folder.
    ///
    /// # Errors
    /// Those of [`DemoChain::open`] and [`history::generate`].
    pub async fn open_chain(
        &mut self,
        settings: &Settings,
        journal: &ServerJournal,
        progress: ProgressCallback<'_>,
    ) -> Result<Node, Failure> {
        let chain = DemoChain::open(settings, &self.market)?;
        self.has_history = history::generate(settings, journal, &self.market, &chain, progress).await?;
        Ok(self.chain.insert(chain).node())
    }

    /// Opens the demo's own mail server and its test double of Telegram.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub fn open_inbox(&mut self, public_url: &PublicUrl) -> Result<(MailAccess, Bot), Failure> {
        let inbox = self.inbox.insert(web::Data::new(DemoInbox::open(public_url)?));
        Ok((inbox.mail_access(), inbox.bot()?))
    }

    /// Builds the faucet on an embedded chain.
    pub fn open_faucet(&mut self, market: &Market, node: Option<&Node>) {
        let Some(Node::Embedded(node)) = node else { return };
        let devnet = Devnet::new(market.clone(), Arc::clone(&self.market), node.chain().clone());
        self.devnet = Some(web::Data::new(devnet));
    }

    /// Lists the collections with their prices, or continues a stored market.
    ///
    /// # Errors
    /// Fails if the folder holds another market, or one whose chain is missing.
    pub async fn list(
        &self,
        market: &Market,
        settings: &Settings,
        progress: ProgressCallback<'_>,
    ) -> Result<(), Failure> {
        // Collections that the past has just listed and reported are neither listed nor reported again.
        let (chain, progress): (_, ProgressCallback<'_>) =
            if self.has_history { (None, &|_| {}) } else { (self.chain.as_ref(), progress) };
        Box::pin(Simulation::list(market, &self.market, chain, &settings.data, progress)).await
    }

    /// Starts prices, blocks and simulated users.
    pub fn start(&mut self, market: &Market, settings: &Settings, address: SocketAddr) {
        let block_every = Duration::from_secs(settings.demo_block_seconds);
        let devnet = self.devnet.as_deref().map(AsRef::as_ref);
        self.simulation = Some(Simulation::start(market, &self.market, devnet, block_every, address));
    }

    /// Stops them.
    pub async fn stop(self) {
        if let Some(simulation) = self.simulation {
            simulation.stop().await;
        }
    }

    /// Returns the demo's own resources.
    #[must_use]
    pub fn routes(&self) -> DemoRoutes {
        DemoRoutes { devnet: self.devnet.clone(), inbox: self.inbox.clone() }
    }

    /// Returns the pictures of the simulated collections.
    #[must_use]
    pub fn emblems(&self) -> Emblems {
        let market = Arc::clone(&self.market);
        Arc::new(move |slug| market.picture(slug))
    }

    /// Returns the chain and the faucet.
    #[must_use]
    pub fn devnet(&self) -> Option<&Devnet> {
        self.devnet.as_deref().map(AsRef::as_ref)
    }

    /// Returns the simulated outages of the signer.
    #[must_use]
    pub const fn signer_gate(&self) -> SignerGate {
        outage::check_signer
    }

    /// Returns the simulated outages of the bot check.
    #[must_use]
    pub const fn bot_check_gate(&self) -> BotCheckGate {
        outage::check_bot_check
    }

    /// Returns the scope by which the outages of a request reach the task that does its work.
    #[must_use]
    pub const fn task_scope(&self) -> TaskScope {
        outage::task_scope
    }
}
