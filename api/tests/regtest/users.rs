//! The on-chain assets of the server's users, and the signatures of their wallets.

use bitcoin::{Amount, OutPoint, Script, Transaction, Txid};
use engine::asset_index::{AssetIndex as _, InscriptionId};
use engine::chain::{Chain as _, ChainPosition};
use engine::coin_index::CoinIndex as _;
use escrow::address::AddressKind;
use ordinals::RuneId;
use serde_json::Value;

use super::fixture::MarketFixture;
use super::lender::TestUser;
use testkit::test_wallet::TestWallet;
use testkit::world::World;

/// The seeds of the lender's and the borrower's wallets, and of the one whose address is the platform's by default.
pub const LENDER: u8 = 7;
pub const BORROWER: u8 = 8;
pub const PLATFORM: u8 = 0xf3;

/// The wallet's signed version of a PSBT from the server.
pub fn sign(user: &TestUser, prepared: &Value) -> String {
    user.wallet.sign_psbt(prepared["transactionBase64"].as_str().unwrap()).unwrap()
}

/// Adds the addresses and keys that borrowers' requests carry.
pub fn addresses(user: &TestUser, mut body: Value) -> Value {
    body["borrower_wallet"] = "test".into();
    body["borrower_payment_address"] = user.address().into();
    body["borrower_payment_pubkey"] = user.wallet.public_key_hex(AddressKind::P2wpkh).into();
    body["borrower_ordinal_address"] = user.wallet.ordinals_address().to_string().into();
    body["borrower_ordinal_pubkey"] = user.wallet.public_key_hex(AddressKind::P2tr).into();
    body["hardware_wallet"] = false.into();
    body
}

impl<W: World> MarketFixture<W> {
    /// The confirmed unspent sats at a user's payment address: ord lists the outputs, Core their values.
    pub async fn balance(&self, seed: u8) -> u64 {
        self.sats_at(&TestWallet::new(seed).payment_script()).await
    }

    /// The same for any script.
    pub async fn sats_at(&self, owner: &Script) -> u64 {
        let mut sum = 0;
        for outpoint in self.world.indexer().outputs_of(owner).await.unwrap() {
            let unspent = self.world.node().confirmed_unspent(outpoint).await.unwrap();
            sum += unspent.unwrap_or_else(|| panic!("Core does not have {outpoint}")).output.value.to_sat();
        }
        sum
    }

    /// The amount of a rune at a user's ordinals address.
    pub async fn runes(&self, seed: u8, id: RuneId) -> u128 {
        let mut sum = 0;
        for outpoint in self.world.indexer().outputs_of(&TestWallet::new(seed).ordinals_script()).await.unwrap() {
            let carried = self.world.indexer().assets_in(outpoint).await;
            let runes = carried.unwrap().unwrap().runes;
            sum += runes.iter().filter(|(rune, _)| *rune == id).map(|(_, amount)| amount).sum::<u128>();
        }
        sum
    }

    /// The location of an inscription according to ord, alone on the first sat of its output.
    pub async fn location(&self, id: InscriptionId) -> OutPoint {
        let indexer = self.world.indexer();
        let place = indexer.sat_point(id).await.unwrap();
        let (outpoint, offset) = place.unwrap();
        assert_eq!(offset, Amount::ZERO, "{id} has drifted");
        let carried = indexer.assets_in(outpoint).await.unwrap().unwrap();
        assert_eq!((carried.inscriptions.len(), carried.runes), (1, vec![]), "{outpoint}");
        outpoint
    }

    /// Whether an inscription is at a user's ordinals address.
    pub async fn owns_inscription(&self, seed: u8, id: InscriptionId) -> bool {
        let place = self.location(id).await;
        let unspent = self.world.node().confirmed_unspent(place).await.unwrap().unwrap();
        unspent.output.script_pubkey == TestWallet::new(seed).ordinals_script()
    }

    /// A confirmed transaction.
    pub async fn confirmed_transaction(&self, txid: &Value) -> Transaction {
        let txid: Txid = txid.as_str().unwrap().parse().unwrap();
        let seen = self.world.node().transaction(txid).await.unwrap().unwrap();
        assert!(matches!(seen.position, ChainPosition::Confirmed { .. }), "{txid} waits");
        seen.transaction
    }

    /// The fee of a transaction, from Core's data of the transactions that it spends.
    pub async fn fee(&self, transaction: &Transaction) -> u64 {
        let mut fee = 0;
        for input in &transaction.input {
            let OutPoint { txid, vout } = input.previous_output;
            let spent = self.world.node().transaction(txid).await.unwrap().unwrap().transaction;
            fee += spent.output[usize::try_from(vout).unwrap()].value.to_sat();
        }
        fee - transaction.output.iter().map(|output| output.value.to_sat()).sum::<u64>()
    }
}
