//! The faucet of the demo's chain.

use std::sync::Arc;

use bitcoin::Script;
use bitcoin::hashes::Hash as _;
use devchain::{EmbeddedChain, Gift};
use domain::{CollateralType, GroupId, Inscription, Sats};
use engine::Market;
use engine::asset_index::{AssetError, AssetIndex as _};
use engine::chain::{Chain as _, ChainError};
use engine::coin_index::CoinIndex as _;
use simulator::{DemoGift, DemoGroup, DemoMarket, GiveError, Given};
use tokio::sync::Mutex;

/// The content type of the pictures.
const PICTURE: &str = "image/svg+xml";

/// Sends coins and assets of the demo's collections.
pub struct DemoFaucet {
    market: Market,
    demo: Arc<DemoMarket>,
    chain: EmbeddedChain,
    /// Serializes gifts: a prepared gift has not spent its outputs yet.
    gift_lock: Mutex<()>,
}

impl DemoFaucet {
    /// Builds the faucet of a market on its chain.
    #[must_use]
    pub fn new(market: Market, demo: Arc<DemoMarket>, chain: EmbeddedChain) -> Self {
        Self { market, demo, chain, gift_lock: Mutex::new(()) }
    }

    /// Sends a gift to a script. It waits for the next block.
    ///
    /// # Errors
    /// [`GiveError`].
    pub async fn give(&self, to: &Script, gift: DemoGift) -> Result<Given, GiveError> {
        let on_chain = self.on_chain(gift)?;
        let _guard = self.gift_lock.lock().await;
        let present = self.chain.prepare(to, &on_chain)?;
        if let (DemoGift::Inscription(group), Some(id)) = (gift, present.inscription) {
            // Before the inscription is visible: from its first block on it belongs to the group.
            let listed = Inscription { txid: id.txid.to_byte_array(), index: id.index };
            self.market.list_inscriptions(group, &[listed]).await?;
        }
        for transaction in &present.transactions {
            self.chain.broadcast(std::slice::from_ref(transaction)).await?;
        }
        Ok(Given { outpoint: present.outpoint, inscription: present.inscription })
    }

    /// Returns the amount of a script's confirmed coins without assets.
    ///
    /// # Errors
    /// [`GiveError::Chain`].
    pub async fn balance(&self, of: &Script) -> Result<Sats, GiveError> {
        let unknown = |error: AssetError| GiveError::Chain(ChainError::Unreachable(error.to_string()));
        let mut total = 0_u64;
        for outpoint in self.chain.outputs_of(of).await.map_err(unknown)? {
            let is_plain = self.chain.assets_in(outpoint).await.map_err(unknown)?.is_some_and(|it| it.is_plain());
            let unspent = self.chain.unspent(outpoint).await?.filter(|_| is_plain);
            total = total.saturating_add(unspent.map_or(0, |unspent| unspent.output.value.to_sat()));
        }
        Ok(Sats::new(total))
    }

    /// Converts a gift to its form on the chain.
    fn on_chain(&self, gift: DemoGift) -> Result<Gift, GiveError> {
        match gift {
            DemoGift::Coins(sats) => Ok(Gift::Coins(bitcoin::Amount::from_sat(sats.get()))),
            DemoGift::Inscription(id) => {
                let demo = self.group(id)?;
                if demo.group.collateral != CollateralType::Inscription {
                    return Err(GiveError::OtherKind(id));
                }
                // Every picture is different.
                let body = demo.picture(rand::random()).into_bytes();
                Ok(Gift::Inscription { content_type: PICTURE.to_owned(), body })
            }
            DemoGift::Runes(id, raw) => match &self.group(id)?.group.collateral {
                CollateralType::Rune { rune_id, .. } => {
                    let rune = rune_id.parse().map_err(|_| GiveError::OtherKind(id))?;
                    Ok(Gift::Runes { rune, raw })
                }
                _ => Err(GiveError::OtherKind(id)),
            },
            DemoGift::Balance(id, raw) => Ok(Gift::Balance { ticker: self.ticker(id)?, raw }),
            DemoGift::TransferInscription(id, raw) => Ok(Gift::TransferInscription { ticker: self.ticker(id)?, raw }),
        }
    }

    fn group(&self, id: GroupId) -> Result<&DemoGroup, GiveError> {
        self.demo.group(id).ok_or(GiveError::UnknownGroup(id))
    }

    fn ticker(&self, id: GroupId) -> Result<String, GiveError> {
        match &self.group(id)?.group.collateral {
            CollateralType::Brc20 { ticker, .. } => Ok(ticker.clone()),
            _ => Err(GiveError::OtherKind(id)),
        }
    }
}
