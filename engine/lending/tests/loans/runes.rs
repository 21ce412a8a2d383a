//! Fixtures with runes.

use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut};
use devchain::EmbeddedChain;
use engine::chain::Chain as _;
use ordinals::{Edict, RuneId, Runestone};

use crate::fixture::Fixture;
use crate::kit::people::{Person, wallet};
use crate::kit::world::{START_S, World};

/// The rune's supply, in raw units of two decimals.
pub(crate) const SUPPLY: u128 = 100_000_000;

/// A fixture in which the borrower has all of a rune in one coin, and that rune is gold.
pub(crate) async fn gold_rune() -> (Fixture, RuneId, OutPoint) {
    let chain = EmbeddedChain::new(START_S).unwrap();
    let home = wallet(101).ordinals_address().script_pubkey();
    let (gold, coin) = chain.etch(&home, 2, SUPPLY).unwrap();
    (Fixture::of(World::on(chain, gold, (1, 1)).await).await, gold, coin)
}

impl Fixture {
    /// Splits the borrower's rune coin into coins for these users, in a block; the rest goes to the first.
    pub(crate) async fn share(&self, gold: RuneId, coin: OutPoint, shares: &[(&Person, u128)]) {
        let fee = self.world.fund(&self.borrower.payment_script(), 200_000);
        let mut spent = Vec::new();
        for outpoint in [coin, fee] {
            spent.push((outpoint, self.world.chain.unspent(outpoint).await.unwrap().unwrap().output));
        }
        let edicts = shares.iter().enumerate().map(|(index, (_, amount))| {
            let output = u32::try_from(index).unwrap();
            Edict { id: gold, amount: *amount, output }
        });
        let runestone = Runestone { edicts: edicts.collect(), pointer: Some(0), ..Runestone::default() };
        let output = |script_pubkey: ScriptBuf, sats| TxOut { value: Amount::from_sat(sats), script_pubkey };
        let homes = shares.iter().map(|(person, _)| output(person.ordinals().script_pubkey(), 10_000));
        let outputs = homes.chain([output(runestone.encipher(), 0)]).collect();
        let split = self.borrower.spend(&spent, outputs);
        self.world.chain.broadcast(&[split]).await.unwrap();
        self.world.chain.mine(1).unwrap();
    }

    /// The confirmed amount of a rune that a user holds.
    pub(crate) async fn runes_of(&self, person: &Person, gold: RuneId) -> u128 {
        let holdings = self.world.service.lookup().holdings(&person.ordinals()).await.unwrap();
        let coins = holdings.runes().remove(&gold).unwrap_or_default();
        coins.iter().flat_map(|coin| &coin.runes).map(|(_, raw)| *raw).sum()
    }
}
