//! Users' spends of their own coins, elsewhere than in loans.

use bitcoin::{Amount, OutPoint, Transaction, TxOut};
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;

use crate::people::{Person, wallet};
use crate::world::World;

impl Person {
    /// Spends confirmed outputs, all to another wallet.
    pub async fn spend_elsewhere(&self, world: &World, outpoints: &[OutPoint], fee: u64) -> Transaction {
        let mut spent = Vec::new();
        for outpoint in outpoints {
            spent.push((*outpoint, world.chain.confirmed_unspent(*outpoint).await.unwrap().unwrap().output));
        }
        let all: Amount = spent.iter().map(|(_, output)| output.value).sum();
        let elsewhere = wallet(200).payment_address().script_pubkey();
        self.spend(&spent, vec![TxOut { value: all - Amount::from_sat(fee), script_pubkey: elsewhere }])
    }

    /// Spends all coins of the wallet to another one, confirmed.
    pub async fn spend_all(&self, world: &World) {
        let mut spent = Vec::new();
        for key in [self.payment(), self.ordinals()] {
            for outpoint in world.chain.outputs_of(&key.script_pubkey()).await.unwrap() {
                if world.chain.unspent(outpoint).await.unwrap().is_some() {
                    spent.push(outpoint);
                }
            }
        }
        let transaction = self.spend_elsewhere(world, &spent, 5_000).await;
        world.chain.broadcast(&[transaction]).await.unwrap();
        world.chain.mine(1).unwrap();
    }

    /// The confirmed balance of the payment address.
    pub async fn payment_balance(&self, world: &World) -> u64 {
        let holdings = world.service.lookup().holdings(&self.payment()).await.unwrap();
        holdings.plain().map(|held| held.coin.output.value.to_sat()).sum()
    }
}
