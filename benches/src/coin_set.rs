//! Coins for the measurement of coin selection.

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf, TxOut, Txid};
use escrow::address::AddressKind;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::{Candidate, Contents, SelectionTarget};
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;
use escrow::wallet_key::WalletKey;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// A user's coins of all kinds and sizes.
#[derive(Debug)]
pub struct CoinSet {
    coins: Vec<Coin>,
    change: ScriptBuf,
}

impl CoinSet {
    /// Generates `coins` coins of 1,000 to 2,000,000 sats.
    #[must_use]
    pub fn new(seed: u64, coins: u16) -> Self {
        let wallet = WalletKey::from_seed([4; 32], Network::Regtest).expect("the seed is valid");
        let kinds = [AddressKind::P2wpkh, AddressKind::P2shP2wpkh, AddressKind::P2tr];
        let keys = kinds.map(|kind| wallet.coin_key(kind));
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let coin = |number: u16| {
            let (key, value) = (keys[chance.random_range(0..keys.len())], chance.random_range(1_000..=2_000_000));
            let outpoint = OutPoint::new(Txid::from_byte_array([5; 32]), u32::from(number));
            Coin { outpoint, output: TxOut { value: Amount::from_sat(value), script_pubkey: key.script_pubkey() }, key }
        };
        Self { coins: (0..coins).map(coin).collect(), change: keys[0].script_pubkey() }
    }

    /// The coins as reported by an indexer and a node.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate<'_>> {
        let plain = |coin| Candidate {
            spend: Spend::Coin(coin),
            contents: Contents::Plain,
            confirmations: 6,
            is_coinbase: false,
        };
        self.coins.iter().map(plain).collect()
    }

    /// The number of coins selected to pay a third of the total, or a tenth of a bitcoin if that is less.
    #[must_use]
    pub fn choose(&self, candidates: &[Candidate<'_>]) -> usize {
        let all: u64 = self.coins.iter().map(|coin| coin.output.value.to_sat()).sum();
        let outputs = [TxOut { value: Amount::ZERO, script_pubkey: self.change.clone() }];
        let wanted = SelectionTarget {
            amount: Amount::from_sat((all / 3).min(10_000_000)),
            fee_payer: FeePayer::Coins,
            fee_rate: FeeRate::from_sat_per_vb(7).expect("a small rate"),
            inputs: &[],
            outputs: &outputs,
            change: &self.change,
        };
        wanted.select(candidates).expect("the coins suffice").spends.len()
    }
}
