//! Users with simulated wallets, which sign as real wallets do.

use bitcoin::{Amount, Network, OutPoint, ScriptBuf, Transaction, XOnlyPublicKey};
use engine::chain::Chain as _;
use escrow::address::AddressKind;
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::wallet_key::WalletKey;

use super::world::World;

/// A user with a wallet.
pub struct TestWallet {
    wallet: WalletKey,
}

impl TestWallet {
    /// Creates the user of this seed.
    pub fn new(seed: u8) -> Self {
        Self { wallet: WalletKey::from_seed([seed; 32], Network::Regtest).unwrap() }
    }

    /// Returns the key of collateral.
    pub fn ordinals(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2tr)
    }

    /// Returns the key of payments.
    pub fn payment(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2wpkh)
    }

    /// Returns the same key, nested in P2SH.
    pub fn nested(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2shP2wpkh)
    }

    /// Returns the key in contracts.
    pub fn key(&self) -> XOnlyPublicKey {
        match self.ordinals() {
            CoinKey::P2tr(key) => key,
            CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.0.into(),
        }
    }

    /// Returns the script that receives collateral.
    pub fn ordinals_script(&self) -> ScriptBuf {
        self.ordinals().script_pubkey()
    }

    /// Returns the script that receives payments.
    pub fn payment_script(&self) -> ScriptBuf {
        self.payment().script_pubkey()
    }

    /// Returns the PSBT as the wallet signs it.
    pub fn sign(&self, template: &Template) -> String {
        self.wallet.sign_psbt(&template.psbt.to_string()).unwrap()
    }

    /// Returns the wallet's signatures, checked.
    pub fn signatures(&self, template: &Template) -> Signatures {
        let keys = [self.ordinals(), self.payment(), self.nested()];
        template.check_returned(&self.sign(template), &keys).unwrap()
    }
}

/// Funds a confirmed coin of this key, as the node reports it.
pub async fn funded(world: &impl World, key: CoinKey, sats: u64) -> Coin {
    let outpoint = world.fund(&key.script_pubkey(), Amount::from_sat(sats)).await;
    let unspent = world.node().unspent(outpoint).await.unwrap().unwrap();
    Coin { outpoint, output: unspent.output, key }
}

/// Returns an output of a transaction as a coin of this key.
pub fn coin_of(transaction: &Transaction, vout: u32, key: CoinKey) -> Coin {
    let output = transaction.output[usize::try_from(vout).unwrap()].clone();
    Coin { outpoint: OutPoint::new(transaction.compute_txid(), vout), output, key }
}
