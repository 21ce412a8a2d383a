//! The initial chain of a demo: all runes etched and all tickers deployed that its catalogue lists.

use bitcoin::Amount;
use domain::{Bundle, CollateralType, CollectionGroup};
use ordinals::{RuneId, SpacedRune};
use thiserror::Error;

use crate::demo_market::DemoMarket;
use devchain::{ControlError, EmbeddedChain, NewRune};

/// The age of the first blocks: while blocks are mined without a pause, median time past runs ahead of the clock.
const FIRST_BLOCKS_AGE_S: u32 = 3_600;
/// The number of gifts that can be in the mempool at once: of one rune, and of other kinds.
const RUNE_OUTPUTS: u32 = 24;
const COINS: usize = 480;
/// The value of each of the faucet's coins: 4 BTC.
const COIN: Amount = Amount::from_sat(400_000_000);
/// The supply of a rune, as a multiple of its largest bundle.
const BUNDLES: u128 = 10_000_000;
/// The mintable whole tokens of a ticker, also the limit of one mint.
const TOKENS_MAX: &str = "1000000000000";
/// The value of the outputs of the faucet's own inscriptions.
const POSTAGE: Amount = Amount::from_sat(546);

/// The reason why a demo's chain cannot be founded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChainSetupError {
    /// A control of the chain failed.
    #[error(transparent)]
    Chain(#[from] ControlError),
    /// The catalogue and the chain have different ids for a rune.
    #[error("the catalogue says that {name} is the rune {listed}, and on the chain it is {etched}")]
    RuneIdMismatch {
        /// The rune's name.
        name: String,
        /// The id in the catalogue.
        listed: String,
        /// The id on the chain.
        etched: RuneId,
    },
    /// A name that is not valid for a rune.
    #[error("{0} is no name of a rune")]
    RuneName(String),
}

impl DemoMarket {
    /// Returns a new chain with every rune and ticker that the market lists. Its blocks, except for their times, are
    /// always the same.
    ///
    /// # Errors
    /// [`ChainSetupError`], when the catalogue was changed and no longer fits the chain.
    pub fn create_chain(&self, now_seconds: u32) -> Result<EmbeddedChain, ChainSetupError> {
        let chain = EmbeddedChain::new(now_seconds.saturating_sub(FIRST_BLOCKS_AGE_S))?;
        chain.set_time(now_seconds);
        let (mut runes, mut listed) = (Vec::new(), Vec::new());
        for group in self.groups.iter().map(|demo| &demo.group) {
            match &group.collateral {
                CollateralType::Inscription => {}
                CollateralType::Brc20 { ticker, .. } => deploy(&chain, ticker)?,
                CollateralType::Rune { rune_id, rune_name, decimals } => {
                    let name: SpacedRune =
                        rune_name.parse().map_err(|_| ChainSetupError::RuneName(rune_name.clone()))?;
                    let (symbol, premine) = (group.symbol.chars().next(), premine(group));
                    runes.push(NewRune { name, divisibility: *decimals, symbol, premine, outputs: RUNE_OUTPUTS });
                    listed.push(rune_id);
                }
            }
        }
        let ids = chain.etch_runes(&runes)?;
        for ((etched, listed), rune) in ids.into_iter().zip(listed).zip(&runes) {
            if etched.to_string() != *listed {
                let name = rune.name.to_string();
                return Err(ChainSetupError::RuneIdMismatch { name, listed: listed.clone(), etched });
            }
        }
        chain.split_coins(COINS, COIN)?;
        Ok(chain)
    }
}

fn deploy(chain: &EmbeddedChain, ticker: &str) -> Result<(), ControlError> {
    let body = format!(r#"{{"p":"brc-20","op":"deploy","tick":"{ticker}","max":"{TOKENS_MAX}","lim":"{TOKENS_MAX}"}}"#);
    chain.inscribe(&chain.faucet_script(), POSTAGE, "text/plain;charset=utf-8", body.as_bytes()).map(drop)
}

fn premine(group: &CollectionGroup) -> u128 {
    let bundles = group.sub_collections.iter().filter_map(|sub| match sub.bundle {
        Bundle::Fixed(quantity) => Some(quantity.raw),
        Bundle::Open => None,
    });
    bundles.max().unwrap_or(1).saturating_mul(BUNDLES)
}

#[cfg(test)]
mod tests {
    use engine::asset_index::AssetIndex as _;
    use engine::chain::Chain as _;

    use super::*;

    const NOW: u32 = 1_800_000_000;

    #[tokio::test]
    async fn the_tokens_of_the_catalogue_are_on_the_chain() {
        let market = DemoMarket::new(7);
        let chain = market.create_chain(NOW).unwrap();
        let (mut runes, mut tickers) = (0, 0);
        for group in &market.groups {
            match &group.group.collateral {
                CollateralType::Inscription => {}
                CollateralType::Rune { rune_id, rune_name, decimals } => {
                    let entry = chain.rune(rune_name.parse().unwrap()).await.unwrap().unwrap();
                    assert_eq!((&entry.id.to_string(), &entry.name.to_string()), (rune_id, rune_name));
                    assert_eq!(entry.divisibility, *decimals);
                    assert_eq!(chain.rune_supply(entry.id).unwrap().issued, premine(&group.group));
                    runes += 1;
                }
                CollateralType::Brc20 { ticker, decimals } => {
                    assert_eq!((ticker.len(), *decimals), (4, 18), "a ticker with open mint has four bytes");
                    assert_eq!(chain.brc20_minted(ticker), Some(0));
                    tickers += 1;
                }
            }
        }
        assert_eq!((runes, tickers), (11, 7));
    }

    #[tokio::test]
    async fn the_last_blocks_are_recent_and_the_transactions_deterministic() {
        let market = DemoMarket::new(7);
        let (early, late) = (market.create_chain(NOW).unwrap(), market.create_chain(NOW + 1_000).unwrap());
        let median = early.tip().await.unwrap().median_time_seconds;
        assert!((NOW..NOW + 10).contains(&median), "{median}");
        let height = early.tip().await.unwrap().height;
        for height in 1..=height {
            let (one, other) = (early.block(height).unwrap(), late.block(height).unwrap());
            assert_eq!(one.txdata, other.txdata, "block {height}");
        }
        assert_eq!(late.tip().await.unwrap().height, height);
    }

    #[test]
    fn a_catalogue_that_does_not_fit_the_chain_is_refused() {
        let mut market = DemoMarket::new(7);
        let rune = market.groups.iter_mut().find_map(|demo| match &mut demo.group.collateral {
            CollateralType::Rune { rune_name, .. } => Some(rune_name),
            _ => None,
        });
        *rune.unwrap() = "SHORT".to_owned();
        assert!(matches!(market.create_chain(NOW), Err(ChainSetupError::Chain(ControlError::RuneName(_)))));
        let mut market = DemoMarket::new(7);
        market.groups.retain(|demo| !matches!(demo.group.collateral, CollateralType::Brc20 { .. }));
        assert!(matches!(market.create_chain(NOW), Err(ChainSetupError::RuneIdMismatch { .. })));
    }
}
