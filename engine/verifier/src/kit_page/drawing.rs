//! The inputs and outputs of a transaction, for review before signing and before broadcasting.

use bitcoin::{Address, Amount, Network, OutPoint, TxOut};
use escrow::contract::transaction::template::Template;
use escrow::fee_rate;
use escrow::kit::Kit;
use escrow::kit::labels::{EXIT_INPUT, EXIT_OUTPUT};
use serde::Serialize;

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drawing {
    /// The inputs.
    pub inputs: Vec<DrawnInput>,
    /// The outputs.
    pub outputs: Vec<DrawnOutput>,
    /// The network fee.
    pub fee_sats: u64,
    /// The fee rate in words.
    pub fee_rate: String,
    /// The version.
    pub version: i32,
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawnInput {
    /// The purpose in words.
    pub label: &'static str,
    /// The output that it spends.
    pub outpoint: String,
    /// The amount.
    pub sats: u64,
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawnOutput {
    /// The purpose in words.
    pub label: &'static str,
    /// The address; absent for data.
    pub address: Option<String>,
    /// The amount.
    pub sats: u64,
}

impl Drawing {
    /// Returns the drawing of a kit's transaction.
    #[must_use]
    pub fn of(kit: &Kit, template: &Template) -> Self {
        let transaction = &template.psbt.unsigned_tx;
        let inputs = transaction.input.iter().zip(template.input_amounts()).map(|(input, amount)| DrawnInput {
            label: input_label(kit, input.previous_output),
            outpoint: input.previous_output.to_string(),
            sats: amount.to_sat(),
        });
        let outputs = transaction.output.iter().map(|paid| DrawnOutput {
            label: output_label(kit, paid),
            address: address(&paid.script_pubkey, network(kit)),
            sats: paid.value.to_sat(),
        });
        Self {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            fee_sats: template.fee().map_or(0, Amount::to_sat),
            fee_rate: fee_rate::of_template(template).map(fee_rate::in_words).unwrap_or_default(),
            version: transaction.version.0,
        }
    }
}

/// The network of a kit.
#[must_use]
pub const fn network(kit: &Kit) -> Network {
    match kit {
        Kit::Borrower(kit) => kit.record().network,
        Kit::Lender(kit) => kit.record().network,
        Kit::Vault(kit) => kit.network(),
    }
}

/// The address of a script, where it has one.
#[must_use]
pub fn address(script: &bitcoin::Script, network: Network) -> Option<String> {
    Address::from_script(script, network).ok().map(|address| address.to_string())
}

fn input_label(kit: &Kit, outpoint: OutPoint) -> &'static str {
    match kit {
        Kit::Borrower(kit) => kit.input_label(outpoint),
        Kit::Lender(kit) => kit.input_label(outpoint),
        Kit::Vault(_) => EXIT_INPUT,
    }
}

fn output_label(kit: &Kit, paid: &TxOut) -> &'static str {
    match kit {
        Kit::Borrower(kit) => kit.output_label(paid),
        Kit::Lender(kit) => kit.output_label(paid),
        Kit::Vault(_) => EXIT_OUTPUT,
    }
}
