//! A task of the offline page, in JSON.

use bitcoin::OutPoint;
use serde::Deserialize;

use crate::text_value::TextValue;

/// A kit, and the step to take with it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KitTask {
    /// The kit's file.
    pub kit: String,
    /// The browser's clock, in Unix seconds.
    pub now_seconds: u32,
    /// The step.
    pub step: KitStep,
}

/// A step.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum KitStep {
    /// The kit is described.
    Read,
    /// The kit's transaction is prepared for a wallet.
    Build(Order),
    /// The transaction that a wallet has signed is checked and completed.
    Finish(Signed),
}

/// The choices of the user about a transaction.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Order {
    /// The coins of the payment address; for a vault, its outputs.
    pub coins: Vec<NamedCoin>,
    /// The fee rate in sats per virtual byte, as text.
    pub fee_rate: String,
    /// The version of a repayment: 2 or 3.
    pub version: i32,
    /// The pads of the loan that are spent.
    pub spent_pads: Vec<TextValue<OutPoint>>,
    /// Whether a repayment is wanted although the lender may already claim.
    pub is_late_wanted: bool,
    /// The address to which a vault is left; the lender's ordinals address if absent.
    #[serde(default)]
    pub destination: Option<String>,
}

/// A coin that the user names. Its amount is the user's statement.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedCoin {
    /// The output.
    pub outpoint: TextValue<OutPoint>,
    /// Its amount.
    pub sats: u64,
}

/// A transaction that a wallet has signed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// The PSBT in base64 or hexadecimal, without white space.
    pub psbt: String,
    /// The address to which a vault is left, as it was prepared.
    #[serde(default)]
    pub destination: Option<String>,
}
