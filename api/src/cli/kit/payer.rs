//! The coins of one payment address, as far as a node without an indexer can identify them.

use std::cmp::Reverse;

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::{Address, Network, OutPoint, ScriptBuf, Txid};
use engine::chain::{Chain as _, Unspent};
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::coin_selection::COINS_MAX;
use escrow::kit::ASSET_VALUE_MAX;
use escrow::kit::loan_record::LoanRecord;

use super::node::Node;
use crate::cli::progress::Progress;
use crate::cli::terminal::note;
use crate::failure::Failure;

/// The payer of a transaction.
pub(super) struct Payer<'a> {
    /// The node.
    pub(super) node: &'a Node,
    /// The network of the address.
    pub(super) network: Network,
    /// The key of the payment address.
    pub(super) key: CoinKey,
    /// The ordinals address, which never pays.
    pub(super) ordinals_script: ScriptBuf,
    /// The unconfirmed transaction that the new one will replace.
    pub(super) replaced: Option<Txid>,
}

impl<'a> Payer<'a> {
    /// Returns the payer of a loan's ending, which replaces an unconfirmed one. Fails if the escrow is not unspent.
    pub(super) async fn of_ending(
        node: &'a Node,
        record: &LoanRecord,
        key: CoinKey,
        ordinals_script: ScriptBuf,
    ) -> Result<Self, Failure> {
        let replaced = node.check_escrow(record).await?;
        Ok(Self { node, network: record.network, key, ordinals_script, replaced })
    }

    /// The payment address.
    pub(super) fn address(&self) -> String {
        let address = Address::from_script(&self.key.script_pubkey(), self.network);
        address.map(|address| address.to_string()).unwrap_or_default()
    }

    /// Returns a coin that the user has named.
    pub(super) async fn coin(&self, outpoint: OutPoint) -> Result<Coin, Failure> {
        let refuse = |why: &str| Err(Failure::new(format!("the coin {outpoint} {why}")));
        let found = self.node.core.confirmed_unspent(outpoint).await.map_err(Failure::new)?;
        let Some(found) = found else { return refuse("is spent, or not in a block yet") };
        if found.output.script_pubkey != self.key.script_pubkey() {
            return refuse(&format!("is not at your payment address {}", self.address()));
        }
        if !is_mature(&found) {
            return refuse("was mined less than 100 blocks ago");
        }
        if self.node.is_spent_in_mempool(outpoint, self.replaced).await? {
            return refuse("is spent by a transaction that waits for a block");
        }
        Ok(Coin { outpoint, output: found.output, key: self.key })
    }

    /// Returns coins that the node finds at the address, the largest first, without those small enough to carry assets.
    pub(super) async fn find_coins(&self) -> Result<Vec<Coin>, Failure> {
        let (script, address) = (self.key.script_pubkey(), self.address());
        if script == self.ordinals_script {
            return Err(Failure::new(format!(
                "your payment address {address} is your ordinals address too: name the coins that may be spent, each \
                 with --coin TXID:VOUT"
            )));
        }
        note(format_args!("Looking for coins of {address}; on the main network this takes the node some minutes."));
        let mut progress = Progress::new("% of all unspent outputs read");
        let found = self.node.core.outputs_of(&script, |percent| progress.at(percent.into())).await;
        progress.finish(100);
        let mut found = found.map_err(Failure::new)?;
        found.retain(|(_, unspent)| is_mature(unspent) && unspent.output.value > ASSET_VALUE_MAX);
        found.sort_by_key(|(outpoint, unspent)| (Reverse(unspent.output.value), *outpoint));
        let mut coins = Vec::new();
        for (outpoint, unspent) in found.into_iter().take(COINS_MAX) {
            if !self.node.is_spent_in_mempool(outpoint, self.replaced).await? {
                coins.push(Coin { outpoint, output: unspent.output, key: self.key });
            }
        }
        Ok(coins)
    }
}

/// Warns before signing for coins that the user has not named.
pub(super) fn warn_of_assets() {
    note(
        "Warning: a node does not see inscriptions and runes. The coins above were taken because they are at your \
         payment address and hold more than 10,000 sats. If one of them may carry something, do not sign: run this \
         again and name other coins with --coin TXID:VOUT.",
    );
}

/// Returns whether an output can be spent: a coinbase output only after 100 blocks.
fn is_mature(unspent: &Unspent) -> bool {
    unspent.confirmations >= 1 && (!unspent.is_coinbase || unspent.confirmations >= COINBASE_MATURITY)
}
