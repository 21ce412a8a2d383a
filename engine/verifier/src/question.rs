//! A question to the verifier, in JSON.

use bitcoin::Network;
use serde::Deserialize;

use crate::agreed_terms::AgreedTerms;
use crate::contract::DescribedContract;
use crate::own_keys::OwnAddresses;
use crate::requested_inputs::RequestedInput;
use crate::text_value::{IdText, TextValue};

/// Transactions that a wallet is about to sign, and the terms that its user agreed to.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
    /// The network.
    pub network: TextValue<Network>,
    /// The addresses of the wallet.
    pub own: OwnAddresses,
    /// The transactions, in the order in which they are signed.
    pub transactions: Vec<GivenTransaction>,
    /// The purpose.
    pub task: Task,
}

/// A transaction as the wallet gets it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenTransaction {
    /// The PSBT in base64.
    pub base64: String,
    /// The inputs that the wallet is asked to sign.
    pub sides: Vec<RequestedInput>,
}

/// The purpose of the signatures.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// A loan begins, replaces another or is extended, and its borrower signs.
    Borrow(Beginning),
    /// The same, and its lender signs it and the repayment in advance.
    Lend(Beginning),
    /// The user repays loans.
    Repay(Ending),
    /// The user claims the collateral of a loan.
    Claim(Ending),
}

/// The beginning of a loan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beginning {
    /// The terms that the user agreed to.
    pub agreed: AgreedTerms,
    /// The server's description of the contract.
    pub contract: Box<DescribedContract>,
}

/// The end of loans.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ending {
    /// The loans.
    pub loans: Vec<EndedLoan>,
    /// The network fee that the user was shown.
    pub fee_sats: u64,
    /// The fee rate that the user chose, in sats per 1,000 weight units.
    pub fee_rate_sat_per_kwu: u64,
}

/// A running loan that ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndedLoan {
    /// The loan.
    pub loan_id: IdText,
    /// The user's kit of it.
    pub kit: String,
    /// The amount to repay that the user was shown.
    pub payout_sats: u64,
    /// The claim time that the user was shown, in Unix seconds.
    pub claim_after_seconds: u32,
}
