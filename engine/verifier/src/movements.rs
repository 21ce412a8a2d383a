//! The destination of every sat and asset of a transaction, in plain words.

use bitcoin::{Address, Amount, Network, Script, ScriptBuf, TxOut};
use escrow::contract::transaction::template::Template;
use serde::Serialize;

/// A payment of a transaction, or its fee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Movement {
    /// The purpose in words.
    pub what: String,
    /// The recipient.
    pub to: Recipient,
    /// The amount.
    pub sats: u64,
    /// The address; absent for the network fee and for data.
    pub address: Option<String>,
}

/// A recipient, as the user sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// The user.
    You,
    /// The escrow of the loan.
    Escrow,
    /// The other side of the loan, or the lender of the loan that is repaid.
    OtherSide,
    /// The platform.
    Platform,
    /// Miners.
    Network,
    /// The payment of nothing: data for indexers.
    Data,
}

/// A known destination: a script, its purpose and its recipient.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The script.
    pub script: ScriptBuf,
    /// The purpose in words.
    pub what: String,
    /// The recipient.
    pub to: Recipient,
}

impl Destination {
    /// A destination.
    #[must_use]
    pub fn new(script: ScriptBuf, what: impl Into<String>, to: Recipient) -> Self {
        Self { script, what: what.into(), to }
    }
}

/// Returns the purpose and recipient of an output.
#[must_use]
pub fn of_script(script: &Script, known: &[Destination]) -> (String, Recipient) {
    if script.is_op_return() {
        return ("data that directs the runes".to_owned(), Recipient::Data);
    }
    let known = known.iter().find(|known| known.script.as_script() == script);
    known.map_or_else(
        || ("held for the second transaction of this loan".to_owned(), Recipient::Escrow),
        |known| (known.what.clone(), known.to),
    )
}

/// Returns the payments of a transaction by their purpose, and its fee. Payments of one purpose are added up.
#[must_use]
pub fn of(template: &Template, known: &[Destination], network: Network) -> Vec<Movement> {
    let mut movements: Vec<Movement> = Vec::new();
    for TxOut { value, script_pubkey } in &template.psbt.unsigned_tx.output {
        let (what, to) = of_script(script_pubkey, known);
        let address = Address::from_script(script_pubkey, network).ok().map(|address| address.to_string());
        let sats = value.to_sat();
        match movements.iter_mut().find(|other| other.what == what && other.address == address) {
            Some(same) => same.sats = same.sats.saturating_add(sats),
            None => movements.push(Movement { what, to, sats, address }),
        }
    }
    let fee = template.fee().map_or(0, Amount::to_sat);
    movements.push(Movement { what: "network fee".to_owned(), to: Recipient::Network, sats: fee, address: None });
    movements
}
