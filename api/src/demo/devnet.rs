//! The demo's chain, for the server and for visitors.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use devchain::EmbeddedChain;
use domain::{UnixMs, UserId};
use engine::Market;
use engine::locks::MutexExt as _;
use simulator::DemoMarket;

use super::faucet::DemoFaucet;
use crate::clock;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::rate_limit::RateLimit;
use crate::node::Node;

/// The name of the file in the data folder.
const FILE_NAME: &str = "demo.chain";
/// The limits of gifts to one visitor: per minute, and while the server runs.
const GIFTS_PER_MINUTE: u32 = 12;
const GIFTS_MAX: u32 = 200;
/// The largest number of visitors whose gifts are counted.
const VISITORS_MAX: usize = 100_000;
/// The number of blocks that one IP address may request per minute.
const BLOCKS_PER_MINUTE: u32 = 30;

/// The chain of a demo and its file.
#[derive(Clone, Debug)]
pub struct DemoChain {
    /// The chain.
    pub chain: EmbeddedChain,
    file: PathBuf,
    /// Whether the folder had no chain, so that this one is in memory only.
    is_new: bool,
}

impl DemoChain {
    /// Opens the chain of the data folder, or builds a new one that is not stored yet.
    ///
    /// # Errors
    /// One line: a node is configured too, the network is not regtest, or the file is damaged.
    pub fn open(settings: &Settings, demo: &DemoMarket) -> Result<Self, Failure> {
        if settings.node_url.is_some() {
            return Err(Failure::new("the demo has a chain of its own: leave the setting node_url out"));
        }
        if settings.network != bitcoin::Network::Regtest {
            let network = settings.network;
            return Err(Failure::new(format!("the demo's chain is regtest, and the setting network is {network}")));
        }
        let file = settings.data.join(FILE_NAME);
        if let Some(chain) = EmbeddedChain::open(&file).map_err(Failure::new)? {
            return Ok(Self { chain, file, is_new: false });
        }
        let age_s = if demo.borrowers > 0 { DemoMarket::HISTORY_S } else { 0 };
        let founded = u32::try_from(clock::now().seconds().saturating_sub(age_s)).map_err(Failure::new)?;
        let chain = demo.create_chain(founded).map_err(Failure::new)?;
        Ok(Self { chain, file, is_new: true })
    }

    /// Returns the chain as the server's node.
    #[must_use]
    pub fn node(&self) -> Node {
        Node::Embedded(self.chain.clone().into())
    }

    /// Returns whether the chain is new, which in a stored market means that its chain is lost.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.is_new
    }

    /// Stores a new chain from now on.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn persist(&self) -> Result<(), Failure> {
        if self.is_new { self.chain.persist(&self.file).map_err(Failure::new) } else { Ok(()) }
    }
}

/// The chain and faucet for visitors of the demo.
pub struct Devnet {
    /// The chain.
    pub chain: EmbeddedChain,
    /// The faucet.
    pub faucet: Arc<DemoFaucet>,
    gifts: RateLimit<UserId>,
    blocks: RateLimit<IpAddr>,
    given: Mutex<HashMap<UserId, u32>>,
}

impl Devnet {
    /// Builds the demo's chain and faucet for visitors.
    #[must_use]
    pub fn new(market: Market, demo: Arc<DemoMarket>, chain: EmbeddedChain) -> Self {
        Self {
            faucet: Arc::new(DemoFaucet::new(market, demo, chain.clone())),
            chain,
            gifts: RateLimit::new(GIFTS_PER_MINUTE),
            blocks: RateLimit::new(BLOCKS_PER_MINUTE),
            given: Mutex::default(),
        }
    }

    /// Counts a gift before it is sent.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`], and [`ErrorCode::FaucetLimit`] when the visitor has received the largest number of
    /// gifts.
    pub fn count_gift(&self, user: UserId, now: UnixMs) -> Result<(), ApiError> {
        self.gifts.take(user, now)?;
        let mut given = self.given.lock_unpoisoned();
        if given.len() >= VISITORS_MAX && !given.contains_key(&user) {
            return Err(ApiError::new(
                ErrorCode::FaucetLimit,
                "the faucet counts no more visitors until it is restarted",
            ));
        }
        let count = given.entry(user).or_default();
        if *count >= GIFTS_MAX {
            return Err(ApiError::new(ErrorCode::FaucetLimit, format!("at most {GIFTS_MAX} gifts for one visitor")));
        }
        *count += 1;
        Ok(())
    }

    /// Counts a block before it is mined.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`].
    pub fn count_block(&self, client: IpAddr, now: UnixMs) -> Result<(), ApiError> {
        self.blocks.take(client, now)
    }
}
