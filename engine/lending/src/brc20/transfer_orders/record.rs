//! The journal's record of an order's transactions, opaque to the domain.

use std::str::FromStr;

use bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use bitcoin::{Amount, CompressedPublicKey, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid, XOnlyPublicKey};
use domain::TransferOrder;
use escrow::contract::assets::brc20_transfer::{Brc20Transfer, Brc20TransferError};
use escrow::contract::inscribe_transfer::{CommitAndReveal, InscribeTransfer, InscribeTransferError};
use escrow::contract::transaction::coin::{Coin, CoinKey};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The version that is serialized.
const VERSION: u32 = 1;

/// The parts that both transactions of an order are built of, and the reveal, signed beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TransferOrderRecord {
    /// The key that signed the reveal; its private key is destroyed.
    pub(super) reveal_key: XOnlyPublicKey,
    /// The script that owns the balance and receives the transfer inscription.
    pub(super) ordinals_script: ScriptBuf,
    /// The key of the coins, and of the change.
    pub(super) payment: CoinKey,
    /// The outpoints and values of the coins.
    pub(super) coins: Vec<(OutPoint, Amount)>,
    /// The fee rate of each of the two transactions.
    pub(super) fee_rate: FeeRate,
    /// The commit's txid once it is signed.
    pub(super) commit: Txid,
    /// The signed reveal.
    pub(super) reveal: Transaction,
}

/// The reason why a record is unusable. This program wrote it, so the journal was changed or the program has a defect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// It is no record of this version.
    #[error("the record of an order cannot be read: {0}")]
    Malformed(String),
    /// Its transfer inscription is invalid.
    #[error(transparent)]
    Note(#[from] Brc20TransferError),
    /// Its transactions cannot be built.
    #[error(transparent)]
    Build(#[from] InscribeTransferError),
    /// The transactions built are not those that were prepared.
    #[error("the record of an order gives {found}, and {expected} was given out for signing")]
    OtherTransaction {
        /// The txid prepared.
        expected: Txid,
        /// The txid built.
        found: Txid,
    },
}

/// The serialized form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SerializedOrder {
    version: u32,
    reveal_key: String,
    home: String,
    payment_kind: PaymentKind,
    payment_key: String,
    coins: Vec<(String, u64)>,
    fee_rate_sat_per_kwu: u64,
    commit: String,
    reveal: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PaymentKind {
    P2tr,
    P2wpkh,
    P2shP2wpkh,
}

fn parsed<T: FromStr>(what: &str, text: &str) -> Result<T, RecordError> {
    text.parse().map_err(|_| RecordError::Malformed(what.to_owned()))
}

impl TransferOrderRecord {
    pub(super) fn to_text(&self) -> Result<String, RecordError> {
        let (payment_kind, payment_key) = match self.payment {
            CoinKey::P2tr(key) => (PaymentKind::P2tr, key.to_string()),
            CoinKey::P2wpkh(key) => (PaymentKind::P2wpkh, key.to_string()),
            CoinKey::P2shP2wpkh(key) => (PaymentKind::P2shP2wpkh, key.to_string()),
        };
        let serialized = SerializedOrder {
            version: VERSION,
            reveal_key: self.reveal_key.to_string(),
            home: self.ordinals_script.to_hex_string(),
            payment_kind,
            payment_key,
            coins: self.coins.iter().map(|(outpoint, value)| (outpoint.to_string(), value.to_sat())).collect(),
            fee_rate_sat_per_kwu: self.fee_rate.to_sat_per_kwu(),
            commit: self.commit.to_string(),
            reveal: serialize_hex(&self.reveal),
        };
        serde_json::to_string(&serialized).map_err(|error| RecordError::Malformed(error.to_string()))
    }

    pub(super) fn from_text(text: &str) -> Result<Self, RecordError> {
        let malformed = |what: &str| RecordError::Malformed(what.to_owned());
        let serialized: SerializedOrder =
            serde_json::from_str(text).map_err(|error| RecordError::Malformed(error.to_string()))?;
        if serialized.version != VERSION {
            return Err(RecordError::Malformed(format!("version {}", serialized.version)));
        }
        let compressed = || parsed::<CompressedPublicKey>("payment_key", &serialized.payment_key);
        let payment = match serialized.payment_kind {
            PaymentKind::P2tr => CoinKey::P2tr(parsed("payment_key", &serialized.payment_key)?),
            PaymentKind::P2wpkh => CoinKey::P2wpkh(compressed()?),
            PaymentKind::P2shP2wpkh => CoinKey::P2shP2wpkh(compressed()?),
        };
        let coin = |(place, sats): &(String, u64)| Ok((parsed("coins", place)?, Amount::from_sat(*sats)));
        let coins: Result<_, RecordError> = serialized.coins.iter().map(coin).collect();
        Ok(Self {
            reveal_key: parsed("reveal_key", &serialized.reveal_key)?,
            ordinals_script: ScriptBuf::from_hex(&serialized.home).map_err(|_| malformed("home"))?,
            payment,
            coins: coins?,
            fee_rate: FeeRate::from_sat_per_kwu(serialized.fee_rate_sat_per_kwu),
            commit: parsed("commit", &serialized.commit)?,
            reveal: deserialize_hex(&serialized.reveal).map_err(|_| malformed("reveal"))?,
        })
    }

    /// Builds both transactions again, equal to those that were prepared.
    pub(super) fn rebuild(&self, order: &TransferOrder) -> Result<CommitAndReveal, RecordError> {
        let script = self.payment.script_pubkey();
        let coins = self.coins.iter().map(|(outpoint, value)| Coin {
            outpoint: *outpoint,
            output: TxOut { value: *value, script_pubkey: script.clone() },
            key: self.payment,
        });
        let coins: Vec<Coin> = coins.collect();
        let built = InscribeTransfer {
            order: order.id.0,
            transfer: &Brc20Transfer::new(&order.ticker, order.amount_raw)?,
            reveal_key: self.reveal_key,
            destination: &self.ordinals_script,
            coins: &coins,
            change: &script,
            fee_rate: self.fee_rate,
        };
        let both = built.build()?;
        let ids = [(self.commit, both.commit.final_txid()), (self.reveal.compute_txid(), both.reveal.final_txid())];
        match ids.into_iter().find(|(expected, found)| expected != found) {
            Some((expected, found)) => Err(RecordError::OtherTransaction { expected, found }),
            None => Ok(both),
        }
    }
}
