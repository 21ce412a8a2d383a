//! A user who owns tokens and orders transfer inscriptions.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::{
    Amount, FeeRate, OutPoint, Psbt, Sequence, Transaction, TxIn, TxOut, Txid, Witness, absolute, transaction,
};
use domain::TransferOrderId;
use engine::asset_index::{Brc20Index as _, InscriptionId};
use engine::chain::Chain as _;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::transaction::coin::CoinKey;
use lending::brc20::transfer_orders::{PreparedOrder, TransferOrderError, TransferOrderRequest};

use crate::kit::people::Person;
use crate::kit::world::World;

/// Raw units of a whole token.
pub(crate) const WHOLE: u128 = 1_000_000_000_000_000_000;

pub(crate) struct Customer {
    pub(crate) person: Person,
}

impl Customer {
    /// A user with a thousand newts and these coins.
    pub(crate) async fn new(world: &World, coins: &[u64]) -> Self {
        let person = world.borrower().await;
        for text in [
            r#"{"p":"brc-20","op":"deploy","tick":"newt","max":"21000000"}"#,
            r#"{"p":"brc-20","op":"mint","tick":"newt","amt":"1000"}"#,
        ] {
            inscribe(world, &person, text);
        }
        for sats in coins {
            world.fund(&person.payment_script(), *sats);
        }
        Self { person }
    }

    pub(crate) fn request(&self, tokens: u128, rate: u32) -> TransferOrderRequest {
        TransferOrderRequest {
            user: self.person.user,
            transfer: Brc20Transfer::new("NEWT", tokens * WHOLE).unwrap(),
            payment: self.person.payment(),
            ordinals: self.person.ordinals(),
            fee_rate: FeeRate::from_sat_per_vb_u32(rate),
        }
    }

    /// Prepares an order of this number of tokens at 30 sats per virtual byte.
    pub(crate) async fn prepare(&self, world: &World, tokens: u128) -> Result<PreparedOrder, TransferOrderError> {
        world.service.prepare_order(&self.request(tokens, 30)).await
    }

    pub(crate) fn sign(&self, prepared: &PreparedOrder) -> String {
        self.person.wallet.sign_psbt(&prepared.transaction).unwrap()
    }

    pub(crate) async fn commit(&self, world: &World, prepared: &PreparedOrder) -> Result<Txid, TransferOrderError> {
        self.give_back(world, prepared.order, &self.sign(prepared)).await
    }

    pub(crate) async fn give_back(
        &self,
        world: &World,
        order: TransferOrderId,
        text: &str,
    ) -> Result<Txid, TransferOrderError> {
        world.service.commit_order(self.person.user, &self.person.ordinals(), order, text).await
    }

    /// The available and transferable balance, in whole tokens.
    pub(crate) async fn newts(&self, world: &World) -> (u128, u128) {
        let balance = world.chain.balance(&self.person.ordinals().script_pubkey(), "newt").await.unwrap();
        (balance.available / WHOLE, balance.transferable / WHOLE)
    }

    /// Spends coins of this wallet into one output.
    pub(crate) async fn spend(&self, world: &World, coins: &[OutPoint], sats: u64, to: &CoinKey) -> Transaction {
        let mut inputs = Vec::new();
        for coin in coins {
            let before = world.chain.transaction(coin.txid).await.unwrap().unwrap().transaction;
            inputs.push((*coin, before.output[usize::try_from(coin.vout).unwrap()].clone()));
        }
        by_hand(&self.person, &inputs, &[TxOut { value: Amount::from_sat(sats), script_pubkey: to.script_pubkey() }])
    }
}

pub(crate) fn inscribe(world: &World, person: &Person, text: &str) -> InscriptionId {
    let script = person.ordinals().script_pubkey();
    world.chain.inscribe(&script, Amount::from_sat(546), "text/plain", text.as_bytes()).unwrap()
}

/// Builds a transaction that this wallet signs alone.
pub(crate) fn by_hand(person: &Person, inputs: &[(OutPoint, TxOut)], outputs: &[TxOut]) -> Transaction {
    let input = |(previous_output, _): &(OutPoint, TxOut)| TxIn {
        previous_output: *previous_output,
        sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
        ..TxIn::default()
    };
    let unsigned = Transaction {
        version: transaction::Version::TWO,
        lock_time: absolute::LockTime::ZERO,
        input: inputs.iter().map(input).collect(),
        output: outputs.to_vec(),
    };
    let mut psbt = Psbt::from_unsigned_tx(unsigned).unwrap();
    for (input, (_, output)) in psbt.inputs.iter_mut().zip(inputs) {
        input.witness_utxo = Some(output.clone());
    }
    let text = person.wallet.sign_psbt(&STANDARD.encode(psbt.serialize())).unwrap();
    let signed = Psbt::deserialize(&STANDARD.decode(text).unwrap()).unwrap();
    let mut transaction = signed.unsigned_tx;
    for (input, signed) in transaction.input.iter_mut().zip(&signed.inputs) {
        let mut witness = Witness::new();
        if let Some(signature) = &signed.tap_key_sig {
            witness.push(signature.to_vec());
        }
        for (key, signature) in &signed.partial_sigs {
            witness.push(signature.to_vec());
            witness.push(key.to_bytes());
        }
        input.witness = witness;
    }
    transaction
}
