//! A view of all unspent outputs: of blocks, of the mempool and of a package that is being submitted.

use bitcoin::{OutPoint, Transaction, TxOut};

use super::best_chain::{BestChain, is_spendable};
use super::coin::Coin;
use super::mempool::Mempool;

/// The outputs that a transaction can spend. Outputs that the mempool spends are included: the spender may be replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoinView<'a> {
    pub(crate) chain: &'a BestChain,
    pub(crate) pool: &'a Mempool,
    /// The preceding transactions of the same package.
    pub(crate) package: &'a [Transaction],
}

impl CoinView<'_> {
    pub(crate) fn coin(&self, outpoint: OutPoint) -> Option<Coin> {
        if let Some(coin) = self.chain.coin(outpoint) {
            return Some(coin.clone());
        }
        let output = self.in_mempool(outpoint)?;
        // Mempool transactions count as confirmed in the next block.
        is_spendable(&output).then_some(Coin { output, height: self.chain.next_height(), is_coinbase: false })
    }

    /// One coin for each input; `None` when one is missing.
    pub(crate) fn coins(&self, transaction: &Transaction) -> Option<Vec<Coin>> {
        transaction.input.iter().map(|input| self.coin(input.previous_output)).collect()
    }

    fn in_mempool(&self, outpoint: OutPoint) -> Option<TxOut> {
        let pooled = self.pool.entry(outpoint.txid).map(|entry| &entry.transaction);
        let transaction =
            pooled.or_else(|| self.package.iter().find(|transaction| transaction.compute_txid() == outpoint.txid))?;
        transaction.output.get(usize::try_from(outpoint.vout).ok()?).cloned()
    }
}
