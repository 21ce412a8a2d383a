//! People with simulated wallets, who sign what they are handed as real wallets do.

use bitcoin::{Amount, Network, OutPoint, ScriptBuf, Transaction, XOnlyPublicKey};
use engine::chain::Chain as _;
use escrow::address::AddressKind;
use escrow::contract::coin::{Coin, CoinKey};
use escrow::contract::signatures::Signatures;
use escrow::contract::template::Template;
use escrow::wallet_key::WalletKey;

use super::world::World;

/// Somebody with a wallet.
pub(crate) struct Person {
    wallet: WalletKey,
}

impl Person {
    /// The one of this seed.
    pub(crate) fn new(seed: u8) -> Self {
        Self { wallet: WalletKey::from_seed([seed; 32], Network::Regtest).unwrap() }
    }

    /// What holds collateral.
    pub(crate) fn ordinals(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2tr)
    }

    /// What pays and is paid.
    pub(crate) fn payment(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2wpkh)
    }

    /// The same, nested.
    pub(crate) fn nested(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2shP2wpkh)
    }

    /// The key of contracts.
    pub(crate) fn key(&self) -> XOnlyPublicKey {
        match self.ordinals() {
            CoinKey::P2tr(key) => key,
            CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.0.into(),
        }
    }

    /// Where collateral goes.
    pub(crate) fn home(&self) -> ScriptBuf {
        self.ordinals().script_pubkey()
    }

    /// Where payments go.
    pub(crate) fn purse(&self) -> ScriptBuf {
        self.payment().script_pubkey()
    }

    /// What the wallet gives back.
    pub(crate) fn sign(&self, template: &Template) -> String {
        self.wallet.sign_psbt(&template.psbt.to_string()).unwrap()
    }

    /// What is taken from it.
    pub(crate) fn signatures(&self, template: &Template) -> Signatures {
        let keys = [self.ordinals(), self.payment(), self.nested()];
        template.check_returned(&self.sign(template), &keys).unwrap()
    }
}

/// A confirmed coin of this key, as the node has it.
pub(crate) async fn funded(world: &impl World, key: CoinKey, sats: u64) -> Coin {
    let outpoint = world.fund(&key.script_pubkey(), Amount::from_sat(sats)).await;
    let unspent = world.node().unspent(outpoint).await.unwrap().unwrap();
    Coin { outpoint, output: unspent.output, key }
}

/// What an output of a transaction is to the holder of this key.
pub(crate) fn coin_of(transaction: &Transaction, vout: u32, key: CoinKey) -> Coin {
    let output = transaction.output[usize::try_from(vout).unwrap()].clone();
    Coin { outpoint: OutPoint::new(transaction.compute_txid(), vout), output, key }
}
